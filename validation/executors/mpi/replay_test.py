# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does the program of every algorithm give the right result on real MPI, and is the time right?

Usage: python3 -m validation.executors.mpi.replay_test BUILD MPIEXEC PROGRAM
"""

import json
import re
import subprocess

from validation.executors.mpi.jobs_for_test import ROOT, JobTest, main
from validation.small_scenario_for_test import scenario


OF_PROBES_ONLY = {"where.cores", "where.foreign_cores"}
OF_GPUS_ONLY = {"where.devices", "where.driver", "where.link_kind",
                "where.environment"} | {
    f"measurements[].{key}" for key in (
        "path", "host_memory", "segment_bytes", "buffers", "progress")}

LLM = """question: is it right?
cluster: pair
library: ideal
placement: 4
job:
  program: llm
  groups: {tp: 2, pp: 1}
  options:
    model: {layers: 2, hidden: 16, heads: 2, sequence: 8}
    gpu: {flops: 1e12, memory_bandwidth: 1 TB/s}
    micro_batches: 2
"""
PROGRAM = """question: is it right?
cluster: pair
library: ideal
placement: 4
job:
  groups: {order: x-y, x: 2, y: 2, some: [3, 0, 1]}
  program:
    - repeat: 3
      index: i
      steps:
        - {allreduce: 40 kB, group: x}
        - {allreduce: 4 kB * (i + 1), group: y, algorithm: recursive_doubling}
        - together:
            - {send: 400 B, to: next, group: x, around: true}
            - {receive: 400 B, from: previous, group: x, around: true}
        - {broadcast: 8 kB, group: some, options: {root: 1}}
    - {allgather: 40 kB, group: all}
