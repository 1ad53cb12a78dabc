# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does a fit to a log of NCCL find the costs by which the simulator made the log?

Usage: python3 -m validation.calibration.nccl.own_test BUILD_DIRECTORY
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import yaml

from common.programs import InputError
from validation.calibration.nccl import least_squares, own, own_rows
from validation.calibration.nccl.rows import Row
from validation.calibration.verdict import model
from validation.calibration.verdict.simulator import Simulator
from validation.measurements import Document, Measurement

BUILD = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build").resolve()
VALIDATION = pathlib.Path(__file__).resolve().parents[2]
SIZES = [8, 512, 8 << 10, 128 << 10, 1 << 20, 16 << 20, 256 << 20, 2 << 30]
LOG = ("# Collective test starting: all_reduce_perf\n"
       "# nThread 1 nGpus 1 minBytes 8 maxBytes 268435456 step: 2(factor) iters: 20\n")
HEADER = """#       size         count      type   redop    root     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)
"""


def rows_of(sizes, hosts=2, seconds=None):
    return [Row(4 * hosts, size, 1 if seconds is None else seconds[i], hosts=hosts)
            for i, size in enumerate(sizes)]


def predictor():
    simulator = Simulator(str(BUILD / "ringscope"))
    cluster, blocks, transport = own.prior_of(simulator, "h100x4_nvlink", "nccl_h100")
    return own.Predictor(simulator, cluster, {"base": "nccl_h100", "transport": transport}, blocks)


def logs_of(**logs):
    """Factors' logarithms of a machine: 0 but for those given, with _ for the dot."""
    found = dict.fromkeys([*own.KEYS, "call"], 0.0)
    return found | {key.replace("_", ".", 1): value for key, value in logs.items()}


TRUE = logs_of(launch=0.4, LL_between=0.6, LL128_between=0.6, Simple_between=0.6, cables=-0.2)


def log_of(sizes, seconds):
    devices = "".join(f"#  Rank {i} Pid {i} on host{i // 4} device {i % 4} [0x0{i % 4}] H100\n"
                      for i in range(8))
    rows = "".join(f"{size} {size // 4} float sum -1 {1e6 * one:.2f} 1 1.75 0\n"
                   for size, one in zip(sizes, seconds))
    return LOG + devices + HEADER + rows + "# Avg bus bandwidth : 1\n"


class TheFit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.predictor = predictor()
        machine = type("Machine", (), {"name": "true"})
        cls.seconds = cls.predictor.seconds([(machine, rows_of(SIZES), TRUE)])[0]
        cls.fit = own.fit_rows(cls.predictor, rows_of(SIZES, seconds=cls.seconds))

    def test_costs_by_which_a_log_was_made_come_back(self):
        # The prior pulls costs of which few rows tell.
        self.assertLess(np.max(np.abs(self.fit.errors)), 0.03)
        found, widths = self.fit.factors.of(None, self.fit.logs), own.widths_of(self.fit)
        told = [key for key, (prior, width) in widths.items() if width < own.TOLD * prior]
        self.assertIn("LL.between", told)
        self.assertNotIn("LL128.gap", told)
        for key, (_, width) in widths.items():
            self.assertLess(abs(found[key] - TRUE[key]), 2.5 * width, key)

    def test_sizes_between_those_fitted_are_predicted(self):
        sizes = [4096, 4 << 20, 1 << 30]
        machine = type("Machine", (), {"name": "true"})
        true = self.predictor.seconds([(machine, rows_of(sizes), TRUE)])[0]
        found = self.fit.seconds(rows_of(sizes), self.fit.logs)
        self.assertLess(np.max(np.abs(np.log(found / true))), 0.1)  # twice a row's error

    def test_a_derivative_is_that_of_larger_steps(self):
        rows = rows_of([8, 1 << 20])
        errors, slopes = self.fit.linear(rows, self.fit.logs)
        column = self.fit.factors.names.index("launch")
        other = self.fit.logs.copy()
        other[column] -= 0.2
        change = least_squares.errors(self.fit.seconds(rows, other), rows) - errors
        np.testing.assert_allclose(slopes[:, column] * -0.2, change, atol=0.005)


class Made:
    """Stands for the simulator: of blocks, their GPU and the network, the slowest decides."""
    base, protocols = {}, {}
    KNOWN = {"LL": (6e-6, 5e-6, 2e10), "LL128": (12e-6, 7e-6, 7e10), "Simple": (2e-5, 25e-6, 1e11)}

    def seconds(self, asked):
        return [np.array([self.of(machine, row, logs) for row in rows])
                for machine, rows, logs in asked]

    def of(self, machine, row, logs):
        name = "LL" if row.size <= 8 << 10 else "LL128" if row.size <= 1 << 20 else "Simple"
        self.protocols[machine.name, row] = name
        start, between, rate = self.KNOWN[name]
        of = lambda key: np.exp(logs[key])
        slowest = min(1.1 * of(f"{name}.block"), 1.05 * of(f"{name}.gpu"), of("cables"))
        return (3e-6 * of("launch") + start * of(f"{name}.start") + 6e-6 * of(f"{name}.hop")
                + 2 * between * of(f"{name}.between") + row.size / (rate * slowest))


