# SPDX-License-Identifier: LGPL-2.1-or-later
"""Do the intervals of predictions hold as many cases as they promise, and is extrapolation said?

Usage: python3 -m validation.verdict.interval_test BUILD
"""

import pathlib
import sys

import numpy as np
import yaml

from validation.fit import calibration, draws, parameters, reach
from validation.fit.closed_forms import ping_pong
from validation.fit.synthetic_for_test import TCP, Cluster
from validation.measurements import Document, Measurement, write
from validation.verdict import interval, judge, model, round_trip_test
from validation.verdict.accuracy import Limits
from validation.verdict.round_trip_test import CLUSTER, LIBRARY, WithPrograms
from validation.verdict.simulator import Simulator

LATENCIES = (14, 17, 20, 24, 29)  # us, of as many machines, one of which is measured
SIZES = (4, 1024, 1 << 20)


def library_with(latency_us: float) -> dict:
    return {"network": LIBRARY["network"] | {"latency": f"{latency_us} us"}}


def ring_of(size: int, seconds: float) -> Measurement:
    parameters = {"collective": "allreduce", "algorithm": "ring", "bytes": size, "ranks_count": 4,
                  "hosts_count": 4, "placement": "1x4"}
    return Measurement("allreduce", parameters, seconds, name=f"{size} B")


class Coverage(WithPrograms):
    """Machines, N + 1, of which each is the measured one once, and the N others are what a fit
    allows: in every case exactly the fastest and the slowest lie outside."""

    def models(self, left_out=None) -> model.Model:
        some = [{"library": library_with(one)} for one in LATENCIES if one != left_out]
        return model.Model("fitted.yaml", CLUSTER, LIBRARY, {"draws": some})

    def measured_on(self, latency_us: float) -> Document:
        """The times that the simulator gives on that machine."""
        document = Document("real.json", "replay", {"link_bandwidth": "1 Gbit/s"},
                            [ring_of(size, 1.0) for size in SIZES])
        truth = model.Model("truth.yaml", CLUSTER, LIBRARY | library_with(latency_us), {})
        told = judge.judge(self.simulator(), truth, [document], Limits())
        return Document("real.json", "replay", {"link_bandwidth": "1 Gbit/s"},
                        [ring_of(case.bytes, case.predicted_s) for case in told.judged])

    def simulator(self):
        return Simulator(str(self.build / "ringscope"))

    def judged(self, latency_us: float) -> judge.Verdict:
        return judge.judge(self.simulator(), self.models(left_out=latency_us),
                           [self.measured_on(latency_us)], Limits(), intervals=True)

    def test_is_the_level_where_the_truth_is_one_of_the_models(self):
        inside = [interval.coverage(self.judged(one).counted) for one in LATENCIES]
        self.assertEqual(inside, [(0, 3), (3, 3), (3, 3), (3, 3), (0, 3)])
        count = len(LATENCIES)
        self.assertAlmostEqual(interval.level_of(self.models(LATENCIES[0])), (count - 2) / count)
        self.assertEqual(sum(one for one, _ in inside), (count - 2) * len(SIZES))

    def test_of_a_library_that_is_too_fast_is_nothing(self):
        slow = model.Model("fitted.yaml", CLUSTER, LIBRARY, {"draws": [
            {"library": library_with(one)} for one in (1, 2, 3)]})
        told = judge.judge(self.simulator(), slow, [self.measured_on(20)], Limits(),
                           intervals=True)
        self.assertEqual(interval.coverage(told.counted), (0, 3))

    def test_scatter_of_the_fit_widens_the_interval(self):
        fitted = self.models(left_out=14)
        document = self.measured_on(14)
        fitted.calibration["scatter"] = {"errors": [-0.3, 0.5]}
        told = judge.judge(self.simulator(), fitted, [document], Limits(), intervals=True)
        self.assertEqual(interval.coverage(told.counted), (3, 3))

    def test_is_printed_with_its_level_and_what_is_outside_is_marked(self):
        path = self.folder / "mycluster.yaml"
        fitted = self.models(left_out=14)
        seen = {"least": "4 B", "most": "4 KiB", "hosts": 2, "ranks_per_host": 1}
        path.write_text(yaml.safe_dump({
            "cluster": CLUSTER, "library": LIBRARY | {"fitted": seen},
            "calibration": fitted.calibration}), encoding="utf-8")
        real = Document(str(self.folder / "real.json"), "replay",
                        {"link_bandwidth": "1 Gbit/s"}, self.measured_on(14).measurements)
        write(real.path, real)
        ran = self.validate(path, real.path)
        self.assertIn("inside the model's interval (level 60 %): 0 of 3, 0 %", ran.stdout)
        self.assertIn(" !", ran.stdout)
        self.assertIn("extrapolated: 3 of 3 (hosts in 3, size in 1); the fit has seen 2 hosts, "
                      "1 rank on a host, 4 B to 4 KiB", ran.stdout)
        self.assertNotIn("interval", self.validate(path, real.path, "--no-interval").stdout)

    def test_draws_that_calibrate_does_not_write_are_refused(self):
        for key, value, words in (("draws", 3, "calibration.draws: expected a list of maps"),
                                  ("scatter", {"errors": [-2]}, "calibration.scatter: expected")):
            path = self.model(calibration={"fitted": [], key: value})
            ran = self.validate(path, self.document([ring_of(4, 1.0)]))
            self.assertEqual(ran.returncode, 1)
            self.assertIn(words, ran.stderr)


class Draws(round_trip_test.unittest.TestCase):
    """Other models of a cluster whose latency alone was measured."""

    @classmethod
    def setUpClass(cls):
        cluster = Cluster(noise=0.01, samples=0)
        cluster.add_ping_pong(TCP, "network")
        settings = calibration.Settings(bootstrap=10)
        cls.result = calibration.calibrate([cluster.document()], settings)
        parameters.add_intervals(cls.result, settings)
        cls.drawn = [draws.one_more(cls.result, index, [], np.random.default_rng(index))
                     for index in range(4)]
        cls.told = draws.draw_again(cls.result, settings)

    def test_all_explain_what_was_measured(self):
        points = self.result.points.of_probe("ping_pong", way="network")
        sizes = np.array([point.size for point in points])
        seconds = np.array([point.seconds for point in points])
        for one in self.drawn:
            errors = ping_pong(one.network, sizes) / seconds - 1
            self.assertLess(np.median(np.abs(errors)), 0.05)

    def test_differ_in_what_nothing_identifies(self):
        self.assertEqual(len(self.told.models), draws.COUNT)
        for name in ("library.network.send_overhead", "library.reduce_cost",
                     "library.network.jitter"):
            value, _, low, high, why = self.told.ranges[name]
            self.assertTrue(why)
            self.assertLess(low, high)
            self.assertLessEqual(value, high)

    def test_are_the_same_for_the_same_seed(self):
        again = draws.draw_again(self.result, calibration.Settings(bootstrap=10))
        self.assertEqual(again.models, self.told.models)

    def test_are_none_where_no_intervals_are_asked_for(self):
        self.assertIsNone(draws.draw_again(self.result, calibration.Settings(bootstrap=0)))

    def test_reach_is_what_was_measured(self):
        self.assertEqual(reach.reach_of(self.result), reach.Reach(1, 1 << 22, 2, 1))


if __name__ == "__main__":
    round_trip_test.WithPrograms.build = pathlib.Path(sys.argv.pop(1)).resolve()
    round_trip_test.unittest.main()
