# SPDX-License-Identifier: LGPL-2.1-or-later
"""Kept predictions of published machines, each by a fit that omits it: nccl.everywhere."""

import json
import math

import numpy as np

from validation import PUBLISHED
from validation.calibration.nccl.machines import folders_of, rows_by_machine

KEPT = PUBLISHED / "nccl" / "everywhere.json"


class Omitted:
    """Rows of the project's table of errors, of files that are copied here."""
    SOURCE = "nccl/machines.md"

    @staticmethod
    def errors_of(_simulator) -> np.ndarray:
        """Relative errors: a time that is half of a measured one is as wrong as its double."""
        kept = json.loads(KEPT.read_text(encoding="utf-8"))["omitted"]
        errors = []
        for name, rows in rows_by_machine(folders_of("")).items():
            known = {tuple(one[:-1]): one[-1] for one in kept[name]}
            errors += [abs(math.log(1e-6 * known[row.collective, row.ranks, row.hosts, row.size]
                                    / row.seconds)) for row in rows]
        return np.expm1(np.array(errors))
