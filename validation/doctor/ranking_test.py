# SPDX-License-Identifier: LGPL-2.1-or-later
"""Is a curve called normal where the error model says so, and are causes weighed by likelihood?"""

import math
import unittest

import numpy as np

from validation.doctor import errors, ranking
from validation.doctor.causes import CAUSES
from validation.doctor.causes.cause import Cause
from validation.doctor.curve import Point

SIZES = [1 << power for power in range(10, 30, 2)]


def points(ratio) -> list:
    """A curve that takes ratio(size) seconds where 1 was expected."""
    return [Point("a", size, ratio(size), "1x2", {}, expected=1.0) for size in SIZES]


def cause(name: str, ordered: bool = True, weight: float = 1.0) -> Cause:
    return Cause(name, name, "", lambda scene: [], lambda scene, value: None, str, ordered, weight)


def ranked(measured, *answers) -> list:
    """`answers`: (cause, {severity: shift by size})"""
    model = errors.Errors(points(lambda size: 1.0), "nccl")
    found = ranking.Ranking(measured, np.zeros(len(SIZES)), model)
    return found.ranked([found.outcome(one, list(shifts.items()), list(shifts))
                         for one, shifts in answers])


def above(size: float, shift: float) -> np.ndarray:
    return np.array([shift if one >= size else 0.0 for one in SIZES])


class Normal(unittest.TestCase):
    # From 4 MiB on "nccl" is off by 10 %, and the noise is 5 %: LIMIT * sqrt(0.1^2 + 0.05^2).
    limit = errors.LIMIT * math.hypot(0.10, 0.05)

    def first(self, ratio):
        found = points(ratio)
        place = ranking.abnormal(found, errors.Errors(found, "nccl"))
        return None if place is None else found[place].bytes

    def test_two_neighbouring_sizes_beyond_the_limit_are_not_normal(self):
        beyond = math.exp(1.01 * self.limit)
        self.assertEqual(self.first(lambda size: beyond if size >= 16 << 20 else 1), 16 << 20)
        self.assertEqual(self.first(lambda size: 1 / beyond if size >= 16 << 20 else 1), 16 << 20)

    def test_just_below_the_limit_all_is_normal(self):
        self.assertIsNone(self.first(lambda size: math.exp(0.99 * self.limit * (size >= 4 << 20))))

    def test_one_size_alone_is_no_fault(self):
        self.assertIsNone(self.first(lambda size: 3 if size == 16 << 20 else 1))

    def test_a_curve_of_one_point_goes_by_that_point(self):
        found = points(lambda size: 2.0)[-1:]
        self.assertEqual(ranking.abnormal(found, errors.Errors(found, "nccl")), 0)


class BySpread(unittest.TestCase):
    """The library's spread is 0.8 to 1.5 times the expected time; normal is WIDER of that."""

    low, high = 0.8 ** errors.WIDER, 1.5 ** errors.WIDER

    def model(self, ratio, noise=None):
        found = points(ratio)
        for one in found:
            one.likely = (0.8, 1.5)
        return found, errors.Errors(found, "nccl", noise)

    def test_inside_the_interval_is_normal_and_outside_slow_or_fast(self):
        for ratio, off in ((1.001 * self.low, 0), (0.999 * self.high, 0), (0.999 * self.low, -1),
                           (1.001 * self.high, 1)):
            found, model = self.model(lambda size, ratio=ratio: ratio)
            self.assertEqual(list(model.off(found)), [off] * len(SIZES))
            self.assertEqual(ranking.abnormal(found, model), 0 if off else None)

    def test_slow_beside_fast_and_one_alone_are_no_fault(self):
        found, model = self.model(lambda size: 2.2 if math.log2(size) % 4 else 0.6)
        self.assertIsNone(ranking.abnormal(found, model))
        found, model = self.model(lambda size: 2.2 if size == 1 << 20 else 1)
        self.assertIsNone(ranking.abnormal(found, model))

    def test_one_with_a_neighbour_that_deviates_nearly_as_much_in_a_wider_range_is_a_fault(self):
        found = points(lambda size: {1 << 20: 2.4, 4 << 20: 3.3}.get(size, 1))
        for one in found:
            one.likely = (0.2, 5.0) if one.bytes < 4 << 20 else (0.8, 1.5)
        place = ranking.abnormal(found, errors.Errors(found, "nccl"))
        self.assertEqual(found[place].bytes, 4 << 20)
        found[place - 1].seconds = 2.1  # less than 3.3^(2/3)
        self.assertIsNone(ranking.abnormal(found, errors.Errors(found, "nccl")))

    def test_deviation_holds_nine_tenths_in_the_interval(self):
        model = self.model(lambda size: 1)[1]
        self.assertAlmostEqual(model.model[0], math.log(1.5 / 0.8) / 2 / 1.645, places=4)

    def test_noise_beyond_that_of_usual_measurements_widens_it(self):
        more = errors.WIDER * 1.6449 * math.sqrt(0.3 ** 2 - errors.NOISE ** 2)
        model = self.model(lambda size: 1, 0.3)[1]
        self.assertAlmostEqual(model.high[0], math.hypot(math.log(self.high), more), places=4)
        self.assertAlmostEqual(model.low[0], -math.hypot(math.log(self.low), more), places=4)
        kept = model.of([1, 2])
        self.assertEqual(list(kept.high), list(model.high[1:3]))


