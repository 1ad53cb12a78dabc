# SPDX-License-Identifier: LGPL-2.1-or-later
"""Is the room for eager messages told from sends to a late receiver, and from nothing else?"""

import unittest

from validation.fit import calibration, parameters, profile
from validation.fit.synthetic_for_test import TCP, Cluster

DELAY = 0.05
SIZE = 16384
FREE, HELD = 236, 268  # messages in a row


def calibrated(*sends):
    """`sends`: (messages, longest MPI_Send) of what was probed beside the ping-pong."""
    cluster = Cluster()
    cluster.add_ping_pong(TCP, "network")
    cluster.add_late_receiver(TCP, "network")
    for messages, longest in sends:
        cluster.add("eager_room", longest, bytes=SIZE, way="network", messages=messages,
                    delay_s=DELAY)
    result = calibration.calibrate([cluster.document()], calibration.Settings(bootstrap=0))
    parameters.add_intervals(result, calibration.Settings(bootstrap=0))
    return result


class Room(unittest.TestCase):

    def test_lies_between_what_went_and_what_was_held_back(self):
        result = calibrated((FREE, 2e-5), (HELD, DELAY))
        one = result.parameters["library.network.eager_room"]
        self.assertEqual((one.low, one.high), (FREE * SIZE, HELD * SIZE))
        self.assertEqual(one.value, (FREE + HELD) / 2 * SIZE)
        self.assertEqual(profile.library_of(result)["network"]["eager_room"],
                         f"{int(one.value) // 1024} KiB")
        self.assertTrue(any(key.startswith("eager_room") for key in result.fitted))

    def test_is_not_set_where_all_went_or_nothing_was_probed(self):
        for sends in ((), ((4096, 2e-5),)):
            with self.subTest(sends):
                found = profile.library_of(calibrated(*sends))["network"]
                self.assertNotIn("eager_room", found)

    def test_of_which_nothing_went_is_less_than_what_was_held_back(self):
        one = calibrated((1, DELAY)).parameters["library.network.eager_room"]
        self.assertEqual((one.low, one.high), (0, SIZE))


if __name__ == "__main__":
    unittest.main()
