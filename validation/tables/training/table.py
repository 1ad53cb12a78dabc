# SPDX-License-Identifier: LGPL-2.1-or-later
"""Predicted and measured steps of the training jobs that SPLIT.md holds out.

Usage: python3 -m validation.tables.training.table [--first]
Prints the table of published/README.md. Beside what the program predicts now stands the first
outcome, which first_outcomes.csv keeps; --first adds those that are not there, and changes none.
So with GPUs that computations share with NCCL's kernels, and first_shared.csv.
RINGSCOPE names the simulator's program.
"""

import sys

import numpy as np

from common.programs import run_main
from validation import PUBLISHED, kept_csv
from validation.calibration.verdict.simulator import Simulator
from validation.tables.training.predict import predict
from validation.tables.training.rows import one_gpu_steps, rows

SOURCE = "Oneflow-Inc/DLPerf"
FIRST = PUBLISHED / "training" / "first_outcomes.csv"
SHARED = PUBLISHED / "training" / "first_shared.csv"
COLUMNS = ("model", "framework", "gpus", "step_s")
HEAD = ("| model | framework | GPUs | measured | first: predicted | error | now | error | "
        "GPU shared, first | error |\n|---|---|---|---|---|---|---|---|---|---|\n")


def key_of(row) -> tuple:
    return row.model, row.framework, str(row.gpus)


def first_outcomes(path=FIRST) -> dict:
    """{key: seconds}"""
    return {key: float(seconds) for key, (seconds,) in kept_csv.read(path, 3).items()}


def keep_first(held_out: list, predicted: list, path=FIRST):
    kept_csv.add(path, COLUMNS, 3, {key_of(row): [f"{seconds:.6g}"]
                                    for row, seconds in zip(held_out, predicted)})


def summary(errors) -> str:
    errors = np.abs(np.array(errors))
    return (f"median {np.median(errors):.1%}, 90th percentile {np.quantile(errors, 0.9):.1%}, "
            f"most {np.max(errors):.1%}")


def cells_of(predicted: float, measured: float) -> list:
    return [f"{1e3 * predicted:.1f} ms", f"{predicted / measured - 1:+.1%}"]


def text_of(held_out: list, now: list) -> str:
    first, shared = first_outcomes(), first_outcomes(SHARED)
    lines = []
    for row, seconds in zip(held_out, now):
        before, beside = first.get(key_of(row)), shared.get(key_of(row))
        cells = [*key_of(row), f"{1e3 * row.step_s:.1f} ms",
                 *(["", ""] if before is None else cells_of(before, row.step_s)),
                 *cells_of(seconds, row.step_s),
                 *(["", ""] if beside is None else cells_of(beside, row.step_s))]
        lines.append("| " + " | ".join(cells) + " |\n")
    errors = [seconds / row.step_s - 1 for row, seconds in zip(held_out, now)]
    text = HEAD + "".join(lines) + "\n"
    if len(first) == len(held_out):
        text += "First: " + summary([first[key_of(row)] / row.step_s - 1
                                     for row in held_out]) + ". "
    text += f"Now: {summary(errors)}.\n"
    if len(shared) == len(held_out):
        text += "GPU shared: " + summary([shared[key_of(row)] / row.step_s - 1
                                          for row in held_out]) + ".\n"
    return text


def predicted_now(simulator: Simulator, shared: bool = False) -> tuple:
    """(the rows that are held out, seconds of a step of each)"""
    everything = rows()
    held_out = [row for row in everything if row.held_out]
    return held_out, predict(simulator, held_out, one_gpu_steps(everything), shared=shared)


def errors_of(simulator: Simulator) -> list:
    return [seconds / row.step_s - 1 for row, seconds in zip(*predicted_now(simulator))]


def main():
    held_out, now = predicted_now(Simulator())
    if "--first" in sys.argv[1:]:
        keep_first(held_out, now)
        keep_first(*predicted_now(Simulator(), shared=True), SHARED)
    print(text_of(held_out, now), end="")


if __name__ == "__main__":
    run_main(main)
