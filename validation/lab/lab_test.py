# SPDX-License-Identifier: LGPL-2.1-or-later
"""Is the lab what it says: separate hosts, joined by cables of their own, and gone afterwards?

Usage: python3 -m validation.lab.lab_test BUILD
"""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
LAB = str(HERE / "ringscope-lab")
ALLOWED = pathlib.Path("/proc/sys/net/ipv4/tcp_allowed_congestion_control")
MIB = 2**20
PACKET = 1514  # bytes on an Ethernet, of a segment that TCP sends again
SCENARIO = """question: what does it take?
cluster: rack3
library: openmpi_tcp
placement: 1-1
job: {{collective: {collective}, algorithm: {algorithm}, bytes: {bytes}}}
"""


def lab(*words, timeout=100, more=None):
    """`more`: variables of its environment."""
    return subprocess.run([LAB, *map(str, words)], check=False, capture_output=True, text=True,
                          timeout=timeout, stdin=subprocess.DEVNULL, env=os.environ | (more or {}))


def running(length):
    """Ids of the processes that sleep for `length`: neither the lab nor a launcher, which have it
    on their command lines too."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if path.read_bytes() == f"sleep\0{length}\0".encode():
                found.append(int(path.parent.name))
    return found


def left_behind():
    """Traces that a lab must not leave."""
    found = [line for line in subprocess.run(
        ["ip", "netns", "list"], check=True, capture_output=True, text=True).stdout.splitlines()
        if line.startswith("ringscope-")]
    for place, pattern in (("/etc/netns", "ringscope-*"), ("/run", "ringscope-lab"),
                           ("/sys/fs/cgroup", "ringscope-lab"),
                           ("/sys/fs/cgroup", "*/ringscope-lab"), ("/dev/shm", "vader*host[0-9]*"),
                           ("/tmp", "ompi.host[0-9]*")):
        found += map(str, pathlib.Path(place).glob(pattern))
    return found


class Lab(unittest.TestCase):
    build = None
    allowed = ""

    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        self.addCleanup(self.nothing_is_left)

    def nothing_is_left(self):
        self.assertEqual(left_behind(), [])
        self.assertEqual(ALLOWED.read_text(), self.allowed)

    def scenario(self, collective, algorithm, size):
        path = self.folder / "x.yaml"
        path.write_text(SCENARIO.format(collective=collective, algorithm=algorithm, bytes=size))
        return path

    def replay_by_hand(self, placement, scenario, *more, program="ringscope-mpi", start="barrier"):
        """(wire, median in seconds) of five repetitions without a warm-up. Those that start by the
        clock are made again, and their bytes sent, where a rank of a busy machine is late."""
        report, output = self.folder / "report.json", self.folder / "out.json"
        for _ in range(2):  # MPICH's ranks seldom never leave MPI_Finalize
            ran = lab("run", "--placement", placement, "--build", self.build, "--report", report,
                      *more, "--timeout", 60, "--", self.build / program, "replay", scenario,
                      "--set", f"placement={placement}", "--repetitions", 5, "--max-repetitions", 5,
                      "--warmups", 0, "--start", start, "-o", output)
            if "in MPI_Finalize; the measurements are written" not in ran.stderr:
                break
        self.assertEqual(ran.returncode, 0, ran.stderr)
        median = json.loads(output.read_text())["measurements"][0]["median_s"]
        return json.loads(report.read_text())["wire"], median

    def start(self, *words):
        """A lab in the background whose job, a sleep of a length of its own, has begun."""
        length = f"{4000 + os.getpid() % 1000}.{time.monotonic_ns() % 1000}"
        job = subprocess.Popen([LAB, "run", "--placement", "1-1", "--build", str(self.build),
                                *words, "--", "sleep", length], stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        ends = time.monotonic() + 20
        while len(running(length)) < 2:
            self.assertLess(time.monotonic(), ends, "the job does not start")
            time.sleep(0.05)
        return job, length


class Wire(Lab):
    def test_ranks_of_one_host_do_not_use_the_wire(self):
        wire, _ = self.replay_by_hand("2-0", self.scenario("exchange", "bidirectional", "4 MiB"))
        for host in wire:
            self.assertLess(host["sent_bytes"], 10000)

    def test_a_ring_between_hosts_sends_what_the_algorithm_declares(self):
        wire, _ = self.replay_by_hand("1-1-1", self.scenario("allreduce", "ring", "3 MiB"),
                                      "--rate", "1 Gbit/s")
        declared = 5 * 2 * (3 - 1) / 3 * 3 * MIB
        for host in wire[1:]:  # host0 also hands out what the result has to be
            self.assertGreater(host["sent_bytes"], declared)
            self.assertLess(host["sent_bytes"], 1.05 * declared + PACKET * host["sent_again"])

    @unittest.skipUnless(shutil.which("mpirun.mpich"), "no MPICH here")
    def test_mpich_does_not_pass_by_the_wire_either(self):
        if not (self.build / "ringscope-mpich").exists():
            self.skipTest("ringscope-mpich is not built")
        wire, _ = self.replay_by_hand("1-1", self.scenario("exchange", "bidirectional", "4 MiB"),
                                      "--mpi", "mpich", program="ringscope-mpich")
        self.assertGreater(wire[1]["sent_bytes"], 5 * 4 * MIB)
        self.assertLess(wire[1]["sent_bytes"],
                        1.05 * 5 * 4 * MIB + PACKET * wire[1]["sent_again"])


class Ends(Lab):
    def test_a_failure_of_the_program_is_the_lab_s(self):
        ran = lab("run", "--placement", "1-1", "--build", self.build, "--", "sh", "-c", "exit 7")
        self.assertEqual(ran.returncode, 7)

    def test_a_job_that_hangs_is_ended(self):
        ran = lab("run", "--placement", "1-1", "--build", self.build, "--timeout", 1, "--",
                  "sleep", 1000)
        self.assertEqual(ran.returncode, 3)
        self.assertIn("ended after 1 s: sleep 1000 had not finished on 1-1", ran.stderr)

    def test_a_program_that_hangs_is_not_started(self):
        scenario = self.scenario("exchange", "head_to_head", "16 MiB")
        ran = lab("replay", scenario, "--placement", "1-1", "--build", self.build, "--timeout",
                  100, "-o", self.folder / "out.json")
        self.assertEqual(ran.returncode, 3)
        self.assertIn("not started: its sends would wait for each other", ran.stderr)
        self.assertFalse((self.folder / "out.json").exists())

    def test_an_interrupted_lab_takes_everything_down(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            job, length = self.start()
            job.send_signal(number)
            self.assertEqual(job.wait(20), 128 + number)
            self.assertEqual(running(length), [])
            self.nothing_is_left()

    def test_a_lab_that_is_interrupted_while_its_job_starts_takes_everything_down(self):
        for delay_s in (0, 0.05, 0.1, 0.2, 0.4):
            job = subprocess.Popen([LAB, "run", "--placement", "1-1", "--build", str(self.build),
                                    "--", "sleep", "4000"], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            ends = time.monotonic() + 20
            while not pathlib.Path("/run/ringscope-lab/tmp").exists():
                self.assertLess(time.monotonic(), ends, "the lab does not start")
                time.sleep(0.01)
            time.sleep(delay_s)
            job.terminate()
            self.assertEqual(job.wait(20), 128 + signal.SIGTERM)
            self.nothing_is_left()

    def test_the_next_lab_removes_what_a_killed_one_left(self):
        job, length = self.start()
        job.kill()
        job.wait()
        self.assertEqual(len(running(length)), 2)
        self.assertIn("left by a killed ringscope-lab", lab("status").stdout)
        ran = lab("run", "--placement", "1-1", "--build", self.build, "--", "true")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(running(length), [])

    def test_a_second_lab_is_refused_by_the_name_of_the_first(self):
        job, _ = self.start()
        for words in (("down",), ("run", "--placement", "2", "--", "true")):
            refused = lab(*words)
            self.assertEqual(refused.returncode, 1)
            self.assertIn(f"another ringscope-lab is at work: process {job.pid};", refused.stderr)
        job.terminate()
        job.wait(20)


class Stays(Lab):
    def test_a_lab_that_is_up_stays_until_it_is_taken_down(self):
        self.addCleanup(lab, "down")
        self.assertIn("3 hosts, 100 Mbit/s each way; stays until",
                      lab("up", "--hosts", 3, "--rate", "100Mbit/s").stdout)
        ran = lab("run", "--placement", "1-1", "--rate", "200 Mbit/s", "--build", self.build, "--",
                  "hostname")
        self.assertEqual(sorted(ran.stdout.split()), ["host0", "host1"])
        self.assertIn("3 hosts, 200 Mbit/s", lab("status").stdout)
        self.assertIn("the lab is up already", lab("up", "--hosts", 2).stderr)
        self.assertIn("has 3 hosts, and 4 are requested",
                      lab("run", "--placement", "1-1-1-1", "--", "true").stderr)
        self.assertEqual(lab("down").stdout, "no lab (nothing is left)\n")

    def test_a_campaign_goes_on_where_it_was(self):
        plan = self.folder / "campaign.yaml"
        plan.write_text("{launches: 2, repetitions: 2, groups: [{placements: [2-0, 1-1], "
                        "algorithms: [ring], sizes: [64 KiB]}]}")
        words = ("campaign", plan, "-o", self.folder / "out", "--build", self.build)
        ran = lab(*words)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(ran.stderr.count("spread"), 4)
        merged = self.folder / "out" / "ring-1-1-unshaped-64KiB.json"
        case = json.loads(merged.read_text())["measurements"][0]
        self.assertEqual(len(case["samples_s"]), 4)
        self.assertEqual([one["samples"] for one in case["launches"]], [2, 2])
        merged.unlink()
        (self.folder / "out" / "launches" / "ring-1-1-unshaped-64KiB.2.json").unlink()
        again = lab(*words)
        self.assertEqual((again.returncode, again.stderr.count("spread")), (0, 1), again.stderr)
        self.assertTrue(merged.exists())


def skip_where_there_can_be_no_lab(build):
    reasons = [("root", os.geteuid() == 0), ("the program ip", shutil.which("ip")),
               ("the program tc", shutil.which("tc")),
               ("Open MPI's mpirun", shutil.which("mpirun.openmpi") or shutil.which("mpirun")),
               ("ringscope-mpi", (build / "ringscope-mpi").exists())]
    for what, there in reasons:
        if not there:
            print(f"SKIP lab: needs {what}")
            sys.exit(77)
    if "no lab" not in lab("status").stdout:
        print(f"SKIP lab: there is one already: {lab('status').stdout}")
        sys.exit(77)
    tried = lab("run", "--placement", "1-1", "--rate", "100 Mbit/s", "--build", build, "--", "true")
    if tried.returncode != 0:
        print(f"SKIP lab: none can be made here: {tried.stderr}")
        sys.exit(77)


def begin(build):
    Lab.build = pathlib.Path(build).resolve()
    skip_where_there_can_be_no_lab(Lab.build)
    Lab.allowed = ALLOWED.read_text()


if __name__ == "__main__":
    begin(sys.argv[1])
    unittest.main(argv=sys.argv[:1])
