# SPDX-License-Identifier: LGPL-2.1-or-later
"""MPI jobs for tests: launched, bounded in time, and gone afterwards."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest


ROOT = pathlib.Path(__file__).resolve().parents[3]
# More ranks than cores, as root, on one host: Open MPI wants to be told; MPICH ignores these.
ENVIRONMENT = {
    **os.environ,
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_odls_base_sigkill_timeout": "0",  # s that it waits after a job that failed
    "OMPI_MCA_btl": "self,vader",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "RINGSCOPE_DATA": str(ROOT),
}
LIMIT_S = 100


class JobTest(unittest.TestCase):
    """Each test has a folder of its own; no process that names it may outlive the test."""

    build = mpiexec = program = None

    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        self.output = self.folder / "out.json"

    def command(self, ranks, text, *more, before=()):
        """The replay of a scenario, with `before` between the launcher and the program."""
        file = self.folder / "x.yaml"
        file.write_text(text, encoding="utf-8")
        return [self.mpiexec, "-n", str(ranks), *before, str(self.program), "replay", str(file),
                "--warmups", "1", *more]

    def fault(self, name):
        """Words before the program that give its rank 1 a fault of testing/fault.cpp."""
        library = self.build / f"lib{self.program.name}_fault.so"
        return ["env", f"LD_PRELOAD={library}:{ENVIRONMENT['LD_PRELOAD']}",
                f"RINGSCOPE_FAULT={name}"]

    def launch(self, command):
        """Starts a job in a process group of its own, so that it can be ended whole. In a session
        of its own its ranks, which spin, would get as much of the cores as all other tests.
        """
        job = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env=ENVIRONMENT, stdin=subprocess.DEVNULL, process_group=0)
        self.addCleanup(self.end, job)
        return job

    def end(self, job):
        for pid in self.ranks():
            os.kill(pid, signal.SIGKILL)
        if job.poll() is None:
            os.killpg(job.pid, signal.SIGKILL)
            job.communicate()

    def finish(self, job):
        """Waits for the end of a job; (exit code, standard output, standard error)."""
        try:
            out, err = job.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            self.fail(f"the job did not end within {LIMIT_S} s")
        self.wait_for(lambda: not self.ranks(), "every process of the job has ended")
        return job.returncode, out, err

    def replay(self, ranks, text, *more):
        """Runs a replay with two samples; (exit code, standard output, standard error)."""
        more = ("--repetitions", "2", "--max-repetitions", "2", *more)
        return self.finish(self.launch(self.command(ranks, text, *more)))

    def ranks(self):
        """The processes of this test's programs, by what stands on their command lines."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                line = (entry / "cmdline").read_text(encoding="utf-8", errors="replace")
            except OSError:  # it has ended meanwhile
                continue
            if line.startswith(str(self.program)) and str(self.folder) in line:
                found.append(int(entry.name))
        return sorted(found)

    def wait_for(self, condition, what, limit_s=20):
        end = time.monotonic() + limit_s
        while not condition():
            if time.monotonic() > end:
                self.fail(f"not within {limit_s} s: {what}")
            time.sleep(0.02)


def skip_where_nothing_can_be_launched(mpiexec):
    """A launcher that cannot even start `true` says nothing about us. It has three attempts:
    MPICH's failed once, without a word, in a run of all tests."""
    for attempt in range(3):
        time.sleep(attempt)
        try:
            ran = subprocess.run([mpiexec, "-n", "2", "true"], check=False, capture_output=True,
                                 text=True, timeout=60, env=ENVIRONMENT, stdin=subprocess.DEVNULL)
        except (OSError, subprocess.TimeoutExpired) as error:
            print(f"SKIP: {mpiexec} cannot start processes here: {error}")
            sys.exit(77)
        if ran.returncode == 0:
            return
    print(f"SKIP: {mpiexec} cannot start processes here:\n{ran.stderr}")
    sys.exit(77)


def main():
    """Runs the tests of the calling file; its arguments are BUILD MPIEXEC PROGRAM."""
    JobTest.build = pathlib.Path(sys.argv[1]).resolve()
    JobTest.mpiexec = sys.argv[2]
    JobTest.program = JobTest.build / sys.argv[3]
    ENVIRONMENT["LD_PRELOAD"] = str(JobTest.build / f"lib{JobTest.program.name}_yield.so")
    skip_where_nothing_can_be_launched(JobTest.mpiexec)
    unittest.main(argv=sys.argv[:1])
