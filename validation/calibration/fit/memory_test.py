# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does the fit find what memory costs by size and by what caches hold, and does the simulator then
take as long as these costs say?

Usage: python3 -m validation.calibration.fit.memory_test BUILD
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

from validation.calibration.fit import calibration, memory, parameters, profile, report
from validation.calibration.fit.closed_forms import Transport
from validation.calibration.fit.segments import Segment, Sized, constant
from validation.calibration.fit.synthetic_for_test import Cluster

KIB, MIB = 1 << 10, 1 << 20
LIMIT = 4095.0
SETS = (MIB, 8 * MIB, 64 * MIB)
# Up to 128 KiB a message takes 2 us and 0.2 ns/B, a longer one 10 us and 0.1 ns/B; beyond the
# caches, which hold vectors of 1 MiB and not of 8, all take 3 us and 0.5 ns/B.
HELD = Sized((Segment(LIMIT, 0.3e-6, 0.2e-9), Segment(128 * KIB, 2e-6, 0.2e-9),
              Segment(np.inf, 10e-6, 0.1e-9)))
OTHER = Sized((Segment(LIMIT, 0.3e-6, 0.2e-9), Segment(np.inf, 3e-6, 0.5e-9)))
SUMS = ((2 * MIB, 0.1e-9), (np.inf, 0.3e-9))  # up to which vectors
WAY = Transport(constant(0.4e-6), constant(0.2e-6), constant(0.3e-6), 0.0, 0.2e-9, 0.1e-9, LIMIT,
                "receiver", 0.0)


def receiver_s(size, vector):
    return float((HELD if vector <= 2 * MIB else OTHER)(np.array([float(size)]))[0])


def exchange_s(size, vector):
    """The request, what the receiver does, and that the sender is told."""
    return 0.2e-6 + 0.4e-6 + receiver_s(size, vector) + 0.4e-6


def sum_s(size, vector):
    return size * next(cost for most, cost in SUMS if vector <= most)


def document(noise=0.005, exchanges=True, slower=1.0):
    """Measurements of this memory; `slower`: ping-pongs of long messages, in times."""
    cluster = Cluster(noise=noise)
    small = [1 << power for power in range(0, 12, 2)]
    cluster.add_late_receiver(WAY, "shm")
    for what in ("send_call", "recv_call"):
        cluster.add_curve(what, WAY, "shm", small)
    cluster.add_curve("ping_pong", WAY, "shm", small)
    for size in [1 << power for power in range(12, 27)]:
        cluster.add("ping_pong", slower * (0.6e-6 + receiver_s(size, size)), bytes=size, way="shm")
        cluster.add("reduction", sum_s(size, size), bytes=size, ranks=1)
        for of_set in sorted({size, *(one for one in SETS if one >= 2 * size)}) * exchanges:
            cluster.add("exchange", exchange_s(size, of_set), bytes=size, way="shm", set=of_set)
    return cluster.document()


def calibrated(some, bootstrap=0):
    settings = calibration.Settings(bootstrap=bootstrap, hosts=1, cores=2)
    result = calibration.calibrate([some], settings)
    parameters.add_intervals(result, settings)
    return result


def seconds_of(way, size):
    return float(way.recv_overhead(np.array([size]))[0]) + size * way.recv_cost


