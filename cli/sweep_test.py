# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does a sweep answer alike however it runs, and does a killed one go on where it was?

Usage: python3 -m cli.sweep_test BUILD
"""

import json
import random
import re
import signal
import sqlite3
import subprocess
import time

from cli.study_for_test import ENVIRONMENT, StudyTest, documented_keys, keys_of, main

SUMMARY = re.compile(r"(\d+) points?: (\d+) simulated(?:, (\d+) from the store)?, in [\d.]+ s on "
                     r"(\d+)")
SWEEP = ("sweep", "study.yaml")


class Sweep(StudyTest):
    def sweep(self, *more):
        """(points, simulated, from the store, threads), and what it printed."""
        done = self.ringscope(*SWEEP, *more)
        summary = SUMMARY.search(done.stderr)
        self.assertTrue(summary, done.stderr)
        return tuple(int(number or 0) for number in summary.groups()), done.stdout

    def test_answers_are_the_same_bytes_whatever_the_number_of_threads(self):
        self.study(8)
        seen = set()
        for jobs in ("1", "2", "5"):
            counts, screen = self.sweep("--no-store", "--threads", jobs, "--csv", "x.csv",
                                        "--json", "x.json")
            self.assertEqual(counts, (24, 24, 0, int(jobs)))
            seen.add((screen, *((self.folder / name).read_bytes() for name in
                                ("x.csv", "x.json"))))
        self.assertEqual(len(seen), 1)
        self.assertFalse((self.folder / "study.sqlite").exists())

    def test_a_row_is_what_run_says_of_that_scenario(self):
        self.study(3)
        self.sweep("--json", "x.json")
        document = json.loads(self.read("x.json"))
        self.assertEqual({key for key in keys_of(document) if key.count(".") < 2},
                         documented_keys("sweep --json"))
        row = document["rows"][4]
        self.assertEqual(row["set"], {"placement": "4-3-1",
                                      "library.network.send_cost": "5 ns/B"})
        changes = [word for key, value in row["set"].items() for word in
                   ("--set", f"{key}={value}")]
        self.ringscope("run", "03-anomaly", *changes, "--kernel", "simgrid", "--json", "run.json")
        case = json.loads(self.read("run.json"))["cases"][0]
        for metric in ("time_s", "busbw"):
            self.assertAlmostEqual(row["metrics"][metric] / case[metric], 1, delta=1e-9)
        self.assertIn("CPU copy on host", row["held_up_by"])
        self.assertEqual(len(document["verified"]), 3)

    def test_clusters_have_a_ratio_to_the_first_one_and_place_takes_one_of_them(self):
        (self.folder / "c.yaml").write_text(
            "scenario: 02-ring-of-8\nclusters:\n  as it is: star8\n"
            "  half: {base: star8, link: {bandwidth: 5 Gbit/s}}\n", encoding="utf-8")
        screen = self.ringscope("sweep", "c.yaml", "--no-store").stdout
        self.assertRegex(screen, r"case +time +ratio  bottleneck\nas it is +\S+ ms  1.000 x .*\n"
                                 r"half +\S+ ms  (1.9\d\d|2.0\d\d) x ")
        self.assertIn("the best by time_s: as it is, ", screen)
        screen = self.ringscope("place", "c.yaml", "--case", "half", "--order", "fixed", "--slots",
                                "1", "--no-store").stdout
        self.assertIn("yours is as good as the best", screen)

    def test_cached_points_are_not_simulated_again(self):
        self.study(3)
        self.assertEqual(self.sweep()[0][:3], (9, 9, 0))
        first = self.rows()
        self.assertEqual(len(first), 9)
        self.assertEqual(self.sweep()[0][:3], (9, 0, 9))
        self.study(5)  # of its values 3 are old
        self.assertEqual(self.sweep()[0][:3], (15, 6, 9))
        self.assertTrue(set(first) < set(self.rows()))

    def test_every_step_is_simulated_where_that_is_asked_for_and_kept_apart(self):
        self.study(3)
        _, skipped = self.sweep("--verify", "0", "--set", "job.bytes=64MiB")
        counts, every = self.sweep("--verify", "0", "--set", "job.bytes=64MiB", "--no-skip")
        self.assertEqual(counts[:3], (9, 9, 0))
        self.assertEqual(every, skipped)
        rows = self.rows()
        self.assertEqual(len(rows), 18)
        times = sorted(row[1] for row in rows)
        for one, other in zip(times[::2], times[1::2]):
            self.assertAlmostEqual(one / other, 1, delta=1e-9)

    def test_results_of_other_versions_are_dropped_on_request(self):
        self.study(3)
        self.sweep("--verify", "0")
        with sqlite3.connect(self.folder / "study.sqlite") as database:
            database.execute("UPDATE results SET key = zeroblob(32), version = '0.0.1' "
                             "WHERE key = (SELECT min(key) FROM results)")
        self.assertEqual(self.sweep("--verify", "0")[0][:3], (9, 1, 8))
        self.assertEqual(len(self.rows()), 10)
        self.assertEqual(self.sweep("--verify", "0", "--prune")[0][:3], (9, 0, 9))
        self.assertEqual(len(self.rows()), 9)

    def test_rows_that_simgrid_has_otherwise_are_kept_with_a_warning(self):
        self.study(3)
        self.sweep()
        with sqlite3.connect(self.folder / "study.sqlite") as store:
            store.execute("UPDATE results SET time_s = 0.99 * time_s")
        done = self.ringscope(*SWEEP, "--csv", "x.csv", "--json", "x.json", code=4)
        self.assertIn("4-2-2", done.stdout)
        self.assertRegex(done.stdout, r"\nwarning: .* as SimGrid simulates it \(1 %\)")
        self.assertEqual(len(self.read("x.csv").splitlines()), 10)
        self.assertIn("a defect of this program", json.loads(self.read("x.json"))["warning"])

    def test_the_best_come_first_by_the_metric_asked_for(self):
        self.study(8)
        _, screen = self.sweep("--top", "2", "--objective", "busbw", "--json", "x.json")
        document = json.loads(self.read("x.json"))
        order = sorted(range(24), key=lambda row: -document["rows"][row]["metrics"]["busbw"])
        self.assertEqual([one["row"] for one in document["verified"]], order[:3])
        lines = screen.splitlines()
        self.assertEqual(len(lines), 5, screen)
        self.assertIn(document["rows"][order[0]]["set"]["placement"], lines[1])
        self.assertEqual(lines[3], "the best 2 of 24 by busbw; --csv and --json have all")
        self.assertRegex(lines[4], "Cross-check with SimGrid: (exact agreement on )?the best 3")

    def test_the_best_of_a_table_in_the_order_of_the_grid_is_named_below_it(self):
        self.study(3)
        screen = self.sweep("--json", "x.json")[1]
        rows = json.loads(self.read("x.json"))["rows"]
        times = [row["metrics"]["time_s"] for row in rows]
        placement, cost = rows[times.index(min(times))]["set"].values()
        as_good = sum(f"{time:.3e}" == f"{min(times):.3e}" for time in times) - 1
        self.assertEqual(as_good, 1)  # 3-3-2 and 4-2-2
        self.assertIn(f"\nthe best by time_s: placement {placement}, send_cost {cost}, "
                      f"{1e3 * min(times):.4g} ms (and 1 as good)\n", screen)
        for ordered in (("--objective", "time_s"), ("--top", "3")):
            self.assertNotIn("the best by", self.sweep(*ordered)[1])

    def test_no_best_is_named_among_jobs_of_different_sizes(self):
        (self.folder / "study.yaml").write_text(
            "scenario: 02-ring-of-8\nsweep: {grid: {job.bytes: [1 KiB, 1 MiB]}}\n",
            encoding="utf-8")
        self.assertNotIn("the best by", self.sweep("--no-store")[1])

    def test_bad_input_is_said_with_its_place(self):
        self.study(1)
        error = self.ringscope(*SWEEP, code=1).stderr
        self.assertIn("study.yaml:5:66: expected a whole number from 2 to 1000000", error)
        self.study(2)
        error = self.ringscope(*SWEEP, "--objective", "bussbw", code=1).stderr
        self.assertIn("--objective:1:1: unknown metric 'bussbw'; did you mean 'busbw'?", error)
        error = self.ringscope(*SWEEP, "--store", "study.yaml", code=1).stderr
        self.assertIn("study.yaml: expected a store of results, which is an SQLite file", error)

    def test_a_sweep_that_takes_longer_than_its_limit_keeps_what_it_has(self):
        self.study(100000)
        done = self.ringscope(*SWEEP, "--time-limit", "2 s", code=1)
        self.assertRegex(done.stderr, r"study: had not ended after 2 s: [\d.]+ % of the points are "
                         "simulated, and kept: the next call goes on from there")
        self.assertGreater(len(self.rows()), 0)

    def test_a_sweep_killed_at_any_moment_goes_on_and_ends_with_the_same_contents(self):
        for steps in (400, 3000):  # the second only where the first takes no time to speak of
            self.study(steps)
            seconds = time.monotonic()
            self.sweep("--store", f"{steps}.sqlite", "--verify", "0")
            seconds = time.monotonic() - seconds
            if seconds > 2:
                break
        whole, points = self.rows(f"{steps}.sqlite"), 3 * steps
        self.assertEqual(len(whole), points)
        seed = random.randrange(1 << 32)
        print(f"seed of the moments: {seed}")
        moments, kept = random.Random(seed), []
        # Rows are written ten times a second: a good part of the moments must come after that.
        latest = max(seconds / 8, 0.5)
        for _ in range(20):
            sweep = subprocess.Popen(
                [str(self.build / "ringscope"), *SWEEP, "--verify", "0"], cwd=self.folder,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENVIRONMENT)
            time.sleep(moments.uniform(0, latest))
            sweep.send_signal(signal.SIGKILL)
            sweep.wait()
            kept.append(len(self.rows()))
        self.assertEqual(kept, sorted(kept))
        self.assertGreater(kept[-1], 0)
        counts, _ = self.sweep("--verify", "0")
        self.assertEqual(counts[:3], (points, points - kept[-1], kept[-1]))
        self.assertEqual(self.rows(), whole)


if __name__ == "__main__":
    main()
