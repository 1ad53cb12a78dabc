# SPDX-License-Identifier: LGPL-2.1-or-later
"""Do the predictions of training steps see one GPU's time alone, and are their errors told?

Usage: python3 -m validation.tables.training.training_test BUILD_DIRECTORY
"""

import csv
import dataclasses
import pathlib
import sys
import unittest

from validation.calibration.verdict.simulator import Simulator
from validation.tables.training import table
from validation.tables.training.predict import predict, scenario_of
from validation.tables.training.rows import PUBLISHED, one_gpu_steps, rows

BUILD = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build")


class TheRows(unittest.TestCase):
    def test_a_step_is_the_batches_of_all_gpus_by_their_throughput(self):
        first = rows()[1]  # 8 GPUs of 128 images, 3006.98 images/s
        self.assertAlmostEqual(first.step_s, 8 * 128 / 3006.98)

    def test_one_gpu_is_known_of_each_job_and_the_others_are_held_out(self):
        self.assertEqual(len(one_gpu_steps(rows())), 6)
        held_out = [row for row in rows() if row.held_out]
        self.assertEqual(sorted(row.gpus for row in held_out), [8] * 6 + [16] * 6 + [32] * 6)


class ThePrediction(unittest.TestCase):
    def test_does_not_see_what_was_measured_of_its_row(self):
        for row in rows():
            other = dataclasses.replace(row, step_s=1e9)
            self.assertEqual(scenario_of(row, 0.1), scenario_of(other, 0.1))

    def test_job_without_exchange_takes_one_gpus_step(self):
        row = dataclasses.replace(rows()[0], hosts=1, gpus=1)
        one_gpu = {row.job: 0.25}
        alone = predict(Simulator(str(BUILD / "ringscope")), [row], one_gpu, gpus_of_a_host=1)
        self.assertAlmostEqual(alone[0], 0.25, delta=0.25 * 0.05)


class TheTable(unittest.TestCase):
    def test_the_first_outcome_stands_in_the_page(self):
        page = (PUBLISHED / "SPLIT.md").read_text(encoding="utf-8")
        measured = {table.key_of(row): row.step_s for row in rows()}
        with open(PUBLISHED / "training" / "first_outcomes.csv", encoding="utf-8") as file:
            first = {tuple(key): float(seconds) for *key, seconds in list(csv.reader(file))[1:]}
        self.assertEqual(len(first), 18)
        for key, seconds in first.items():
            cells = [*key, f"{1e3 * measured[key]:.1f} ms", *table.cells_of(seconds, measured[key])]
            self.assertIn("| " + " | ".join(cells) + " |", page)


if __name__ == "__main__":
    unittest.main()
