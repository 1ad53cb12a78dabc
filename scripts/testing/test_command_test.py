#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does scripts/test name failed cases, end with ctest's summary, and know its options?

Registers a gtest program's stand-in with discover_suites.cmake, so that nothing is compiled.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
TEST = HERE.parent / "test"
# Prints what main.cpp does; Sums.carry fails, and Ends.never has not ended when its test does.
PROGRAM = """#!/bin/bash
case $* in
  --gtest_list_tests)
    printf '%s\\n' Sums. '  add' '  carry' 'X/Pairs.' '  swap/0  # GetParam() = "a.b"'
    printf '%s\\n' Ends. '  never'
    ;;
  --gtest_filter=Sums.\\*)
    printf '[ RUN      ] Sums.add\\n[       OK ] Sums.add (0 ms)\\n[ RUN      ] Sums.carry\\n'
    printf '[  FAILED  ] Sums.carry (0 ms)\\n[  FAILED  ] Sums.carry (exit code 1)\\n'
    exit 1
    ;;
  --gtest_filter=X/Pairs.\\*)
    printf '[ RUN      ] X/Pairs.swap/0\\n[       OK ] X/Pairs.swap/0 (0 ms)\\n'
    echo "shard $GTEST_SHARD_INDEX of $GTEST_TOTAL_SHARDS"
    ;;
  --gtest_filter=Ends.\\*)
    printf '[ RUN      ] Ends.never\\n'
    kill -9 $$
    ;;
esac
"""
MORE = """
add_test(page sh -c "echo SKIP page: no browser; exit 77")
set_tests_properties(page PROPERTIES SKIP_RETURN_CODE 77)
add_test(python sh -c "echo 'FAIL: test_it (a.B.test_it) [3]'; echo Ran 2 tests in 0.1s; exit 1")
add_test(summary sh -c "echo '90% tests passed, 1 tests failed out of 10'")
"""


class Reported(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        program = self.folder / "program"
        program.write_text(PROGRAM, encoding="utf-8")
        program.chmod(0o755)
        (self.folder / "slow.txt").write_text("# name\nsim.X/Pairs 2\n", encoding="utf-8")

    def discover(self, *definitions):
        tests = self.folder / "CTestTestfile.cmake"
        settings = {"PROGRAM": self.folder / "program", "PREFIX": "sim.", "FOLDER": self.folder,
                    "SLOW": self.folder / "slow.txt", "OUTPUT": tests}
        subprocess.run(["cmake", *(f"-D{key}={value}" for key, value in settings.items()),
                        *definitions, "-P", HERE / "discover_suites.cmake"], check=True)
        return tests

    def report(self, *words):
        ran = subprocess.run(["ctest", "--output-on-failure", *words], cwd=self.folder,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        log = self.folder / "Testing/Temporary/LastTest.log"
        return subprocess.run([sys.executable, HERE / "report.py", log], input=ran.stdout,
                              check=True, capture_output=True, text=True).stdout

    def test_each_suite_is_a_test_and_slow_ones_are_split(self):
        self.discover()
        shown = self.report("-V")
        for name in ("sim.Sums", "sim.X/Pairs.1of2", "sim.X/Pairs.2of2", "sim.Ends"):
            self.assertIn(f" {name} ..", shown)
        self.assertIn("shard 0 of 2", shown)
        self.assertIn("shard 1 of 2", shown)
        self.assertIn("100% tests passed, 0 tests failed out of 2", self.report("-L", "slow"))

    def test_labels_that_are_given_are_those_of_all_suites_and_first_shards(self):
        self.discover("-DLABELS=slow", "-DPREFIX=asan.sim.")
        shown = self.report("-L", "slow")
        self.assertIn("out of 3", shown)
        self.assertIn(" asan.sim.X/Pairs.1of2 ..", shown)

    def test_failed_cases_are_named_before_the_summary_at_the_end(self):
        tests = self.discover()
        with tests.open("a", encoding="utf-8") as file:
            file.write(MORE)
        shown = self.report()
        begin, end = shown.split("\nSlowest tests:\n")
        self.assertIn("\nSkipped tests:\n  page: no browser\n", end)
        self.assertIn("\nFailed cases:\n  sim.Sums.carry\n  sim.Ends.never\n"
                      "  python: test_it [3]\n", end)
        self.assertIn("\n7 cases in 7 tests: 5 of gtest, 2 of unittest\n\n"
                      "57% tests passed, 3 tests failed out of 7\n", end)
        self.assertIn("The following tests FAILED:\n\t  1 - sim.Sums (Failed)", end)
        self.assertNotIn("The following tests FAILED", begin)

    def test_a_listing_of_tests_has_no_report(self):
        self.discover()
        self.assertNotIn("Slowest", self.report("-N"))


class Options(unittest.TestCase):
    def ask(self, *words):
        return subprocess.run([TEST, *words], capture_output=True, text=True,
                              env={"PATH": os.environ["PATH"]})

    def test_help_names_the_options(self):
        ran = self.ask("--help")
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        self.assertIn("--quick", ran.stdout)

    def test_unknown_option_is_an_error_that_names_the_known_ones(self):
        ran = self.ask("--quik")
        self.assertEqual((ran.returncode, ran.stdout), (1, ""))
        self.assertEqual(ran.stderr, "test: unknown option '--quik'; known: --quick, --all, --help "
                                     "and those of ctest (ctest --help)\n")


if __name__ == "__main__":
    unittest.main()
