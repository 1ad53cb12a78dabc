# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does the fit find what a known cluster would have measured, and say what it did not?

Usage: python3 -m validation.calibration.fit.fit_test BUILD
"""

import dataclasses
import math
import sys
import unittest

import numpy as np

from validation.calibration.fit import calibration, closed_forms, parameters, segments, transport
from validation.calibration.fit.eager import eager_limit, late_sends
from validation.calibration.fit.points import Points
from validation.calibration.fit.segments import Segment, Sized, constant
from validation.calibration.fit.synthetic_for_test import SHM, SIZES, TCP, Cluster, everything
from validation.measurements import Measurement

QUICK = calibration.Settings(bootstrap=20)


def calibrated(document, settings=QUICK):
    result = calibration.calibrate([document], settings)
    parameters.add_intervals(result, settings)
    return result


class Segments(unittest.TestCase):
    sizes = np.array(SIZES, float)

    def fitted(self, truth, noise=0.0):
        random = np.random.default_rng(1)
        times = truth(self.sizes) * np.exp(random.normal(0, noise, len(self.sizes)))
        return segments.fit_segments(self.sizes, times)

    def test_a_straight_line_is_one_piece(self):
        found = self.fitted(constant(5e-6, 1e-9), 0.01)
        self.assertEqual(len(found.segments), 1)
        self.assertAlmostEqual(found.costs[0] / 1e-9, 1, delta=0.03)

    def test_a_jump_makes_two(self):
        truth = Sized((Segment(1024, 5e-6, 0.0), Segment(math.inf, 20e-6, 1e-9)))
        found = self.fitted(truth, 0.01)
        self.assertEqual([one.up_to for one in found.segments], [1024, math.inf])
        np.testing.assert_allclose(found(self.sizes), truth(self.sizes), rtol=0.05)

    def test_a_limit_between_two_sizes_is_where_a_piece_ends(self):
        found = segments.fit_segments([1.0, 2.0, 1e6, 2e6], [1.0, 1.0, 9.0, 9.0], forced=(5000,))
        self.assertEqual([one.up_to for one in found.segments], [5000, math.inf])

    def test_nothing_is_negative(self):
        found = segments.fit_segments(self.sizes, 1e-5 - 1e-12 * self.sizes)
        self.assertTrue((found.times >= 0).all() and (found.costs >= 0).all())

    def test_a_cost_seen_at_64_bytes_does_not_reach_to_64_kib(self):
        sizes, rest = np.array([1.0, 16.0, 64.0, 1e6]), np.array([50e-6, 51e-6, 52e-6, 9e-6])
        sized = Sized((Segment(65480, 50e-6, 30e-9), Segment(math.inf, 9e-6, 0.0)))
        found = transport.without_far_costs(sized, sizes, rest)
        self.assertEqual(found.segments[0], Segment(65480, 51e-6, 0.0))
        near = Sized((Segment(64 * transport.REACH, 50e-6, 30e-9), sized.segments[1]))
        self.assertEqual(transport.without_far_costs(near, sizes, rest), near)

    def test_a_single_size_is_a_constant(self):
        found = segments.fit_segments([8.0], [3e-6])
        self.assertEqual(found, constant(3e-6))


class KnownCluster(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.result = calibrated(everything(link_bandwidth="10 Gbit/s"))

    def expect(self, name, truth, slack=0.05):
        one = self.result.parameters[name]
        self.assertLessEqual(one.low, truth * (1 + slack), name)
        self.assertGreaterEqual(one.high, truth * (1 - slack), name)
        self.assertAlmostEqual(one.value / truth, 1, delta=2 * slack, msg=name)

    def test_the_wire_is_its_share_of_the_nominal_rate(self):
        self.expect("library.network.goodput", 1 / TCP.wire / 1.25e9, 0.02)

    def test_costs_and_overheads_are_found_from_the_calls_and_streams(self):
        self.expect("library.network.send_overhead.0.time", 3e-6)
        self.expect("library.network.recv_overhead.0.time", 4e-6)
        self.expect("library.network.send_cost", 0.3e-9)
        self.expect("library.network.recv_cost", 0.5e-9, 0.1)

    def test_the_latency_has_the_pieces_that_it_has(self):
        latency = self.result.network.latency
        self.assertEqual(latency.segments[0].up_to, 1024)
        self.expect("library.network.latency.0.time", 6e-6)
        self.expect("library.network.latency.1.time", 20e-6)

    def test_eager_limits_are_bracketed_by_late_receivers(self):
        for way, limit in (("network", 65535), ("shm", 4095)):
            one = self.result.parameters[f"library.{way}.eager_limit"]
            self.assertLessEqual(one.low, limit)
            self.assertGreaterEqual(one.high, limit)
            self.assertEqual(one.evidence, "late_receiver")

    def test_shared_memory_is_one_copy_by_the_receiver(self):
        self.assertEqual(self.result.transports["shm"].transport.driver, "receiver")
        self.expect("library.shm.recv_cost", SHM.recv_cost)
        self.expect("library.shm.recv_overhead.0.time", 0.3e-6, 0.1)

    def test_reductions_share_the_memory_of_their_host(self):
        self.expect("library.reduce_cost", 3 / 20e9, 0.02)  # one rank is slowed by memory already
        self.assertAlmostEqual(self.result.host.memory / 20e9, 1, delta=0.02)

    def test_a_transfer_that_waits_for_its_caller_shows_who_makes_progress(self):
        self.assertEqual(self.result.progress.mode, "caller")
        self.assertRegex(self.result.progress.evidence,
                         "sender of 1048576 bytes, without MPI_Test: .* (9.|10.)% of what could")

    def test_fitted_keys_are_listed(self):
        keys = set(self.result.fitted)
        self.assertTrue(any(key.startswith("ping_pong bytes=1 ") for key in keys))
        self.assertTrue(any(key.startswith("overlap") for key in keys))

    def test_the_fit_fits(self):
        for fitted in self.result.transports.values():
            for one in fitted.observations:
                self.assertLess(np.median(abs(one.errors(fitted.transport))), 0.03, one.what)


class Cores(unittest.TestCase):
    """Cores that are slower than the wire: both directions at once take twice as long."""

    def test_show_their_costs_and_hide_the_wire(self):
        slow = dataclasses.replace(TCP, send_cost=8e-9, recv_cost=8e-9)
        result = calibrated(everything(slow))
        self.assertAlmostEqual(result.network.send_cost / 8e-9, 1, delta=0.05)
        self.assertAlmostEqual(result.network.recv_cost / 8e-9, 1, delta=0.05)
        self.assertIn("cluster.link.bandwidth", result.undetermined)


class LatencyAlone(unittest.TestCase):
    """Published medians of one ping-pong."""

    def calibrated(self, transport, kind):
        cluster = Cluster(samples=0, noise=0.01)
        cluster.add_ping_pong(transport, "network")
        return calibrated(cluster.document(),
                          dataclasses.replace(QUICK, transport=kind))

    def test_gives_a_profile_that_reproduces_it(self):
        for kind in ("tcp", "rdma"):
            result = self.calibrated(TCP, kind)
            one = result.transports["network"].observations[0]
            self.assertLess(np.median(abs(one.errors(result.network))), 0.03, kind)
            self.assertIn("library.network.send_overhead", result.assumed)
            self.assertIn("library.network.send_cost", result.assumed)

    def test_finds_the_eager_limit_where_it_jumps(self):
        far = dataclasses.replace(TCP, latency=constant(20e-6), send_cost=0.0, recv_cost=0.0)
        limit = self.calibrated(far, "tcp").parameters["library.network.eager_limit"]
        self.assertEqual((limit.low, limit.high), (16384, 65535))

    def test_latency_below_that_of_tcp_is_of_a_nic(self):
        # Overheads of 0.5 us and the latency beside 64 B at 12 GB/s.
        half = constant(0.5e-6)
        fast = dataclasses.replace(TCP, send_overhead=half, recv_overhead=half, send_cost=0.0,
                                   recv_cost=0.0, wire=1 / 12e9)
        for latency, kind, driver in ((1e-6, "rdma", "nic"), (5e-6, "tcp", "caller")):
            result = self.calibrated(dataclasses.replace(fast, latency=constant(latency)), None)
            self.assertEqual((result.kind, result.network.driver), (kind, driver))
            self.assertEqual(result.network.connection_cost > 0, kind == "tcp")
            said = self.calibrated(dataclasses.replace(fast, latency=constant(latency)), "tcp")
            self.assertEqual(said.kind, "tcp")

    def test_draws_residuals_where_no_samples_are(self):
        self.assertIn("residuals", self.calibrated(TCP, "tcp").drawn["network"])

    def test_a_nic_costs_no_time_per_byte_of_a_core(self):
        network = self.calibrated(TCP, "rdma").network
        self.assertEqual((network.driver, network.send_cost, network.recv_cost), ("nic", 0, 0))


class Buckets(unittest.TestCase):
    def test_messages_faster_than_the_wire_are_left_out_and_said(self):
        cluster = Cluster()
        slow = dataclasses.replace(TCP, wire=1 / 120e6)
        burst = dataclasses.replace(TCP, wire=1 / 240e6)
        cluster.add_curve("ping_pong", burst, "network", SIZES[:9])
        cluster.add_curve("ping_pong", slow, "network", SIZES[9:])
        cluster.add_streams(slow, "network")
        cluster.add_late_receiver(slow, "network")
        result = calibrated(cluster.document())
        self.assertAlmostEqual(1 / result.network.wire / 120e6, 1, delta=0.03)
        self.assertTrue(any("bucket" in note for note in result.notes), result.notes)


class LateReceivers(unittest.TestCase):
    """Sends of one late receiver: size, and what each of them took with a delay of 10 ms."""

    def limit(self, *sends):
        cluster = Cluster()
        cluster.measurements = [Measurement(
            "late_receiver", {"bytes": size, "way": "shm", "delay_s": 0.01},
            float(np.median(samples)), samples) for size, samples in sends]
        return eager_limit(late_sends(Points.of([cluster.document()]), "shm", "late_receiver"))

    def test_one_late_send_of_several_changes_nothing(self):
        self.assertEqual(self.limit((1024, [6e-6, 0.01, 6e-6, 0.012, 6e-6]), (4096, 5 * [0.01])),
                         (4095, 1024, 4095, "late_receiver"))

    def test_one_send_that_returned_early_shows_an_eager_message_in_doubt(self):
        self.assertEqual(self.limit((256, 5 * [1e-5]), (1024, [0.01, 0.01, 6e-6, 0.012, 0.01]),
                                    (4096, 5 * [0.01])), (4095, 256, 4095, "late_receiver"))

    def test_wait_for_a_buffer_below_the_limit_only_widens_its_interval(self):
        self.assertEqual(self.limit((512, 5 * [0.01]), (2048, 5 * [1e-5]), (4096, 5 * [0.01])),
                         (4095, 0, 4095, "late_receiver"))

    def test_where_none_waited_there_is_no_limit(self):
        self.assertEqual(self.limit((512, 5 * [1e-5]), (4 << 20, 5 * [1e-3]))[:3],
                         (math.inf, 4 << 20, math.inf))

    def test_where_the_first_byte_waits_nothing_is_eager(self):
        self.assertEqual(self.limit((1, 5 * [0.01]), (4, 5 * [0.01]))[:3], (0, 0, 0))


class RealCalls(unittest.TestCase):
    """Times that calls show beside their work: ranks that nap, and bytes that are still coming."""

    @staticmethod
    def document(nap, coming):
        cluster = Cluster()
        cluster.add_ping_pong(TCP, "network")
        cluster.add_late_receiver(TCP, "network")
        cluster.add_streams(TCP, "network", 256)
        cluster.add_curve("send_call", TCP, "network", SIZES[:8])
        cluster.add_curve("recv_call", TCP, "network", SIZES[:8] + [65000],
                          form=lambda one, sizes: nap + np.where(
                              sizes > 20000, coming * sizes * one.wire,
                              closed_forms.recv_call(one, sizes)))
        return cluster.document()

    def test_a_nap_is_no_overhead(self):
        result = calibrated(self.document(nap=40e-6, coming=1.0))
        self.assertAlmostEqual(result.network.recv_overhead.times[0] / 4e-6, 1, delta=0.1)
        self.assertIn("also waits", result.parameters[
            "library.network.recv_overhead.0.time"].evidence)

    def test_bytes_that_still_come_are_no_cost(self):
        cheap = dataclasses.replace(TCP, wire=10e-9)
        cluster = Cluster()
        for what in ("add_ping_pong", "add_late_receiver", "add_streams"):
            getattr(cluster, what)(cheap, "network")
        cluster.add_curve("send_call", cheap, "network", SIZES[:8])
        cluster.add_curve("recv_call", cheap, "network", SIZES[:8] + [65000],
                          form=lambda one, sizes: np.where(
                              sizes > 20000, 0.5 * sizes * one.wire,
                              closed_forms.recv_call(one, sizes)))
        result = calibrated(cluster.document())
        self.assertLess(result.network.recv_cost, 0.8e-9)
        self.assertTrue(any("waited for data" in note for note in result.notes))


class ClosedForms(unittest.TestCase):
    def test_a_stream_is_as_fast_as_its_slowest_stage(self):
        size = np.array([1e6])
        for costs in ((0.1e-9, 0.2e-9), (4e-9, 1e-9)):
            way = dataclasses.replace(TCP, send_cost=costs[0], recv_cost=costs[1])
            one = float(closed_forms.stream(way, size, 1e6)[0])
            self.assertAlmostEqual(one / (1e6 * max(*costs, way.wire)), 1, delta=0.01)
            two = float(closed_forms.stream(way, size, 1e6, directions=2)[0])
            self.assertAlmostEqual(two / (1e6 * max(sum(costs), way.wire)), 1, delta=0.01)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
