# SPDX-License-Identifier: LGPL-2.1-or-later
"""NCCLX: NCCL's algorithms and protocols, and the CSV of NCCLX's built-in tuner.

Source: comms/ncclx/meta/tuner/README.md of meta-pytorch/torchcomms (46726f15). Sizes are those of
the vector divided by the ranks, in whole bytes and inclusive; the first line that matches is taken.
"""

from validation.tune.formats import nccl
from validation.tune.formats.format import Target, format_of

HEADER = "collective,bytesPerRank,algorithm,protocol,channels,nNodes,nLocalRanks"


def write(decided: list, target: Target) -> str:
    local = target.ranks // target.hosts if target.ranks % target.hosts == 0 else "*"
    lines = [f"{name},[{part.first // target.ranks},{part.last // target.ranks}],{algorithm},"
             f"{protocol},{channels},{target.hosts},{local}"
             for name, part, algorithm, protocol, channels in nccl.entries(decided)]
    return "\n".join([f"# {target.said}", f"# {HEADER}", *lines]) + "\n"


FORMAT = format_of("ncclx", nccl.WAYS, nccl.FORMAT.own, write)
