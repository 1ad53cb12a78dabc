# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does a comparison keep what has ended beside what is stuck, and hold the kernels to each other?

Usage: python3 -m cli.compare_test BUILD
"""

import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
SMALL = ["02-ring-of-8", "--set", "placement=1x4", "--set", "job.bytes=1MiB"]


def ringscope(*words):
    return subprocess.run([str(BUILD / "ringscope"), *words], check=False, capture_output=True,
                          text=True, cwd=ROOT, timeout=250)


class Stuck(unittest.TestCase):
    def test_hung_case_is_marked_among_finished_cases(self):
        done = ringscope("compare", "05-deadlock", "01-two-hosts", "03-anomaly", "--set",
                         "job.bytes=1MiB")
        self.assertEqual(done.returncode, 3)
        rows = {line.split("  ")[0]: line.split() for line in done.stdout.splitlines()}
        self.assertEqual(rows["05-deadlock"][1:], ["deadlock", "-", "-", "-"])
        self.assertIn("1.000", rows["01-two-hosts 1 MiB" if "01-two-hosts 1 MiB" in rows
                                    else "01-two-hosts"])
        self.assertEqual(done.stdout.count("  cause"), 2)  # of 03-anomaly, against 01-two-hosts
        self.assertIn("05-deadlock: deadlock at ", done.stderr)

    def test_hung_case_is_written_with_finished_cases(self):
        done = ringscope("compare", "01-two-hosts", "05-deadlock", "03-anomaly", "--set",
                         "job.bytes=1MiB", "--json", "-")
        self.assertEqual(done.returncode, 3)
        document = json.loads(done.stdout)
        self.assertEqual([case["name"] for case in document["stuck"]], ["05-deadlock"])
        names = [case["name"] for case in document["cases"]]
        self.assertEqual(len(names), 3)
        self.assertEqual([(one["first"], one["other"]) for one in document["differences"]],
                         [(names[0], name) for name in names[1:]])

    def test_single_hung_case_is_reported_without_a_table(self):
        done = ringscope("compare", "05-deadlock")
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertTrue(done.stderr.startswith("deadlock at "), done.stderr)


    def test_has_no_row_of_a_csv(self):
        words = ["01-two-hosts", "05-deadlock", "03-anomaly", "--set", "job.bytes=1MiB"]
        compared = ringscope("compare", *words, "--csv", "-")
        self.assertEqual(compared.returncode, 3)
        rows = list(csv.DictReader(compared.stdout.splitlines()))
        ran = list(csv.DictReader(ringscope("run", *words, "--csv", "-").stdout.splitlines()))
        self.assertEqual([{**row, "ratio": None} for row in rows],
                         [{**row, "ratio": None} for row in ran])
        first = float(rows[0]["time_s"])
        self.assertEqual([float(row["ratio"]) for row in rows],
                         [float(row["time_s"]) / first for row in rows])

    def test_alone_has_a_csv_without_rows_and_that_is_said(self):
        for command in ("run", "compare"):
            done = ringscope(command, "05-deadlock", "--csv", "-")
            self.assertEqual((done.returncode, len(done.stdout.splitlines())), (3, 1))
            self.assertTrue(done.stderr.startswith(
                "standard output: a header without rows, as no case has ended\ndeadlock at "),
                done.stderr)

    def test_hung_case_is_named_in_an_explanation(self):
        sizes = "job.bytes=[1 KiB, 1 MiB, 2 KiB]"  # Open MPI's eager limit is 64 KiB
        for command in ("explain", "what-if"):
            with self.subTest(command):
                done = ringscope(command, "05-deadlock", "--set", sizes)
                self.assertEqual(done.returncode, 3)
                self.assertIn("2 KiB", done.stdout)
                self.assertEqual("1 MiB deadlocks." in done.stdout, command == "explain")
                self.assertTrue(done.stderr.startswith("05-deadlock 1 MiB: deadlock at "))

    def test_hung_case_is_written_with_an_explanation(self):
        sizes = "job.bytes=[1 MiB, 1 KiB, 2 KiB]"
        for command in ("explain", "what-if"):
            with self.subTest(command):
                done = ringscope(command, "05-deadlock", "--set", sizes, "--json", "-")
                self.assertEqual(done.returncode, 3)
                document = json.loads(done.stdout)
                names = [case["name"] for case in document["cases"]]
                self.assertEqual(names, ["05-deadlock 1 KiB", "05-deadlock 2 KiB"])
                self.assertEqual([case["name"] for case in document["stuck"]],
                                 ["05-deadlock 1 MiB"])
                self.assertIn("deadlock at ", document["stuck"][0]["deadlock"]["text"])

    def test_alone_is_neither_explained_nor_improved(self):
        for command in ("explain", "what-if"):
            done = ringscope(command, "05-deadlock")
            self.assertEqual((done.returncode, done.stdout), (3, ""))
            self.assertTrue(done.stderr.startswith("deadlock at "), done.stderr)


# The neighbour's rounds take 20 us: the computation ends before 100,000 of them, the most that may
# go by while the job sends nothing; of rounds of half the latency it does not.
RESTLESS = """
question: What does twice of one thing gain, where one of it makes the run restless?
cluster: {base: pair, link: {latency: 10 us}}
library: {base: ideal, progress: caller, network: {eager_limit: 0 B, driver: caller}}
placement: 1-1
job: {collective: overlap, algorithm: sender, bytes: 1 KiB, options: {compute: 1.5 s}}
neighbours:
  ping: {placement: 1-1, job: {collective: barrier, algorithm: dissemination}}
"""


class StuckImprovement(unittest.TestCase):
    def test_hung_improvement_is_reported_with_the_others(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "restless.yaml"
            path.write_text(RESTLESS, encoding="utf-8")
            self.assertEqual(ringscope("run", str(path)).returncode, 0)
            done = ringscope("what-if", str(path))
            self.assertEqual(done.returncode, 3)
            self.assertRegex(done.stdout, r"- +deadlock +- .* latency\n")
            self.assertIn("With latency at 2x speed it deadlocks after ", done.stdout)
            self.assertIn("0.500 x      1.500 s  host0/numa0/core1 (rank 0)", done.stdout)
            self.assertTrue(done.stderr.startswith(
                "restless with latency at 2x speed: background jobs ran "), done.stderr)


class BothKernels(unittest.TestCase):
    def test_say_by_how_much_they_differ_below_the_screen(self):
        for command in ("run", "compare", "explain", "what-if"):
            with self.subTest(command):
                done = ringscope(command, *SMALL, "--kernel", "both")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                screen = ringscope(command, *SMALL, "--kernel", "fluid").stdout
                words = done.stdout.removeprefix(screen)
                self.assertRegex(words, r"^\nfluid and simgrid agree[^\n]* \d+ times of \d case")

    def test_say_it_on_standard_error_beside_a_file(self):
        done = ringscope("run", *SMALL, "--kernel", "both", "--json", "-")
        self.assertEqual(done.returncode, 0)
        self.assertEqual([case["kernel"] for case in json.loads(done.stdout)["cases"]], ["fluid"])
        self.assertTrue(done.stderr.startswith("fluid and simgrid agree"), done.stderr)

    def test_kernels_agree_on_results_until_a_deadlock(self):
        done = ringscope("run", "05-deadlock", "--kernel", "both")
        self.assertEqual(done.returncode, 3)
        self.assertIn("fluid and simgrid agree", done.stdout)


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
