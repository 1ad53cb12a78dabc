# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does the measurement of calls from Python simulate all points and count each call's cost?

Its small form: how fast, nobody asks here. Usage: python3 -m python.calls_test BUILD
"""

import pathlib
import re
import subprocess
import sys
import unittest

try:
    import pandas  # noqa: F401
    import ringscope  # noqa: F401

    from benchmarks import python_calls
except ImportError as error:
    print(f"SKIP python_calls: {error}")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Calls(unittest.TestCase):
    def test_a_sweep_has_as_many_points_as_are_asked_for_or_a_few_more(self):
        for asked in (10, 50):
            points, seconds = python_calls.sweep_seconds(asked, 2)
            self.assertGreaterEqual(points, asked)
            self.assertLess(points, 1.5 * asked)
            self.assertGreater(seconds, 0)

    def test_a_call_costs_something_beyond_the_simulation(self):
        costs = python_calls.call_seconds(3)
        self.assertEqual(len(costs), 3)
        self.assertGreater(min(costs), 0)

    def test_benchmark_prints_all_calls(self):
        ran = subprocess.run([ROOT / "benchmarks/python_calls", "--points", "10", "--calls", "2"],
                             capture_output=True, text=True, check=True)
        self.assertRegex(ran.stdout, r"^sweep: 12 points of 8 ranks in \d+\.\d\d s on 2 threads")
        self.assertRegex(ran.stdout, r"(?m)^query: \d+\.\d\d us of nccl_estimate")
        self.assertTrue(re.search(r"^call:  \d+\.\d{3} ms beyond", ran.stdout, re.M), ran.stdout)


if __name__ == "__main__":
    del sys.argv[1:]
    unittest.main()
