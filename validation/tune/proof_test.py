# SPDX-License-Identifier: LGPL-2.1-or-later
"""Is what is kept of the proof in the lab what was measured, and what the page says of it?

Usage: python3 -m validation.tune.proof_test
"""

import csv
import pathlib
import unittest

from validation.tune import proof
from validation.tune.decision import Range
from validation.tune.formats.way import Choice, Way

HERE = pathlib.Path(__file__).resolve().parent.parent
LAB = HERE / "results" / "lab"
PAGE = (HERE / "README.md").read_text(encoding="utf-8")


class Kept(unittest.TestCase):
    def test_kept_outcomes_are_those_of_the_kept_measurements(self):
        for name in ("tuned", "retuned"):
            with open(LAB / name / "outcomes.csv", encoding="utf-8", newline="") as file:
                rows = list(csv.DictReader(file))
            found = proof.outcomes(LAB / name)
            self.assertEqual(len(rows), 24)
            for row, one in zip(rows, found):
                self.assertAlmostEqual(float(row["measured_gain"]), one.gain, delta=5e-5)
                self.assertEqual(float(row["gain"]), one.expected)
                for place in ("default", "tuned"):
                    self.assertEqual(float(row[f"measured_{place}_s"]),
                                     getattr(one, place).median_s)

    def test_rules_in_the_lab_are_those_of_the_campaign(self):
        for name in ("tuned", "retuned"):
            campaign = str(HERE / "campaigns" / f"{name}.yaml")
            for rate, placement, _, rules in proof.jobs_of(campaign):
                self.assertEqual(rules, f"validation/results/lab/{name}/{placement}-"
                                 f"{proof.slug(rate)}.conf")
                self.assertTrue((HERE.parent / rules).exists())

    def test_the_page_says_how_many(self):
        first, second = (proof.outcomes(LAB / name) for name in ("tuned", "retuned"))
        long = [one for one in first if one.predicted["bytes"] != "24576"]
        cells = [f"{sum(one.slower for one in some)} of {len(some)}"
                 for some in (first, long, second)]
        self.assertIn(f"| {' | '.join(cells)} |", PAGE)
        ruled = [[one for one in some if one.predicted["algorithm"]]
                 for some in (first, long, second)]
        cells = [f"{sum(one.within for one in some)} of {len(some)}" for some in ruled]
        self.assertIn(f"| {' | '.join(cells)} |", PAGE)
        big = [one for one in second if one.expected >= proof.COUNTS]
        self.assertIn(f"{sum(one.gain >= proof.COUNTS for one in big)} of {len(big)} |", PAGE)
        for one in second:
            self.assertIn(f"{100 * one.gain:.0f} %, {100 * one.expected:.0f} %", PAGE)


class Picked(unittest.TestCase):
    def test_a_size_goes_by_the_range_that_holds_it(self):
        ring = Choice(Way("allreduce", "ring", "ring", 4))
        ranges = [Range(0, 9, None), Range(10, 19, ring), Range(20, None, None)]
        self.assertEqual([proof.picked(ranges, size) for size in (9, 10, 19, 20)],
                         [None, ring, ring, None])


if __name__ == "__main__":
    unittest.main()
