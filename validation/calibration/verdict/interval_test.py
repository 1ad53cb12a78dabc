# SPDX-License-Identifier: LGPL-2.1-or-later
"""Do the intervals of predictions hold as many cases as they promise, and is extrapolation said?

Usage: python3 -m validation.calibration.verdict.interval_test BUILD
"""

import math
import pathlib
import sys
from unittest import mock

import numpy as np
import yaml

from validation.calibration.fit import calibration, draws, parameters, reach, report
from validation.calibration.fit.closed_forms import ping_pong
from validation.calibration.fit.synthetic_for_test import TCP, Cluster
from validation.calibration.verdict import interval, judge, model, residuals, round_trip_test
from validation.calibration.verdict.accuracy import Limits
from validation.calibration.verdict.round_trip_test import CLUSTER, LIBRARY, WithPrograms
from validation.calibration.verdict.simulator import Simulator
from validation.measurements import Document, Measurement, write

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

    def inside(self, verdict: judge.Verdict) -> tuple:
        return verdict.coverage.inside, verdict.coverage.count

    @mock.patch.object(interval, "UNSEEN", 0.0)
    def test_is_the_level_where_the_truth_is_one_of_the_models(self):
        inside = [self.inside(self.judged(one)) for one in LATENCIES]
        self.assertEqual(inside, [(0, 3), (3, 3), (3, 3), (3, 3), (0, 3)])
        count = len(LATENCIES)
        self.assertAlmostEqual(interval.level_of(self.models(LATENCIES[0])), (count - 2) / count)
        self.assertEqual(sum(one for one, _ in inside), (count - 2) * len(SIZES))

    @mock.patch.object(interval, "UNSEEN", 0.0)
    def test_too_fast_library_covers_no_case(self):
        fast = model.Model("fitted.yaml", CLUSTER, LIBRARY | library_with(2), {"draws": [
            {"library": library_with(one)} for one in (1, 2, 3)]})
        told = judge.judge(self.simulator(), fast, [self.measured_on(20)], Limits(),
                           intervals=True)
        self.assertEqual(self.inside(told), (0, 3))

    def test_errors_on_collectives_widen_the_interval(self):
        fitted = self.models(left_out=14)
        document = self.measured_on(14)
        before = judge.judge(self.simulator(), fitted, [document], Limits(), intervals=True)
        fitted.calibration["errors"] = {"collectives": {"points": 3, "median": 0.5}}
        told = judge.judge(self.simulator(), fitted, [document], Limits(), intervals=True)
        self.assertEqual(self.inside(told), (3, 3))
        self.assertGreater(told.coverage.ratio, before.coverage.ratio)
        self.assertIn("the fit is off by 50% (median of 3 points) on its own collectives: "
                      "predictions there are off as much", told.doubts)

    def predicted(self, fitted: model.Model, *measured: Measurement) -> judge.Verdict:
        document = Document("real.json", "replay", {"link_bandwidth": "1 Gbit/s"}, list(measured))
        return judge.judge(self.simulator(), fitted, [document], Limits(), intervals=True)

    def test_holds_the_prediction_of_ranks_that_started_apart(self):
        one = ring_of(4, 1.0)
        one.extra["start_spread_s"] = 4e-4
        fitted = model.Model("fitted.yaml", CLUSTER, LIBRARY, {"draws": [{}, {}]})
        [case] = self.predicted(fitted, one).judged
        self.assertLessEqual(case.low_s, case.predicted_s)
        self.assertLessEqual(case.predicted_s, case.high_s)

    def test_equal_models_keep_a_minimum_interval(self):
        fitted = model.Model("fitted.yaml", CLUSTER, LIBRARY, {"draws": [{}, {}]})
        [case] = self.predicted(fitted, ring_of(4, 1.0)).judged
        least = math.exp(interval.UNSEEN)
        self.assertAlmostEqual(case.high_s / case.predicted_s, least)
        self.assertAlmostEqual(case.predicted_s / case.low_s, least)

    def test_is_wider_by_the_error_in_shared_memory_inside_a_host_alone(self):
        off = {"ping_pong shm": {"points": 16, "median": 0.47, "p90": 0.6, "factor": 1.6}}
        fitted = model.Model("fitted.yaml", CLUSTER, LIBRARY, {"draws": [{}, {}], "errors": off})
        apart, within = ring_of(1024, 1.0), ring_of(1024, 1.0)
        within.parameters |= {"placement": "4", "hosts_count": 1}
        for one, missed in ((apart, 0.0), (within, residuals.MEDIAN * math.log(1.6))):
            told = self.predicted(fitted, one)
            self.assertAlmostEqual(told.judged[0].width.low, missed, delta=0.05 * missed + 1e-9)
            self.assertEqual(told.judged[0].width.low, told.judged[0].width.high)
            self.assertEqual(len(told.doubts), one is within)
        self.assertIn("off by 47% (median of 16 points) on its own ping_pong in shared memory",
                      told.doubts[0])

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
        self.assertRegex(ran.stdout, r"inside the model's interval \(level 60 %\): \d of 3, \d+ %; "
                         r"upper over lower end 1\.\d+ \(median\)")
        self.assertIn(" !", ran.stdout)
        self.assertIn("extrapolated: 3 of 3 (hosts in 3, size in 1); the fit covers 2 hosts, "
                      "1 rank on a host, 4 B to 4 KiB", ran.stdout)
        self.assertNotIn("interval", self.validate(path, real.path, "--no-interval").stdout)

    def test_draws_that_calibrate_does_not_write_are_refused(self):
        for key, value, words in (("draws", 3, "calibration.draws: expected a list of maps"),
                                  ("errors", {"reduction": {"median": -2}},
                           "calibration.errors: expected maps with a median from 0 on")):
            path = self.model(calibration={"fitted": [], key: value})
            ran = self.validate(path, self.document([ring_of(4, 1.0)]))
            self.assertEqual(ran.returncode, 1)
            self.assertIn(words, ran.stderr)


