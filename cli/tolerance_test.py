# SPDX-License-Identifier: LGPL-2.1-or-later
"""Is the answer with a tolerance the exact one, but for as much as was said?

Usage: python3 -m cli.tolerance_test BUILD
"""

import json
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
LESSONS = sorted(path.stem for path in (ROOT / "scenarios" / "lessons").glob("*.yaml"))


def ringscope(*words):
    return subprocess.run([str(BUILD / "ringscope"), *words], check=False, capture_output=True,
                          text=True, cwd=ROOT, timeout=250)


def times(name, share):
    done = ringscope("run", name, "--no-skip", "--json", "-", "--tolerance", share)
    cases = json.loads(done.stdout)["cases"] if done.stdout else []
    return {case["name"]: case["time_s"] for case in cases}


# Cases whose times move by more than 0.1 %: threads, and chunks of two trees, whose turns depend on
# which is first.
MOST, MORE = 1e-3, dict.fromkeys((
    "23-double-binary-trees two trees",
    "anomaly-gone 4-2-2 with measured costs at 16 Gbit/s", "suspects 4-2-2 at 10 Gbit/s",
    "suspects 4-2-2 with two threads", *("steps-scale-freshness-does-not " + one for one in (
        "streaming, 4 solvers", "streaming, 24 solvers", "asynchronous"))), 2e-2)


class Error(unittest.TestCase):
    def test_error_of_every_lesson_is_within_the_tolerance(self):
        moved = 0
        for name in LESSONS:
            exact, close = times(name, "0"), times(name, "0.1%")
            self.assertEqual(exact.keys(), close.keys())
            for case, time in exact.items():
                with self.subTest(case=case):
                    self.assertLessEqual(abs(close[case] - time), MORE.get(case, MOST) * time)
                moved += close[case] != time
        self.assertGreater(moved, 5)


class Report(unittest.TestCase):
    def test_states_the_tolerance(self):
        done = ringscope("run", "03-anomaly", "--tolerance", "0.1%", "--json", "-")
        self.assertEqual({case["tolerance"] for case in json.loads(done.stdout)["cases"]}, {0.001})
        done = ringscope("run", "03-anomaly", "--tolerance", "0.001")
        self.assertIn("  Tolerance: transfers that begin or end within 0.1 % of their duration",
                      done.stdout)

    def test_exact_run_reports_no_tolerance(self):
        done = ringscope("run", "01-two-hosts", "--json", "-")
        self.assertNotIn("tolerance", json.loads(done.stdout)["cases"][0])


class Refused(unittest.TestCase):
    def test_invalid_share_is_rejected(self):
        for text, words in (("much", "expected a share, such as 0.1% or 0.001"),
                            ("", "expected a share, such as 0.1% or 0.001"),
                            ("nan", "expected a share from 0 to 10%"),
                            ("-1%", "expected a share from 0 to 10%"),
                            ("2", "expected a share from 0 to 10%")):
            with self.subTest(text=text):
                done = ringscope("run", "01-two-hosts", "--tolerance", text)
                self.assertEqual(done.returncode, 1)
                self.assertIn(words, done.stderr)

    def test_tolerance_with_an_exact_kernel_is_rejected(self):
        for kernel in ("both", "simgrid", "reference"):
            done = ringscope("run", "01-two-hosts", "--tolerance", "1%", "--kernel", kernel)
            self.assertEqual(done.returncode, 1)
            self.assertIn("is exact; only fluid takes a tolerance", done.stderr)


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
