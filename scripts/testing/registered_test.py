#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does every test of ctest have its labels and a limit, and is every file of tests one of them?

Usage: scripts/testing/registered_test.py BUILD
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
MOST_SECONDS = 300
SPEEDS = {"quick", "slow", "long"}
LABELS = SPEEDS | {"browser", "mpi", "python"}


def registered(build):
    """{name: {property: value}} of all tests. ctest in the build would replace the log of the run
    that this test belongs to."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "CTestTestfile.cmake"
        path.write_text(f'subdirs("{pathlib.Path(build).resolve()}")\n', encoding="utf-8")
        shown = subprocess.run(["ctest", "--show-only=json-v1"], cwd=folder, check=True,
                               capture_output=True, text=True).stdout
    return {test["name"]: {one["name"]: one["value"] for one in test.get("properties", [])}
            for test in json.loads(shown)["tests"]}


def files(pattern):
    """Tracked files of that name."""
    shown = subprocess.run(["git", "ls-files", f"*{pattern}", pattern], cwd=ROOT, check=True,
                           capture_output=True, text=True).stdout
    return [ROOT / name for name in shown.split()]


class Registered(unittest.TestCase):
    tests = {}

    def test_each_test_is_quick_slow_or_long(self):
        for name, properties in self.tests.items():
            labels = set(properties.get("LABELS", []))
            with self.subTest(name):
                self.assertEqual(len(labels & SPEEDS), 1, labels)
                self.assertLessEqual(labels, LABELS)

    def test_quick_tests_need_neither_a_browser_nor_mpi(self):
        for name, properties in self.tests.items():
            labels = set(properties.get("LABELS", []))
            with self.subTest(name):
                self.assertFalse("quick" in labels and labels & {"browser", "mpi"})

    def test_each_file_of_tests_is_registered_somewhere(self):
        recipes = " ".join(path.read_text(encoding="utf-8") for path in files("CMakeLists.txt"))
        words = set(re.findall(r"\w+", recipes))
        for path in files("*_test.py"):
            if path.stem.endswith("_for_test"):  # shared by several
                continue
            with self.subTest(str(path.relative_to(ROOT))):
                self.assertTrue({path.stem, path.stem.removesuffix("_test")} & words)

    def test_no_limit_is_longer_than_five_minutes(self):
        for name, properties in self.tests.items():
            with self.subTest(name):
                self.assertLessEqual(properties.get("TIMEOUT", 0), MOST_SECONDS)

    def test_each_slow_suite_is_registered_with_its_shards(self):
        for line in (HERE / "slow_suites.txt").read_text(encoding="utf-8").splitlines():
            name, *shards = line.split() or ["#"]
            if name.startswith("#"):
                continue
            shards = [word for word in shards if word.isdigit()]
            with self.subTest(name):
                last = f"{name}.{shards[0]}of{shards[0]}" if shards else name
                self.assertIn(last, self.tests)


if __name__ == "__main__":
    Registered.tests = registered(sys.argv[1])
    unittest.main(argv=sys.argv[:1])
