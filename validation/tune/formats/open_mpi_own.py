# SPDX-License-Identifier: LGPL-2.1-or-later
"""Open MPI's own choice (component `tuned`, fixed decisions) of the collectives that the simulator
has no rule for.

Source: ompi/mca/coll/tuned/coll_tuned_decision_fixed.c of branch v4.1.x, the same on the main
branch; commutative operations. Allreduce and broadcast: algorithms/selectors.
"""

import math

from validation.tune.way import Choice, Way

MORE = math.inf

# Fewer ranks than the first go by the list, vectors of fewer bytes than the first of each pair by
# the algorithm of that number. Bytes are those of a rank's block, but of a
# reduce-scatter those of the whole vector.
RULES = {
    "allgather": (
        (3, ((MORE, 6),)),
        (32, ((MORE, 3),)),
        (64, ((1024, 3), (65536, 5), (MORE, 4))),
        (128, ((512, 3), (65536, 5), (MORE, 4))),
        (256, ((512, 3), (131072, 5), (524288, 4), (1048576, 5), (MORE, 4))),
        (512, ((32, 3), (128, 2), (1024, 3), (131072, 5), (524288, 4), (1048576, 5), (MORE, 4))),
        (1024, ((64, 3), (256, 2), (2048, 3), (MORE, 5))),
        (2048, ((4, 3), (8, 2), (16, 3), (32, 2), (256, 3), (512, 2), (4096, 3), (MORE, 5))),
        (4096, ((32, 2), (128, 3), (512, 2), (4096, 3), (MORE, 5))),
        (MORE, ((2, 3), (8, 2), (16, 3), (512, 2), (4096, 3), (MORE, 5))),
    ),
    "alltoall": (
        (3, ((2, 2), (4, 5), (16, 2), (64, 5), (256, 2), (4096, 5), (32768, 2), (262144, 4),
             (1048576, 5), (MORE, 2))),
        (8, ((8192, 4), (16384, 1), (65536, 4), (524288, 1), (1048576, 2), (MORE, 1))),
        (16, ((262144, 4), (MORE, 1))),
        (32, ((4, 4), (512, 3), (8192, 4), (32768, 1), (262144, 4), (524288, 1), (MORE, 4))),
        (64, ((512, 3), (524288, 1), (MORE, 4))),
        (128, ((1024, 3), (2048, 1), (4096, 4), (262144, 1), (MORE, 2))),
        (256, ((1024, 3), (2048, 4), (262144, 1), (MORE, 2))),
        (512, ((1024, 3), (8192, 4), (32768, 1), (MORE, 2))),
        (1024, ((512, 3), (8192, 4), (16384, 1), (131072, 4), (262144, 1), (MORE, 2))),
        (2048, ((512, 3), (1024, 4), (2048, 1), (16384, 4), (262144, 1), (MORE, 4))),
        (4096, ((1024, 3), (4096, 4), (8192, 1), (131072, 4), (MORE, 1))),
        (MORE, ((2048, 3), (8192, 4), (16384, 1), (32768, 4), (65536, 1), (MORE, 4))),
    ),
    "gather": (
        (4, ((2, 3), (4, 1), (32768, 2), (65536, 1), (131072, 2), (MORE, 3))),
        (8, ((1024, 2), (8192, 1), (32768, 2), (262144, 1), (MORE, 3))),
        (256, ((MORE, 2),)),
        (512, ((2048, 2), (8192, 1), (MORE, 2))),
        (MORE, ((MORE, 2),)),
    ),
    "reduce_scatter": (
        (4, ((65536, 3), (131072, 4), (MORE, 3))),
        (8, ((8, 1), (262144, 2), (MORE, 3))),
        (32, ((262144, 2), (MORE, 3))),
        (64, ((64, 1), (2048, 2), (524288, 4), (MORE, 3))),
        (128, ((256, 1), (512, 2), (2048, 4), (4096, 2), (MORE, 4))),
        (256, ((256, 1), (512, 2), (MORE, 4))),
        (512, ((256, 1), (1024, 2), (MORE, 4))),
        (1024, ((512, 1), (2048, 2), (8192, 4), (16384, 2), (MORE, 4))),
        (2048, ((512, 1), (4096, 2), (16384, 4), (32768, 2), (MORE, 4))),
        (4096, ((512, 1), (4096, 2), (MORE, 4))),
        (MORE, ((1024, 1), (8192, 2), (MORE, 4))),
    ),
    "scatter": (
        (4, ((2, 3), (131072, 1), (262144, 3), (MORE, 1))),
        (8, ((2048, 2), (4096, 1), (8192, 2), (32768, 1), (1048576, 3), (MORE, 1))),
        (16, ((16384, 2), (1048576, 3), (MORE, 1))),
        (32, ((16384, 2), (32768, 1), (MORE, 3))),
        (64, ((512, 2), (8192, 3), (16384, 2), (MORE, 3))),
        (MORE, ((512, 2), (MORE, 3))),
    ),
}
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
    sizes = next(sizes for below, sizes in RULES[collective] if ranks < below)
    return next(number for below, number in sizes if measure < below)


def own_of(collective: str):
    def own(ranks: int, size: int) -> Choice:
        name = STANDS_FOR[collective][number_of(collective, ranks, size)]
        if name == "recursive_doubling" and ranks & (ranks - 1):
            name = "bruck"  # as Open MPI does it
        return Choice(Way(collective, name))
    return own
