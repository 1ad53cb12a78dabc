# SPDX-License-Identifier: LGPL-2.1-or-later
"""Are pieces of eager messages told from a ping-pong where it tells, and from nothing else?"""

import dataclasses
import unittest

import numpy as np

from validation.calibration.fit import calibration, closed_forms, profile
from validation.calibration.fit.closed_forms import Transport
from validation.calibration.fit.pieces import PACKET
from validation.calibration.fit.synthetic_for_test import TCP, Cluster, everything

SIZES = np.array([PACKET / 2, PACKET, 10 * PACKET])
COSTS = {"send_cost": 1e-9, "wire": 3e-9, "recv_cost": 2e-9}
IN_TURN, LONGEST = 6e-9, 3e-9


def network_of(cluster, **settings):
    document = everything(cluster)
    return calibration.calibrate([document], calibration.Settings(bootstrap=0, **settings))


class Forms(unittest.TestCase):

    def test_all_but_a_piece_takes_the_longest_of_three_times(self):
        way = Transport(eager_piece=PACKET, **COSTS)
        expected = np.minimum(SIZES, PACKET) * IN_TURN + np.maximum(SIZES - PACKET, 0) * LONGEST
        np.testing.assert_allclose(closed_forms.ping_pong(way, SIZES), expected)

    def test_without_pieces_one_comes_after_the_other(self):
        np.testing.assert_allclose(closed_forms.ping_pong(Transport(**COSTS), SIZES),
                                   SIZES * IN_TURN)

    def test_a_window_is_filled_by_one_message_in_pieces_and_goes_on_as_before(self):
        pieced = Transport(eager_piece=PACKET, **COSTS)
        for window in (1, 8):
            found = closed_forms.stream(pieced, SIZES, window) * window
            alone = closed_forms.ping_pong(pieced, SIZES)
            np.testing.assert_allclose(found, alone + (window - 1) * SIZES * LONGEST)


class Told(unittest.TestCase):

    def test_segmented_copies_are_found(self):
        dear = {"dear receivers": {"recv_cost": 1.2e-9}, "all alike": {"send_cost": 0.7e-9,
                                                                     "recv_cost": 0.7e-9}}
        for name, costs in dear.items():
            with self.subTest(name):
                found = network_of(dataclasses.replace(TCP, eager_piece=PACKET, **costs))
                self.assertEqual(found.network.eager_piece, PACKET)
                self.assertEqual(profile.library_of(found)["network"]["eager_piece"], "1448 B")
                self.assertTrue(any("eager_piece 1448 B" in note for note in found.notes))

    def test_sequential_copies_have_no_segments(self):
        for costs in ({}, {"recv_cost": 3e-9}, {"send_cost": 0.0, "recv_cost": 0.0}):
            with self.subTest(costs):
                found = network_of(dataclasses.replace(TCP, **costs))
                self.assertNotIn("eager_piece", profile.library_of(found)["network"])

    def test_assumed_costs_give_no_segments(self):
        cluster = Cluster()
        cluster.add_ping_pong(dataclasses.replace(TCP, recv_cost=3e-9, eager_piece=PACKET),
                              "network")
        cluster.add_late_receiver(TCP, "network")
        found = calibration.calibrate([cluster.document()], calibration.Settings(bootstrap=0))
        self.assertNotIn("eager_piece", profile.library_of(found)["network"])

    def test_nic_transport_gives_no_segments(self):
        found = network_of(dataclasses.replace(TCP, recv_cost=3e-9, eager_piece=PACKET),
                           transport="rdma")
        self.assertNotIn("eager_piece", profile.library_of(found)["network"])


if __name__ == "__main__":
    unittest.main()
