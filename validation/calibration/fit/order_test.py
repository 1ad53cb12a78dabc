# SPDX-License-Identifier: LGPL-2.1-or-later
"""Is the order on the wire found that messages had, and nothing where they do not tell?

Usage: python3 -m validation.calibration.fit.order_test BUILD
"""

import dataclasses
import sys
import unittest

from validation.calibration.fit import calibration, parameters, profile
from validation.calibration.fit.segments import constant
from validation.calibration.fit.synthetic_for_test import TCP, Cluster

LARGE = (1 << 20, 1 << 22)
OPEN_MPI = 0.81  # of 8 x 1 MiB at 200 Mbit/s the first was there after 300 ms, the last after 360


def calibrated(*added, transport=TCP, noise=0.01):
    """`added`: (position of the first's end, sizes), as Cluster.add_turns has them with noise."""
    cluster = Cluster()
    cluster.add_ping_pong(transport, "network")
    cluster.add_late_receiver(transport, "network")
    cluster.add_streams(transport, "network")
    cluster.noise = noise
    for position, sizes in added:
        cluster.add_turns(transport, "network", position, sizes)
    result = calibration.calibrate([cluster.document()], calibration.Settings(bootstrap=2))
    parameters.add_intervals(result, calibration.Settings(bootstrap=2))
    return result


class Order(unittest.TestCase):
    def expect(self, result, word):
        self.assertEqual(profile.library_of(result)["network"].get("order"), word)
        notes = [note for note in result.notes if note.startswith("library.network.order")]
        if word:
            self.assertEqual(len(notes), 1, result.notes)
            self.assertRegex(notes[0], f"order {word}: the first of 8 .* messages of 4194304 bytes")
            self.assertNotIn("library.network.order", result.undetermined)
            self.assertTrue(any(key.startswith("turns") for key in result.fitted))
        else:
            self.assertEqual(notes, [])

    def test_messages_that_end_one_after_the_other_are_in_order(self):
        self.expect(calibrated((0.0, LARGE)), "fifo")

    def test_messages_that_end_together_share_the_wire(self):
        for position in (1.0, OPEN_MPI):
            self.expect(calibrated((position, LARGE)), "shared")

    def test_intermediate_ratio_identifies_no_order(self):
        result = calibrated((0.5, LARGE))
        self.expect(result, None)
        self.assertIn("neither in order nor together", result.undetermined["library.network.order"])

    def test_the_longest_messages_decide_and_others_are_named(self):
        result = calibrated((0.25, (1 << 18,)), (OPEN_MPI, (1 << 20, 1 << 22)))
        self.expect(result, "shared")
        self.assertTrue(any("messages of 262144 bytes do not say the same" in note
                            for note in result.notes), result.notes)

    def test_a_latency_that_hides_the_wire_tells_nothing(self):
        far = dataclasses.replace(TCP, latency=constant(50e-3))
        result = calibrated((0.0, LARGE), transport=far)
        self.expect(result, None)
        self.assertIn("less than 2 times one alone", result.undetermined["library.network.order"])

    def test_a_first_after_the_last_tells_nothing(self):
        """19.72 and 16.12 ms, of 8 messages at once on a busy machine."""
        result = calibrated((19.72 / 16.12 + 0.02, LARGE))
        self.expect(result, None)
        self.assertRegex(result.undetermined["library.network.order"],
                         "the first after the last: medians of different runs, measure again")

    def test_a_first_just_after_the_last_is_together_with_it(self):
        self.expect(calibrated((1.03, LARGE)), "shared")

    def test_times_that_spread_as_much_as_they_differ_tell_nothing(self):
        result = calibrated((1.0, LARGE), noise=0.5)
        self.expect(result, None)
        self.assertIn("spread", result.undetermined["library.network.order"])

    def test_eager_messages_alone_tell_nothing(self):
        result = calibrated((0.0, (1 << 14,)))
        self.expect(result, None)
        self.assertIn("above the eager limit", result.undetermined["library.network.order"])

    def test_eager_messages_that_end_together_are_noted(self):
        result = calibrated((1.0, (1 << 15, *LARGE)))
        self.expect(result, "shared")
        self.assertTrue(any("eager messages go in order, but the first of 8 concurrent" in note
                            for note in result.notes), result.notes)

    def test_where_none_was_probed_nothing_is_said(self):
        result = calibrated()
        self.expect(result, None)
        self.assertNotIn("library.network.order", result.undetermined)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
