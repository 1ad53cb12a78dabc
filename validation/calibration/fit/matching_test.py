# SPDX-License-Identifier: LGPL-2.1-or-later
"""Is the cost of matching told from messages behind posted receives, and from nothing else?"""

import math
import unittest

import numpy as np

from validation.calibration.fit.cores import fit_cores
from validation.calibration.fit.matching import match_cost_of
from validation.calibration.fit.points import Point, Points

COST, ALONE = 2.5e-9, 300e-9  # s


def measured(posted, way="shm", cost=COST, spread=0.02):
    return Point("matching", {"posted": posted, "way": way}, ALONE + posted * cost, np.array([]),
                 spread, f"matching {posted} {way}", {})


def points(**settings):
    return Points([measured(posted, **settings) for posted in (512, 0, 64)])


class MatchCost(unittest.TestCase):

    def test_each_receive_posted_before_takes_it_once(self):
        value, least, most = match_cost_of(points())
        self.assertAlmostEqual(value, COST, delta=1e-15)
        noise = 2 * 0.02 * math.hypot(ALONE, ALONE + 512 * COST) / 512
        self.assertAlmostEqual(least, COST - noise, delta=1e-15)
        self.assertAlmostEqual(most, COST + noise, delta=1e-15)

    def test_shared_memory_tells_it_best(self):
        both = Points(points(way="network", cost=9e-9).all + points().all)
        self.assertAlmostEqual(match_cost_of(both)[0], COST, delta=1e-15)
        self.assertAlmostEqual(match_cost_of(points(way="network"))[0], COST, delta=1e-15)

    def test_a_rise_within_the_noise_tells_nothing(self):
        self.assertIsNone(match_cost_of(points(spread=2.0)))
        self.assertIsNone(match_cost_of(points(cost=0.0, spread=0.0)))

    def test_without_its_probe_there_is_none(self):
        self.assertEqual(fit_cores(Points([]), 4).match_cost, 0)
        self.assertIsNone(match_cost_of(Points([measured(0)])))

    def test_it_stands_among_what_cores_cost(self):
        found = fit_cores(points(), 4)
        self.assertAlmostEqual(found.match_cost, COST, delta=1e-15)
        self.assertIn("match_cost", found.evidence)


if __name__ == "__main__":
    unittest.main()
