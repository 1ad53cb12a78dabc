# SPDX-License-Identifier: LGPL-2.1-or-later
"""Do the shards of a study, merged, say what one process says, whoever starts them?

Usage: python3 -m cli.shard_test BUILD
"""

import os
import re
import shlex
import shutil
import signal
import sqlite3
import subprocess
import time
import unittest

from cli.study_for_test import ENVIRONMENT, ROOT, StudyTest, main

SHARDS = 8
SWEEP = ("sweep", "study.yaml")
PART = "part-{shard}.sqlite"
STORES = ("--store", PART, "--threads", "1")
SCRIPT = ROOT / "scripts" / "sweep.slurm"
LAUNCHERS = ("OMPI_COMM_WORLD_", "SLURM_", "PMI", "MPI_LOCALNRANKS")


def started_by_nobody():
    """The environment without a word of a launcher, of which this test may be a child."""
    return {name: text for name, text in ENVIRONMENT.items() if not name.startswith(LAUNCHERS)}


def launcher_or_skip(name, words, expected):
    """The path of a launcher whose answer to `words` has the expected word in it."""
    path = shutil.which(name)
    said = path and subprocess.run([path, *words], capture_output=True, text=True, check=False)
    if not path or expected.lower() not in said.stdout.lower():
        print(f"skipped: there is no {name} of {expected} here")
        raise unittest.SkipTest(f"no {name} of {expected}")
    return path


