# SPDX-License-Identifier: LGPL-2.1-or-later
"""NCCL: its algorithms and protocols, and the CSV of its tuner plugin.

Source: plugins/tuner/example of NCCL (README.md, nccl_tuner.conf). The first line that matches is
taken; a call that none matches is left to NCCL.
"""

from validation.tune.formats.format import Target, format_of, rule
from validation.tune.formats.way import Way

CHANNELS = (0, 8, 32)  # 0: NCCL's own number of channels
HEADER = "collective_type,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks," \
    "numPipeOps,regBuff"


# The words of the file; bytes are those of the whole vector in all of them.
NAMES = {"reduce_scatter": "reducescatter"}
COLLECTIVES = ("allreduce", "allgather", "reduce_scatter", "broadcast", "reduce")
# NVLS and PAT are left to NCCL: not every machine has them.
ALGORITHMS = {name: ("ring",) for name in COLLECTIVES}
ALGORITHMS["allreduce"] = ("ring", "tree")


def way(collective: str, algorithm: str, protocol: str, channels: int) -> Way:
    """Broadcast and reduce have nothing but rings."""
    says = f"{algorithm} {protocol}" + (f", {channels} channels" if channels else "")
    options = (("algorithm", algorithm),) if len(ALGORITHMS[collective]) > 1 else ()
    options += (("protocol", protocol),)
    return Way(collective, "nccl", says,
               options=options + ((("channels", channels),) if channels else ()))


WAYS = tuple(way(collective, algorithm, protocol, channels) for collective in COLLECTIVES
             for algorithm in ALGORITHMS[collective]
             for protocol in ("LL", "LL128", "Simple") for channels in CHANNELS)


def entries(decided: list):
    """(word of the collective, range, algorithm, protocol, channels or -1) of each entry."""
    for one in decided:
        for part in one.entries:
            options = dict(part.choice.way.options)
            yield (NAMES.get(one.collective, one.collective), part,
                   options.get("algorithm", "ring"), options["protocol"].lower(),
                   options.get("channels", -1))


def write(decided: list, target: Target) -> str:
    lines = [f"{name},{part.first},{part.last},{algorithm},{protocol},{channels},"
             f"{target.hosts},{target.ranks},-1,-1"
             for name, part, algorithm, protocol, channels in entries(decided)]
    return "\n".join([f"# {target.said}", f"# {HEADER}", *lines]) + "\n"


FORMAT = format_of("nccl", WAYS, {name: rule(name, "nccl") for name in COLLECTIVES}, write)
