# SPDX-License-Identifier: LGPL-2.1-or-later
"""Open MPI's component `tuned`: its algorithms, and the file of coll_tuned_dynamic_rules_filename
as text, which 1.x to 5.x read.

Source: ompi/mca/coll/tuned/coll_tuned_dynamic_file.c and `ompi_info --param coll tuned --level 9`
of 4.1.4. Of several rules the last one counts whose ranks, then bytes, are not above the call's; a
call below all of them gets the first. So there is a rule for fewer ranks and one for more, and each
set begins at 0 B: algorithm 0 leaves the call to the library's fixed rules.
"""

from validation.tune.formats import open_mpi_own
from validation.tune.formats.format import Target, format_of, rule
from validation.tune.formats.way import ways_of

# The numbers of the collectives: COLLTYPE_T in ompi/mca/coll/base/coll_base_functions.h.
COLLECTIVES = {"allgather": 0, "allreduce": 2, "alltoall": 3, "broadcast": 7, "gather": 9,
               "reduce_scatter": 12, "scatter": 15}

WAYS = ways_of("open_mpi")
OWN = {"allreduce": rule("allreduce", "open_mpi_tuned"),
       "broadcast": rule("broadcast", "open_mpi_tuned")} | {
           name: open_mpi_own.own_of(name) for name in open_mpi_own.RULES}


def sets_of(one, target: Target) -> list:
    """Lines of one collective."""
    lines = [f"{COLLECTIVES[one.collective]} # {one.collective}", "3 # sets of rules, by ranks",
             "0 # from 0 ranks on", "1", "0 0 0 0 # from 0 B on: Open MPI's own choice",
             f"{target.ranks} # from {target.ranks} ranks on", f"{len(one.ranges)}"]
    for part in one.ranges:
        if part.choice is None:
            lines.append(f"{part.first} 0 0 0 # Open MPI's own choice")
            continue
        way, segment = part.choice.way, part.choice.segment or 0
        lines.append(f"{part.first} {way.number} 0 {segment} # {way.says}")
    return lines + [f"{target.ranks + 1} # from {target.ranks + 1} ranks on", "1",
                    "0 0 0 0 # from 0 B on: Open MPI's own choice"]


def write(decided: list, target: Target) -> str:
    """Bytes, algorithm, fan-out, segment: from so many bytes on."""
    lines = [f"# {target.said}", f"{len(decided)} # collectives"]
    for one in decided:
        lines += sets_of(one, target)
    return "\n".join(lines) + "\n"


FORMAT = format_of("openmpi", WAYS, OWN, write)
