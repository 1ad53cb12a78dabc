#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does every test of ctest have its labels and a limit, and is every slow suite a suite?

Usage: scripts/testing/registered_test.py BUILD
"""

import json
import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
MOST_SECONDS = 300
LABELS = {"quick", "slow", "browser", "mpi", "python"}


def registered(build):
    """{name: {property: value}} of all tests."""
    shown = subprocess.run(["ctest", "--show-only=json-v1"], cwd=build, check=True,
                           capture_output=True, text=True).stdout
    return {test["name"]: {one["name"]: one["value"] for one in test.get("properties", [])}
            for test in json.loads(shown)["tests"]}


class Registered(unittest.TestCase):
    tests = {}

    def test_each_test_is_either_quick_or_slow(self):
        for name, properties in self.tests.items():
            labels = set(properties.get("LABELS", []))
            with self.subTest(name):
                self.assertEqual(len(labels & {"quick", "slow"}), 1, labels)
                self.assertLessEqual(labels, LABELS)

    def test_quick_tests_need_neither_a_browser_nor_mpi(self):
        for name, properties in self.tests.items():
            labels = set(properties.get("LABELS", []))
            with self.subTest(name):
                self.assertFalse("quick" in labels and labels & {"browser", "mpi"})

    def test_no_limit_is_longer_than_five_minutes(self):
        for name, properties in self.tests.items():
            with self.subTest(name):
                self.assertLessEqual(properties.get("TIMEOUT", 0), MOST_SECONDS)

    def test_each_slow_suite_is_registered_with_its_shards(self):
        for line in (HERE / "slow_suites.txt").read_text(encoding="utf-8").splitlines():
            name, *shards = line.split() or ["#"]
            if name.startswith("#"):
                continue
            with self.subTest(name):
                last = f"{name}.{shards[0]}of{shards[0]}" if shards else name
                self.assertIn(last, self.tests)


if __name__ == "__main__":
    Registered.tests = registered(sys.argv[1])
    unittest.main(argv=sys.argv[:1])
