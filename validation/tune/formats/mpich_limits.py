# SPDX-License-Identifier: LGPL-2.1-or-later
"""MPICH 3.x and libraries derived from it: the sizes at which they change the algorithm.

Source: MPICH 3.4, src/mpi/coll. Allgather: for powers of two of ranks recursive doubling, else
Bruck's algorithm, a ring from the limit on; its size is that of the whole result. Allreduce:
recursive doubling also for fewer elements than ranks, rounded down to a power of two. One variable
moves one limit, so that a file holds less than the JSON of MPICH 4.0 does.
"""

from typing import NamedTuple

from validation.tune.formats import mpich
from validation.tune.formats.format import Target, format_of
from validation.tune.formats.way import Choice
from validation.yaml_files import tables_of

COLLECTIVES = ("allreduce", "broadcast", "allgather")
WAYS = tuple(way for way in mpich.WAYS if way.collective in COLLECTIVES)


class Limit(NamedTuple):
    """`short` is taken below `bytes`, `long` from there on."""

    variable: str
    bytes: int
    short: str
    long: str


LIMITS = {name: Limit(**one) for name, one in tables_of(__file__).items()}


def limit_of(collective: str, ranks: int) -> Limit | None:
    """None where the size decides nothing."""
    if collective == "broadcast" and ranks < 8:
        return None
    of_powers = collective == "allgather" and ranks & (ranks - 1) == 0
    return LIMITS["allgather of powers of two" if of_powers else collective]


def own_of(collective: str):
    ways = {way.algorithm: Choice(way) for way in WAYS if way.collective == collective}

    def own(ranks: int, size: int) -> Choice:
        limit = limit_of(collective, ranks)
        if limit is None:
            return ways["binomial"]
        few = collective == "allreduce" and size // mpich.FLOAT < 1 << (ranks.bit_length() - 1)
        return ways[limit.short if few or size < limit.bytes else limit.long]
    return own


def moved(limit: Limit, one) -> int | None:
    """The limit that gives the entry nearest to it its algorithm. None where there is no such
    entry, or where the limit would pass a simulated size that keeps the library's choice."""
    above = next((part for part in one.entries if part.last >= limit.bytes), None)
    below = next((part for part in reversed(one.entries) if part.first < limit.bytes), None)

    def passes_none(first: int, end: int) -> bool:
        return not any(first <= row.bytes < end for row in one.rows)

    if (above is not None and above.choice.way.algorithm == limit.short
            and passes_none(limit.bytes, above.first)):
        return above.last + 1
    if (below is not None and below.choice.way.algorithm == limit.long
            and passes_none(below.last + 1, limit.bytes)):
        return below.first
    return None


def write(decided: list, target: Target) -> str:
    lines = [f"# {target.said}"]
    for one in decided:
        limit = limit_of(one.collective, target.ranks)
        found = limit and moved(limit, one)
        if found:
            inclusive = one.collective == "allreduce"
            lines.append(f"export {limit.variable}={found - inclusive}")
        for part in one.entries:
            name = part.choice.way.algorithm
            if not found or name != (limit.short if part.last < found else limit.long):
                lines.append(f"# no variable for {one.collective} by {name} from {part.first} to "
                             f"{part.last} B")
    return "\n".join(lines) + "\n"


FORMAT = format_of("mpich-limits", WAYS, {name: own_of(name) for name in COLLECTIVES}, write)
