# SPDX-License-Identifier: LGPL-2.1-or-later
"""Is what is kept of the proof in the lab what was measured, and what the page says of it?

Usage: python3 -m validation.tune.proof_test
"""

import csv
import pathlib
import unittest
from typing import NamedTuple

from common.quantities import format_bytes
from validation import measurements
from validation.yaml_files import read_yaml

HERE = pathlib.Path(__file__).resolve().parent.parent
LAB = HERE / "results" / "lab"
PAGE = (HERE / "results" / "README.md").read_text(encoding="utf-8")
LABEL = "tuned"  # of the groups that run with rules
COUNTS = 0.15  # a gain from which on it has to be seen
WITHIN = 0.10  # predicted and measured gain


def slug(rate: str) -> str:
    return rate.replace(" ", "").replace("/s", "")


def jobs_of(campaign: str) -> list:
    """(rate, placement, file of rules) of the labelled groups."""
    return [(one["rates"][0], one["placements"][0], one["mca"]["coll_tuned_dynamic_rules_filename"])
            for one in read_yaml(campaign)["groups"] if one.get("label") == LABEL]


class Outcome(NamedTuple):
    """One case, predicted and measured; `default` and `tuned` are measurements."""

    predicted: dict
    default: object
    tuned: object

    @property
    def expected(self) -> float:
        return float(self.predicted["gain"])

    @property
    def gain(self) -> float:
        return 1 - self.tuned.median_s / self.default.median_s

    @property
    def slower(self) -> bool:
        """By more than the spread: nine of ten samples without the rules are faster than nine of
        ten with them."""
        return self.tuned.p10_s > self.default.p90_s

    @property
    def within(self) -> bool:
        return abs(self.gain - self.expected) <= WITHIN


def outcomes(folder: pathlib.Path) -> list:
    with open(folder / "predicted.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found = []
    for row in rows:
        size = format_bytes(int(row["bytes"])).replace(" ", "")
        if int(row["bytes"]) < 2 << 20:
            size = f"{int(row['bytes']) >> 10}KiB"
        name = f"MPI_Allreduce-{row['placement']}-{slug(row['rate'])}-{size}"
        pair = [measurements.read(str(folder / "cases" / f"{name}{label}.json")).measurements[0]
                for label in ("", f"-{LABEL}")]
        found.append(Outcome(row, *pair))
    return found


class Kept(unittest.TestCase):
    def test_kept_outcomes_are_those_of_the_kept_measurements(self):
        for name in ("tuned", "retuned"):
            with open(LAB / name / "outcomes.csv", encoding="utf-8", newline="") as file:
                rows = list(csv.DictReader(file))
            found = outcomes(LAB / name)
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
            for rate, placement, rules in jobs_of(campaign):
                self.assertEqual(rules, f"validation/results/lab/{name}/{placement}-"
                                 f"{slug(rate)}.conf")
                self.assertTrue((HERE.parent / rules).exists())

    def test_the_page_says_how_many(self):
        first, second = (outcomes(LAB / name) for name in ("tuned", "retuned"))
        long = [one for one in first if one.predicted["bytes"] != "24576"]
        cells = [f"{sum(one.slower for one in some)} of {len(some)}"
                 for some in (first, long, second)]
        self.assertIn(f"| {' | '.join(cells)} |", PAGE)
        ruled = [[one for one in some if one.predicted["algorithm"]]
                 for some in (first, long, second)]
        cells = [f"{sum(one.within for one in some)} of {len(some)}" for some in ruled]
        self.assertIn(f"| {' | '.join(cells)} |", PAGE)
        big = [one for one in second if one.expected >= COUNTS]
        self.assertIn(f"{sum(one.gain >= COUNTS for one in big)} of {len(big)} |", PAGE)
        for one in second:
            self.assertIn(f"| {round(100 * one.gain)} % | {round(100 * one.expected)} % |", PAGE)


if __name__ == "__main__":
    unittest.main()
