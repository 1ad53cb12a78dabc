# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does `ringscope.nccl_estimate` answer as the simulator does, in all of its fields?

Usage: python3 -m python.times_test BUILD
"""

import sys
import unittest

try:
    import ringscope
except ImportError as error:
    print(f"SKIP python_times: {error}")
    sys.exit(77)

SPREAD = {"base": "nccl_h100", "spread": {
    "one_host": [{"low": 0.8, "high": 1.3}],
    "several_hosts": [{"up_to": "1 MiB", "low": 0.5, "high": 2}, {"low": 0.9, "high": 1.2}]}}


class Times(unittest.TestCase):
    def test_estimates_meet_simulated_times_with_nccls_choice(self):
        times = ringscope.nccl_estimate("a100_nvswitch", "allgather", 8, least=1 << 10,
                                        most=1 << 16, progress=False)
        self.assertGreater(len(times), 2)
        for size in (1500, 40000, 1 << 16):
            with self.subTest(size):
                case, = ringscope.run({
                    "question": "How long?", "cluster": "a100_nvswitch", "library": "nccl_a100",
                    "placement": {"hosts": "8", "on": "gpu"},
                    "job": {"collective": "allgather", "algorithm": "nccl",
                            "bytes": f"{size} B"}}, progress=False)
                found = times(size)
                self.assertAlmostEqual(found.time_s / case.time_s, 1, delta=times.bound)
                self.assertEqual(found.time_s, times.time(size))
                self.assertIn(found.protocol, case.chosen)
                self.assertIn(f"{found.channels} channel", case.chosen)
                self.assertEqual(found.algorithm, "ring")
                self.assertTrue(found.low_s < found.time_s < found.high_s)

    def test_interval_is_the_librarys_spread(self):
        times = ringscope.nccl_estimate("h100_nvswitch", "allreduce", library=SPREAD,
                                        placement="2-2", least=1 << 10, most=1 << 12,
                                        progress=False)
        found = times(2000)
        self.assertAlmostEqual(found.low_s, 0.5 * found.time_s)
        self.assertAlmostEqual(found.high_s, 2 * found.time_s)

    def test_a_case_has_the_same_interval_and_a_comparison_leaves_its_order_open(self):
        found = ringscope.compare({
            "question": "Which?", "cluster": "h100_nvswitch", "library": SPREAD,
            "placement": {"hosts": "4", "on": "gpu"},
            "job": {"collective": "allreduce", "algorithm": "nccl", "bytes": "1 MiB"},
            "cases": [{"name": "LL", "set": {"job.options.protocol": "LL"}},
                      {"name": "LL128", "set": {"job.options.protocol": "LL128"}},
                      {"name": "messages", "set": {"job.algorithm": "ring"}}]}, progress=False)
        low, high = found[0].interval
        self.assertAlmostEqual(low, 0.8 * found[0].time_s)
        self.assertAlmostEqual(high, 1.3 * found[0].time_s)
        self.assertIsNone(found[2].interval)
        other, messages = found.document()["differences"]
        self.assertEqual(other["open_order"], "algorithm, protocol or channels")
        self.assertNotIn("open_order", messages)
        self.assertIn("order not certain within the 90 % intervals", str(found))

    def test_progress_ends_near_all_and_errors_name_what_is_known(self):
        shares = []
        ringscope.nccl_estimate("h100_nvswitch", "reduce", 8, least=8, most=1 << 14,
                                progress=shares.append)
        self.assertEqual(shares, sorted(shares))
        with self.assertRaisesRegex(ringscope.InputError, "did you mean 'h100_nvswitch'"):
            ringscope.nccl_estimate("h100_nvswitc", "allreduce", 8)
        with self.assertRaisesRegex(ValueError, "0 < least < most"):
            ringscope.nccl_estimate("h100_nvswitch", "allreduce", 8, least=0)


if __name__ == "__main__":
    del sys.argv[1:]
    unittest.main()
