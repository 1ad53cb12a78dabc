# SPDX-License-Identifier: LGPL-2.1-or-later
"""Do the small rows of the table of speeds simulate what they say? How fast, nobody asks here."""

import json
import pathlib
import subprocess
import sys
import unittest

from benchmarks.rows import ROWS

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(sys.argv.pop()) if len(sys.argv) > 1 else HERE.parent / "build"


def table(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([HERE / "table", "--build", BUILD, *arguments], capture_output=True,
                          text=True, check=False)


class SmallTable(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        done = table("--quick", "--json", "-")
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        cls.rows = json.loads(done.stdout)

    def test_a_ring_sends_two_chunks_to_all_but_one_from_each_rank(self):
        for name, row in self.rows.items():
            if not name.startswith(("ring", "bare")) or not row:
                continue
            with self.subTest(name):
                once = 2 * row["ranks"] * (row["ranks"] - 1)
                self.assertEqual(row["messages"], row["repetitions"] * once)

    def test_both_kernels_tell_the_same_times(self):
        for ours, simgrid in (("ring_tcp", "ring_simgrid"), ("bare_fluid", "bare_simgrid")):
            with self.subTest(ours):
                time = self.rows[simgrid]["simulated_s"]
                self.assertAlmostEqual(self.rows[ours]["simulated_s"] / time, 1, delta=1e-9)

    def test_a_bare_ring_takes_the_latency_and_the_bytes_of_each_step(self):
        row = self.rows["bare_fluid"]
        steps = 2 * (row["ranks"] - 1)
        self.assertAlmostEqual(row["simulated_s"] / (steps * (2e-6 + 1024 / 1.25e9)), 1, delta=1e-9)

    def test_an_all_to_all_is_bound_by_the_nic(self):
        row = self.rows["alltoall"]
        self.assertEqual(row["messages"], row["ranks"] * (row["ranks"] - 1))
        bound = (row["ranks"] - 1) * 1024 * 1024 / 12.5e9
        self.assertAlmostEqual(row["simulated_s"], bound + 2e-6, delta=1e-9 * bound)

    def test_every_worker_pushes_and_pulls_every_segment(self):
        for name, vector, steps in (("incast_128", 10, 1), ("incast_256", 100, 1),
                                    ("incast_async", 100, 5)):
            with self.subTest(name):
                workers = self.rows[name]["ranks"] - 1
                segments = vector * 1024 // 64
                self.assertEqual(self.rows[name]["messages"], 2 * workers * segments * steps)

    def test_posted_messages_go_from_each_to_each_other(self):
        for name in ("posted", "posted_tolerant", "posted_fat_tree", "posted_fat_tree_tolerant",
                     "posted_fat_tree_1024"):
            with self.subTest(name):
                ranks = self.rows[name]["ranks"]
                self.assertEqual(self.rows[name]["messages"], ranks * (ranks - 1))

    def test_two_levels_send_what_their_parts_do(self):
        row = self.rows["two_level_ring"]
        ranks, hosts = row["ranks"], row["ranks"] // 8
        rings = hosts * 2 * 8 * 7 + 2 * hosts * (hosts - 1)
        self.assertEqual(row["messages"], rings + ranks - hosts)

    def test_starting_up_exchanges_two_messages(self):
        self.assertEqual(self.rows["start_up"]["messages"], 2)

    def test_every_row_says_its_memory(self):
        for name, row in self.rows.items():
            if row:
                self.assertGreater(row["peak_bytes"], 1e6, name)


def row_of_readme(text):
    """CPU seconds of a row in the README, by its messages and their rate, which are less rounded;
    None where it was stopped."""
    readme = (HERE / "README.md").read_text(encoding="utf-8")
    line = next(line for line in readme.splitlines() if line.startswith(f"| {text} |"))
    messages, _, rate = (field.replace(",", "") for field in line.split(" | ")[1:4])
    return None if rate == "-" else float(messages) / float(rate)


class Estimates(unittest.TestCase):
    """Estimates that the program tells before a run, against the figures in the README."""

    def estimate(self, row):
        done = subprocess.run([BUILD / "speed", *row.arguments(False), "--estimate"],
                              capture_output=True, text=True, check=True, cwd=HERE.parent)
        return json.loads(done.stdout)

    def test_meet_the_measured_times_within_a_factor_of_4(self):
        for row in ROWS:
            if row.what != "run" or row.program != "speed" or row.tolerance:
                continue
            measured = row_of_readme(row.text)
            with self.subTest(row.name):
                seconds = self.estimate(row)["seconds"]
                if measured is not None:
                    self.assertGreater(4 * seconds, measured)
                if measured is not None and not row.skip:  # where nothing is skipped, at most, too
                    self.assertLess(seconds, 4 * measured)

    def test_count_the_messages_of_all_repetitions(self):
        row = next(row for row in ROWS if row.name == "ring_64")
        self.assertEqual(self.estimate(row)["messages"], 200 * 2 * 64 * 63)


class Table(unittest.TestCase):
    def test_names_the_rows_when_there_is_none_such(self):
        done = table("triangle")
        self.assertEqual(done.returncode, 1)
        self.assertIn("ring_tcp", done.stderr)

    def test_is_not_written_where_rows_are_missing(self):
        self.assertEqual(table("--write", "bare").returncode, 1)

    def test_says_which_program_is_missing(self):
        done = subprocess.run([HERE / "table", "--build", HERE, "bare_fluid", "--quick"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("build it first", done.stderr)

    def test_has_a_line_for_each_row_asked_for(self):
        done = table("bare", "--quick")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 2 + 2)


if __name__ == "__main__":
    unittest.main()
