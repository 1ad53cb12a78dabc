# SPDX-License-Identifier: LGPL-2.1-or-later
"""Predicted and measured steps of the training jobs that SPLIT.md holds out.

Usage: python3 -m validation.tables.training.table
Prints the present outcomes in the table of published/README.md. RINGSCOPE names the simulator's
program.
"""

import numpy as np

from common.programs import run_main
from validation.calibration.verdict.simulator import Simulator
from validation.tables.training.predict import predict
from validation.tables.training.rows import rows, steps_on

SOURCE = "Oneflow-Inc/DLPerf"
HEAD = ("| model | framework | precision | GPUs | measured | predicted | error |\n"
        "|---|---|---|--:|--:|--:|--:|\n")


def key_of(row) -> tuple:
    return *row.job, str(row.gpus)


def cells_of(predicted: float, measured: float) -> list:
    return [f"{1e3 * predicted:.1f} ms", f"{predicted / measured - 1:+.1%}"]


def predicted_now(simulator: Simulator) -> tuple:
    """(the rows that are held out, seconds of a step of each)"""
    everything = rows()
    held_out = [row for row in everything if row.hosts > 1]
    return held_out, predict(simulator, held_out, steps_on(everything, 1), steps_on(everything, 8))


def errors_of(simulator: Simulator) -> list:
    return [seconds / row.step_s - 1 for row, seconds in zip(*predicted_now(simulator))]


def main():
    print(HEAD, end="")
    held_out, now = predicted_now(Simulator())
    for row, seconds in zip(held_out, now):
        cells = [*key_of(row), f"{1e3 * row.step_s:.1f} ms", *cells_of(seconds, row.step_s)]
        print("| " + " | ".join(cells) + " |")
    signed = [seconds / row.step_s - 1 for row, seconds in zip(held_out, now)]
    errors = np.abs(signed)
    print(f"\nMedian {np.median(errors):.1%}, p90 {np.quantile(errors, 0.9):.1%}, max "
          f"{np.max(errors):.1%}, mean signed {np.mean(signed):+.1%}.")


if __name__ == "__main__":
    run_main(main)