class Slower(round_trip_test.unittest.TestCase):
    """Libraries whose parts are slower by the fit's error on its own probes."""

    def test_parts_have_longer_times_and_costs_and_nothing_else(self):
        sized = [{"up_to": "1 KiB", "time": "2 us", "cost": "0.5 ns/B"}, {"time": "8 us"}]
        found = residuals.scaled({"latency": sized, "eager_limit": "64 KiB", "driver": "caller",
                                  "recv_overhead": "100 ns", "goodput": 0.9}, 1.5)
        self.assertEqual(found["latency"], [
            {"up_to": "1 KiB", "time": "3 us", "cost": "750 ps/B"}, {"time": "12 us"}])
        self.assertEqual(found["recv_overhead"], "150 ns")
        self.assertEqual((found["eager_limit"], found["driver"]), ("64 KiB", "caller"))
        self.assertAlmostEqual(found["goodput"], 0.6)

    def test_errors_on_collectives_keep_their_sign(self):
        summary = report.summary(np.array([-0.5, -0.5, -0.5]))  # all too fast, by a factor of 2
        fitted = model.Model("fitted.yaml", {}, {}, {"errors": {"collectives": summary}})
        down, up = residuals.whole(fitted)
        self.assertEqual(down, 0.0)
        self.assertAlmostEqual(up, math.log(2))

    def test_the_worse_probe_of_a_part_counts_and_what_was_not_probed_stays(self):
        library = {"shm": {"latency": "1 us"}, "network": {"latency": "9 us"}, "reduce_cost":
                   "1 ns/B", "uncached": [{"above": "1 MiB", "reduce_cost": "2 ns/B"}]}
        errors = {"ping_pong network": {"median": 0.1}, "reduction": {"median": 1.0},
                  "exchange network": {"median": 0.3, "factor": 2.0}}
        found = residuals.slower(model.Model("fitted.yaml", {"link": {"bandwidth": "8 GB/s"}},
                                             library, {"errors": errors}))
        self.assertEqual(found, {
            "network": {"library": {"network": {"latency": "18 us"}, "uncached":
                                    library["uncached"]}, "bandwidth": "4 GB/s"},
            "reduce_cost": {"library": {"reduce_cost": "2 ns/B", "uncached": [
                {"above": "1 MiB", "reduce_cost": "4 ns/B"}]}}})


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

    def test_values_that_no_draw_moves_have_no_interval(self):
        one = parameters.Parameter(4e-7, "s", "ping_pong", 4e-7, 4e-7)
        self.assertEqual(report.interval_text(one), "not identifiable")

    def test_reach_is_what_was_measured(self):
        self.assertEqual(reach.reach_of(self.result),
                         {"least": "1 B", "most": "4 MiB", "hosts": 2, "ranks_per_host": 1})


if __name__ == "__main__":
    round_trip_test.WithPrograms.build = pathlib.Path(sys.argv.pop(1)).resolve()
    round_trip_test.unittest.main()
