# SPDX-License-Identifier: LGPL-2.1-or-later
"""Do runs that go wrong on real MPI end soon, say why, and leave no file and no process?

Usage: python3 -m validation.executors.mpi.bad_runs_test BUILD MPIEXEC PROGRAM
"""

import json
import os
import re
import signal
import time

from validation.executors.mpi.jobs_for_test import JobTest, main
from validation.small_scenario_for_test import scenario

WITHOUT_END = ("--repetitions", "1000000", "--max-repetitions", "1000000")


# The rank's own code, or the signal by which MPICH's launcher kills the stopped rank: what it hears
# of first.
CUT_OFF = (3, signal.SIGKILL)


class BadRuns(JobTest):
    def no_output(self):
        self.assertEqual([path.name for path in self.folder.iterdir()], ["x.yaml"])

    def refused(self, ranks, text, message, *more):
        """One rank says so, once; the exit code is that of bad input."""
        code, _, err = self.replay(ranks, text, "-o", str(self.output), *more)
        self.assertEqual(code, 1)
        self.assertEqual(err.count(message), 1, err)
        self.no_output()

    def running(self, ranks, text, *more):
        """A job in the middle of its repetitions, and the processes of its ranks."""
        job = self.launch(self.command(ranks, text, "-o", str(self.output), *more))
        self.wait_for(lambda: len(self.ranks()) == ranks, "all ranks have started")
        time.sleep(1)
        return job, self.ranks()

    def test_another_number_of_ranks_is_refused_once_and_with_the_remedy(self):
        for wanted, started in ((4, 2), (2, 3)):
            self.refused(started, scenario(wanted),
                         f"the scenario places {wanted} ranks, and this MPI job has {started}: "
                         f"start it with mpirun -n {wanted}")

    def test_half_a_float_is_refused(self):
        self.refused(2, scenario(size="6 B"),
                     "expected a whole number of floats of 4 B to replay, got 6 B")

    def test_a_link_bandwidth_without_a_unit_is_refused(self):
        self.refused(2, scenario(), "--link-bandwidth:1:1: expected a bandwidth such as",
                     "--link-bandwidth", "10")

    def test_a_call_that_is_not_the_scenario_s_collective_is_refused(self):
        self.refused(2, scenario(2, "pingpong", "blocking"),
                     "expected the collective allreduce, for --call MPI_Allreduce, got pingpong",
                     "--call", "MPI_Allreduce")

    def both_send_first(self, size):
        return self.replay(2, scenario(2, "exchange", "head_to_head", size), "-o",
                           str(self.output))

    def test_sends_above_the_real_eager_limit_are_told_before_the_start(self):
        """The library of the scenario, ideal, has no limit."""
        code, _, err = self.both_send_first("16 MiB")
        self.assertEqual(code, 3)
        self.assertIn(
            "not started: its sends would wait for each other for ever: deadlock: rank 0 waits for "
            "rank 1 to receive 4194304 items (exchange, step 0); rank 1 waits for rank 0 to "
            "receive 4194304 items (exchange, step 0)", err)
        self.no_output()
        # On a busy machine a send that others delay passes for one above the limit.
        limit = int(re.search(r"up to its eager limit: (\d+) B within a host", err)[1])
        self.assertGreater(limit, 256)
        self.assertLess(limit, 16 << 20)

    def test_sends_below_the_real_eager_limit_are_replayed(self):
        code, _, err = self.both_send_first("256 B")
        self.assertEqual(code, 0, err)
        document = json.loads(self.output.read_text(encoding="utf-8"))
        self.assertEqual(len(document["measurements"]), 1)

    def test_an_operation_without_end_is_cut_off_and_named(self):
        job, pids = self.running(2, scenario(), "--stall", "2", *WITHOUT_END)
        os.kill(pids[1], signal.SIGSTOP)
        code, _, err = self.finish(job)
        self.assertIn(code, CUT_OFF)
        self.assertRegex(err, "timeout after 2 s: rank 0 is in ")
        self.no_output()

    def test_a_rank_that_hangs_is_cut_off_and_the_others_say_what_they_wait_for(self):
        job, pids = self.running(2, scenario(), "--timeout", "4", *WITHOUT_END)
        os.kill(pids[1], signal.SIGSTOP)
        code, _, err = self.finish(job)
        self.assertIn(code, CUT_OFF)
        self.assertRegex(err, "timeout after 4 s: rank [01] is in "
                              "(.* with rank [01]|the (start|end) of a repetition)")
        self.no_output()

    def test_a_rank_that_dies_ends_the_others(self):
        job, pids = self.running(2, scenario(), *WITHOUT_END)
        os.kill(pids[1], signal.SIGKILL)
        code, out, err = self.finish(job)
        # Only the launcher knows. Open MPI's ends with 128 + the signal, MPICH's with the signal.
        # It tells of the killed rank, or of one that missed it first and gave up.
        killed = r"signal 9|[Kk]illed"
        words = {128 + signal.SIGKILL: killed, signal.SIGKILL: killed,
                 signal.SIGABRT: r"Aborted \(signal 6\)"}
        self.assertIn(code, words)
        self.assertRegex(out + err, words[code])
        self.no_output()

    def test_a_wrong_result_names_rank_phase_step_and_item(self):
        command = self.command(3, scenario(3), "-o", str(self.output),
                               before=self.fault("wrong_item"))
        code, _, err = self.finish(self.launch(command))
        self.assertEqual(code, 4)
        self.assertRegex(err, r"wrong result: rank \d, item \d+ is .*, expected .*; "
                              r"last written by: (reduce-scatter|allgather), step \d, \w+")
        self.no_output()


if __name__ == "__main__":
    main()
