"""For tests of studies under mpirun: jobs of three processes, and the processes of a rank."""

import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import time

from cli.study_for_test import ENVIRONMENT, StudyTest, main as run_tests

LIMIT_S = 100


def processes(word, rank):
    """Processes of a job's rank: those whose command line has this word."""
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


class JobTest(StudyTest):
    mpiexec = open_mpi = None

    def start(self, *words, options=()):
        oversubscribe = ("--oversubscribe",) if self.open_mpi else ()
        return subprocess.Popen(
            [self.mpiexec, "-n", "3", *oversubscribe, *options, str(self.build / "ringscope"),
             *words, "--jobs", "1", "--verify", "0"],
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

    def wait_for_rows(self, job, count, name="study.sqlite"):
        """Waits until the store has `count` rows, in the middle of the job."""
        end = time.monotonic() + LIMIT_S
        while time.monotonic() < end:
            self.assertIsNone(job.poll(), "the job ended too soon")
            try:
                if len(self.rows(name)) >= count:
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

    def kill_worker(self, rank, how=signal.SIGKILL):
        victim = self.worker(rank)
        os.kill(victim, how)
        return victim


def main():
    """Takes BUILD MPIEXEC PROGRAM, and what `unittest` takes."""
    JobTest.mpiexec = sys.argv.pop(2)
    del sys.argv[2]
    version = subprocess.run([JobTest.mpiexec, "--version"], capture_output=True, text=True,
                             check=False).stdout
    JobTest.open_mpi = "Open MPI" in version or "OpenRTE" in version
    run_tests()
