# SPDX-License-Identifier: LGPL-2.1-or-later
"""Do the predictions of training steps see one GPU and one host alone, and are their errors told?

Usage: python3 -m validation.tables.training.training_test BUILD_DIRECTORY
"""

import csv
import pathlib
import sys
import unittest

from validation.calibration.verdict.simulator import Simulator
from validation.tables.training import table
from validation.tables.training.predict import predict, scenario_of, simulated
from validation.tables.training.rows import PUBLISHED, rows, steps_on

BUILD = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build")


class TheRows(unittest.TestCase):
    def test_a_step_is_the_batches_of_all_gpus_by_their_throughput(self):
        first = rows()[1]  # 8 GPUs of 128 images, 3006.98 images/s
        self.assertAlmostEqual(first.step_s, 8 * 128 / 3006.98)

    def test_one_gpu_and_one_host_are_known_of_each_job_and_the_others_are_held_out(self):
        for gpus in (1, 8):
            self.assertEqual(len(steps_on(rows(), gpus)), 13)
        held_out = [row for row in rows() if row.hosts > 1]
        self.assertEqual(sorted(row.gpus for row in held_out), [16] * 13 + [32] * 13)


class ThePrediction(unittest.TestCase):
    simulator = Simulator(str(BUILD / "ringscope"))

    def test_does_not_see_what_was_measured_of_its_row(self):
        for row in rows():
            other = row._replace(step_s=1e9)
            self.assertEqual(scenario_of(row, 0.1), scenario_of(other, 0.1))

    def test_job_of_one_gpu_takes_its_step(self):
        row = rows()[0]._replace(hosts=1, gpus=1)
        alone = simulated(self.simulator, [row], {row.job: 0.25}, gpus_of_a_host=1)
        self.assertAlmostEqual(alone[0], 0.25, delta=0.25 * 0.05)

    def test_one_host_takes_what_was_measured_of_it(self):
        row = rows()[1]
        for longer, times in ((0.4, 0.4), (1, 1)):  # computation; input
            one_host = predict(self.simulator, [row], {row.job: 0.35}, {row.job: longer})
            self.assertAlmostEqual(one_host[0], times, delta=0.01 * times)


class TheTable(unittest.TestCase):
    def test_the_first_outcome_stands_in_the_page(self):
        measured = {table.key_of(row): row.step_s for row in rows()}
        for name, count, page in (("first_outcomes.csv", 18, "SPLIT.md"),
                                  ("first_slowest.csv", 26, "README.md")):
            shown = (PUBLISHED / page).read_text(encoding="utf-8")
            with open(PUBLISHED / "training" / name, encoding="utf-8") as file:
                first = {tuple(key): float(seconds) for *key, seconds in list(csv.reader(file))[1:]}
            self.assertEqual(len(first), count)
            for key, seconds in first.items():
                real = measured[key if len(key) == 4 else (*key[:2], "fp32", key[2])]
                cells = [*key, f"{1e3 * real:.1f} ms", *table.cells_of(seconds, real)]
                self.assertIn("| " + " | ".join(cells) + " |", shown)


if __name__ == "__main__":
    unittest.main()
