# SPDX-License-Identifier: LGPL-2.1-or-later
"""Is an adapter's time between interrupts told from a ping-pong's step, and from nothing else?"""

import types
import unittest

import numpy as np

from validation.calibration.fit.closed_forms import Transport, ping_pong, stream
from validation.calibration.fit.interrupts import fit_interrupts, interval_of, without_interrupts
from validation.calibration.fit.segments import constant
from validation.calibration.fit.transport import Fitted

SIZES = np.array([0.0, 1024, 2048, 8192, 32768])


def curve(step, slope=0.5e-9, start=14e-6):
    return start + slope * SIZES + np.where(SIZES > 1448, step, 0.0)


class Interval(unittest.TestCase):

    def test_a_step_at_the_second_packet_is_the_interval_less_what_bytes_take(self):
        value, low, high = interval_of(SIZES, curve(18e-6))
        for found in (value, low, high):
            self.assertAlmostEqual(found, 18e-6, delta=1e-12)

    def test_two_slopes_bracket_it(self):
        seconds = curve(18e-6)
        seconds[1] += 1e-6
        value, low, high = interval_of(SIZES, seconds)
        self.assertLess(low, value)
        self.assertAlmostEqual(value, high)
        self.assertAlmostEqual(high, 17e-6, delta=1e-9)

    def test_a_curve_without_a_step_has_none(self):
        self.assertIsNone(interval_of(SIZES, curve(0.0)))
        self.assertIsNone(interval_of(SIZES, curve(5e-6)))

    def test_a_curve_that_goes_on_rising_has_none(self):
        self.assertIsNone(interval_of(SIZES, curve(0.0, slope=10e-9)))

    def test_a_step_longer_than_the_round_trip_is_something_else(self):
        self.assertIsNone(interval_of(SIZES, curve(30e-6)))

    def test_without_sizes_around_a_packet_nothing_is_told(self):
        some = np.array([0, 3, 4])
        self.assertIsNone(interval_of(SIZES[some], curve(18e-6)[some]))

    def test_a_nic_that_moves_the_data_has_none(self):
        for driver, told in (("caller", True), ("nic", False)):
            fitted = Fitted(Transport(driver=driver))
            fit_interrupts(fitted, SIZES, curve(18e-6))
            self.assertEqual(fitted.transport.interrupt_interval > 0, told)
            self.assertEqual("interrupt_interval" in fitted.evidence, told)


class Fit:
    def __init__(self, score):
        self.score = score


class Loop:
    """A fit to collectives, of which one without the interval has `score`."""

    def __init__(self, score, left=10):
        network = Fitted(Transport())
        fit_interrupts(network, SIZES, curve(18e-6))
        self.result = types.SimpleNamespace(transports={"network": network}, notes=[])
        self.left, self.other = left, Fit(score)

    def search(self, _):
        return self.other

    @property
    def interval(self):
        return self.result.transports["network"].transport.interrupt_interval


class Collectives(unittest.TestCase):

    def test_interrupts_are_removed_if_the_fit_improves(self):
        loop = Loop(score=-2.0)
        self.assertIs(without_interrupts(loop, Fit(-1.0), loop.search), loop.other)
        self.assertEqual(loop.interval, 0)
        self.assertNotIn("interrupt_interval", loop.result.transports["network"].evidence)
        self.assertEqual(len(loop.result.notes), 1)

    def test_interrupts_are_kept_if_the_fit_does_not_improve(self):
        for loop in (Loop(score=0.0), Loop(score=-2.0, left=0)):
            first = Fit(-1.0)
            self.assertIs(without_interrupts(loop, first, loop.search), first)
            self.assertAlmostEqual(loop.interval, 18e-6, delta=1e-12)


class Gap(unittest.TestCase):

    def test_a_message_takes_it_once_and_the_streams_of_a_host_share_it(self):
        bare = Transport(latency=constant(5e-6))
        with_gap = Transport(latency=constant(5e-6), message_gap=1e-6)
        sizes = np.array([8.0])
        longer = ping_pong(with_gap, sizes) - ping_pong(bare, sizes)
        self.assertAlmostEqual(float(longer[0]), 1e-6)
        many = 1e9  # a window: nothing but the slowest stage counts
        self.assertAlmostEqual(float(stream(with_gap, sizes, many, pairs=10)[0]), 10e-6)


if __name__ == "__main__":
    unittest.main()
