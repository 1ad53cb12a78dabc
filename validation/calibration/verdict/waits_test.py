# SPDX-License-Identifier: LGPL-2.1-or-later
"""How much longer are collectives whose cores are interrupted?

Usage: python3 -m validation.calibration.verdict.waits_test BUILD
"""

import statistics
import sys
import unittest

from validation.calibration.verdict import waits
from validation.calibration.verdict.simulator import Simulator, batch

LIBRARY = {"base": "ideal", "network": {"latency": "5 us", "send_overhead": "0.5 us",
                                        "recv_overhead": "0.5 us", "eager_limit": "64 KiB"}}
STEP = 6e-6  # s: a latency and two overheads


def mean_of(ranks: int, algorithm: str, noise: dict, repetitions: int) -> float:
    """Mean seconds of an allreduce of 8 B for each rank."""
    scenario = {"cluster": {"network": "star", "hosts": ranks,
                            "link": {"bandwidth": "100 GB/s", "latency": "0 s"},
                            "host": {"type": "simple"}},
                "placement": f"1x{ranks}",
                "job": {"collective": "allreduce", "algorithm": algorithm,
                        "bytes": f"{8 * ranks} B", "repetitions": repetitions, "noise": noise}}
    (case,) = batch(Simulator(), LIBRARY, [scenario], [algorithm])
    return statistics.mean(case["times_s"])


class Detours(unittest.TestCase):
    def test_simulated_detours_lengthen_the_mean_time_as_the_closed_form_says(self):
        """The closed form is the most, as a rank that waits does not miss its core; a fifth less
        is simulated where a detour is as long as the whole collective. The mean of N detours, each
        exponentially distributed, is off by sqrt(2 / N) of what they add: three times that."""
        share = 0.01
        for algorithm, ranks, steps, takes, repetitions in (
                ("recursive_doubling", 8, 3, 100e-6, 10000), ("ring", 16, 30, 300e-6, 3000)):
            detours = {"every": f"{takes / share} s", "takes": f"{takes} s"}
            mean = mean_of(ranks, algorithm, {"detours": detours}, repetitions)
            expected = waits.factor(share, ranks) - 1
            chance = 3 * (2 * takes / (repetitions * ranks * mean * share))**0.5
            added = mean / (steps * STEP) - 1
            self.assertLess(added, expected * (1 + chance), algorithm)
            self.assertGreater(added, expected * (0.8 - chance), algorithm)

    def test_detours_of_a_library_give_their_share(self):
        library = {"detours": waits.detours_of(0.0125)}
        self.assertAlmostEqual(waits.share_of(library), 0.0125, delta=1e-5)
        self.assertEqual(waits.without_detours(library), {})
        self.assertEqual(waits.share_of({}), 0.0)
        self.assertEqual(waits.factor(waits.share_of({}), 1000), 1.0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
