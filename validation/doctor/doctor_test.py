# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does `ringscope doctor` call healthy curves normal, and name the cause that was simulated?

Usage: python3 -m validation.doctor.doctor_test BUILD
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from validation.calibration.verdict.simulator import Simulator
from validation.doctor import curve, diagnosis, ranking, what_if
from validation.doctor.causes import CAUSES
from validation.doctor.judge import machines_for_test as machines
from validation.doctor.judge import program as judge
from validation.doctor.what_if import WhatIf

HERE = pathlib.Path(__file__).resolve().parent
PUBLISHED = HERE.parent / "published"
FIT = HERE.parent / "results/lab/fit.yaml"
BUILD = pathlib.Path(".")
ONE_HOST = machines.Machine("one host", "star8", "openmpi_tcp", "4", machines.RING, (2, 24))
MACHINES = {one.name: one for one in (*machines.MACHINES, ONE_HOST)}
TWO_HOSTS = "collective,algorithm,hosts,ranks_per_host,bytes,busbw_GBps\n" \
    "allreduce,ring,2,1,{size},{rate}\n"
CLUSTER = """about: two hosts with a GPU each
network: star
hosts: 2
link: {bandwidth: 100 Gbit/s, latency: 1 us}
host:
  type: pcie_tree
  sockets: 1
  cores: 4
  switch_uplink: {bandwidth: 31.5 GB/s, latency: 150 ns}
  gpu: {bandwidth: 31.5 GB/s, latency: 150 ns, memory_bandwidth: 1555 GB/s}
  nics: [{switch: 0, bandwidth: 31.5 GB/s, latency: 150 ns}]
"""


def of(cause: str):
    return next(one for one in CAUSES if one.name == cause)


class Cause(unittest.TestCase):
    """Measured is what the simulator says with a cause: the doctor has to find it."""

    def diagnosed(self, machine: str, cause: str, value, causes=CAUSES):
        asked = WhatIf(Simulator(str(BUILD / "ringscope")))
        found = machines.examined(asked, MACHINES[machine])
        changed = of(cause).scene(found.scene, value)
        for point, answer in zip(found.curve.points, asked.answers(changed.scenarios())):
            point.seconds = answer["time_s"] / point.divide
        found.first = ranking.abnormal(found.curve.points, found.errors)
        found.ranked = diagnosis.rank(asked, found, causes)
        return found

    def test_a_link_at_a_quarter_takes_four_times_as_long_and_is_found(self):
        found = self.diagnosed("two NUMA hosts, RDMA", "link-slow", 0.25)
        self.assertFalse(found.normal)
        self.assertAlmostEqual(found.curve.points[-1].ratio, 4, delta=0.05)
        # Nor can a ping-pong tell it from other narrow places on the way.
        self.assertIn("link-slow", [one.name for one in ranking.alike(found.ranked)])
        best = next(one for one in found.causes if one.name == "link-slow")
        self.assertEqual(best.words, "it carries 25 % of its rate")

    def test_a_core_that_pushes_both_ways_is_found(self):
        found = self.diagnosed("eight hosts, TCP", "core-both-ways", 1.6e-9)
        self.assertIn("core-both-ways", [one.name for one in found.causes[:2]])

    def test_shared_memory_that_is_off_is_found(self):
        some = [of(name) for name in ("shm-off", "high-latency", "straggler", "eager-limit")]
        found = self.diagnosed("one host", "shm-off", "network", some)
        self.assertEqual(found.causes[0].name, "shm-off")
        self.assertIn("--mca btl self,tcp", found.causes[0].words)

    def test_peers_that_do_not_reach_each_other_are_found(self):
        some = [of(name) for name in ("no-peer-access", "straggler", "nvlink-slow", "acs-on")]
        found = self.diagnosed("four V100 behind PCIe", "no-peer-access", 0.25, some)
        self.assertEqual(found.causes[0].name, "no-peer-access")

    def test_healthy_curves_with_noise_are_normal(self):
        asked = WhatIf(Simulator(str(BUILD / "ringscope")))
        for seed in range(1, 6):
            found = machines.healthy(asked, seed, False).diagnosis
            self.assertIsNone(ranking.abnormal(found.curve.points, found.errors), seed)

    def test_an_allgather_of_nccl_passes_half_of_an_allreduce(self):
        job, divide, factor = curve.rings_of("allgather", {"bytes": "8 B"}, 4, True)
        self.assertEqual((job["collective"], divide, factor), ("allreduce", 2, 3 / 4))
        job, divide, factor = curve.rings_of("broadcast", {"bytes": "8 B"}, 4, True)
        self.assertEqual((divide, factor), (2 * 3 / 4, 1))

    def test_what_passes_a_part_of_an_allreduce_waits_for_all_launches_of_its_own(self):
        for name, launches in (("allgather", 2 * 4), ("broadcast", 2 * 3)):
            job, divide, _ = curve.rings_of(name, {"options": {"gpus_per_thread": 4}}, 4, True)
            self.assertEqual(job["options"], {"algorithm": "ring", "gpus_per_thread": launches})
            self.assertEqual(launches / divide, 4)

    def test_the_pace_of_a_thread_that_launches_eight_kernels_is_normal(self):
        simulator = Simulator(str(BUILD / "ringscope"))
        machine = {"cluster": "h100_nvswitch", "placement": {"hosts": "8", "on": "gpu"}}
        sizes = [8 << (4 * i) for i in range(6)]
        asked = [{"question": "?", **machine, "library": "nccl_h100",
                  "job": {"collective": "allreduce", "algorithm": "nccl", "bytes": f"{size} B",
                          "options": {"gpus_per_thread": 8}}} for size in sizes]
        seconds = [answer["time_s"] for answer in WhatIf(simulator).answers(asked)]
        rows = "".join(f"{size} {size // 4} float sum -1 {1e6 * time:.2f} 0 0 0\n"
                       for size, time in zip(sizes, seconds))
        devices = "".join(f"#  Rank {i} Pid 1 on a device {i} [0x{i}d] NVIDIA H100\n"
                          for i in range(8))
        for each, normal in ((8, True), (1, False)):
            with tempfile.TemporaryDirectory() as folder:
                log = pathlib.Path(folder) / "x.log"
                log.write_text("# nccl-tests version 2.13.8 nccl-library=22203\n"
                               "# Collective test starting: all_reduce_perf\n"
                               f"# nThread 1 nGpus {each} minBytes 8 maxBytes 8\n{devices}"
                               "# size count type redop root time algbw busbw #wrong\n"
                               f"# (B) (elements) (us) (GB/s) (GB/s)\n{rows}"
                               "# Avg bus bandwidth : 0\n", encoding="utf-8")
                found = judge.read(WhatIf(simulator), log, "h100_nvswitch")
            first = ranking.abnormal(found.curve.points, found.errors)
            self.assertEqual(first is None, normal)


