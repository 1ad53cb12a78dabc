# SPDX-License-Identifier: LGPL-2.1-or-later
"""Intel MPI: its algorithms, and the variables I_MPI_ADJUST_<opname>.

Source: Intel MPI Library Developer Reference, "I_MPI_ADJUST Family Environment Variables": numbers
of the algorithms; conditions FROM-TO@RANKS-RANKS, both inclusive. The built-in choice is not
public. Intel MPI derives from MPICH and documents the limits of MPICH 3 for I_MPI_BCAST_MSG: they
are taken for its own. Allgather and all-to-all are left out, since the reference does not say which
buffer their size describes. The ring of a broadcast is taken for a scatter and a ring of allgather.
"""

from validation.tune.formats import mpich_limits
from validation.tune.formats.format import Target, format_of
from validation.tune.formats.way import Choice, ways_of

WAYS = ways_of("intel")
NAMES = {"allreduce": "ALLREDUCE", "broadcast": "BCAST"}


def own_of(collective: str):
    ways = {way.algorithm: way for way in WAYS if way.collective == collective}
    rule = mpich_limits.own_of(collective)
    return lambda ranks, size: Choice(ways[rule(ranks, size).way.algorithm])


def write(decided: list, target: Target) -> str:
    lines = [f"# {target.said}"]
    for one in decided:
        rules = ";".join(f"{part.choice.way.number}:{part.first}-{part.last}"
                         f"@{target.ranks}-{target.ranks}" for part in one.entries)
        lines += [f"export I_MPI_ADJUST_{NAMES[one.collective]}=\"{rules}\""] if rules else []
    return "\n".join(lines) + "\n"


FORMAT = format_of("intel", WAYS, {name: own_of(name) for name in NAMES}, write)
