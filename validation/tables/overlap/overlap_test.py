# SPDX-License-Identifier: LGPL-2.1-or-later
"""Do the predictions of non-blocking collectives see neither the time overall nor too much?

Usage: python3 -m validation.tables.overlap.overlap_test BUILD_DIRECTORY
"""

import csv
import pathlib
import sys
import unittest

from validation.calibration.verdict.simulator import Simulator
from validation.tables.overlap.predict import MODES, predict, scenario_of
from validation.tables.overlap.rows import PUBLISHED, rows

BUILD = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build")
SOME = [row for row in rows() if row.build in ("openmpi@4.0.5 gcc@10.2.0",
                                                 "openmpi master 2020-10 ob1")]


class TheRows(unittest.TestCase):
    def test_are_19_sizes_of_nine_builds_and_three_of_a_tenth(self):
        self.assertEqual(len(rows()), 9 * 19 + 3)
        self.assertEqual(rows()[0].pure_s, 4.43 * 1e-6)


class ThePrediction(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.simulator = Simulator(str(BUILD / "ringscope"))

    def test_does_not_see_the_time_overall(self):
        for row in SOME:
            other = row._replace(overall_s=1e9)
            self.assertEqual(scenario_of(row, 1e-6), scenario_of(other, 1e-6))

    def test_without_a_computation_is_the_collective_alone(self):
        alone = [row._replace(compute_s=0.0) for row in SOME]
        for mode in MODES:
            for row, seconds in zip(alone, predict(self.simulator, alone, mode)):
                self.assertAlmostEqual(seconds / row.pure_s, 1, delta=1e-9)

    def test_lies_between_the_greater_and_the_sum_of_both(self):
        for mode in MODES:
            for row, seconds in zip(SOME, predict(self.simulator, SOME, mode)):
                self.assertGreaterEqual(seconds * (1 + 1e-9), max(row.pure_s, row.compute_s))
                self.assertLessEqual(seconds, (row.pure_s + row.compute_s) * (1 + 1e-9))

    def test_thread_on_its_own_core_takes_the_longer_of_both(self):
        for row, seconds in zip(SOME, predict(self.simulator, SOME, "thread")):
            if row.size >= 65536:  # smaller ones: the rank's own calls count too
                self.assertAlmostEqual(seconds / max(row.pure_s, row.compute_s), 1, delta=0.02)


class TheTable(unittest.TestCase):
    def test_the_first_outcome_stands_in_the_page(self):
        page = (PUBLISHED / "README.md").read_text(encoding="utf-8")
        with open(PUBLISHED / "overlap" / "first_outcomes.csv", encoding="utf-8") as file:
            first = {(row["which"], row["mode"]): row for row in csv.DictReader(file)}
        self.assertEqual(len(first), 12 * len(MODES))
        for which in dict.fromkeys(which for which, _ in first):
            cells = [which, first[which, "caller"]["rows"],
                     *(f"{first[which, mode]['median']}, {first[which, mode]['p90']}"
                       for mode in MODES)]
            self.assertIn("| " + " | ".join(cells) + " |", page)


if __name__ == "__main__":
    unittest.main()
