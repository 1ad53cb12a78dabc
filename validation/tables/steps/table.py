# SPDX-License-Identifier: LGPL-2.1-or-later
"""Predicted and measured steps of large models, and the order of their layouts.

Usage: python3 -m validation.tables.steps.table [--tuned]
Prints the tables of published/README.md for the rows that SPLIT.md holds out, or for the others.
RINGSCOPE names the simulator's program.
"""

import sys
from itertools import combinations

import numpy as np

from common.groups import grouped
from common.programs import run_main
from validation.calibration.step.estimate import estimate
from validation.calibration.verdict.simulator import Simulator
from validation.tables.steps.rows import rows

APART = 1.05  # two measured steps have an order from there on
TITLES = {"llama": "Llama 3.1, NeMo, H100", "mpt": "MPT, FSDP, A100 and H100",
          "bloom": "BLOOM, Megatron-DeepSpeed, A100", "megatron": "Megatron-LM's tests"}


def scaled(pairs: list) -> list:
    """Errors of (GPUs, measured, predicted) on more GPUs, by one factor from the fewest."""
    least = min(gpus for gpus, _, _ in pairs)
    factor = np.mean([measured / predicted for gpus, measured, predicted in pairs if gpus == least])
    return [factor * predicted / measured - 1
            for gpus, measured, predicted in pairs if gpus > least]


def cells_of(errors: list) -> str:
    if not errors:
        return "| 0 | - | - | - |"
    size = np.abs(errors)
    return (f"| {len(errors)} | {np.median(size):.1%} | {np.quantile(size, 0.9):.1%} "
            f"| {np.mean(errors):+.1%} |")


def results(simulator: Simulator, tuned: bool) -> list:
    """[(row, its estimate)]"""
    some = [row for row in rows() if row.tuned == tuned]
    return list(zip(some, estimate(simulator, [row.scenario for row in some])))


def print_tables(found: list):
    print("| table | steps | median | p90 | mean signed | larger, scaled: steps | median | p90 "
          "| mean signed | pairs in order |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for table, some in grouped(found, lambda pair: pair[0].table).items():
        times = [(row, one["step_s"]) for row, one in some if row.step_s and "error" not in one]
        errors = [step / row.step_s - 1 for row, step in times]
        larger, orders = [], []
        for same in grouped(times, lambda pair: pair[0].model).values():
            larger += scaled([(row.gpus, row.step_s, step) for row, step in same])
            pairs = combinations([(row.step_s, step) for row, step in same], 2)
            orders += [(a[0] < b[0]) == (a[1] < b[1]) for a, b in pairs
                       if max(a[0], b[0]) >= APART * min(a[0], b[0])]
        share = f"{sum(orders)} of {len(orders)}" if orders else "-"
        print(f"| {TITLES[table]} {cells_of(errors)[:-1]}{cells_of(larger)} {share} |")
    ran = [one for row, one in found if row.step_s]
    out = [one for row, one in found if not row.step_s]
    print(f"\nRows that ran: {sum('error' in one for one in ran)} of {len(ran)} rejected. Rows "
          f"that ran out of memory: {sum('error' in one for one in out)} of {len(out)} rejected.")


def main():
    found = results(Simulator(), sys.argv[1:] == ["--tuned"])
    for row, one in found:
        step = f"{one['step_s']:.4g}" if "error" not in one else "rejected"
        print(f"{row.table},{row.model},{row.gpus},{row.step_s or 'out of memory'},{step}",
              file=sys.stderr)
    print_tables(found)


if __name__ == "__main__":
    run_main(main)
