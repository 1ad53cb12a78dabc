# SPDX-License-Identifier: LGPL-2.1-or-later
"""Open MPI's own choice (component `tuned`, fixed decisions) of the collectives that the simulator
has no rule for: open_mpi_fixed.yaml has them. Allreduce and broadcast: algorithms/selectors.
"""

import pathlib

import yaml

from validation.tune.formats.way import Choice, Way

RULES = yaml.safe_load(pathlib.Path(__file__).with_name("open_mpi_fixed.yaml").read_text(
    encoding="utf-8"))
WHOLE = ("reduce_scatter",)
# The simulator's algorithms of these numbers. What it lacks has a stand-in: the neighbour exchange
# goes around as the ring does, two steps at once; linear_sync and linear_nb post as the linear ones
# do, fewer at a time; a butterfly halves; two ranks swap once whatever it is called.
STANDS_FOR = {
    "allgather": {2: "bruck", 3: "recursive_doubling", 4: "ring", 5: "ring", 6: "ring"},
    "alltoall": {1: "posted", 2: "pairwise", 3: "bruck", 4: "posted", 5: "pairwise"},
    "gather": {1: "linear", 2: "binomial", 3: "linear"},
    "reduce_scatter": {1: "recursive_halving", 2: "recursive_halving", 3: "ring",
                       4: "recursive_halving"},
    "scatter": {1: "linear", 2: "binomial", 3: "linear"},
}


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
