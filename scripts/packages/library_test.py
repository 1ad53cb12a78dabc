#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Can another program find the installed library, and does it answer as `ringscope` does?

Usage: library_test.py BUILD. Installs into a folder of its own, builds the example against that,
and runs it.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

BUILD = os.path.abspath(sys.argv[1])
EXAMPLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "example")
SCENARIO = """question: How much does a third rank on one host cost?
cluster: rack3
library: slow_tcp
job: {collective: allreduce, algorithm: ring, bytes: 1 MiB}
cases:
  - {name: even, set: {placement: 4-2-2}}
  - {name: uneven, set: {placement: 4-3-1}}
"""
VARYING = ("wall_s", "peak_rss_bytes")  # of each case, the two that differ from run to run


def run(words, **options):
    return subprocess.run(words, capture_output=True, text=True, **options)


def cases_of(text):
    return [{key: value for key, value in case.items() if key not in VARYING}
            for case in json.loads(text)["cases"]]


class InstalledLibrary(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="ringscope-library-")
        cls.addClassCleanup(folder.cleanup)
        cls.prefix, cls.made = (os.path.join(folder.name, name) for name in ("prefix", "made"))
        for component in ("Unspecified", "development"):  # the program with its data; the library
            cls.succeed(["cmake", "--install", BUILD, "--component", component,
                         "--prefix", cls.prefix])
        cls.succeed(["cmake", "-S", EXAMPLE, "-B", cls.made, f"-DCMAKE_PREFIX_PATH={cls.prefix}"])
        cls.succeed(["cmake", "--build", cls.made])
        cls.scenario = os.path.join(cls.made, "uneven.yaml")
        with open(cls.scenario, "w", encoding="utf-8") as file:
            file.write(SCENARIO)

    @staticmethod
    def succeed(words):
        done = run(words)
        assert done.returncode == 0, done.stdout + done.stderr

    def example(self, *words):
        return run([os.path.join(self.made, "which_is_faster"), *words], cwd=self.made,
                   env={"PATH": "/usr/bin:/bin"})

    def program(self, *words):
        done = run([os.path.join(self.prefix, "bin/ringscope"), *words], cwd=self.made)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_the_example_prints_what_the_program_prints(self):
        change = "job.bytes=2 MiB"
        done = self.example(self.scenario, change)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, self.program("compare", self.scenario, "--set", change))

    def test_its_report_is_that_of_the_program_but_for_names(self):
        self.assertEqual(self.example(self.scenario).returncode, 0)
        with open(os.path.join(self.made, "report.json"), encoding="utf-8") as file:
            own = cases_of(file.read())
        theirs = cases_of(self.program("run", self.scenario, "--json", "-"))
        self.assertEqual([case.pop("name") for case in own],
                         [f"{self.scenario} even", f"{self.scenario} uneven"])
        self.assertEqual([case.pop("name") for case in theirs], ["uneven even", "uneven uneven"])
        self.assertEqual(own, theirs)

    def test_an_error_of_input_is_the_programs(self):
        done = self.example(self.scenario, "job.byte=1 MiB")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        told = run([os.path.join(self.prefix, "bin/ringscope"), "compare", self.scenario, "--set",
                    "job.byte=1 MiB"])
        self.assertEqual(done.stderr, told.stderr)
        self.assertIn("did you mean", done.stderr)

    def test_one_header_is_installed_and_the_example_is_of_20_lines(self):
        headers = [name for _, _, names in os.walk(os.path.join(self.prefix, "include"))
                   for name in names]
        self.assertEqual(headers, ["ringscope.hpp"])
        with open(os.path.join(EXAMPLE, "which_is_faster.cpp"), encoding="utf-8") as file:
            lines = [line for line in file if "SPDX-License-Identifier" not in line]
            self.assertLessEqual(len(lines), 20)

    def test_library_exports_only_its_own_names(self):
        library = os.path.join(self.prefix, "lib/libringscope.so")
        names = run(["nm", "-DC", "--defined-only", library]).stdout.splitlines()
        strong = [line.split(" ", 2)[2] for line in names if line.split(" ", 2)[1] in "TBDR"]
        own = {name.split("(")[0] for name in strong}
        self.assertLessEqual({"ringscope::compare", "ringscope::run"}, own)
        self.assertEqual({name for name in own if not name.startswith("ringscope::NcclEstimator")},
                         {"ringscope::compare", "ringscope::run"})

    def test_another_version_is_refused(self):
        with open(os.path.join(EXAMPLE, "CMakeLists.txt"), encoding="utf-8") as file:
            text = file.read()
        asked = re.search(r"find_package\(ringscope (\d+)\.(\d+)", text)
        other = f"{asked[1]}.{int(asked[2]) + 1}"
        later = os.path.join(self.made, "later")
        os.mkdir(later)
        with open(os.path.join(later, "CMakeLists.txt"), "w", encoding="utf-8") as file:
            file.write(text.replace(asked[0], f"find_package(ringscope {other}"))
        done = run(["cmake", "-S", later, "-B", os.path.join(later, "made"),
                    f"-DCMAKE_PREFIX_PATH={self.prefix}"])
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(f'compatible with requested version "{other}"', " ".join(done.stderr.split()))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