class Causes(unittest.TestCase):
    def test_the_cause_with_the_right_shape_comes_first(self):
        large, all_sizes = above(1 << 20, 0.7), above(0, 0.7)
        found = ranked(large, (cause("all"), {1: all_sizes}), (cause("large"), {1: large}))
        self.assertEqual(found[0].name, "large")
        self.assertGreater(ranking.probabilities(found)[0], 0.9)

    def test_a_severity_between_two_that_were_simulated_is_found(self):
        found = ranked(above(0, 0.75), (cause("slow"), {2.0: above(0, 0.5), 8.0: above(0, 1.0)}))
        self.assertAlmostEqual(found[0].value, 4)  # sqrt(2 * 8)
        self.assertLess(found[0].distance, 1e-9)

    def test_unexplained_slowdown_has_unknown_cause(self):
        found = ranked(above(0, 1.2), (cause("large"), {1: above(16 << 20, 1.2)}))
        self.assertIsNone(found[0].cause)

    def test_two_causes_with_one_curve_are_not_told_apart_and_go_by_their_weights(self):
        shift = above(1 << 20, 0.7)
        found = ranked(shift, (cause("rare", weight=0.5), {1: shift}), (cause("often"), {1: shift}))
        self.assertEqual([one.name for one in ranking.alike(found)], ["often", "rare"])
        shares = ranking.probabilities(found)
        self.assertAlmostEqual(shares[0], 2 * shares[1])
        self.assertAlmostEqual(sum(shares), 1)

    def test_a_cause_that_does_nothing_is_not_ranked(self):
        found = ranked(above(0, 0.7), (cause("idle"), {1: above(0, 0.001)}))
        self.assertEqual([one.name for one in found], ["unknown"])

    def test_each_known_cause_has_a_name_of_its_own_and_says_where_to_look(self):
        names = [one.name for one in CAUSES]
        self.assertEqual(len(names), len(set(names)))
        for one in CAUSES:
            self.assertTrue(one.title and one.check and one.weight > 0, one.name)


class Density(unittest.TestCase):
    def test_one_point_has_students_density(self):
        # The scale is s / sqrt(v / (v - 2)), so that s is the standard deviation.
        sigma, v, x = 0.2, errors.DEGREES, 0.3
        scale = sigma * math.sqrt((v - 2) / v)
        expected = (math.gamma((v + 1) / 2) / math.gamma(v / 2) / math.sqrt(v * math.pi) / scale
                    * (1 + (x / scale) ** 2 / v) ** (-(v + 1) / 2))
        found = errors.Density(np.array([[sigma ** 2]])).log(np.array([x]))
        self.assertAlmostEqual(found, math.log(expected))


if __name__ == "__main__":
    unittest.main()