"""


class Replay(JobTest):
    def measured(self, ranks, text, *more):
        """The document of a replay that must succeed."""
        code, out, err = self.replay(ranks, text, *more)
        self.assertEqual(code, 0, err)
        return json.loads(out)

    def algorithms(self, collective, nonblocking=False):
        """Those of one thread: Debian's Open MPI hangs in many jobs with MPI_THREAD_MULTIPLE, which
        is tried by hand only; with non-blocking collectives of ours or without."""
        listed = subprocess.run(
            [str(self.build / "ringscope"), "list", "algorithms", "--json", "-"], check=True,
            capture_output=True, text=True).stdout
        return [one["algorithm"] for one in json.loads(listed)["algorithms"]
                if one["collective"] == collective and one["threads"] == 1
                and "threads" not in one["options"] and (one["nonblocking"] > 0) == nonblocking]

    def test_every_allreduce_gives_the_right_sums(self):
        for ranks, size in ((3, "28 B"), (4, "40 kB")):
            for name in self.algorithms("allreduce"):
                with self.subTest(algorithm=name, ranks=ranks):
                    text = scenario(ranks, algorithm=name, size=size)
                    case = self.measured(ranks, text)["measurements"][0]
                    self.assertEqual(case["what"], "allreduce")
                    self.assertEqual(case["parameters"]["algorithm"], name)
                    self.assertEqual(case["parameters"]["placement"], str(ranks))
                    self.assertEqual(len(case["samples_s"]), 2)
                    self.assertEqual(len(case["ranks"]), ranks)

    def test_collectives_beside_the_call_are_refused(self):
        names = self.algorithms("allreduce", nonblocking=True)
        self.assertIn("han", names)
        for name in names:
            with self.subTest(algorithm=name):
                code, _, err = self.replay(4, scenario(4, algorithm=name))
                self.assertEqual(code, 1)
                self.assertIn("a non-blocking collective of ours cannot be replayed: its steps are "
                              "no calls of MPI", err)

    def test_groups_of_a_program_give_the_right_data(self):
        """Groups of MPI_Comm_split (llm: tensor and data), and such as a program names."""
        for text in (LLM, PROGRAM):
            case = self.measured(4, text)["measurements"][0]
            self.assertEqual(len(case["ranks"]), 4)

    def test_the_file_has_exactly_the_documented_keys(self):
        text = scenario("1-1", "pingpong", "blocking", "1 KiB")
        code, _, err = self.replay(2, text, "--phases", "-o", str(self.output))
        self.assertEqual(code, 0, err)
        document = json.loads(self.output.read_text(encoding="utf-8"))
        keys = set(document) | {f"where.{key}" for key in document["where"]}
        keys |= {f"measurements[].{key}" for key in document["measurements"][0]}
        text = (ROOT / "validation" / "measurement.md").read_text(encoding="utf-8")
        listed = re.findall(r"^\| (`(?:schema|kind|where|measurements)[^|]*`) \|", text,
                            re.MULTILINE)
        documented = set(re.findall(r"`([^`]+)`", " ".join(listed)))
        # Only a launcher can know what others used meanwhile.
        self.assertEqual(keys, documented - OF_PROBES_ONLY - OF_GPUS_ONLY)

    def test_the_document_says_what_it_was_told_of_the_cluster(self):
        text = scenario(2, "pingpong", "blocking", "8 B")
        document = self.measured(2, text, "--link-bandwidth", "10 Gbit/s",
                                 "--emulated", "receive 8 ns/B")
        self.assertEqual((document["schema"], document["kind"]), (2, "replay"))
        where = document["where"]
        self.assertEqual(where["link_bandwidth"], "10 Gbit/s")
        self.assertEqual(where["emulated"], "receive 8 ns/B")
        self.assertEqual(len(where["hosts"]), 2)

    def test_the_calls_are_those_of_the_text_and_take_no_longer_than_it(self):
        case = self.measured(2, scenario(), "--phases")["measurements"][0]
        for rank in case["ranks"]:
            self.assertEqual(set(rank["seconds"]), {"irecv", "send", "wait", "reduce"})
            self.assertLess(sum(rank["seconds"].values()), max(case["samples_s"]))
            self.assertGreater(rank["cpu_s"], 0)

    def test_every_step_of_every_phase_is_timed_on_request(self):
        ranks = 3
        case = self.measured(ranks, scenario(ranks), "--phases")["measurements"][0]
        for rank in case["ranks"]:
            steps = [(step["phase"], step["step"]) for step in rank["phases"]]
            # A ring of P ranks makes P - 1 steps in each of its two phases.
            self.assertEqual(steps, [(phase, step) for phase in ("reduce-scatter", "allgather")
                                     for step in range(ranks - 1)])
            self.assertLess(sum(step["seconds"] for step in rank["phases"]),
                            max(case["samples_s"]))

    def test_both_ways_to_start_are_told(self):
        for mode in ("clock", "barrier"):
            document = self.measured(2, scenario(), "--start", mode)
            self.assertTrue(document["where"]["start"].startswith(mode))
            self.assertEqual(document["measurements"][0]["start"], mode)

    def test_ranks_whose_clocks_differ_by_far_start_together_all_the_same(self):
        ahead = ["unshare", "--time", "--fork", "--monotonic", "1000"]
        if subprocess.run([*ahead, "true"], check=False, capture_output=True).returncode != 0:
            self.skipTest("a clock of one's own needs a Linux with time namespaces, and root")
        more = ("--repetitions", "2", "--max-repetitions", "2", "-o", str(self.output))
        first = self.command(1, scenario(), *more)
        second = self.command(1, scenario(), *more, before=ahead)[1:]
        code, _, err = self.finish(self.launch([*first, ":", *second]))
        self.assertEqual(code, 0, err)
        document = json.loads(self.output.read_text(encoding="utf-8"))
        self.assertRegex(document["where"]["start"], r"^clock, offsets within \d+\.\d us$")
        for sample in document["measurements"][0]["samples_s"]:
            self.assertGreater(sample, 0)
            self.assertLess(sample, 10)

    def test_a_rank_that_always_misses_the_start_makes_it_a_barrier_and_that_is_told(self):
        command = self.command(2, scenario(), "--repetitions", "2", "--max-repetitions", "2",
                               before=self.fault("late"))
        code, out, err = self.finish(self.launch(command))
        self.assertEqual(code, 0, err)
        case = json.loads(out)["measurements"][0]
        self.assertEqual((case["start"], len(case["samples_s"])), ("barrier", 2))
        # 1 ms of notice, doubled until it is more than 250 ms; one of the eight is the warm-up.
        self.assertEqual(case["missed_starts"], 7)
        self.assertNotIn("start_spread_s", case)

    def test_repetitions_end_for_the_reason_that_is_told(self):
        for more, reason, count in (
                (("--precision", "1e6", "--max-repetitions", "50"), "precision", 6),
                (("--precision", "1e-9", "--max-repetitions", "9"), "repetitions", 9),
                (("--precision", "1e-9", "--budget", "1e-9"), "budget", 6)):
            command = self.command(2, scenario(), "--repetitions", "6", *more)
            code, out, err = self.finish(self.launch(command))
            self.assertEqual(code, 0, err)
            case = json.loads(out)["measurements"][0]
            self.assertEqual((case["stopped_by"], len(case["samples_s"])), (reason, count))

    def test_the_library_s_own_collective_takes_the_place_of_the_text(self):
        case = self.measured(4, scenario(4), "--call", "MPI_Allreduce")["measurements"][0]
        self.assertEqual(case["name"], "x MPI_Allreduce")
        self.assertEqual(case["parameters"]["algorithm"], "")
        for rank in case["ranks"]:
            self.assertEqual(set(rank["seconds"]), {"MPI_Allreduce"})


if __name__ == "__main__":
    main()
