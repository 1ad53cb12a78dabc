# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does `ringscope doctor` answer, or report the one thing that is missing, whatever the log is of?

Usage: python3 -m validation.doctor.logs_test BUILD
"""

import contextlib
import io
import os
import pathlib
import re
import sys
import tempfile
import unittest
from unittest import mock

from common.programs import InputError
from validation.calibration.imports import collectives
from validation.calibration.imports.findings import Given
from validation.calibration.verdict.simulator import Simulator
from validation.doctor import curve, inputs, program, text
from validation.doctor.scenario import parts

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(".")
LIBRARIES, CLUSTERS = parts.names_of("library"), parts.names_of("cluster")
GPU = re.compile(r"\b(?:GH200|G?B[123]00|H[12]00|A100|V100|GTX \d+(?: Ti)?|RTX \d+)\b")
MORE = ("GH200 480GB", "H100 PCIe", "H20", "B200", "GB200", "B300 SXM6 AC", "A800-SXM4-80GB",
        "A10G", "L40S", "L4", "Tesla T4", "GeForce RTX 5090", "AMD Instinct MI300X", "")
HEAD = "# all_reduce_perf\n# nThread 1 nGpus 1 minBytes 8 maxBytes 8\n"
TABLE = ("#  size count type redop root time algbw busbw #wrong\n"
         "#  (B) (elements) (us) (GB/s) (GB/s)\n")
ROWS = ("1048576 262144 float sum -1 90.0 11.65 {0} 0\n"
        "4194304 1048576 float sum -1 190.0 22.08 {0} 0\n")
IMB = ("# Benchmarking {}\n# #processes = {}\n"
       "  #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n"
       "       0         1000         0.10         0.15         0.12\n"
       "    1024         1000         9.00        10.00         9.50\n")


def log_of(device: str, hosts: int = 1, each: int = 2, rows: str = ROWS.format("0")) -> str:
    lines = [f"#  Rank {host * each + gpu} Pid 1 on h{host} device {gpu} [0x0{gpu}] {device}\n"
             for host in range(hosts) for gpu in range(each)]
    return HEAD + "".join(lines) + TABLE + rows + "# Avg bus bandwidth : 1\n"


def gpus_named() -> set:
    """The GPUs that shipped profiles and clusters name in what they are about."""
    found = set()
    for kind, names in (("library", LIBRARIES), ("cluster", CLUSTERS)):
        for name in names:
            found |= set(GPU.findall(str(parts.load(parts.path_of(kind, name)).get("about"))))
    return found


class Doctor(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.simulator = Simulator(str(BUILD / "ringscope"))

    def diagnosed(self, log: str, cluster: str, *words) -> str:
        path = self.folder / "x.log"
        path.write_text(log, encoding="utf-8")
        with mock.patch.object(sys, "argv", ["doctor", str(path), cluster, "--no-store", *words]), \
                contextlib.redirect_stderr(io.StringIO()):
            found = program.diagnose(self.simulator, program.arguments())
        return text.text(found)

    def refused(self, log: str, cluster: str, *words) -> str:
        with self.assertRaises(InputError) as caught:
            self.diagnosed(log, cluster, *words)
        return str(caught.exception)


class Profiles(Doctor):
    def test_every_shipped_name_is_resolved(self):
        for name in LIBRARIES:
            self.assertIn("network", parts.resolved("library", name), name)
        for name in CLUSTERS:
            self.assertIn("network", parts.resolved("cluster", name), name)

    def test_every_gpu_of_a_shipped_name_gets_an_answer(self):
        named = gpus_named()
        self.assertLessEqual({"A100", "H100", "H200", "V100", "GTX 1080 Ti"}, named)
        hosts = [name for name in CLUSTERS
                 if inputs.Scene(parts.resolved("cluster", name), {}, []).gpus > 1]
        for device in sorted(named):
            own = [name for name in hosts if device.split()[0].lower() in name] or hosts[:2]
            for cluster in {own[0], own[-1], "dgx1v", "h100_nvswitch"}:
                said = self.diagnosed(log_of(f"NVIDIA {device}"), cluster)
                self.assertRegex(said, r"\n(Normal|Not |Cannot tell: the log is of)",
                                 (device, cluster))

    def test_every_other_gpu_gets_an_answer_and_a_word(self):
        for device in MORE:
            said = self.diagnosed(log_of(device), "h100_nvswitch")
            self.assertRegex(said, r"\n(Normal|Not )", device)
            if device and not any(name in device for name in ("H100", "A800", "B200", "MI300")):
                # The spread was measured on datacentre GPUs of these generations.
                kin = any(name in device for name in ("H200", "H800", "B200", "B300"))
                self.assertIn("range of 90 %" if kin else "'scaled from data sheet'", said, device)
                self.assertEqual("the error is large" in " ".join(said.split()), not kin, device)
                self.assertIn(f"no profile was fitted to {device}", " ".join(said.split()))

    def test_every_library_with_kernels_gets_an_answer(self):
        for name in LIBRARIES:
            if "blocks" in parts.resolved("library", name):
                said = self.diagnosed(log_of("NVIDIA H100"), "h100_nvswitch", "--library", name)
                self.assertRegex(said, r"\n(Normal|Not )", name)

    def test_devices_have_the_profile_of_their_own_name(self):
        for device, name in (("NVIDIA H200", "nccl_h200"), ("NVIDIA GH200 480GB", "nccl_h100"),
                             ("NVIDIA H20", "nccl_h100"), ("GB200", "nccl_b200"),
                             ("NVIDIA GB300", "nccl_b200"), ("AMD Instinct MI300X", "rccl_mi300x"),
                             ("A100-SXM4-40GB", "nccl_a100"),
                             ("Tesla V100-SXM2-16GB", "nccl_v100_pcie")):
            self.assertEqual(inputs.gpu_library(device, {}), name, device)

    def test_bases_are_counted_once_each(self):
        above = "rack3"
        for i in range(parts.MOST_BASES + 1):
            (self.folder / f"{i}.yaml").write_text(f"base: {above}\n", encoding="utf-8")
            above = str(self.folder / f"{i}.yaml")
            if i < parts.MOST_BASES:
                self.assertEqual(parts.resolved("cluster", above)["network"], "star")
        with self.assertRaisesRegex(InputError, "8.yaml: expected a cluster on at most 8 bases"):
            parts.resolved("cluster", above)
        own = self.folder / "own.yaml"
        own.write_text("base: ./own.yaml\n", encoding="utf-8")
        with self.assertRaisesRegex(InputError, "own.yaml: expected a library on at most 8 bases"):
            parts.resolved("library", str(own))

    def test_unknown_names_are_rejected_with_the_known_ones(self):
        said = self.refused(log_of("H100"), "h100_nvswich")
        self.assertIn("unknown cluster 'h100_nvswich'; did you mean 'h100_nvswitch'? (known: a100",
                      said)


class Ranks(Doctor):
    def test_one_rank_is_reported(self):
        said = self.refused(log_of("NVIDIA H100", each=1), "h100_nvswitch")
        self.assertIn("2 measurements omitted: a single rank does not communicate", said)
        said = self.refused(log_of("NVIDIA H100"), "h100_nvswitch", "--placement", "1")
        self.assertIn("--placement: expected 2 ranks, as the log's collectives have, got 1", said)

    def test_one_rank_among_others_is_omitted(self):
        log = IMB.format("Allreduce", 1) + IMB.format("Allreduce", 4)
        said = self.diagnosed(log, "star8", "--nodes", "4")
        self.assertIn("allreduce on 1x4\n", said)
        self.assertIn("x.log: 2 measurements omitted: a single rank", " ".join(said.split()))

    def test_jobs_that_take_no_time_are_reported(self):
        answer = {"time_s": 0.0, "busbw": 0.0, "bytes": 1024, "chosen": ""}
        with mock.patch("validation.doctor.what_if.WhatIf.answers", return_value=[answer]):
            said = self.refused(IMB.format("Allreduce", 2), "star8", "--nodes", "1")
        self.assertIn("expected a job that takes time on this cluster, got 0 s for all 1", said)

    def test_placement_leaves_ranks_on_gpus(self):
        log = log_of("NVIDIA H100", 2, 2)
        self.assertEqual(self.diagnosed(log, "h100_nvswitch", "--placement", "2x2"),
                         self.diagnosed(log, "h100_nvswitch"))
        said = self.diagnosed(log, "h100_nvswitch", "--placement", "4")
        self.assertIn("with nccl_h100; ", said)
        self.assertIn("allreduce on 4\n", said)
        said = self.refused(log, "h100_nvswitch", "--placement", "8x2")
        self.assertIn("--placement: expected 4 ranks, as the log's collectives have, got 16", said)


class Words(Doctor):
    MATRIX = ("Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)\n  D\\D  0  {0}\n"
              "  0 700.0 20.0\n  {0} 20.0 700.0\n")
    LATENCY = ("P2P=Enabled Latency (P2P Writes) Matrix (us)\n  GPU  0  1\n"
               "  0 1.30 1.05\n  1 1.02 1.31\n")

    def test_gpus_that_a_machine_lacks_are_reported_in_its_words(self):
        said = self.refused(self.MATRIX.format(8), "h100_nvswitch")
        self.assertEqual(said, "h100_nvswitch: expected hosts of at least 9 GPUs, because the log "
                         "has GPU 8 (GPU 0 to 8), got 8 on each (0 to 7)")
        said = self.refused(log_of("NVIDIA H100", 2, 4), "rack3")
        self.assertIn("because the log is of 4 GPUs on each of 2 hosts (allreduce on 4x2), got no "
                      "GPUs", said)

    def test_errors_of_the_simulator_have_no_place_in_a_hidden_file(self):
        said = self.refused(log_of("NVIDIA H100", 3, 2), "two_level", "--library", "nccl_h100") + \
            self.refused(IMB.format("Allreduce", 600), "two_level", "--nodes", "600")
        self.assertNotIn("{", said)
        self.assertIn("the simulator rejects the log's job on this cluster: ", said)

    def test_collectives_without_a_job_are_omitted(self):
        log = "".join(IMB.format(name, 4) for name in ("Allgatherv", "PingPing", "Allreduce",
                                                       "Bcast", "Sendrecv", "Gather"))
        said = " ".join(self.diagnosed(log, "star8", "--nodes", "4").split())
        for name in ("exchange", "allreduce", "broadcast", "sendrecv", "gather"):
            self.assertIn(f"{name} on 1x4", said)
        self.assertIn("2 measurements omitted: allgatherv is not simulated", said)
        self.assertIn("sendrecv: the log names no algorithm; assumed: posted", said)

    def test_collective_of_no_such_name_is_rejected(self):
        log = log_of("NVIDIA H100").replace("# all_reduce_perf\n", "")
        said = self.refused(log, "h100_nvswitch", "--collective", "nonsense")
        self.assertIn("expected one of allgather, allreduce, ", said)
        self.assertIn("allreduce on 2", self.diagnosed(log, "h100_nvswitch", "--collective",
                                                       "all_reduce"))

    def test_names_of_collectives_are_the_simulator_s(self):
        self.assertLessEqual(set(collectives.SIMULATED), self.simulator.algorithms().keys())

    def test_types_are_judged_apart(self):
        rows = ROWS.format("0") + ROWS.format("0").replace("float", "int8")
        said = self.diagnosed(log_of("NVIDIA A100", rows=rows), "a100x4_nvlink")
        self.assertIn("allreduce on 2 type int8 operation sum\n", said)

    def test_roots_and_columns_of_a_page_are_judged_apart(self):
        row = "1048576 262144 float none {} 50.0 20.97 20.97 0\n"
        said = self.diagnosed(log_of("NVIDIA A100", rows=row.format(0) + row.format(1)),
                              "a100x4_nvlink", "--collective", "broadcast")
        self.assertIn("broadcast on 2 root 1\n", said)
        page = "| Size | busbw | tuned busbw |\n|--|--|--|\n| 4M | 100 | 120 |\n"
        said = self.diagnosed(page, "a100x4_nvlink", "--collective", "allreduce", "--nodes", "1",
                              "--ranks-per-node", "4")
        self.assertIn("allreduce on 4 column tuned busbw\n", said)

    def test_single_size_that_is_off_is_named(self):
        sizes = [1 << power for power in range(20, 27)]
        plain = "".join(f"{size} 1 float sum -1 1.0 0 0 0\n" for size in sizes)
        told = self.diagnosed(log_of("NVIDIA A100", each=4, rows=plain), "a100x4_nvlink")
        expected = [float(one) for one in re.findall(r"  1 us +([\d.]+) [um]s", told)]
        rows = "".join(f"{size} 1 float sum -1 {time * (4 if i == 3 else 1):.2f} 0 0 0\n"
                       for i, (size, time) in enumerate(zip(sizes, expected)))
        said = " ".join(self.diagnosed(log_of("NVIDIA A100", each=4, rows=rows),
                                       "a100x4_nvlink").split())
        self.assertIn("Normal except at 8 MiB (4.00 x the expected time): no neighbouring size is "
                      "off to the same side. Measure this size again. All others: 6 "
                      "points", said)

    def test_writes_of_a_gpu_are_not_compared_with_copies_of_the_host(self):
        said = " ".join(self.diagnosed(self.MATRIX.format(1) + self.LATENCY, "gpu_pair").split())
        self.assertIn("2 measurements omitted: 16 B of p2pBandwidthLatencyTest", said)
        self.assertNotIn(" 16 B ", said.replace("omitted: 16 B of", ""))
        said = self.refused(self.LATENCY, "gpu_pair")
        self.assertIn("2 measurements omitted: 16 B of p2pBandwidthLatencyTest", said)

    def test_network_of_info_lines_is_the_cluster_s(self):
        unnamed = self.folder / "unnamed.yaml"
        unnamed.write_text("{base: h100_nvswitch, link: {kind: null}}", encoding="utf-8")
        line = "h0:1:2 [0] NCCL INFO NET/OFI Selected provider is cxi\n"
        said = self.diagnosed(line + log_of("NVIDIA H100", 2, 8), str(unnamed))
        self.assertIn("the network is slingshot, as the log's INFO lines say", said)
        said = self.diagnosed(line + log_of("NVIDIA H100", 2, 8), "h100_nvswitch")
        self.assertNotIn("the network is slingshot", said)

    def test_sockets_of_info_lines_are_a_cause_where_the_network_is_fast(self):
        unnamed = self.folder / "unnamed.yaml"
        unnamed.write_text("{base: h100_nvswitch, link: {kind: null}}", encoding="utf-8")
        line = "h0:1:2 [0] NCCL INFO Using network Socket\n"
        slow = ROWS.format("0").replace(" 90.0", " 9000.0").replace(" 190.0", " 19000.0")
        said = " ".join(self.diagnosed(line + log_of("NVIDIA H100", 2, 8, slow),
                                       str(unnamed)).split())
        self.assertNotIn("the network is socket", said)
        self.assertRegex(said, r'1\. tcp: stated by \S+/x.log:1: "h0:1:2 .0. NCCL INFO Using '
                         r'network Socket" and explains \d+ % of it: ')

    def test_messages_in_a_file_of_their_own_are_read(self):
        path = self.folder / "info.log"
        path.write_text("h0:1:2 [0] NCCL INFO Using network Socket\n", encoding="utf-8")
        slow = ROWS.format("0").replace(" 90.0", " 9000.0").replace(" 190.0", " 19000.0")
        said = " ".join(self.diagnosed(log_of("NVIDIA H100", 2, 8, slow), str(path), "--cluster",
                                       "h100_nvswitch").split())
        self.assertIn("info.log: no table of times: read for lines that state a cause", said)
        self.assertRegex(said, r'1\. tcp: stated by \S+/info.log:1: ')
        with self.assertRaisesRegex(InputError, "output of NCCL's messages alone"):
            curve.read([str(path)], Given(), None)

    def test_runs_of_two_labels_are_samples_of_one_case(self):
        lines = log_of("NVIDIA H100", 1, 8).splitlines()
        both = "".join(f"0: {one}\n1: {one.replace(' 90.0', ' 94.0')}\n" for one in lines)
        self.assertRegex(self.diagnosed(both, "h100_nvswitch"), r"1 MiB +92 us")  # their median

    def test_costs_of_the_cluster_s_network_are_expected(self):
        point = curve.Point("a", 8, 1e-5, {"hosts": "8x2", "on": "gpu"},
                            {"collective": "allreduce", "algorithm": "nccl", "bytes": "8 B"})
        measured = curve.Curve([point], {"devices": ["NVIDIA A100"]}, [])
        scene = inputs.scene_of(measured, "aws_p4d", "", None)[0]
        own = parts.load(parts.path_of("transport", "efa_p4d"))["blocks"]["Simple"]
        self.assertEqual(scene.blocks["Simple"]["hop_between_hosts"], own["hop_between_hosts"])
        self.assertIn("hop", scene.blocks["Simple"])


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    os.environ.setdefault("RINGSCOPE_DATA", str(ROOT))
    unittest.main()
