# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does overlap tell how much goes with a handshake and how much the OS takes in, or say that it
does not?"""

import sys
import unittest

import numpy as np

from validation.calibration.fit.points import Point
from validation.calibration.fit.progress import Progress, set_buffer, set_rts_data

EAGER, WIRE = 65536.0, 1e-8  # bytes, seconds a byte


def sending(moved: float, spread: float, sizes=(1 << 20, 1 << 21, 1 << 22)) -> list:
    """As `overlaps` finds it: a computation as long as the transfer, meanwhile `moved` bytes."""
    found = []
    for size in sizes:
        whole, share = size * WIRE, 1 - moved / size
        point = Point("overlap", {"bytes": size, "compute_s": whole}, whole * (1 + share),
                      np.empty(0), spread, "", {})
        found.append((point, share, whole))
    return found


def fitted(*arguments) -> Progress:
    progress = Progress("caller")
    set_rts_data(progress, sending(*arguments), EAGER)
    return progress


class RtsData(unittest.TestCase):
    def test_is_what_moved_while_the_sender_computed(self):
        for moved, expected in ((EAGER, EAGER), (1.2 * EAGER, EAGER), (0.1 * EAGER, 0.0)):
            found = fitted(moved, 0.001)
            self.assertEqual((found.rts_data, found.rts_doubt), (expected, ""))

    def test_is_said_not_to_be_told_where_times_spread_by_as_much(self):
        # 1 MiB takes twice its transfer; 5 % of that is what some 100 KiB take.
        found = fitted(EAGER, 0.05)
        self.assertIn("an eager message has 65536", found.rts_doubt)
        self.assertEqual(found.rts_bracket, (0.0, EAGER))

    def test_goes_by_the_sizes_that_tell(self):
        # Nearly nothing of 4 MiB came, but its times spread by more than an eager message.
        some = sending(EAGER, 0.004, (1 << 20,)) + sending(0.0, 0.05, (1 << 22, 1 << 23))
        progress = Progress("caller")
        set_rts_data(progress, some, EAGER)
        self.assertEqual((progress.rts_data, progress.rts_doubt), (EAGER, ""))


    def test_sizes_that_contradict_each_other_leave_it_open(self):
        some = sending(0.0, 0.001, (1 << 20, 1 << 22)) + sending(EAGER, 0.001, (1 << 21,))
        progress = Progress("caller")
        set_rts_data(progress, some, EAGER)
        self.assertEqual((progress.rts_data, progress.rts_bracket), (0.0, (0.0, EAGER)))
        self.assertIsNone(fitted(0.1 * EAGER, 0.001).rts_bracket)


class Buffer(unittest.TestCase):
    def test_lies_between_what_came_of_messages_that_came_in_part(self):
        progress = Progress("caller")
        set_buffer(progress, sending(EAGER, 0.001, (1 << 18, 1 << 20)))
        self.assertEqual(progress.buffer, EAGER)
        np.testing.assert_allclose(progress.bracket, (EAGER, EAGER))

    def test_is_bracketed_by_a_longer_message_that_came_whole(self):
        progress = Progress("caller")
        set_buffer(progress, sending(EAGER, 0.001, (1 << 18, 1 << 20))
                   + sending(1 << 19, 0.001, (1 << 19,)))
        self.assertEqual(progress.buffer, EAGER)
        np.testing.assert_allclose(progress.bracket, (EAGER, 1 << 19))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
