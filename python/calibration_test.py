# SPDX-License-Identifier: LGPL-2.1-or-later
"""Is calibrate() from Python the fit of the program, with its errors?"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import yaml

import ringscope

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROBES = ROOT / "validation/results/published/c2d.probes.json"  # fits differ in their link
QUICK = 20  # fits of the bootstrap


class Calibrations(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.fit = ringscope.calibrate(PROBES, bootstrap=QUICK, hosts=4)

    def test_are_those_of_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            output = os.path.join(folder, "fit.yaml")
            subprocess.run([ROOT / "validation/calibrate", PROBES, "--bootstrap", str(QUICK),
                            "--hosts", "4", "-o", output,
                            "--report", os.path.join(folder, "fit.txt")],
                           capture_output=True, check=True)
            written = pathlib.Path(output).read_text(encoding="utf-8")
        read = yaml.safe_load(written)
        self.assertEqual(self.fit.parts(), {part: read[part] for part in ("cluster", "library")})

    def test_calibration_of_a_document_equals_that_of_its_file(self):
        document = json.loads(PROBES.read_text(encoding="utf-8"))
        for documents in (document, [document]):
            fit = ringscope.calibrate(documents, bootstrap=QUICK, hosts=4)
            self.assertEqual(fit.parts(), self.fit.parts())

    def test_are_the_cluster_and_the_library_of_a_scenario(self):
        parts = self.fit.parts()
        case = ringscope.run({
            "question": "How long on the cluster that was measured?", **parts,
            "placement": "1-1-1-1",
            "job": {"collective": "allreduce", "algorithm": "ring", "bytes": "1 MiB"}}).only
        self.assertGreater(case.time_s, 0)

    def test_have_an_interval_for_a_size_that_nobody_measured(self):
        scenario = {"question": "?", "placement": "1-1",
                    "job": {"collective": "pingpong", "algorithm": "blocking", "bytes": "3 KiB"}}
        low, high = self.fit.interval(scenario)
        found = [ringscope.run({**scenario, **parts}).only.time_s for parts in self.fit.others()]
        self.assertEqual(len(found), 19)
        self.assertLessEqual(low, min(found))
        self.assertLessEqual(max(found), high)
        middle = ringscope.run({**scenario, **self.fit.parts()}).only.time_s
        self.assertLess(low, middle)
        self.assertLess(middle, high)
        more = self.fit.interval(scenario, set={"job.bytes": "1 MiB"})
        self.assertGreater(more[0], high)

    def test_intervals_are_those_of_the_program(self):
        scenario = {"question": "?", "placement": "1-1",
                    "job": {"collective": "pingpong", "algorithm": "blocking", "bytes": "3 KiB"}}
        with tempfile.TemporaryDirectory() as folder:
            fit, question = os.path.join(folder, "fit.yaml"), os.path.join(folder, "q.yaml")
            self.fit.write(fit)
            pathlib.Path(question).write_text(
                yaml.safe_dump({**scenario, "cluster": "fit.yaml", "library": "fit.yaml"}),
                encoding="utf-8")
            ran = subprocess.run([BUILD / "ringscope", "predict", question, "--json", "-"],
                                 capture_output=True, check=True)
        told = json.loads(ran.stdout)["cases"][0]
        low, high = self.fit.interval(scenario)
        self.assertAlmostEqual(told["low_s"], low, delta=1e-9 * low)
        self.assertAlmostEqual(told["high_s"], high, delta=1e-9 * high)

    def test_intervals_warn_where_the_fit_is_far_off_its_own_probes(self):
        parts = {"cluster": {"network": "star", "hosts": 2, "host": {"type": "simple"},
                             "link": {"bandwidth": "1 GB/s", "latency": "1 us"}},
                 "library": {"network": {"latency": "5 us", "eager_limit": "64 KiB"},
                             "shm": {"latency": "1 us", "eager_limit": "4 KiB"},
                             "self": {"latency": "1 us", "eager_limit": "4 KiB"}}}
        errors = {"ping_pong network": {"points": 4, "median": 0.5}}
        calibration = {"draws": [{}, {}], "errors": errors}
        fit = ringscope.Calibration(yaml.safe_dump({**parts, "calibration": calibration}), "", ())
        with self.assertWarnsRegex(UserWarning, "off by 50% .* on its own ping_pong between hosts"):
            low, high = fit.interval({"question": "?", "placement": "1-1", "job": {
                "collective": "pingpong", "algorithm": "blocking", "bytes": "8 B"}})
        self.assertGreater(high / low, 1.2)

    def test_without_other_models_have_no_interval(self):
        alone = ringscope.Calibration("cluster: {}\nlibrary: {}\n", "", ())
        with self.assertRaisesRegex(ValueError, "no alternative fits"):
            alone.interval({})

    def test_say_what_they_found(self):
        self.assertIn("latency", self.fit.report)

    def test_refuse_what_is_no_measurement_and_say_where(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "empty.json")
            pathlib.Path(path).write_text("{}", encoding="utf-8")
            with self.assertRaisesRegex(ringscope.InputError, "empty.json: .*expected"):
                ringscope.calibrate(path)

    def test_refuse_an_option_that_is_none(self):
        with self.assertRaisesRegex(ringscope.InputError, "bootstrp"):
            ringscope.calibrate(PROBES, bootstrp=QUICK)


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
