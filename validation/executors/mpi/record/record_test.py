# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does a record say what a program called, under this MPI?

Usage: python3 -m validation.executors.mpi.record.record_test BUILD MPIEXEC PROGRAM
"""

import json
import re
import shutil
import subprocess

from validation.executors.mpi.jobs_for_test import ENVIRONMENT, ROOT, JobTest, main

HALO, NUMBERS, TOLD = 1000, 100, 77  # bytes, doubles, bytes


class Records(JobTest):
    def setUp(self):
        super().setUp()
        self.trace = self.folder / "trace"

    def record(self, ranks, example, *words, more=()):
        """(exit code, standard output, standard error) of an example that is recorded."""
        return self.record_program(ranks, f"{self.program}_{example}", *words, more=more)

    def record_program(self, ranks, program, *words, more=()):
        return self.finish(self.launch(
            [self.mpiexec, "-n", str(ranks), str(self.program), "record", "-o", str(self.trace),
             *more, "--", str(program), *map(str, words)]))

    def recorded(self, ranks, example, *words, more=()):
        return self.recorded_program(ranks, f"{self.program}_{example}", *words, more=more)

    def recorded_program(self, ranks, program, *words, more=()):
        code, _, err = self.record_program(ranks, program, *words, more=more)
        self.assertEqual(code, 0, err)
        return [self.lines(rank) for rank in range(ranks)]

    def lines(self, rank):
        return (self.trace / f"calls.{rank}").read_text(encoding="utf-8").splitlines()

    def calls(self, lines):
        """Lines behind the head, calls without their times."""
        return [re.sub(r"^\d+ \d+ ", "", line) for line in lines[6:]]

    def named(self, lines, *names):
        return [call for call in self.calls(lines) if call.split()[0] in names]


class Halo(Records):
    def expected(self, rank, ranks, steps, any_source):
        left, right = (rank - 1) % ranks, (rank + 1) % ranks
        lines = ["communicator 0 0-3", f"communicator 1 {rank % 2},{rank % 2 + 2}",
                 "split gives=1", "barrier"]
        for first in range(0, 4 * steps, 4):
            asked = ("any", "any") if any_source else (left, right)
            lines += [f"irecv from={asked[0]} tag=1 room={HALO} request={first}",
                      f"irecv from={asked[1]} tag=2 room={HALO} request={first + 1}",
                      f"isend to={right} tag=1 bytes={HALO} request={first + 2}",
                      f"isend to={left} tag=2 bytes={HALO} request={first + 3}",
                      f"waitall done={first}:{left}:1:{HALO},{first + 1}:{right}:2:{HALO},"
                      f"{first + 2},{first + 3}",
                      f"allreduce bytes={8 * NUMBERS}", f"bcast bytes={TOLD} root=0 in=1"]
        return lines + ["barrier", "finalize"]

    def test_all_calls_stand_there_with_peers_tags_and_sizes(self):
        for any_source in (False, True):
            with self.subTest(any_source=any_source):
                words = (3, HALO, NUMBERS, TOLD, 100) + (("any",) if any_source else ())
                for rank, lines in enumerate(self.recorded(4, "halo", *words)):
                    self.assertEqual(self.calls(lines), self.expected(rank, 4, 3, any_source))

    def test_the_head_says_rank_library_program_and_clock(self):
        for clock, more in (("wall", ()), ("cpu", ("--clock", "cpu"))):
            lines = self.recorded(2, "halo", 1, 8, 1, 1, 0, more=more)[1]
            self.assertEqual(lines[:2], ["ringscope-calls 1", "rank 1 of 2"])
            self.assertRegex(lines[2], r"^host \S+$")
            self.assertRegex(lines[3], r"^mpi (Open MPI|MPICH)")
            build = self.program.parent.name
            self.assertEqual(lines[4:6], [f"program {build}/{self.program.name}_halo 1 8 1 1 0",
                                          f"clock {clock}"])

    def test_overlapped_computation_is_the_gap_before_the_wait(self):
        """The program spins for so long by its own clock: no less can have passed."""
        for lines in self.recorded(4, "halo", 5, HALO, NUMBERS, TOLD, 2000):
            gaps = [int(line.split()[0]) for line in lines if " waitall " in line]
            self.assertEqual(len(gaps), 5)
            self.assertGreaterEqual(min(gaps), 2e6)

    def test_a_shorter_job_leaves_nothing_of_a_longer_one(self):
        self.recorded(4, "halo", 1, 8, 1, 1, 0)
        self.recorded(2, "halo", 1, 8, 1, 1, 0)
        self.assertEqual(sorted(path.name for path in self.trace.iterdir()),
                         ["calls.0", "calls.1"])


class Calls(Records):
    def test_each_kind_of_call_is_told_apart(self):
        ranks = self.recorded(3, "calls")
        self.assertEqual(self.named(ranks[0], "sendrecv"),
                         ["sendrecv to=1 tag=3 bytes=10 from=2 from_tag=3 from_bytes=10"])
        self.assertEqual(self.named(ranks[0], "ssend"), ["ssend to=1 tag=4 bytes=40"])
        self.assertEqual(self.named(ranks[0], "send"),
                         ["send to=none tag=0 bytes=1", "send to=1 tag=5 bytes=32"])
        self.assertEqual(self.named(ranks[1], "recv", "probe"),
                         ["recv from=0 tag=4 bytes=40", "probe from=0 tag=5 bytes=32",
                          "recv from=0 tag=5 bytes=32"])

    def test_a_persistent_request_is_one_each_time_it_is_started(self):
        lines = self.recorded(3, "calls")[2]
        self.assertEqual(self.named(lines, "isend", "irecv", "waitall"), [
            "isend to=0 tag=6 bytes=20 request=0", "irecv from=1 tag=6 room=4096 request=1",
            "waitall done=0,1:1:6:20",
            "isend to=0 tag=6 bytes=20 request=2", "irecv from=1 tag=6 room=4096 request=3",
            "waitall done=2,3:1:6:20"])

    def test_tests_in_vain_are_one_line(self):
        lines = self.recorded(3, "calls")[0]
        calls = self.calls(lines)
        number = next(i for i, call in enumerate(calls) if call.startswith("poll "))
        self.assertGreaterEqual(int(calls[number].partition("calls=")[2]), 1)
        self.assertRegex(calls[number + 1], r"^test done=\d+:1:7:30$")
        self.assertEqual(len(self.named(lines, "poll")), 1)
        # Rank 1 sleeps for 100 ms before it sends; on a busy machine rank 0 begins late to ask.
        gap, took = map(int, lines[6 + number].split()[:2])
        self.assertGreaterEqual(gap + took, 20e6)

    def test_collectives_say_the_part_of_the_rank(self):
        for rank, lines in enumerate(self.recorded(3, "calls")):
            request = {0: 5, 1: 4, 2: 4}[rank]  # rank 0 has one more: the receive that it tests
            self.assertEqual(
                self.named(lines, "gather", "allgather", "allgatherv", "alltoallv",
                           "reduce_scatter", "iallreduce"),
                ["gather bytes=3 root=1", "allgather bytes=7", f"allgatherv bytes={rank + 1}",
                 "alltoallv parts=1,2,3", f"reduce_scatter bytes={rank + 1}",
                 f"iallreduce bytes=100 request={request}"])
            self.assertIn(f"wait done={request}", self.calls(lines))

    def test_communicators_have_numbers_and_members(self):
        for rank, lines in enumerate(self.recorded(3, "calls")):
            self.assertEqual(
                self.named(lines, "communicator", "dup", "create", "split"),
                ["communicator 0 0-2", "communicator 1 0-2", "dup gives=1", "communicator 2 0-2",
                 "create gives=2 in=1"] +
                (["communicator 3 0", "split gives=3 in=2"] if rank == 0
                 else ["split gives=none in=2"]))
            self.assertIn("barrier in=2", self.calls(lines))


class Fortran(Records):
    """Its calls come by ways of their own (recorder.hpp)."""

    def compiled(self, *options):
        compiler = shutil.which(str(self.mpiexec).replace("mpiexec", "mpifort"))
        if not compiler:
            self.skipTest(f"{self.mpiexec} has no mpifort beside it: Fortran is not tested")
        program = self.folder / "halo"
        source = ROOT / "validation" / "executors" / "mpi" / "record" / "example" / "halo.F90"
        made = subprocess.run([compiler, "-w", *options, "-o", program, source], check=False,
                              capture_output=True, text=True, env=ENVIRONMENT, timeout=60)
        if made.returncode != 0 and "mpi_f08" in made.stderr:
            self.skipTest(f"{compiler} has no module mpi_f08")
        self.assertEqual(made.returncode, 0, made.stderr)
        return program

    def test_a_program_is_recorded_as_the_same_one_in_c(self):
        words = (3, HALO, NUMBERS, TOLD)
        in_c = [self.calls(lines) for lines in self.recorded(4, "halo", *words, 0)]
        for options in ((), ("-DWITH_F08",)):
            with self.subTest(options=options):
                program = self.compiled(*options)
                for of_c, lines in zip(in_c, self.recorded_program(4, program, *words)):
                    # Behind the last barrier it has a broadcast of one number by MPI_BOTTOM.
                    self.assertEqual(self.calls(lines),
                                     of_c[:-1] + ["bcast bytes=8 root=0", "finalize"])

    def test_every_call_has_the_name_that_fortran_calls_too(self):
        if not shutil.which("nm"):
            self.skipTest("no nm to read the recorder's names with")
        listed = subprocess.run(["nm", "-D", "--defined-only",
                                 self.build / f"lib{self.program.name}_record.so"],
                                capture_output=True, text=True, check=True).stdout
        names = {line.split()[-1] for line in listed.splitlines()}
        calls = {name for name in names if name.startswith("MPI_")}
        self.assertIn("MPI_Send", calls)
        self.assertEqual({name for name in names if name.startswith("PMPI_")},
                         {"P" + name for name in calls})

    def test_a_program_whose_calls_are_not_seen_is_told(self):
        code, _, err = self.record(2, "calls", "past")
        self.assertEqual(code, 0, err)
        self.assertEqual(err.count("ringscope-mpi record: nothing of this program is recorded: it "
                                   "calls MPI by a way that the recorder does not see"), 2, err)
        self.assertFalse(any(self.trace.glob("calls.*")))


class Simulated(Records):
    """Recorded here, simulated on hosts that are not there."""

    def setUp(self):
        super().setUp()
        self.simulator = self.build / "ringscope"
        if not self.simulator.exists():
            self.skipTest("the simulator is not built")

    def simulate(self, ranks, trace, *more):
        file = self.folder / "recorded.yaml"
        file.write_text("question: how long?\ncluster: rack3\nlibrary: openmpi_tcp\n"
                        f"placement: {ranks - 1}-1\njob: {{trace: {trace}}}\n", encoding="utf-8")
        return subprocess.run([self.simulator, "run", file, "--json", self.output, *more],
                              capture_output=True, text=True, env=ENVIRONMENT, timeout=60,
                              check=False)

    def test_all_messages_and_bytes_of_the_program_are_sent(self):
        self.recorded(4, "halo", 3, HALO, NUMBERS, TOLD, 100)
        ran = self.simulate(4, f"{{files: {self.trace}, algorithms: "
                               "{allreduce: recursive_doubling, broadcast: binomial}}")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        case = json.loads(self.output.read_text(encoding="utf-8"))["cases"][0]
        # Each step: two halos of each rank, two rounds of doubling of each, one message in each
        # half. Three barriers of two rounds: one of them stands for the split.
        self.assertEqual(case["messages"], 3 * (8 + 8 + 2) + 3 * 8)
        self.assertEqual(case["bytes_on_wire"], 3 * (8 * HALO + 8 * 8 * NUMBERS + 2 * TOLD))
        self.assertGreaterEqual(case["time_s"], 3 * 100e-6)  # computed, and recorded as such

    def test_every_kind_of_call_has_its_partners(self):
        self.recorded(3, "calls")
        ran = self.simulate(3, self.trace)
        self.assertEqual(ran.returncode, 0, ran.stderr)

    def test_a_program_that_died_is_told_with_rank_and_last_call(self):
        self.record(3, "calls", "abort")
        ran = self.simulate(3, self.trace)
        self.assertEqual(ran.returncode, 1)
        self.assertRegex(ran.stderr, r"calls\.\d:\d+:1: the record of rank \d ends without "
                                     "'finalize': the program died, or has not ended yet"
                                     r"(; the last call that it names is \w+)?")  # it may name none

    def test_the_page_s_command_records(self):
        page = ROOT / "docs" / "how-to" / "record-my-program.md"
        text = page.read_text(encoding="utf-8")
        line, = re.findall(r"^mpirun -n 4 ringscope-mpi .*$", text, re.MULTILINE)
        words = line.split()
        self.assertEqual(words[:4], ["mpirun", "-n", "4", "ringscope-mpi"])
        self.assertEqual(words[-2:], ["./program", "100"])
        job = self.launch([self.mpiexec, "-n", "4", str(self.program),
                           *[str(self.trace) if word == "trace" else word for word in words[4:-2]],
                           f"{self.program}_halo", "1", "8", "1", "1", "0"])
        code, _, err = self.finish(job)
        self.assertEqual(code, 0, err)
        self.assertEqual(len(list(self.trace.iterdir())), 4)


class BadEnds(Records):
    def test_a_program_that_exits_without_finalize_leaves_what_it_called(self):
        self.record(3, "calls", "exit")
        # _exit, as a crash does, skips what a program does at its end: whole lines are missing, at
        # most those of the last moment.
        lines = self.lines(0)
        self.assertEqual(lines[:2], ["ringscope-calls 1", "rank 0 of 3"])
        self.assertNotIn("finalize", self.calls(lines))

    def test_a_program_that_aborts_leaves_all_that_it_called(self):
        code, _, _ = self.record(3, "calls", "abort")
        self.assertNotEqual(code, 0)
        self.assertRegex(self.calls(self.lines(1))[-1], "^barrier in=2$")

    def test_a_folder_that_cannot_be_made_is_said(self):
        self.folder.joinpath("trace").write_text("a file", encoding="utf-8")
        code, _, err = self.record(2, "halo", 1, 8, 1, 1, 0)
        self.assertNotEqual(code, 0)
        self.assertIn("trace: cannot be written: ", err)

    def test_a_program_that_is_not_there_is_said(self):
        code, _, err = self.record(2, "nothing")
        self.assertNotEqual(code, 0)
        self.assertIn("_nothing: cannot be started: No such file or directory", err)

    def test_a_program_of_another_mpi_is_refused(self):
        others = [name for name in ("ringscope-mpi", "ringscope-mpich", "ringscope-openmpi")
                  if name != self.program.name and (self.build / f"{name}_halo").exists()]
        if not others:
            self.skipTest("there is one MPI only")
        ran = subprocess.run(
            [self.program, "record", "-o", self.trace, "--", self.build / f"{others[0]}_halo"],
            capture_output=True, text=True, env=ENVIRONMENT, timeout=60, check=False)
        self.assertEqual(ran.returncode, 1)
        self.assertRegex(ran.stderr, "the program is linked with (MPICH|Open MPI).*, and this "
                                     "recorder is for (MPICH|Open MPI): take the one")


if __name__ == "__main__":
    main()
