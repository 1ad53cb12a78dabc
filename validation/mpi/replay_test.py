#!/usr/bin/python3
"""Does the text of every algorithm give the right result on real MPI, and do bad runs end well?

Usage: validation/mpi/replay_test.py BUILD MPIEXEC PROGRAM
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# More ranks than cores, as root, on one host: Open MPI wants to be told; MPICH ignores these.
ENVIRONMENT = {
    **os.environ,
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_btl": "self,vader",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "RINGSCOPE_DATA": str(ROOT),
}
SCENARIO = """question: is it right?
cluster: pair
library: ideal
placement: {ranks}
job: {{collective: {collective}, algorithm: {algorithm}, bytes: {bytes}}}
"""


class Replay(unittest.TestCase):
    build = mpiexec = program = None

    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)

    def replay(self, ranks, text, *more):
        scenario = self.folder / "x.yaml"
        scenario.write_text(text, encoding="utf-8")
        command = [self.mpiexec, "-n", str(ranks), str(self.program), "replay", str(scenario),
                   "--repetitions", "2", "--warmups", "1", *more]
        return subprocess.run(command, check=False, capture_output=True, text=True, timeout=100,
                              env=ENVIRONMENT, stdin=subprocess.DEVNULL)

    def algorithms(self, collective):
        listed = subprocess.run([str(self.build / "ringscope"), "list", "algorithms"], check=True,
                                capture_output=True, text=True).stdout
        names = [line.split()[1] for line in listed.splitlines() if line.startswith(collective)]
        # Debian's Open MPI hangs in many jobs with MPI_THREAD_MULTIPLE: tried by hand only.
        return [name for name in names if "threads" not in name]

    def test_every_allreduce_gives_the_right_sums(self):
        for ranks, size in ((3, "28 B"), (4, "40 kB")):
            for name in self.algorithms("allreduce"):
                with self.subTest(algorithm=name, ranks=ranks):
                    text = SCENARIO.format(ranks=ranks, collective="allreduce", algorithm=name,
                                           bytes=size)
                    ran = self.replay(ranks, text)
                    self.assertEqual(ran.returncode, 0, ran.stderr)
                    case = json.loads(ran.stdout)["measurements"][0]
                    self.assertEqual(case["what"], "allreduce")
                    self.assertEqual(case["parameters"]["algorithm"], name)
                    self.assertEqual(case["parameters"]["placement"], str(ranks))
                    self.assertEqual(len(case["samples_s"]), 2)
                    self.assertEqual(len(case["ranks"]), ranks)

    def test_the_file_has_exactly_the_documented_keys(self):
        text = SCENARIO.format(ranks="1-1", collective="pingpong", algorithm="blocking",
                               bytes="1 KiB")
        ran = self.replay(2, text, "-o", str(self.folder / "out.json"))
        self.assertEqual(ran.returncode, 0, ran.stderr)
        document = json.loads((self.folder / "out.json").read_text(encoding="utf-8"))
        keys = set(document) | {f"where.{key}" for key in document["where"]}
        keys |= {f"measurements[].{key}" for key in document["measurements"][0]}
        text = (ROOT / "validation" / "measurement.md").read_text(encoding="utf-8")
        listed = re.findall(r"^- (`[^:]*`):", text, re.MULTILINE)
        documented = set(re.findall(r"`([^`]+)`", " ".join(listed)))
        # Only a launcher can know what others used meanwhile.
        self.assertEqual(keys, documented - {"where.foreign_cores"})

    def test_the_document_says_what_it_was_told_of_the_cluster(self):
        text = SCENARIO.format(ranks=2, collective="pingpong", algorithm="blocking", bytes="8 B")
        ran = self.replay(2, text, "--link-bandwidth", "10 Gbit/s", "--emulated", "receive 8 ns/B")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        document = json.loads(ran.stdout)
        self.assertEqual((document["schema"], document["kind"]), (2, "replay"))
        where = document["where"]
        self.assertEqual(where["link_bandwidth"], "10 Gbit/s")
        self.assertEqual(where["emulated"], "receive 8 ns/B")
        self.assertEqual(len(where["hosts"]), 2)

    def test_a_link_bandwidth_without_a_unit_is_refused(self):
        text = SCENARIO.format(ranks=2, collective="pingpong", algorithm="blocking", bytes="8 B")
        ran = self.replay(2, text, "--link-bandwidth", "10")
        self.assertEqual(ran.returncode, 1)
        self.assertIn('--link-bandwidth:1:1: expected a bandwidth such as', ran.stderr)

    def test_the_calls_are_those_of_the_text(self):
        text = SCENARIO.format(ranks=2, collective="allreduce", algorithm="ring", bytes="1 MiB")
        ran = self.replay(2, text)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        for rank in json.loads(ran.stdout)["measurements"][0]["ranks"]:
            self.assertEqual(set(rank["seconds"]), {"irecv", "send", "wait", "reduce"})

    def test_another_number_of_ranks_is_refused_once_and_with_the_remedy(self):
        text = SCENARIO.format(ranks=4, collective="allreduce", algorithm="ring", bytes="1 MiB")
        ran = self.replay(2, text, "-o", str(self.folder / "out.json"))
        self.assertEqual(ran.returncode, 1)
        self.assertEqual(ran.stderr.count("the scenario places 4 ranks, and this MPI job has 2: "
                                          "start it with mpirun -n 4"), 1)
        self.assertFalse((self.folder / "out.json").exists())

    def test_half_a_float_is_refused(self):
        text = SCENARIO.format(ranks=2, collective="allreduce", algorithm="ring", bytes="6 B")
        ran = self.replay(2, text)
        self.assertEqual(ran.returncode, 1)
        self.assertIn("expected a whole number of floats of 4 B to replay, got 6 B", ran.stderr)

    def test_a_real_deadlock_is_cut_off_and_says_where_each_rank_is(self):
        text = SCENARIO.format(ranks=2, collective="exchange", algorithm="head_to_head",
                               bytes="16 MiB")
        ran = self.replay(2, text, "--timeout", "2", "-o", str(self.folder / "out.json"))
        self.assertEqual(ran.returncode, 3)
        self.assertRegex(ran.stderr, "timeout after 2 s: rank [01] is in .*send with rank [01]")
        self.assertFalse((self.folder / "out.json").exists())


def skip_where_nothing_can_be_launched(mpiexec):
    """A launcher that cannot even start `true` says nothing about us."""
    try:
        ran = subprocess.run([mpiexec, "-n", "2", "true"], check=False, capture_output=True,
                             text=True, timeout=60, env=ENVIRONMENT, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired) as error:
        print(f"SKIP mpi_replay: {mpiexec} cannot start processes here: {error}")
        sys.exit(77)
    if ran.returncode != 0:
        print(f"SKIP mpi_replay: {mpiexec} cannot start processes here:\n{ran.stderr}")
        sys.exit(77)


if __name__ == "__main__":
    Replay.build = pathlib.Path(sys.argv[1]).resolve()
    Replay.mpiexec = sys.argv[2]
    Replay.program = Replay.build / sys.argv[3]
    skip_where_nothing_can_be_launched(Replay.mpiexec)
    unittest.main(argv=sys.argv[:1])