class Shards(StudyTest):
    def run_command(self, *words, code=0, **variables):
        done = subprocess.run(
            words, cwd=self.folder, capture_output=True, text=True, timeout=300, check=False,
            env={**started_by_nobody(), "PATH": f"{self.build}:{os.environ['PATH']}",
                 "HOME": str(self.folder), **variables})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def shard(self, which, *more, code=0, store=PART, **variables):
        choice = ("--shard", which) if which else ()
        return self.run_command("ringscope", *SWEEP, *choice, "--store", store, "--threads", "1",
                                *more, code=code, **variables).stderr

    def merge(self, *more, code=0):
        parts = sorted(path.name for path in self.folder.glob("part-*.sqlite"))
        return self.run_command("ringscope", "merge", *parts, "-o", "all.sqlite", *more,
                                code=code).stderr

    def whole(self, *words):
        """The CSV and the store of one process."""
        self.run_command("ringscope", *words, "--store", "one.sqlite", "--csv", "one.csv",
                         "--verify", "0")
        return self.read("one.csv"), self.rows("one.sqlite")

    def expect_as_by_one(self, *words):
        self.merge()
        csv, rows = self.whole(*words)
        self.assertEqual(self.rows("all.sqlite"), rows)
        done = self.run_command("ringscope", *words, "--store", "all.sqlite", "--csv", "all.csv",
                                "--verify", "0")
        self.assertIn(": 0 simulated, ", done.stderr)
        self.assertEqual(self.read("all.csv"), csv)

    def counts(self, parts=SHARDS):
        return [len(self.rows(f"part-{number}.sqlite")) for number in range(1, parts + 1)]

    def test_shards_under_open_mpi_merged_are_the_sweep_of_one_process(self):
        mpirun = launcher_or_skip("mpirun", ("--version",), "Open MPI")
        self.study(16)
        self.run_command(mpirun, "-n", str(SHARDS), "--oversubscribe", "ringscope", *SWEEP, *STORES)
        self.assertEqual(self.counts(), [6] * SHARDS)
        self.expect_as_by_one(*SWEEP)

    def test_shards_under_mpich_merged_are_the_sweep_of_one_process(self):
        mpiexec = launcher_or_skip("mpiexec.mpich", ("--version",), "HYDRA")
        self.study(16)
        self.run_command(mpiexec, "-n", str(SHARDS), "ringscope", *SWEEP, *STORES)
        self.assertEqual(self.counts(), [6] * SHARDS)
        self.expect_as_by_one(*SWEEP)

    def test_shards_under_parallel_merged_are_the_sweep_of_one_process(self):
        parallel = launcher_or_skip("parallel", ("--version",), "GNU parallel")
        self.study(16)
        self.run_command(parallel, "--will-cite", "-j", "2",
                         f"ringscope {shlex.join(SWEEP)} --shard {{#}}/{SHARDS} "
                         f"{shlex.join(STORES)}", ":::", *"abcdefgh")
        self.assertEqual(self.counts(), [6] * SHARDS)
        self.expect_as_by_one(*SWEEP)

    def test_the_script_for_slurm_runs_an_array_and_a_shard_once_more(self):
        text = SCRIPT.read_text(encoding="utf-8")
        self.assertIn("sbatch --array=1-16 scripts/sweep.slurm my-study.yaml ", text)
        self.assertIn("sbatch scripts/sweep.slurm my-study.yaml 5/16 ", text)
        self.study(8)
        (self.folder / "study.yaml").rename(self.folder / "my-study.yaml")
        for task in range(1, 17):
            self.run_command("bash", str(SCRIPT), "my-study.yaml", SLURM_ARRAY_TASK_ID=str(task),
                             SLURM_ARRAY_TASK_COUNT="16", SLURM_ARRAY_TASK_MIN="1",
                             SLURM_ARRAY_TASK_MAX="16", SLURM_ARRAY_TASK_STEP="1",
                             SLURM_PROCID="0", SLURM_NTASKS="1", SLURM_CPUS_PER_TASK="1")
        again = self.run_command("bash", str(SCRIPT), "my-study.yaml", "5/16",
                                 SLURM_PROCID="0", SLURM_NTASKS="1")
        self.assertRegex(again.stderr, r"shard 5/16: (\d) points?: 0 simulated, \1 from the store")
        for command in re.findall(r"^#   (ringscope .*)$", text, re.MULTILINE):
            done = self.run_command("bash", "-c", command)
        self.assertIn("24 points: 0 simulated, 24 from the store", done.stderr)
        self.assertEqual(len(self.read("my-study.csv").splitlines()), 25)

    def test_a_batch_script_without_srun_is_one_process_unless_it_asks(self):
        self.study(2)
        batch = {"SLURM_PROCID": "0", "SLURM_NTASKS": "16"}
        done = self.run_command("ringscope", *SWEEP, "--verify", "0", **batch)
        self.assertIn("6 points: 6 simulated", done.stderr)
        self.assertIn("shard 1/16: ", self.shard("auto", **batch))

    def test_nobody_counts_where_the_whole_study_is_asked_for(self):
        self.study(2)
        done = self.run_command("ringscope", *SWEEP, "--shard", "none", "--verify", "0",
                                OMPI_COMM_WORLD_RANK="3", OMPI_COMM_WORLD_SIZE="8")
        self.assertIn("6 points: 6 simulated", done.stderr)

    def test_shares_are_even_whatever_the_order_of_the_keys(self):
        self.study(30)
        text = self.read("study.yaml")
        lines = text.splitlines()
        self.assertIn("placement", lines[3])
        other = "\n".join([*lines[:3], lines[4], lines[3], *lines[5:]]) + "\n"
        keys = []
        for study in (text, other):
            (self.folder / "study.yaml").write_text(study, encoding="utf-8")
            self.shard("2/7")
            rows = self.rows("part-2.sqlite")
            self.assertIn(len(rows), (90 // 7, 90 // 7 + 1))
            keys.append([row[0] for row in rows])
            (self.folder / "part-2.sqlite").unlink()
        self.assertEqual(keys[0], keys[1])

    def test_a_shard_killed_at_work_is_named_with_its_points_and_goes_on_where_it_was(self):
        each = 1500
        self.study(each)
        for which in ("1/3", "3/3"):
            self.shard(which)
        command = [str(self.build / "ringscope"), *SWEEP, "--shard", "2/3", *STORES]
        killed = subprocess.Popen(command, cwd=self.folder, env=started_by_nobody(),
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                if len(self.rows("part-2.sqlite")) > 10:
                    break
            except sqlite3.Error:
                pass
            time.sleep(0.01)
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        kept = len(self.rows("part-2.sqlite"))
        self.assertLess(kept, each, "the shard ended before it was killed: it must be longer")
        said = self.merge(code=1)
        missing = each - kept
        self.assertIn(f"{missing} of the {3 * each} points of 'study' are missing", said)
        self.assertIn(f"part-2.sqlite lacks {missing} points of shard 2/3:\n", said)
        self.assertRegex(said, r"    03-anomaly: library\.network\.send_cost=[\d.]+ ns/B, "
                               r"placement=\d-\d-\d\n")
        self.assertFalse((self.folder / "all.sqlite").exists())
        self.assertIn(f"{each} points: {missing} simulated, {kept} from the store",
                      self.shard("2/3"))
        self.expect_as_by_one(*SWEEP)

    def test_a_shard_without_a_file_is_missing_and_what_is_there_can_be_had(self):
        self.study(4)
        self.shard("1/2")
        said = self.merge(code=1)
        self.assertIn("6 of the 12 points of 'study' are missing", said)
        self.assertIn("shard 2/2 is in none of the files: 6 points", said)
        self.merge("--partial")
        done = self.run_command("ringscope", *SWEEP, "--store", "all.sqlite", "--verify", "0")
        self.assertIn("12 points: 6 simulated, 6 from the store", done.stderr)

    def test_shards_that_there_are_not_are_refused(self):
        self.study(2)
        for which, complaint in (
                ("17/16", "--shard:1:1: there are 16 shards, and no 17: the first is 1/16, the "
                          "last 16/16"),
                ("0/16", "shards are counted from 1: the first of 16 is 1/16, the last 16/16"),
                ("3", "expected I/N such as 3/16, 'auto' or 'none', got '3'"),
                ("1/0", "expected from 1 to 1000000 shards, got 0"),
                ("auto", "no launcher has started this process: expected OMPI_COMM_WORLD_RANK")):
            self.assertIn(complaint, self.shard(which, code=1))

    def test_shards_without_a_store_of_their_own_are_refused(self):
        self.study(2)
        def refused(*words, **variables):
            return self.run_command("ringscope", *SWEEP, *words, code=1, **variables).stderr
        launched = {"OMPI_COMM_WORLD_RANK": "2", "OMPI_COMM_WORLD_SIZE": "8"}
        self.assertIn("this is shard 3/16, and has no store: name one for each, which 'ringscope "
                      "merge' reads: --store part-{shard}.sqlite", refused("--shard", "3/16"))
        self.assertIn("it keeps its results for 'ringscope merge'",
                      refused("--shard", "3/16", "--no-store"))
        said = refused(**launched)
        self.assertIn("this is shard 3/8, according to OMPI_COMM_WORLD_RANK and "
                      "OMPI_COMM_WORLD_SIZE, "
                      "and has no store", said)
        self.assertIn("'--shard none' does the whole study in this process", said)
        self.assertIn("8 shards would write to one file; name one for each: --store "
                      "part-{shard}.sqlite", refused("--store", "x.sqlite", **launched))
        self.assertIn("unknown placeholder 'shrd'; did you mean 'shard'?",
                      refused("--store", "part-{shrd}.sqlite", "--shard", "1/2"))
        self.assertIn("there is no shard to name the file by",
                      refused("--store", "part-{shard}.sqlite"))
        self.assertIn("shard 1/2 is a part of the answer",
                      refused("--store", "x.sqlite", "--shard", "1/2", "--csv", "x.csv"))
        self.assertEqual([path.name for path in self.folder.iterdir()], ["study.yaml"])

    def test_one_file_has_one_shard_of_one_study(self):
        self.study(2)
        self.shard("1/2", store="x.sqlite")
        self.assertIn("x.sqlite: has shard 1/2 of 'study', and this is shard 2/2 of 'study': each "
                      "needs a separate store", self.shard("2/2", store="x.sqlite", code=1))
        self.study(3)
        self.assertIn("x.sqlite: has shard 1/2 of 'study' with other points, or of another "
                      "scenario", self.shard("1/2", store="x.sqlite", code=1))

    def test_parts_that_do_not_belong_together_are_refused(self):
        self.study(4)
        self.shard("1/2")
        self.shard("2/2", "--set", "job.bytes=1MiB")
        self.assertIn("part-2.sqlite: is a part of another 'study' than part-1.sqlite",
                      self.merge(code=1))
        (self.folder / "part-2.sqlite").unlink()
        self.shard("1/3", store="part-2.sqlite")
        self.assertIn("part-2.sqlite: is shard 1/3, and part-1.sqlite shard 1/2",
                      self.merge(code=1))
        (self.folder / "part-2.sqlite").unlink()
        self.shard("2/2")
        with sqlite3.connect(self.folder / "part-2.sqlite") as database:
            database.execute("UPDATE part SET version = '0.0.1'")
        self.assertIn("part-2.sqlite: was simulated by ringscope 0.0.1, and part-1.sqlite by",
                      self.merge(code=1))
        self.run_command("ringscope", *SWEEP, "--verify", "0", "--store", "part-2.sqlite",
                         "--prune")
        self.assertIn("part-2.sqlite: is a store of results, but of no shard", self.merge(code=1))
        (self.folder / "part-2.sqlite").write_text("no store", encoding="utf-8")
        self.assertIn("part-2.sqlite: expected a store of results", self.merge(code=1))
        self.assertFalse((self.folder / "all.sqlite").exists())

    def test_a_part_that_comes_twice_is_refused(self):
        self.study(2)
        self.shard("1/2")
        self.assertIn("part-1.sqlite: is a duplicate part: name it once",
                      self.merge("./part-1.sqlite", code=1))
        shutil.copy(self.folder / "part-1.sqlite", self.folder / "part-2.sqlite")
        self.assertIn("part-2.sqlite: is shard 1/2, as part-1.sqlite is", self.merge(code=1))

    def test_points_that_are_one_scenario_are_merged_unless_their_results_differ(self):
        text = "scenario: 03-anomaly\nsweep:\n  grid:\n    job.bytes: [{}]\n"
        sizes = [f"{size} KiB, {size * 1024} B" for size in range(64, 72)]
        (self.folder / "study.yaml").write_text(text.format(", ".join(sizes)), encoding="utf-8")
        self.shard("1/2")
        self.shard("2/2")
        first, second = self.rows("part-1.sqlite"), self.rows("part-2.sqlite")
        both = {row[0] for row in first} & {row[0] for row in second}
        self.assertTrue(both)  # each size comes in two forms, and these are dealt apart
        self.merge()
        self.assertEqual(len(self.rows("all.sqlite")), len(sizes) * len(self.cases()))
        with sqlite3.connect(self.folder / "part-2.sqlite") as database:
            database.execute("UPDATE results SET time_s = 2 * time_s WHERE key = ?",
                             (min(both),))
        said = self.merge(code=1)
        self.assertRegex(said, r"part-2\.sqlite: has another result of the point '.*job\.bytes=.*' "
                               r"than part-1\.sqlite: [\d.]+ s and [\d.]+ s")

    def cases(self):
        """The scenario's, by the points that are not alike."""
        with sqlite3.connect(self.folder / "part-1.sqlite") as database:
            words = [row[0] for row in database.execute("SELECT words FROM points")]
        return {word.split(":")[0] for word in words}

    def test_merge_replaces_only_a_store(self):
        self.study(2)
        self.shard("1/1")
        self.run_command("ringscope", "merge", "part-1.sqlite", "-o", "part-1.sqlite", code=1)
        (self.folder / "all.sqlite").write_text("precious", encoding="utf-8")
        self.assertIn("all.sqlite: expected a store of results", self.merge(code=1))
        self.assertEqual(self.read("all.sqlite"), "precious")
        (self.folder / "all.sqlite").unlink()
        self.merge()
        self.merge()
        self.assertEqual(len(self.rows("all.sqlite")), 6)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()),
                         ["all.sqlite", "part-1.sqlite", "study.yaml"])

    def test_placements_are_shared_likewise_and_the_answer_is_that_of_one_process(self):
        words = ("place", "place-eight-on-three", "--set", "job.bytes=1MiB")
        for which in ("1/3", "2/3", "3/3"):
            self.run_command("ringscope", *words, "--shard", which, *STORES)
        self.assertTrue(all(self.counts(3)))
        self.expect_as_by_one(*words)
        self.assertIn("part of the answer",
                      self.run_command("ringscope", *words, "--shard", "1/3", *STORES, "--rankfile",
                                       "best", code=1).stderr)

    def test_a_search_is_not_dealt_out(self):
        said = self.run_command("ringscope", "place", "place-eight-on-three", "--budget", "5",
                                "--shard", "1/3", *STORES, code=1).stderr
        self.assertIn("more than 5 placements differ, the 'budget': a search goes from one to the "
                      "next", said)

    def test_a_shard_of_placements_that_runs_out_of_time_goes_on_where_it_was(self):
        words = ("ringscope", "place", "place-beside-a-neighbour", "--shard", "1/2", *STORES)
        said = self.run_command(*words, "--time-limit", "0.5s", code=1).stderr
        kept = int(re.search(r"shard 1/2: was stopped when (\d+) of its", said)[1])
        self.assertGreater(kept, 0)
        said = self.run_command(*words, "--time-limit", "0.5s", code=1).stderr
        self.assertGreater(int(re.search(r"stopped when (\d+) of its", said)[1]), kept)


if __name__ == "__main__":
    main()
