# SPDX-License-Identifier: LGPL-2.1-or-later
"""Were the fits to many ranks a host made without the rows held out, and is their outcome told?

Usage: python3 -m validation.calibration.verdict.many_ranks_test
"""

import csv
import pathlib
import unittest

from validation.calibration.verdict import model
from validation.measurements import case_key, read

VALIDATION = pathlib.Path(__file__).resolve().parents[2]
RESULTS, PUBLISHED = VALIDATION / "results" / "published", VALIDATION / "published"
SPLIT = {"lassen_8": "lassen_16", "azure_ndv100_4": "azure_ndv100_8",
         "google_c2d_32": "google_c2d_64", "google_c2d_32_wire": "google_c2d_64",
         "aws_hpc6a": "aws_hpc6a_32"}


class Fits(unittest.TestCase):
    def test_have_seen_none_of_the_rows_held_out(self):
        for fitted, held_out in SPLIT.items():
            seen = model.read(str(RESULTS / f"{fitted}.yaml")).fitted
            rows = read(str(RESULTS / f"{held_out}.replay.json")).measurements
            self.assertEqual(len(rows), 19)
            self.assertTrue(seen)
            self.assertFalse(seen & {case_key(row) for row in rows})

    def test_first_outcomes_stand_in_the_page(self):
        page = (PUBLISHED / "README.md").read_text(encoding="utf-8")
        with open(PUBLISHED / "many_ranks" / "first_outcomes.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), len(set(SPLIT.values())))
        for row in rows:
            self.assertIn("| " + " | ".join(row.values()) + " |", page)


if __name__ == "__main__":
    unittest.main()
