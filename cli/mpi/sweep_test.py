#!/usr/bin/python3
"""Does a sweep under mpirun end with the same answers, whoever dies on the way?

Usage: cli/mpi/sweep_test.py BUILD MPIEXEC PROGRAM
"""

import os
import pathlib
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
STUDY = """scenario: 03-anomaly
sweep:
  grid:
    placement: [4-2-2, 4-3-1, 3-3-2]
    library.network.send_cost: {{from: 1 ns/B, to: 9 ns/B, steps: {steps}}}
metrics: [time_s, busbw]
"""
ENVIRONMENT = {**os.environ, "RINGSCOPE_DATA": str(ROOT), "OMPI_ALLOW_RUN_AS_ROOT": "1",
               "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
LIMIT_S = 100


def processes(word, rank):
    """Of a job's rank, those whose command line has this word."""
    found = []
    for folder in pathlib.Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            variables = (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        ranks = {f"{name}={rank}".encode() for name in ("OMPI_COMM_WORLD_RANK", "PMI_RANK")}
        if word.encode() in words and ranks & set(variables):
            found.append(int(folder.name))
    return found


class SweepUnderMpi(unittest.TestCase):
    build = mpiexec = open_mpi = None

    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)

    def study(self, steps):
        (self.folder / "study.yaml").write_text(STUDY.format(steps=steps), encoding="utf-8")

    def start(self, *more, options=()):
        oversubscribe = ("--oversubscribe",) if self.open_mpi else ()
        return subprocess.Popen(
            [self.mpiexec, "-n", "3", *oversubscribe, *options, str(self.build / "ringscope"),
             "sweep", "study.yaml", "--jobs", "1", "--verify", "0", *more],
            cwd=self.folder, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)

    def finish(self, job, code=0):
        try:
            out, err = job.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            job.kill()
            self.fail("the job did not end")
        if code is not None:
            self.assertEqual(job.returncode, code, err)
        return out, err

    def alone(self):
        done = subprocess.run([str(self.build / "ringscope"), "sweep", "study.yaml", "--verify",
                               "0", "--csv", "alone.csv", "--store", "alone.sqlite"],
                              cwd=self.folder, env=ENVIRONMENT, timeout=LIMIT_S, check=True,
                              capture_output=True, text=True)
        return done.stdout

    def rows(self, name):
        with sqlite3.connect(self.folder / name) as database:
            return database.execute("SELECT * FROM results ORDER BY key").fetchall()

    def expect_as_alone(self, out):
        self.assertEqual(out, self.alone())
        self.assertEqual((self.folder / "x.csv").read_bytes(),
                         (self.folder / "alone.csv").read_bytes())
        self.assertEqual(self.rows("study.sqlite"), self.rows("alone.sqlite"))

    def wait_for_rows(self, job, count):
        """Until the store has so many, in the middle of the job."""
        end = time.monotonic() + LIMIT_S
        while time.monotonic() < end:
            self.assertIsNone(job.poll(), "the job ended too soon")
            try:
                if len(self.rows("study.sqlite")) >= count:
                    return
            except sqlite3.Error:
                pass
            time.sleep(0.02)
        self.fail("no rows came")

    def worker(self, rank):
        end = time.monotonic() + LIMIT_S
        while time.monotonic() < end:
            if found := processes("study-worker", rank):
                return found[0]
            time.sleep(0.02)
        return self.fail(f"rank {rank} has no worker")

    def test_workers_take_part_and_the_answers_are_those_of_one_process(self):
        self.study(1000)
        out, err = self.finish(self.start("--csv", "x.csv"))
        self.assertRegex(err, r"3000 points: 3000 simulated, 0 from the store, in [\d.]+ s on "
                              r"1 thread here and 2 in 2 other processes")
        self.expect_as_alone(out)

    def test_a_worker_that_is_killed_loses_nothing_and_comes_again(self):
        self.study(2000)
        job = self.start("--csv", "x.csv")
        victim = self.worker(1)
        self.wait_for_rows(job, 100)
        os.kill(victim, signal.SIGKILL)
        self.assertNotEqual(self.worker(2), victim)
        out, err = self.finish(job)
        self.assertRegex(err, r"6000 points: 6000 simulated, 0 from the store")
        self.expect_as_alone(out)

    def test_a_worker_that_hangs_loses_nothing(self):
        self.study(1000)
        job = self.start("--csv", "x.csv")
        victim = self.worker(2)
        self.wait_for_rows(job, 100)
        os.kill(victim, signal.SIGSTOP)
        out, _ = self.finish(job)
        self.expect_as_alone(out)

    def test_a_job_that_the_launcher_takes_down_goes_on_from_its_store(self):
        self.study(2000)
        job = self.start()
        self.worker(1)
        self.wait_for_rows(job, 100)
        relay = processes("relay", 1)[0]  # what mpirun itself has started
        os.kill(relay, signal.SIGKILL)
        self.finish(job, code=None)
        self.assertNotEqual(job.returncode, 0)
        out, err = self.finish(self.start("--csv", "x.csv"))
        self.assertGreaterEqual(int(re.search(r"(\d+) from the store", err)[1]), 100)
        self.expect_as_alone(out)

    def test_a_dead_mpi_process_loses_nothing_where_the_launcher_lets_the_others_live(self):
        if not self.open_mpi:
            self.skipTest("mpirun --enable-recovery is Open MPI's")
        self.study(2000)
        job = self.start("--csv", "x.csv", options=("--enable-recovery",))
        self.worker(1)
        self.wait_for_rows(job, 100)
        os.kill(processes("relay", 1)[0], signal.SIGKILL)
        out, _ = self.finish(job, code=None)
        self.expect_as_alone(out)

    def test_bad_input_is_said_once(self):
        self.study(1)
        _, err = self.finish(self.start(), code=1)
        self.assertEqual(err.count("expected a whole number from 2 to 1000000"), 1, err)


if __name__ == "__main__":
    SweepUnderMpi.build = pathlib.Path(sys.argv[1]).resolve()
    SweepUnderMpi.mpiexec = sys.argv[2]
    version = subprocess.run([sys.argv[2], "--version"], capture_output=True, text=True,
                             check=False).stdout
    SweepUnderMpi.open_mpi = "Open MPI" in version or "OpenRTE" in version
    del sys.argv[1:4]
    unittest.main()