class Long(unittest.TestCase):
    FORCED = {"job": {"collective": "allreduce", "algorithm": "nccl", "bytes": f"{1 << 30} B",
                      "options": {"protocol": "LL"}}}

    def test_a_vector_that_takes_minutes_is_told_by_two_that_do_not(self):
        parts_ = what_if.affordable(self.FORCED)
        self.assertEqual([what_if.bytes_of(one) for one in parts_], [16 << 20, 32 << 20])
        # 1 ms and 10 ns for each KiB
        answers = [{"time_s": 1e-3 + 1e-8 * what_if.bytes_of(one) / 1024, "busbw": 1.0}
                   for one in parts_]
        told = what_if.told(self.FORCED, parts_, answers)
        self.assertAlmostEqual(told["time_s"], 1e-3 + 1e-8 * (1 << 20))

    def test_others_are_simulated_as_they_are(self):
        for name in ("ring", "nccl"):
            scenario = {"job": {"algorithm": name, "bytes": f"{1 << 30} B"}}
            self.assertEqual(what_if.affordable(scenario), [scenario])

    def test_what_changes_a_long_vector_of_nccl_is_seen_of_a_shorter_one(self):
        for name, size in (("ring", 1 << 30), ("nccl", 256 << 20)):
            scenario = {"job": {"algorithm": name, "bytes": f"{1 << 30} B"}}
            self.assertEqual(what_if.bytes_of(what_if.shortened(scenario)), size)
        self.assertEqual(what_if.bytes_of(what_if.shortened(self.FORCED)), 32 << 20)

    def test_late_ranks_and_other_jobs_are_seen_of_the_shortest_vectors(self):
        job = {"algorithm": "nccl", "bytes": f"{1 << 30} B"}
        for scenario, size in (({"job": {**job, "skew": "1 ms"}}, 1 << 20),
                               ({"job": job, "neighbours": {"a": {}}}, 64 << 20),
                               ({**self.FORCED, "neighbours": {"a": {}}}, 32 << 20)):
            self.assertEqual(what_if.bytes_of(what_if.shortened(scenario)), size)

    def test_hosts_that_copy_are_told_by_two_short_vectors_unless_exact(self):
        job = {"algorithm": "nccl", "bytes": f"{1 << 28} B"}
        for rate, gpudirect, sizes in (("1.25 GB/s", False, [8 << 20, 16 << 20]),
                                       ("1.5 GB/s", False, [1 << 28]),
                                       ("1.25 GB/s", True, [1 << 28])):
            host = {"gpudirect": gpudirect, "nics": [{}] * 8}
            scenario = {"job": job, "cluster": {"host": host, "link": {"bandwidth": rate}}}
            parts_ = what_if.affordable(scenario, exact=False)
            self.assertEqual([what_if.bytes_of(one) for one in parts_], sizes)
            self.assertEqual(what_if.affordable(scenario), [scenario])


