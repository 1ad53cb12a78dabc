"""Does a comparison keep what has ended beside what is stuck, and hold the kernels to each other?

Usage: python3 -m cli.compare_test BUILD
"""

import json
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
SMALL = ["02-ring-of-8", "--set", "placement=1x4", "--set", "job.bytes=1MiB"]


def ringscope(*words):
    return subprocess.run([str(BUILD / "ringscope"), *words], check=False, capture_output=True,
                          text=True, cwd=ROOT, timeout=250)


class Stuck(unittest.TestCase):
    def test_is_marked_beside_what_has_ended(self):
        done = ringscope("compare", "05-deadlock", "01-two-hosts", "03-anomaly", "--set",
                         "job.bytes=1MiB")
        self.assertEqual(done.returncode, 3)
        rows = {line.split("  ")[0]: line.split() for line in done.stdout.splitlines()}
        self.assertEqual(rows["05-deadlock"][1:], ["stuck", "-", "-", "-"])
        self.assertIn("1.000", rows["01-two-hosts 1 MiB" if "01-two-hosts 1 MiB" in rows
                                    else "01-two-hosts"])
        self.assertEqual(done.stdout.count("  spent on"), 2)  # of 03-anomaly, against 01-two-hosts
        self.assertIn("05-deadlock: deadlock at ", done.stderr)

    def test_is_written_beside_what_has_ended(self):
        done = ringscope("compare", "01-two-hosts", "05-deadlock", "03-anomaly", "--set",
                         "job.bytes=1MiB", "--json", "-")
        self.assertEqual(done.returncode, 3)
        document = json.loads(done.stdout)
        self.assertEqual([case["name"] for case in document["stuck"]], ["05-deadlock"])
        names = [case["name"] for case in document["cases"]]
        self.assertEqual(len(names), 3)
        self.assertEqual([(one["first"], one["other"]) for one in document["differences"]],
                         [(names[0], name) for name in names[1:]])

    def test_alone_is_told_without_a_table(self):
        done = ringscope("compare", "05-deadlock")
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertTrue(done.stderr.startswith("deadlock at "), done.stderr)


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

    def test_that_are_stuck_alike_agree_on_what_was_until_then(self):
        done = ringscope("run", "05-deadlock", "--kernel", "both")
        self.assertEqual(done.returncode, 3)
        self.assertIn("fluid and simgrid agree", done.stdout)


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
