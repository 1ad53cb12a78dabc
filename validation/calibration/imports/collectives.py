# SPDX-License-Identifier: LGPL-2.1-or-later
"""Names of collectives: the simulator's, and how benchmarks and libraries spell them."""

import argparse
import re

SIMULATED = ("allgather", "allreduce", "alltoall", "alltoallv", "barrier", "broadcast", "exchange",
             "gather", "reduce", "reduce_scatter", "scatter", "sendrecv")
# Measured by benchmarks, without a collective of the simulator: such measurements are left out.
NOT_SIMULATED = ("allgatherv", "gatherv", "hypercube", "imb_exchange", "scatterv")
OTHER_WORDS = {"bcast": "broadcast", "alltoallpersonalizedexchange": "alltoall",
               "pingping": "exchange", "reducescatterblock": "reduce_scatter"}


def squeezed(text: str) -> str:
    """"all_gather_perf", "AllGather" and "MPI_Allgather" as "allgather"."""
    text = re.sub(r"^(osu|mpi|nccl)_?|_perf$", "", text.lower())
    return re.sub(r"[\s_-]", "", text)


KNOWN = {squeezed(name): name for name in (*SIMULATED, *NOT_SIMULATED)} | OTHER_WORDS


def named(text: str) -> str:
    """The name of a collective in any usual spelling; "" of an unknown one."""
    return KNOWN.get(squeezed(text), "")


def of_option(text: str) -> str:
    """The name that `--collective` gives, as argparse wants a `type` to be; "" without one."""
    if text and not named(text):
        raise argparse.ArgumentTypeError(f"expected one of {', '.join(SIMULATED)}, got '{text}'")
    return named(text)
