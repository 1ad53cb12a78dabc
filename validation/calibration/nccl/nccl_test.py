# SPDX-License-Identifier: LGPL-2.1-or-later
"""Do the fit's closed form, its rows and the committed profiles keep to what they say?

Usage: python3 -m validation.calibration.nccl.nccl_test BUILD_DIRECTORY
"""

import csv
import pathlib
import sys
import unittest

from validation import PUBLISHED
from validation.calibration.nccl.fit import (ABOUT, GRANTED, SETTINGS, fit_a100, head_of_a100,
                                             issue_of, scaled)
from validation.calibration.nccl.form import seconds_of
from validation.calibration.nccl.predict import A100, H100, V100_PCIE, predict
from validation.calibration.nccl.profile import library_of, yaml_of
from validation.calibration.nccl.rows import (MIB, Row, a100_auto, a100_channels, a100_protocols,
                                              h100_host, h100_hosts, v100_pcie)
from validation.calibration.verdict.simulator import Simulator

BUILD = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build")
ROOT = pathlib.Path(__file__).resolve().parents[3]


class TheFit(unittest.TestCase):
    def setUp(self):
        self.costs, self.spread, self.by_file = fit_a100()

    def test_the_committed_profile_is_what_it_prints(self):
        text = yaml_of(head_of_a100(self.spread, self.by_file), ABOUT["a100"],
                       library_of(self.costs, SETTINGS["a100"]))
        file = ROOT / "scenarios" / "libraries" / "nccl_a100.yaml"
        self.assertTrue(file.read_text(encoding="utf-8").startswith(text))  # spread.py: the rest

    def test_its_closed_form_is_what_the_simulator_does(self):
        # Sizes that fill the cells of all channels, so that all parts are as large.
        rows = [Row(ranks, size, 1, protocol, channels, sms)
                for ranks in (2, 4) for size in (MIB // 2, 2 * MIB)
                for protocol in ("LL", "LL128", "Simple")
                for channels, sms in ((2, 0), (4, 0), (4, 2), (8, 0))]
        simulated = predict(Simulator(str(BUILD / "ringscope")), A100, {"base": "nccl_a100"}, rows)
        for row, seconds in zip(rows, simulated):
            # A profile has four digits.
            self.assertAlmostEqual(seconds_of(self.costs, row) / seconds, 1, delta=1e-3, msg=row)


class OtherGenerations(unittest.TestCase):
    def test_a_fit_begins_with_what_the_data_sheet_says(self):
        simulator = Simulator(str(BUILD / "ringscope"))
        costs = fit_a100()[0]
        for machine, ranks in ((V100_PCIE, 4), (H100, 4)):
            generation = machine.sheet["generation"]
            rows = [Row(ranks, size, 1) for size in (8, MIB, 64 * MIB)]
            settings = {"nccl": "2.31", "generation": generation}
            fitted = library_of(scaled(costs, [1] * 6, GRANTED[generation]), settings)
            by_sheet = {"base": "nccl_a100", "blocks": machine.sheet}
            for one, other in zip(predict(simulator, machine, fitted, rows),
                                  predict(simulator, machine, by_sheet, rows)):
                self.assertAlmostEqual(one / other, 1, delta=1e-3, msg=machine.name)

    def test_a_thread_with_several_gpus_is_as_slow_as_the_smallest_call(self):
        self.assertEqual(issue_of(h100_host()), "4.263 us")  # 17.05 us of four kernels
        self.assertEqual({row.gpus_per_thread for row in v100_pcie() + h100_host()}, {4})
        self.assertEqual({row.gpus_per_thread for row in h100_hosts(1) + h100_hosts(4)}, {1})


class TheRows(unittest.TestCase):
    def fitted(self, rows):
        return [row.size for row in rows if row.fitted]

    def test_those_that_are_fitted_are_those_of_the_split(self):
        self.assertTrue(all(row.fitted for row in a100_channels()))
        for ranks in (2, 4):
            rows = a100_auto(ranks)
            self.assertEqual(self.fitted(rows), [row.size for row in rows[::4]])
        for curve in a100_protocols().values():
            self.assertEqual(self.fitted(curve), [row.size for row in curve[::4]])
        self.assertEqual(self.fitted(v100_pcie()), [8, MIB, 128 * MIB])
        self.assertEqual(self.fitted(h100_host()), [4, MIB, 128 * MIB])
        self.assertEqual(self.fitted(h100_hosts(1)), [32 * MIB, 512 * MIB, 16384 * MIB])
        self.assertEqual(self.fitted(h100_hosts(4)), [])

    def test_times_are_the_column_that_is_out_of_place(self):
        # Lines of two formats of nccl-tests, without and with the root's column.
        self.assertEqual([row.seconds for row in v100_pcie() if row.size == 128 * MIB], [0.02141])
        self.assertAlmostEqual(h100_host()[25].seconds, 621.4e-6)


class TheFirstOutcome(unittest.TestCase):
    def test_the_table_has_it(self):
        notebook = (PUBLISHED / "SPLIT.md").read_text(encoding="utf-8")
        with open(PUBLISHED / "first_outcomes.csv", encoding="utf-8", newline="") as file:
            for cells in list(csv.reader(file))[1:]:
                self.assertIn("| " + " | ".join(cells) + " |", notebook)


if __name__ == "__main__":
    unittest.main()