class Widths(unittest.TestCase):
    def test_true_costs_are_in_their_intervals_of_made_logs(self):
        # Costs as the prior expects them, errors as MEASURED. Of costs whose slopes alone have them
        # for determined, 90 % are expected in 90 % intervals, by slopes 61 % are.
        inside, machine = [], type("Machine", (), {"name": "true"})
        for seed in range(40):
            random, made = np.random.default_rng(seed), Made()
            factors = own.Factors(machine)
            true = factors.of(None, random.normal(size=len(factors.names)) * factors.widths)
            seconds = (made.seconds([(machine, rows_of(SIZES), true)])[0]
                       * np.exp(least_squares.MEASURED * random.normal(size=len(SIZES))))
            fit = own.fit_rows(made, rows_of(SIZES, seconds=seconds))
            found, widths = fit.factors.of(None, fit.logs), own.widths_of(fit)
            fit.covariance = own.covariance_of(fit, fit.slopes)
            inside += [abs(found[key] - true[key]) < 1.645 * widths[key][1]
                       for key, (prior, width) in own.widths_of(fit).items()
                       if width < own.TOLD * prior]
        self.assertGreater(np.mean(inside), 0.9 - 3 * np.sqrt(0.09 / len(inside)))


def replay(points, mpi="NCCL 2.23.4"):
    """points: (bytes, seconds, parameters that differ)"""
    usual = {"collective": "allreduce", "algorithm": "", "ranks_count": 8, "hosts_count": 2,
             "placement": "4x2", "buffers": "out of place"}
    found = []
    for size, seconds, more in points:
        parameters = {"bytes": size, **usual, **more}
        found.append(Measurement(parameters["collective"], parameters, seconds))
    document = Document("x.log", "replay", {"mpi": mpi}, found)
    for one in found:
        one.document = document
    return [document]


KNOWN = {"allreduce": "nccl", "barrier": ""}


class TheRows(unittest.TestCase):
    def test_smaller_of_two_distant_times_is_fitted(self):
        log = own_rows.log_of(replay([(8, 9e-5, {}), (8, 6e-5, {"buffers": "in place"}),
                                      (16, 6e-5, {}), (16, 6.1e-5, {"buffers": "in place"})]),
                              {}, KNOWN)
        self.assertEqual([row.seconds for row in log.rows], [6e-5, 6e-5])
        self.assertEqual(len(log.keys), 4)
        self.assertEqual(log.warnings, ["allreduce of 8 B took 60 and 90 us: the smaller time is "
                                        "fitted"])

    def test_rows_of_no_bytes_are_omitted_with_a_warning(self):
        log = own_rows.log_of(replay([(0, 1e-5, {}), (8, 6e-5, {}), (16, 6e-5, {})]), {}, KNOWN)
        self.assertEqual([row.size for row in log.rows], [8, 16])
        self.assertIn("of 0 B", log.warnings[0])

    def test_unfittable_points_are_reported(self):
        for points, expected in (
                ([(8, 1e-5, {"collective": "hypercube"})], "expected a collective of NCCL"),
                ([(8, 1e-5, {"collective": "barrier"})], "expected a collective of NCCL"),
                ([(8, 1e-5, {"placement": "5-3"})], "as many GPUs on each host"),
                ([(8, 1e-5, {})], "at least 2 sizes above 0 B, got 1")):
            with self.assertRaisesRegex(InputError, expected):
                own_rows.log_of(replay(points), {}, KNOWN)


class TheProgram(unittest.TestCase):
    def run_script(self, name, *words):
        ran = subprocess.run([VALIDATION / name, *map(str, words)], check=False,
                             capture_output=True, text=True,
                             env=os.environ | {"RINGSCOPE": str(BUILD / "ringscope")})
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran.stdout

    def test_its_file_serves_run_predict_and_validate(self):
        sizes, one = [8, 1 << 20, 256 << 20], predictor()
        machine = type("Machine", (), {"name": "true"})
        seconds = one.seconds([(machine, rows_of(sizes), TRUE)])[0]
        with tempfile.TemporaryDirectory() as folder:
            log, fitted, question = (pathlib.Path(folder) / name
                                     for name in ("my.log", "my.yaml", "question.yaml"))
            log.write_text(log_of(sizes, seconds), encoding="utf-8")
            report = self.run_script("calibrate", log, "--cluster", "h100x4_nvlink", "--library",
                                     "nccl_h100", "-o", fitted)
            self.assertIn("Costs not determined by the log", report)  # by three rows
            self.assertRegex(report, r"\n +\d+%  .*allreduce of .* GPUs of ")
            question.write_text(yaml.safe_dump({
                "question": "?", "cluster": "my.yaml", "library": "my.yaml",
                "placement": {"hosts": "4x2", "on": "gpu"},
                "job": {"collective": "allreduce", "algorithm": "nccl", "bytes": "1 MiB"}}),
                encoding="utf-8")
            self.assertIn("90 % of such machines", one.simulator.output("run", str(question)))
            self.assertRegex(self.run_script("predict", question), r"question( +\S+ us){3}")
            self.assertIn("3 fitted", self.run_script("validate", fitted, log))
            self.assertEqual(model.read(str(fitted)).range["hosts"], 2)


if __name__ == "__main__":
    unittest.main()
