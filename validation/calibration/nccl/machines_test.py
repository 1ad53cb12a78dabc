#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Are rows of published logs read whatever a launcher adds, and have ranges their share?

Usage: python3 -m validation.calibration.nccl.machines_test
"""

import math
import pathlib
import tempfile
import unittest
import unittest.mock
from types import SimpleNamespace

import numpy as np

from common.programs import InputError
from validation.calibration.nccl import everywhere, least_squares, machines, spread
from validation.calibration.nccl.machines import MACHINES, folders_of, rows_by_machine

ROWS = ((8, 20.5), (1024, 21.0), (1 << 20, 60.0))
HEADER = ("#  size count type redop root  time algbw busbw #wrong  time algbw busbw #wrong\n"
          "#   (B)  (elements)  (us) (GB/s) (GB/s)  (us) (GB/s) (GB/s)\n")


def row_of(size: int, micros: float, factor: float, redop: str = "sum") -> str:
    """`factor`: bus bandwidth over algorithm bandwidth."""
    rates = (f"{rate:.2f}" for time in (micros, micros + 1)
             for rate in (size / time / 1e3, factor * size / time / 1e3))
    out, into, other, beside = rates
    return (f"{size} {size // 4} float {redop} -1 {micros} {out} {into} 0 {micros + 1} {other} "
            f"{beside} 0\n")


class Logs(unittest.TestCase):
    def read(self, text: str, **keywords) -> list:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "x.log"
            path.write_text(text, encoding="utf-8")
            return machines.log(path, **keywords)

    def test_a_launchers_labels_change_nothing(self):
        lines = (HEADER + "".join(row_of(*one, 30 / 16) for one in ROWS)).splitlines(True)
        plain = self.read("".join(lines), ranks=16, hosts=2, collective="allreduce")
        self.assertEqual([(row.size, round(1e6 * row.seconds, 3)) for row in plain],
                         [(size, micros) for size, micros in ROWS])
        for label in ("0: ", "0:", "[1,0]<stdout>:"):
            labelled = "".join(label + line for line in lines)
            self.assertEqual(self.read(labelled, ranks=16, hosts=2, collective="allreduce"), plain,
                             label)

    def test_a_first_row_that_warms_up_and_rows_below_8_bytes_are_omitted(self):
        text = HEADER + "".join(row_of(*one, 1) for one in ((0, 3), (4, 3), (8, 85), (16, 20)))
        rows = self.read(text, ranks=2, collective="allreduce")
        self.assertEqual([row.size for row in rows], [16])

    def test_several_runs_of_one_log_have_their_collectives(self):
        text = "".join(f"# Collective test starting: {name}_perf\n# nThread 1 nGpus 1\n{HEADER}"
                       + row_of(1 << 20, 900, factor, redop)
                       for name, factor, redop in (("all_reduce", 1, "sum"),
                                                   ("all_gather", 1 / 2, "none")))
        self.assertEqual([row.collective for row in self.read(text, ranks=2)],
                         ["allreduce", "allgather"])

    def test_gpus_of_a_thread_are_its_header_s(self):
        text = "# nThread 1 nGpus 8 minBytes 1\n" + HEADER + row_of(1024, 9, 14 / 8)
        self.assertEqual(self.read(text, ranks=8, collective="allreduce")[0].gpus_per_thread, 8)


class Machines(unittest.TestCase):
    def test_files_that_are_here_give_their_machines(self):
        found = rows_by_machine(folders_of(""))
        self.assertLess(set(found), {machine.name for machine in MACHINES})
        self.assertEqual(len(found["b200x8"]), 4 * 3 * 21)  # collectives, GPUs, sizes
        self.assertEqual({row.hosts for row in found["h100x4x10"]}, {10})
        with self.assertRaises(InputError):
            rows_by_machine([pathlib.Path("nowhere")])

    def test_every_cost_of_a_machine_is_one_of_the_factors(self):
        factors = everywhere.Factors(list(MACHINES))
        for machine in MACHINES:
            logs = factors.of(machine, np.arange(len(factors.names)))
            for key in everywhere.OF_GPUS + everywhere.OF_NETWORKS:
                self.assertEqual(logs[key], sum(factors.columns(machine, key)))

    def test_a_last_step_is_taken_however_small(self):
        # One row with slope 1, all factors 1: least squares weigh its error by MEASURED, the
        # factor by its width.
        error, width = 0.02, 1.0
        factors = SimpleNamespace(names=["one"], widths=[width])
        linear = lambda _p, _f, _r, logs, _l: {"m": (error + logs, np.ones((1, 1)))}
        with unittest.mock.patch.object(least_squares, "linearised", linear):
            logs, _ = least_squares.fitted(None, factors, {}, np.zeros(1), 5, enough=2 * error,
                                           shown=lambda *_: None)
        self.assertAlmostEqual(logs[0], -error / (1 + least_squares.MEASURED ** 2 / width ** 2))

    def test_machine_is_omitted_by_the_fit_to_the_others(self):
        # Errors of the machine that stays are x + x^2 - 0.06, whose root is 0.0568 = (sqrt(1.24) -
        # 1) / 2; those of the omitted one are 0 at x = 2, which the fit to both has reached.
        one, omitted = SimpleNamespace(name="one"), SimpleNamespace(name="omitted")
        factors = SimpleNamespace(names=["x"], widths=[1e3], machines=[one, omitted],
                                  of=lambda machine, logs: logs)
        rows = {"one": [SimpleNamespace(seconds=math.exp(0.06))]}
        predictor = SimpleNamespace(seconds=lambda asked: [np.exp(logs + logs ** 2)
                                                           for _, _, logs in asked])
        linear = {"one": (np.array([5.94]), np.array([[5.0]])),
                  "omitted": (np.zeros(1), np.ones((1, 1)))}
        with unittest.mock.patch.multiple(least_squares, REFITS=20, ENOUGH=1e-6):
            logs = least_squares.without(predictor, factors, linear, rows, np.array([2.0]),
                                         "omitted")
        self.assertAlmostEqual(logs[0], (math.sqrt(1.24) - 1) / 2, 3)


def residuals(errors: dict, hosts: int = 1, size: int = 1024) -> list:
    return [spread.Residual(name, hosts, size, 1e-5, error)
            for name, some in errors.items() for error in some]


class Ranges(unittest.TestCase):
    def test_each_machine_has_as_much_weight(self):
        # Student's t of two degrees of freedom: 2.92 (any table of quantiles).
        few, many = [0.4, -0.4], [0.0] * 500
        self.assertAlmostEqual(spread.width_of(residuals({"a": few, "b": many})),
                               2.91999 * 0.4 / math.sqrt(2), 4)

    def test_few_machines_have_the_width_of_all_their_sizes(self):
        small, large = {"a": [0.2], "b": [0.4]}, {"a": [0.0], "b": [0.0]}
        known = spread.widths(residuals(small, 2) + residuals(large, 2, 1 << 30))
        self.assertEqual(len(known), 2)
        for wide in known.values():
            self.assertAlmostEqual(wide, 2.91999 * math.sqrt((0.2 ** 2 + 0.4 ** 2) / 4), 4)

    def test_widths_are_those_that_omitted_machines_need(self):
        # Machines differ by more than their rows do.
        random = np.random.default_rng(28112026)
        errors = {f"m{i}": random.normal(random.normal(0, 0.3), 0.05, 4) for i in range(100)}
        found = spread.omitted(residuals(errors))
        inside = np.mean([low <= one.error <= high for one, low, high in found])
        self.assertAlmostEqual(inside, 1 - spread.OUTSIDE, delta=0.06)  # two standard deviations

    def test_a_range_that_misses_pays_for_it(self):
        self.assertAlmostEqual(spread.score(10, 8, 12), 0.4)
        self.assertAlmostEqual(spread.score(10, 11, 12), 0.1 + 20 * 0.1)

    def test_the_key_of_a_library_has_all_bands(self):
        some = [one for hosts in (1, 2) for size in (1024, 1 << 18, 1 << 24, 1 << 30)
                for one in residuals({"a": [0.1, 0.2], "b": [-0.1, 0.0], "c": [0.1], "d": [0.05]},
                                 hosts, size)]
        text = spread.yaml_of(some)
        self.assertEqual(text.count("low:"), 8)
        self.assertEqual(text.count("up_to:"), 6)
        self.assertTrue(math.isfinite(spread.scores(spread.omitted(some))[0]))

    def test_a_network_without_times_has_the_spread_of_omitted_lone_ones(self):
        lone = [spread.Residual(name, 2, size, 1e-5, error, True) for name in "abc"
                for size in (1024, 1 << 18, 1 << 24, 1 << 30) for error in (-2.0, 2.0)]
        text = spread.yaml_of(lone, True, False)
        self.assertNotIn("one_host", text)
        wide = 2 * 2.35336  # Student's t of three degrees of freedom
        self.assertEqual(text.count(f"low: {math.exp(-wide):.3g}, high: {math.exp(wide):.3g}"), 4)


if __name__ == "__main__":
    unittest.main()
