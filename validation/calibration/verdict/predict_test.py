# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does `ringscope predict` give the ends that the other models of a fit have?

Usage: python3 -m validation.calibration.verdict.predict_test BUILD
"""

import json
import math
import pathlib
import subprocess
import sys

import numpy as np
import yaml

from validation.calibration.verdict import interval, residuals, round_trip_test
from validation.calibration.verdict.round_trip_test import CLUSTER, LIBRARY, WithPrograms

LATENCIES = (14, 17, 24, 29)  # us
OWN = 20
LEVEL = (len(LATENCIES) - 1) / (len(LATENCIES) + 1)
FACTOR = 1.25


class Predicted(WithPrograms):
    def fit(self, **calibration) -> pathlib.Path:
        """A fit whose other models have other latencies."""
        draws = [{"library": self.library(one)} for one in LATENCIES]
        path = self.folder / "mycluster.yaml"
        path.write_text(yaml.safe_dump({
            "cluster": CLUSTER | {"hosts": 4}, "library": LIBRARY | self.library(OWN),
            "calibration": {"draws": draws} | calibration}), encoding="utf-8")
        return path

    @staticmethod
    def library(latency_us: int) -> dict:
        return {"network": LIBRARY["network"] | {"latency": f"{latency_us} us"}}

    def scenario(self, library="mycluster.yaml") -> pathlib.Path:
        sizes = ("4 B", "1 MiB")
        path = self.folder / "question.yaml"
        path.write_text(yaml.safe_dump({
            "question": "How long?", "cluster": "mycluster.yaml", "library": library,
            "placement": "1-1-1-1",
            "job": {"collective": "allreduce", "algorithm": "ring", "bytes": sizes[0]},
            "cases": [{"name": one, "set": {"job.bytes": one}} for one in sizes]}),
            encoding="utf-8")
        return path

    def ran(self, command: str, *words):
        return subprocess.run([self.build / "ringscope", command, *map(str, words)], text=True,
                              capture_output=True, env=self.environment, check=False)

    def predicted(self, *words) -> dict:
        ran = self.ran("predict", *words, "--json", "-")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return json.loads(ran.stdout)

    def times(self, latency_us: int) -> list:
        """Seconds that the simulator tells of a machine with that latency."""
        ran = self.ran("run", self.scenario(), "--set", f"library.network.latency={latency_us}us",
                       "--json", "-")
        return [case["time_s"] for case in json.loads(ran.stdout)["cases"]]

    def expected(self, factor: float) -> list:
        """(low, time, high) of each size, with that median error of the fit on whole cases."""
        off = math.hypot(interval.UNSEEN, residuals.MEDIAN * math.log(factor))
        return [(own / math.exp(math.hypot(math.log(own / fast), off)), own,
                 own * math.exp(math.hypot(math.log(slow / own), off)))
                for fast, own, slow in zip(*map(self.times, (LATENCIES[0], OWN, LATENCIES[-1])))]

    def ends(self, **calibration) -> list:
        self.fit(**calibration)
        told = self.predicted(self.scenario())
        self.assertAlmostEqual(told["level"], LEVEL)
        return [tuple(case[key] for key in ("low_s", "time_s", "high_s")) for case in told["cases"]]

    def test_detours_of_a_scenario_replace_those_of_the_model(self):
        """The model's cost (1 + s)^4 on four hosts; the scenario has one in a million seconds."""
        fitted = self.fit()
        own = self.times(OWN)
        model = yaml.safe_load(fitted.read_text(encoding="utf-8"))
        model["library"]["detours"] = {"every": "1 s", "takes": "10 ms"}
        fitted.write_text(yaml.safe_dump(model), encoding="utf-8")
        scenario = self.scenario()
        asked = yaml.safe_load(scenario.read_text(encoding="utf-8"))
        asked["cases"][1]["set"]["job.noise.detours"] = {"every": "1000000 s", "takes": "1 us"}
        scenario.write_text(yaml.safe_dump(asked), encoding="utf-8")
        times = [case["time_s"] for case in self.predicted(scenario)["cases"]]
        self.assertAlmostEqual(times[0] / own[0], 1.01**4, places=6)
        self.assertAlmostEqual(times[1] / own[1], 1, places=6)

    def test_ends_are_off_by_the_models_and_by_as_much_as_the_fit_was(self):
        errors = {"collectives": {"points": 3, "median": FACTOR - 1}}
        for ends, expected in ((self.ends(), self.expected(1)),
                               (self.ends(errors=errors), self.expected(FACTOR))):
            np.testing.assert_allclose(ends, expected, rtol=1e-9)

    def test_ratios_are_of_one_model_for_both_cases(self):
        self.fit()
        first, other = self.predicted(self.scenario())["cases"]
        keys = ("ratio_low", "ratio", "ratio_high")
        self.assertEqual([first[key] for key in keys], [1.0] * 3)
        fast, own, slow = (large / small for small, large in
                           map(self.times, (LATENCIES[-1], OWN, LATENCIES[0])))
        np.testing.assert_allclose([other[key] for key in keys], [
            own / math.exp(math.hypot(math.log(own / fast), interval.UNSEEN)), own,
            own * math.exp(math.hypot(math.log(slow / own), interval.UNSEEN))], rtol=1e-9)
        self.assertRegex(self.ran("predict", self.scenario()).stdout,
                         rf"(?m)^over question 4 B +ratio +low +high\n.* {own:.3f} x ")

    def test_text_warns_where_the_fit_is_far_off_its_own_probes_of_what_counts(self):
        self.fit(errors={f"ping_pong {way}": {"points": 7, "median": 0.5}
                         for way in ("shm", "network")})
        told = self.ran("predict", self.scenario()).stdout
        self.assertIn("warning: the fit is off by 50% (median of 7 points) on its own ping_pong "
                      "between hosts", told)
        self.assertNotIn("shared memory", told)

    def test_model_may_be_named_on_the_command_line(self):
        fit = self.fit()
        other = self.predicted("03-anomaly", fit, "--set", f"library={fit}", "--set",
                               f"cluster={fit}", "--set", "placement=1-1-1")
        self.assertTrue(all(case["low_s"] < case["time_s"] < case["high_s"]
                            for case in other["cases"]))
        self.assertEqual(other, self.predicted("03-anomaly", "--set", f"library={fit}", "--set",
                                               f"cluster={fit}", "--set", "placement=1-1-1"))

    def test_options_replace_keys_of_the_scenario_or_are_all_of_it(self):
        fit = self.fit()
        job = ("--placement", "1-1-1", "--job", "allreduce/ring:1MiB")
        expected = self.predicted("02-ring-of-8", fit, *(
            word for one in (f"cluster={fit}", f"library={fit}", "placement=1-1-1",
                             "job={collective: allreduce, algorithm: ring, bytes: 1 MiB}")
            for word in ("--set", one)))["cases"][0]
        for words in (("02-ring-of-8", "--model", fit, *job),
                      ("02-ring-of-8", "--cluster", fit, "--library", fit, *job, "--bytes", "1MiB"),
                      ("--model", fit, *job)):
            found = self.predicted(*words)["cases"][0]
            for key in ("time_s", "low_s", "high_s"):
                self.assertEqual(found[key], expected[key], words)
        ran = self.ran("predict", "--model", fit)
        self.assertEqual(ran.returncode, 1)
        self.assertIn("missing: --placement, --job", ran.stderr)

    def test_text_tells_the_level_and_warnings(self):
        path = self.fit()
        seen = {"least": "4 B", "most": "4 MiB", "hosts": 2, "ranks_per_host": 1}
        fit = yaml.safe_load(path.read_text(encoding="utf-8"))
        fit["library"]["fitted"] = seen
        path.write_text(yaml.safe_dump(fit), encoding="utf-8")
        told = self.ran("predict", self.scenario()).stdout
        self.assertRegex(told, r"(?m)^case +time +low +high$")
        self.assertIn("low to high: 60 % of all cases, by 4 alternative fits", told)
        self.assertIn("warning: extrapolates to 4 hosts", told)

    def test_ends_of_a_library_with_a_spread_are_those_by_run_interval_too(self):
        self.fit()
        scenario = self.scenario({"base": "rdma", "spread": {"several_hosts": [
            {"up_to": "1 KiB", "low": 0.5, "high": 3}, {"low": 0.8, "high": 1.25}]}})
        told = self.predicted(scenario)
        self.assertEqual(told["level"], 0.9)
        for case, low, high in zip(told["cases"], (0.5, 0.8), (3, 1.25)):
            self.assertAlmostEqual(case["low_s"] / case["time_s"], low)
            self.assertAlmostEqual(case["high_s"] / case["time_s"], high)
        self.assertIsNone(told["cases"][1]["ratio_low"])
        ran = self.ran("run", scenario, "--interval")
        self.assertEqual(ran.stdout, self.ran("predict", scenario).stdout)
        self.assertRegex(ran.stdout, r"(?m)^question 1 MiB +\d+\.\d+ x +- +-$")
        self.assertIn("--interval: expected one scenario",
                      self.ran("run", scenario, "--interval", "--csv", "-").stderr)

    def test_other_libraries_are_refused(self):
        fit = self.fit()
        for words, complaint in (
                ([self.scenario("rdma")], "expected a library that `ringscope calibrate` wrote, "
                 "got 'rdma': name it by --model"),
                ([self.scenario("rdma"), fit], "case 'question 4 B': expected the library of "),
                ([self.folder / "none.yaml", fit], "none.yaml")):
            ran = self.ran("predict", *words)
            self.assertEqual(ran.returncode, 1)
            self.assertIn(complaint, ran.stderr)
        self.fit(draws=[])
        ran = self.ran("predict", self.scenario())
        self.assertEqual(ran.returncode, 1)
        self.assertIn("expected alternative fits that the measurements allow, got none", ran.stderr)


if __name__ == "__main__":
    WithPrograms.build = pathlib.Path(sys.argv.pop(1)).resolve()
    round_trip_test.unittest.main()
