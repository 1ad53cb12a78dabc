# SPDX-License-Identifier: LGPL-2.1-or-later
"""Open MPI's component `tuned` from 6.0 on: its rules as JSON, with the algorithms of open_mpi.py.

Source: ompi/mca/coll/tuned/coll_tuned_dynamic_file.c and docs/tuning-apps of Open MPI's main branch
(tuned_dynamic_file_schema.json beside the tests). The first rule that matches is taken; a call that
none matches is left to the library. `seg_size` is read by that source, though the schema lacks it.
"""

import json

from validation.tune.formats import open_mpi
from validation.tune.formats.format import Target, format_of

VERSION = 3  # of the file: what its reader calls the form in JSON
NAMES = {"broadcast": "bcast", "reduce_scatter": "reducescatter"}


def rule(part) -> dict:
    way, segment = part.choice.way, part.choice.segment
    found = {"msg_size_min": part.first, "msg_size_max": part.last, "alg": way.says}
    return found | ({"seg_size": segment} if segment else {})


def write(decided: list, target: Target) -> str:
    collectives = {NAMES.get(one.collective, one.collective): [{
        "comm_size_min": target.ranks, "comm_size_max": target.ranks,
        "rules": [rule(part) for part in one.entries]}] for one in decided if one.entries}
    document = {"rule_file_version": VERSION, "module": "tuned", "collectives": collectives}
    return json.dumps(document, indent=1) + "\n"


FORMAT = format_of("openmpi-json", open_mpi.WAYS, open_mpi.OWN, write)
