# SPDX-License-Identifier: LGPL-2.1-or-later
"""Open MPI's own choice (component `tuned`, fixed decisions) of the collectives that the simulator
has no rule for: open_mpi_fixed.yaml has them. Allreduce and broadcast: algorithms/selectors.
"""

import pathlib

from validation.tune.formats.way import Choice, Way
from validation.yaml_files import tables_of

RULES = tables_of(pathlib.Path(__file__).with_name("open_mpi_fixed"))
WHOLE = ("reduce_scatter",)
STANDS_FOR = tables_of(__file__)


def number_of(collective: str, ranks: int, size: int) -> int:
    """Number of the algorithm that Open MPI takes."""
    measure = size if collective in WHOLE else size / ranks
    rule = next(rule for rule in RULES[collective] if ranks < rule["ranks"])
    return next(number for below, number in rule["algorithms"] if measure < below)


def own_of(collective: str):
    def own(ranks: int, size: int) -> Choice:
        name = STANDS_FOR[collective][number_of(collective, ranks, size)]
        if name == "recursive_doubling" and ranks & (ranks - 1):
            name = "bruck"  # as Open MPI does it
        return Choice(Way(collective, name))
    return own
