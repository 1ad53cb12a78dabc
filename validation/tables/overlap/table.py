# SPDX-License-Identifier: LGPL-2.1-or-later
"""Predicted and measured times of the non-blocking collectives that SPLIT.md holds out.

Usage: python3 -m validation.tables.overlap.table
Prints the present outcomes in the table of published/README.md: errors of each build by each mode
of progress. RINGSCOPE names the simulator's program.
"""

import numpy as np

from common.programs import run_main
from validation.calibration.verdict.simulator import Simulator
from validation.tables.overlap.predict import MODES, predict
from validation.tables.overlap.rows import rows

SOURCE = "wu-kan/wu-kan.github.io; open-mpi/ompi, pull request 7735"
EXPECTED = "caller"  # no build had a progress thread
HEAD = "| rows | how many | caller | thread | NIC |\n|---|---|---|---|---|\n"


def errors_in(mode: str, simulator: Simulator, some: list) -> np.ndarray:
    """Relative errors of the times overall."""
    return np.array(predict(simulator, some, mode)) / [row.overall_s for row in some] - 1


def errors_of(simulator: Simulator) -> np.ndarray:
    return errors_in(EXPECTED, simulator, rows())


def groups_of(some: list) -> dict:
    """{name: which rows}: all, those that nothing disturbed, and each build's."""
    found = {"all": [True] * len(some),
             "all that nothing disturbed": [not row.disturbed for row in some]}
    for build in dict.fromkeys(row.build for row in some):
        found[build] = [row.build == build for row in some]
    return found


def main():
    """Median and 90th percentile of the absolute errors, by mode."""
    some, lines = rows(), [HEAD]
    errors = [np.abs(errors_in(mode, Simulator(), some)) for mode in MODES]
    for which, chosen in groups_of(some).items():
        sizes = [of_mode[np.array(chosen)] for of_mode in errors]
        cells = [which, str(sum(chosen)),
                 *(f"{np.median(size):.1%}, {np.quantile(size, 0.9):.1%}" for size in sizes)]
        lines.append("| " + " | ".join(cells) + " |\n")
    print("".join(lines), end="")


if __name__ == "__main__":
    run_main(main)
