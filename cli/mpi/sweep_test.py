"""Does a sweep under mpirun end with the same answers, whoever dies on the way?

Usage: python3 -m cli.mpi.sweep_test BUILD MPIEXEC PROGRAM
"""

import os
import re
import signal

from cli.mpi.job_for_test import JobTest, main, processes

STEPS = 800  # three points each: long enough that a job can be hit on its way
ALL = f"{3 * STEPS} points: {3 * STEPS} simulated, 0 from the store"
SWEEP = ("sweep", "study.yaml")


class SweepUnderMpi(JobTest):
    alone = None  # stdout and store of one process alone: simulated once for all tests

    def setUp(self):
        super().setUp()
        self.study(STEPS)
        if SweepUnderMpi.alone is None:
            out = self.ringscope(*SWEEP, "--verify", "0", "--csv", "x.csv").stdout
            SweepUnderMpi.alone = (out, self.read("x.csv"), self.rows())
            for name in ("x.csv", "study.sqlite"):
                (self.folder / name).unlink()

    def expect_as_alone(self, out):
        self.assertEqual((out, self.read("x.csv"), self.rows()), self.alone)

    def test_workers_take_part_and_the_answers_are_those_of_one_process(self):
        out, err = self.finish(self.start(*SWEEP, "--csv", "x.csv"))
        self.assertIn(ALL, err)
        self.assertIn(" s on 1 thread here and 2 in 2 other processes", err)
        self.expect_as_alone(out)

    def test_a_worker_that_is_killed_loses_nothing_and_comes_again(self):
        job = self.start(*SWEEP, "--csv", "x.csv")
        self.worker(1)
        self.wait_for_rows(job, 1)
        victim = self.kill_worker(1)
        self.assertNotEqual(self.worker(2), victim)
        out, err = self.finish(job)
        self.assertIn(ALL, err)
        self.expect_as_alone(out)

    def test_a_worker_that_hangs_loses_nothing(self):
        job = self.start(*SWEEP, "--csv", "x.csv")
        self.worker(2)
        self.wait_for_rows(job, 1)
        self.kill_worker(2, signal.SIGSTOP)
        out, _ = self.finish(job)
        self.expect_as_alone(out)

    def test_a_job_that_the_launcher_takes_down_goes_on_from_its_store(self):
        job = self.start(*SWEEP)
        self.worker(1)
        self.wait_for_rows(job, 1)
        relay = processes("relay", 1)[0]  # started by mpirun itself
        os.kill(relay, signal.SIGKILL)
        self.finish(job, code=None)
        self.assertNotEqual(job.returncode, 0)
        out, err = self.finish(self.start(*SWEEP, "--csv", "x.csv"))
        self.assertGreaterEqual(int(re.search(r"(\d+) from the store", err)[1]), 1)
        self.expect_as_alone(out)

    def test_a_dead_mpi_process_loses_nothing_where_the_launcher_lets_the_others_live(self):
        if not self.open_mpi:
            self.skipTest("mpirun --enable-recovery is Open MPI's")
        job = self.start(*SWEEP, "--csv", "x.csv", options=("--enable-recovery",))
        self.worker(1)
        self.wait_for_rows(job, 1)
        os.kill(processes("relay", 1)[0], signal.SIGKILL)
        out, _ = self.finish(job, code=None)
        self.expect_as_alone(out)

    def test_bad_input_is_said_once(self):
        self.study(1)
        _, err = self.finish(self.start(*SWEEP), code=1)
        self.assertEqual(err.count("expected a whole number from 2 to 1000000"), 1, err)


if __name__ == "__main__":
    main()
