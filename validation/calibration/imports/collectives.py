# SPDX-License-Identifier: LGPL-2.1-or-later
"""Names of collectives: the simulator's, and how benchmarks and libraries spell them."""

import argparse
import re

from validation.yaml_files import tables_of

SIMULATED, NOT_SIMULATED, OF_BLOCKS, OTHER_WORDS = tables_of(__file__).values()


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