class Program(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "two.yaml").write_text(CLUSTER, encoding="utf-8")

    def doctor(self, *words):
        environment = os.environ | {"RINGSCOPE": str(BUILD / "ringscope"),
                                    "XDG_CACHE_HOME": str(self.folder)}
        return subprocess.run([HERE / "doctor", *map(str, words)], capture_output=True, text=True,
                              check=False, env=environment)

    def quoted(self, size: int, rate: float) -> pathlib.Path:
        log = self.folder / "quoted.csv"
        log.write_text(TWO_HOSTS.format(size=size, rate=rate), encoding="utf-8")
        return log

    def test_a_published_healthy_curve_is_normal(self):
        ran = self.doctor(PUBLISHED / "nccl" / "h100-1-host-all_reduce.log", "h100x4_nvlink")
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        self.assertIn("\nNormal: 26 points, ", ran.stdout)

    def expected(self, devices: str, ratio: float, library: str = "nccl_h100") -> dict:
        """The document for a log of four GPUs that take so many times what is simulated."""
        sizes = [1 << power for power in (12, 16, 20, 24, 28)]
        scenario = {"question": "?", "cluster": "h100_nvswitch", "library": library,
                    "placement": {"hosts": "4", "on": "gpu"},
                    "job": {"collective": "allreduce", "algorithm": "nccl",
                            "options": {"gpus_per_thread": 1}}}
        answers = WhatIf(Simulator(str(BUILD / "ringscope"))).answers(
            [{**scenario, "job": {**scenario["job"], "bytes": f"{size} B"}} for size in sizes])
        rows = "".join(f"{size} {size // 4} float sum -1 {1e6 * ratio * one['time_s']:.3f} 0 0 0\n"
                       for size, one in zip(sizes, answers))
        gpus = "".join(f"#  Rank {i} Group 0 Pid {i} on a device {i} [0x{i}d] {devices}\n"
                       for i in range(4))
        log = self.folder / "x.log"
        log.write_text("# nccl-tests version 2.13.8 nccl-library=23105\n"
                       "# Collective test starting: all_reduce_perf\n"
                       f"# nThread 1 nGpus 1 minBytes 8 maxBytes 8\n{gpus}"
                       "# size count type redop root time algbw busbw #wrong\n"
                       f"# (B) (elements) (us) (GB/s) (GB/s)\n{rows}"
                       "# Avg bus bandwidth : 0\n", encoding="utf-8")
        ran = self.doctor(log, "h100_nvswitch", "--library", library, "--json", "-")
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        return json.loads(ran.stdout)

    def test_normal_is_the_librarys_spread_of_gpus_that_it_was_measured_on(self):
        # All shipped bands of one host, made WIDER, hold 1.1, and none holds 0.45 or 2.3.
        for ratio, normal in ((1.1, True), (2.3, False), (0.45, False)):
            said = self.expected("NVIDIA H100", ratio)
            self.assertEqual((said["model_error"], said["normal"]), ("spread", normal), ratio)
            for point in said["points"]:
                self.assertAlmostEqual(point["ratio"], ratio, delta=0.01)
                self.assertEqual(point["normal"], point["low"] <= point["ratio"] <= point["high"])
        self.assertEqual(self.expected("NVIDIA H200", 1.7)["model_error"], "spread")
        other = self.expected("NVIDIA RTX 5090", 1.7)
        self.assertEqual((other["model_error"], other["verdict"]),
                         ("scaled from data sheet", "cannot tell"))
        self.assertIsNone(other["first"])

    def test_the_card_is_normal_and_a_third_of_it_is_not(self):
        # A ring of two: the bus bandwidth is at most that of the card, 12.5 GB/s.
        ran = self.doctor(self.quoted(1 << 30, 12.4), self.folder / "two.yaml")
        self.assertIn("\nNormal: ", ran.stdout, ran.stderr)
        ran = self.doctor(self.quoted(1 << 30, 4.1), self.folder / "two.yaml")
        self.assertIn("\nNot normal from 1 GiB on: ", ran.stdout, ran.stderr)
        self.assertIn("These data do not distinguish: ", ran.stdout)

    def test_a_machine_that_is_faster_than_described_is_blamed_on_nothing(self):
        # A card of 100 Gbit/s, and a log of one of 400.
        ran = self.doctor(self.quoted(1 << 30, 49.0), self.folder / "two.yaml", "--json",
                          self.folder / "out.json")
        self.assertIn("The machine is faster than described", ran.stdout, ran.stderr)
        self.assertIn("No cause is named: ", ran.stdout)
        self.assertNotIn("   $ ", ran.stdout)
        said = json.loads((self.folder / "out.json").read_text(encoding="utf-8"))
        self.assertFalse(said["explained"])

    def test_log_text_is_escaped_for_the_terminal(self):
        log = self.quoted(1 << 30, 12.4)
        with open(log, "a", encoding="utf-8") as file:
            file.write("# h0:1:2 [0] NCCL INFO Using network Socket \x1b]0;$(reboot)\n")
        ran = self.doctor(log, self.folder / "two.yaml")
        self.assertIn("The log states tcp", ran.stdout, ran.stderr)
        self.assertIn("\\x1b]0;$(reboot)", ran.stdout)
        self.assertNotIn("\x1b", ran.stdout + ran.stderr)

    def test_marks_of_the_table_are_told(self):
        ran = self.doctor(self.quoted(1 << 30, 4.1), self.folder / "two.yaml")
        self.assertIn("\n>  ", ran.stdout)
        self.assertIn("\n> from here on not normal\n", ran.stdout)
        self.assertRegex(ran.stdout, r"\n   \$ mpirun -np \d+ ")  # what would tell, to be copied
        ran = self.doctor(self.quoted(1 << 30, 12.4), self.folder / "two.yaml")
        self.assertNotIn("\n> ", ran.stdout)

    def test_copies_between_gpus_are_read_and_slow_peers_found(self):
        case = HERE / "cases" / "nccl-814"
        ran = self.doctor(case.with_suffix(".log"), case.with_suffix(".yaml"), "--json",
                          self.folder / "out.json", "--figure", self.folder / "out.svg")
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        said = json.loads((self.folder / "out.json").read_text(encoding="utf-8"))
        self.assertFalse(said["normal"])
        self.assertEqual(said["causes"][0]["name"], "slow-peer-copies")
        self.assertAlmostEqual(sum(one["probability"] for one in said["causes"]), 1)
        self.assertEqual(len(said["points"]), 60)
        # 40 MB at 9.9 GB/s: the writes, and the reads of the other way, of each pair.
        self.assertAlmostEqual(min(one["busbw"] for one in said["points"]
                                   if "host" not in one["series"]) / 1e9, 9.6, delta=0.1)
        self.assertIn("<svg", (self.folder / "out.svg").read_text(encoding="utf-8"))

    def test_a_picture_of_no_known_kind_is_refused(self):
        ran = self.doctor(self.quoted(1 << 30, 12.4), self.folder / "two.yaml", "--figure",
                          self.folder / "out.gif")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("expected a name that ends in", ran.stderr)

    def test_the_known_causes_are_listed(self):
        ran = self.doctor("--list-causes")
        self.assertEqual(ran.returncode, 0)
        for one in CAUSES:
            self.assertIn(f"{one.name}: {one.title}\n", ran.stdout)

    def test_bad_input_is_refused_with_its_place(self):
        log = self.quoted(1 << 30, 12.4)
        for words, said in (((log, self.folder / "none.yaml"), "none.yaml: cannot be read"),
                            ((self.folder / "none.log", "pair"), "none.log: cannot be read"),
                            ((log,), "expected LOG... and --cluster CLUSTER"),
                            ((log, "pair", "--noise", "5"), "expected a percentage"),
                            ((log, "pair", "--library", "nccl_a1000"), "nccl_a1000"),
                            ((log, "--model", FIT, "--library", "rdma"), "got --library, too"),
                            ((log, self.folder / "quoted.csv"), "expected a map")):
            ran = self.doctor(*words)
            self.assertEqual(ran.returncode, 1, words)
            self.assertIn(said, ran.stderr)
            self.assertNotIn("Traceback", ran.stderr)


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv.pop(1))
    unittest.main()