class KnownMemory(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.result = calibrated(document(), bootstrap=20)

    def test_a_message_costs_what_its_size_costs(self):
        way = self.result.transports["shm"].transport
        for size in (512.0, 8.0 * KIB, 128.0 * KIB, 256.0 * KIB, MIB):
            self.assertAlmostEqual(seconds_of(way, size) / receiver_s(size, size), 1, delta=0.05)

    def test_beyond_the_caches_it_costs_more(self):
        change = next(one for one in self.result.changes if one.shm)
        self.assertEqual(sum(one.shm is not None for one in self.result.changes), 1)
        self.assertTrue(MIB < change.above < 8 * MIB, change.above)
        for size in (8.0 * KIB, MIB, 64.0 * MIB):
            self.assertAlmostEqual(seconds_of(change.shm, size) / receiver_s(size, 64 * MIB), 1,
                                   delta=0.05)

    def test_so_do_sums(self):
        self.assertAlmostEqual(self.result.host.reduce_cost / 0.1e-9, 1, delta=0.02)
        change, = (one for one in self.result.changes if one.costs)
        self.assertTrue(2 * MIB <= change.above <= 4 * MIB, change.above)
        self.assertAlmostEqual(change.costs["reduce_cost"] / 0.3e-9, 1, delta=0.02)

    def test_the_intervals_hold_what_is_true(self):
        for name, truth in (("recv_overhead.1.time", 2e-6), ("recv_cost", 0.1e-9)):
            one = self.result.parameters[f"library.shm.{name}"]
            self.assertTrue(one.low * 0.97 <= truth <= one.high * 1.03, (name, one))
            self.assertLess(one.low, one.high)
            self.assertIn("exchange by size", one.evidence)

    def test_its_own_probes_are_explained(self):
        errors = report.errors_of(self.result)
        for what in ("ping_pong shm", "exchange shm", "reduction"):
            self.assertLess(errors[what]["median"], 0.03, what)
        self.assertEqual(report.warnings_of(self.result), [])

    def test_the_simulator_takes_as_long(self):
        """A ring of two: twice an exchange of half a vector, and its sum."""
        sizes = [16 * KIB, 200 * 1000, MIB, 16 * MIB]
        found = Simulated.seconds(profile.text_of(self.result, "test", ["test"], {}), sizes)
        for size, seconds in zip(sizes, found):
            expected = 2 * exchange_s(size / 2, size) + sum_s(size / 2, size)
            self.assertAlmostEqual(seconds / expected, 1, delta=0.05, msg=size)


class PingPongAlone(unittest.TestCase):
    def test_gives_a_cost_by_size_and_none_by_caches(self):
        result = calibrated(document(exchanges=False))
        way = result.transports["shm"].transport
        for size in (8.0 * KIB, MIB, 64.0 * MIB):
            self.assertAlmostEqual(seconds_of(way, size) / receiver_s(size, size), 1, delta=0.06)
        self.assertTrue(all(change.shm is None for change in result.changes))


class Residuals(unittest.TestCase):
    def test_a_fit_that_is_far_off_its_own_ping_pong_says_so(self):
        result = calibrated(document(slower=2.0))
        warning, = report.warnings_of(result)
        self.assertRegex(warning, r"off by \d\d% \(median of 2\d points\) on its own ping_pong in "
                                  "shared memory")
        self.assertIn(warning, report.text_of(result))


class Borders(unittest.TestCase):
    def test_lie_between_the_sets_that_differ(self):
        points = calibration.Points.of([document(noise=0)]).of_probe("exchange")
        border, = memory.borders([point for point in points if point.size > LIMIT])
        self.assertAlmostEqual(border, np.sqrt(MIB * 8 * MIB))

    def test_changes_of_one_size_are_one(self):
        both, = memory.merged([memory.Change(10.0, shm=WAY)],
                              [memory.Change(10.0, costs={"reduce_cost": 1})])
        self.assertEqual((both.shm, both.costs), (WAY, {"reduce_cost": 1}))
        first, second = memory.merged([memory.Change(20.0, shm=WAY)],
                                      [memory.Change(10.0, costs={"reduce_cost": 1})])
        self.assertEqual((first.above, second.above), (10.0, 20.0))


class Simulated:
    program = None

    @staticmethod
    def seconds(text, sizes):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "fitted.yaml"
            path.write_text(text, encoding="utf-8")
            scenario = {"question": "As fitted?", "cluster": str(path), "library": str(path),
                        "placement": "2", "job": {"collective": "allreduce", "algorithm": "ring",
                                                  "bytes": [f"{size} B" for size in sizes]}}
            (pathlib.Path(folder) / "test.yaml").write_text(json.dumps(scenario))
            ran = subprocess.run([Simulated.program, "run", f"{folder}/test.yaml", "--json", "-"],
                                 capture_output=True, text=True, check=True)
            return [case["time_s"] for case in json.loads(ran.stdout)["cases"]]


if __name__ == "__main__":
    Simulated.program = str(pathlib.Path(sys.argv[1]).resolve() / "ringscope")
    unittest.main(argv=sys.argv[:1])
