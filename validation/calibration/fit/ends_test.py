# SPDX-License-Identifier: LGPL-2.1-or-later
"""Are sender, receiver and wire told apart, and is it said where they cannot be?

Usage: python3 -m validation.calibration.fit.ends_test BUILD
"""

import dataclasses
import sys
import unittest

import numpy as np

from validation.calibration.fit import calibration, closed_forms, parameters
from validation.calibration.fit.synthetic_for_test import SIZES, TCP, Cluster


def calibrated(document):
    settings = calibration.Settings(bootstrap=20)
    result = calibration.calibrate([document], settings)
    parameters.add_intervals(result, settings)
    return result


class UnequalEnds(unittest.TestCase):
    """Ends that do not cost the same. ns/B: the dearer end 9, the other 3; the wire decides, or one
    of two pairs needs less than the other end, or neither ever waits for it."""
    SPLITS = ((3e-9, 9e-9), (9e-9, 3e-9))

    @staticmethod
    def fitted(send, recv, wire, *probes):
        transport = dataclasses.replace(TCP, send_cost=send, recv_cost=recv, wire=wire,
                                        unexpected_cost=0.0)
        cluster = Cluster(link_bandwidth="10 Gbit/s")
        for add in (cluster.add_ping_pong, cluster.add_late_receiver, cluster.add_streams, *(
                getattr(cluster, name) for name in probes)):
            add(transport, "network")
        return calibrated(cluster.document())

    def expect(self, result, name, truth, slack=0.05):
        self.assertAlmostEqual(getattr(result.network, name) / truth, 1, delta=slack, msg=name)
        one = result.parameters.get(f"library.network.{name}")
        if one:
            self.assertLess(one.low, truth * 1.01, name)
            self.assertGreater(one.high, truth * 0.99, name)

    def test_are_told_apart_where_a_core_decides(self):
        for send, recv in self.SPLITS:
            with self.subTest(send=send):
                result = self.fitted(send, recv, 0.84e-9, "add_calls")
                self.expect(result, "send_cost", send)
                self.expect(result, "recv_cost", recv)
                self.assertIn("cluster.link.bandwidth", result.undetermined)
                self.assertNotIn("library.network.goodput", result.parameters)

    def test_are_told_apart_where_two_pairs_fill_the_wire(self):
        for send, recv in self.SPLITS:
            with self.subTest(send=send):
                result = self.fitted(send, recv, 6e-9, "add_calls")
                self.expect(result, "send_cost", send)
                self.expect(result, "recv_cost", recv)
                self.expect(result, "wire", 6e-9)
                self.assertIn("one pair is limited by a core", result.parameters[
                    "library.network.goodput"].evidence)

    def test_are_told_apart_by_their_calls_where_the_wire_decides(self):
        for send, recv in self.SPLITS:
            with self.subTest(send=send):
                result = self.fitted(send, recv, 14e-9, "add_calls")
                self.expect(result, "send_cost", send, 0.15)
                self.expect(result, "recv_cost", recv, 0.15)
                self.expect(result, "wire", 14e-9)

    def test_are_told_apart_by_cpu_time_without_calls(self):
        for send, recv in self.SPLITS:
            with self.subTest(send=send):
                result = self.fitted(send, recv, 0.84e-9, "add_stream_cpu")
                self.expect(result, "send_cost", send)
                self.expect(result, "recv_cost", recv)
                self.assertNotIn("network.send_cost and recv_cost", str(result.undetermined))

    def test_are_told_apart_by_streams_where_a_call_works_in_its_nap(self):
        transport = dataclasses.replace(TCP, send_cost=9e-9, recv_cost=3e-9, unexpected_cost=0.0)
        cluster = Cluster()
        for name in ("add_ping_pong", "add_late_receiver", "add_streams"):
            getattr(cluster, name)(transport, "network")
        cluster.add_curve("send_call", transport, "network", SIZES[:8])
        cluster.add_curve("recv_call", transport, "network", SIZES[:8], form=lambda one, sizes:
                          np.maximum(45e-6, closed_forms.recv_call(one, sizes)))
        self.expect(calibrated(cluster.document()), "recv_cost", 3e-9, 0.2)

    def test_may_be_the_other_way_round_where_streams_are_all_there_is(self):
        result = self.fitted(9e-9, 3e-9, 0.84e-9)
        self.expect(result, "recv_cost", 9e-9)
        for name in ("send_cost", "recv_cost"):
            one = result.parameters[f"library.network.{name}"]
            self.assertLess(one.low, 3.1e-9)
            self.assertGreater(one.high, 8.9e-9)
        self.assertIn("the dearer end is not identifiable",
                      result.undetermined["library.network.send_cost and recv_cost"])

    def test_are_only_bounded_where_the_wire_decides_and_no_call_was_timed(self):
        result = self.fitted(3e-9, 9e-9, 14e-9)
        self.expect(result, "wire", 14e-9)
        for name in ("send_cost", "recv_cost"):
            self.assertRegex(result.assumed[f"library.network.{name}"],
                             "the streams leave at most 14.* ns/B")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
