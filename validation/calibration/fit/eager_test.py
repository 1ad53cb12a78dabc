# SPDX-License-Identifier: LGPL-2.1-or-later
"""Are the eager limit and the room for eager messages told from sends to a late receiver, as far as
these agree with each other?"""

import unittest

from validation.calibration.fit import calibration, draws, parameters, profile, report
from validation.calibration.fit.synthetic_for_test import TCP, Cluster
from validation.measurements import Measurement

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

    def test_room_without_passed_sends_is_below_the_blocked_size(self):
        one = calibrated((1, DELAY)).parameters["library.network.eager_room"]
        self.assertEqual((one.low, one.high), (0, SIZE))

    def test_room_contradicted_by_larger_sends_is_in_doubt(self):
        result = calibrated((HELD, DELAY), (HELD + 16, 2e-5), (HELD + 32, DELAY))
        one = result.parameters["library.network.eager_room"]
        self.assertEqual((one.low, one.high), (0, (HELD + 32) * SIZE))
        self.assertEqual(one.value, (HELD + 24) * SIZE)
        self.assertTrue(any("library.network.eager_room: sends of" in one
                            for one in report.warnings_of(result)))


EARLY, LATE = 5 * [1e-5], 5 * [0.01]
LOST = [0.01, 0.012, 0.01, 1e-5, 0.01]  # a sender that lost its core four times of five
# A bisection of Open MPI's 4096 on a busy machine: 2048, 1536 and 1280 waited for their core alone.
BUSY = {size: EARLY for size in (1, 16, 64, 256, 1152, 1216, 1279)} | {
    512: LOST, 1024: LOST, 1280: LATE, 1536: LATE, 2048: LATE, 8192: LATE}
QUIET = {size: EARLY for size in (1, 16, 64, 256, 512, 1024, 2048, 4095)} | {
    4096: LATE, 8192: LATE, 16384: LATE}


def shared_memory(late, jump=3.3e-6):
    """The fit to late receivers, and to ping-pongs that jump between 2558 and 4096 bytes."""
    cluster = Cluster()
    for size in (1, 16, 64, 256, 1024, 2558, 4096, 16384, 65536, 262144, 1 << 20):
        cluster.add("ping_pong", 0.4e-6 + jump * (size >= 4096) + size * 0.1e-9, bytes=size,
                    way="shm")
    cluster.measurements += [
        Measurement("late_receiver", {"bytes": size, "way": "shm", "delay_s": 0.01},
                    sorted(samples)[2], samples) for size, samples in late.items()]
    settings = calibration.Settings(bootstrap=2)
    result = calibration.calibrate([cluster.document()], settings)
    parameters.add_intervals(result, settings)
    result.draws = draws.draw_again(result, settings)
    return result


class Limit(unittest.TestCase):
    def drawn(self, result):
        return {one["library"]["shm"]["eager_limit"] for one in result.draws.models}

    def test_is_the_last_step_of_a_search_that_agrees_with_itself(self):
        result = shared_memory(QUIET)
        one = result.parameters["library.shm.eager_limit"]
        self.assertEqual((one.value, one.low, one.high), (4095, 4095, 4095))
        self.assertEqual(one.evidence, "late_receiver")
        self.assertEqual(self.drawn(result), {"4095 B"})
        self.assertEqual(report.warnings_of(result), [])

    def test_contradictory_search_gives_a_wide_ping_pong_jump(self):
        result = shared_memory(BUSY)
        one = result.parameters["library.shm.eager_limit"]
        self.assertEqual((one.value, one.low, one.high), (4095, 256, 8191))
        self.assertEqual(one.evidence, "a jump in ping_pong, as late_receiver contradicts itself")
        self.assertGreater(len(self.drawn(result)), 10)
        self.assertEqual(report.warnings_of(result), [
            "library.shm.eager_limit: sends of 512 and 1024 bytes to a late receiver mostly "
            "waited, and one of 1279 bytes did not: measure again"])
        self.assertIn(result.doubts[0], result.notes)

    def test_without_a_jump_keeps_the_last_step_and_is_as_wide(self):
        one = shared_memory(BUSY, jump=0.0).parameters["library.shm.eager_limit"]
        self.assertEqual((one.value, one.low, one.high), (1279, 256, 8191))

    def test_a_jump_below_an_eager_message_or_beyond_all_that_waited_is_something_else(self):
        late = BUSY | {4095: EARLY, 4096: LATE} | {32768: LATE}
        one = shared_memory(late | {16384: EARLY}).parameters["library.shm.eager_limit"]
        self.assertEqual((one.value, one.low, one.high), (32767, 256, 32767))
        late = {size: sends for size, sends in BUSY.items() if size <= 1536}
        one = shared_memory(late).parameters["library.shm.eager_limit"]
        self.assertEqual((one.value, one.low, one.high), (1279, 256, 1535))


if __name__ == "__main__":
    unittest.main()
