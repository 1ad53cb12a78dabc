# SPDX-License-Identifier: LGPL-2.1-or-later
"""Do calibrate and validate read a benchmark's log as they read what import makes of it?

Usage: python3 -m validation.imports_logs_test BUILD
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import yaml

VALIDATION = pathlib.Path(__file__).resolve().parents[2]

LATENCY = "# OSU MPI Latency Test v5.8\n# Size          Latency (us)\n" + "".join(
    f"{size}  {10 + size * 1e-3:.2f}\n" for size in (0, 8, 1024, 16384, 262144, 1048576, 4194304))
ALLREDUCE = "# OSU MPI Allreduce Latency Test v5.8\n# Size       Avg Latency(us)\n" \
    "4  25.00\n1024  30.00\n"


NCCL = """# Collective test starting: all_reduce_perf
# nThread 1 nGpus {} minBytes 8 maxBytes 8
#  Rank  0 Pid 1 on a device  0 [0x3d] NVIDIA H100
#  Rank  1 Pid 1 on a device  1 [0x3e] NVIDIA H100
#  size count type redop root time algbw busbw #wrong
#  (B) (elements) (us) (GB/s) (GB/s)
8 2 float sum -1 10.0 0 0 0
# Avg bus bandwidth : 0
"""


class Logs(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        (self.folder / "latency.log").write_text(LATENCY, encoding="utf-8")
        (self.folder / "allreduce.log").write_text(ALLREDUCE, encoding="utf-8")

    def run_(self, program, *words):
        return subprocess.run([VALIDATION / program, *words], check=False, capture_output=True,
                              text=True, cwd=self.folder, env=os.environ | {
                                  "RINGSCOPE": str(BUILD / "ringscope"),
                                  "RINGSCOPE_DATA": str(VALIDATION.parent)})

    def test_a_machine_takes_its_importers_options_and_nothing_is_passed_over(self):
        (self.folder / "topology.conf").write_text(
            "SwitchName=leaf0 Nodes=n[0-3]\nSwitchName=leaf1 Nodes=n[4-6]\n"
            "SwitchName=top Switches=leaf[0-1]\n", encoding="utf-8")
        self.assertIn("25 GB/s", self.run_("import", "topology.conf", "--link",
                                           "200 Gbit/s").stdout)
        for words, said in (
                (("topology.conf", "latency.log", "-o", "out.json"),
                 "topology.conf: describes a machine, which becomes a cluster: import it alone"),
                (("topology.conf", "--nodes", "3"), "--nodes: is for measurements, and topology"),
                (("topology.conf", "--lin", "1"), "unknown option '--lin'; did you mean '--link'"),
                (("latency.log", "--nodes", "2", "--link", "1"), "unknown option '--link': of ")):
            ran = self.run_("import", *words)
            self.assertEqual((ran.returncode, ran.stdout), (1, ""))
            self.assertIn(said, ran.stderr)
        self.assertFalse((self.folder / "out.json").exists())

    def fitted(self, *words):
        ran = self.run_("calibrate", "--bootstrap", "3", "-o", "my.yaml", *words)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return yaml.safe_load((self.folder / "my.yaml").read_text(encoding="utf-8")), ran.stdout

    def test_fit_as_what_import_makes_of_them(self):
        self.assertEqual(self.run_("import", "latency.log", "-o", "latency.json").returncode, 0)
        (log, _), (imported, _) = self.fitted("latency.log"), self.fitted("latency.json")
        self.assertEqual((log["cluster"], log["library"]), (imported["cluster"],
                                                            imported["library"]))
        self.assertEqual(log["library"]["fitted"],
                         {"least": "0 B", "most": "4 MiB", "hosts": 2, "ranks_per_host": 1})

    def test_nccl_tests_log_gives_gpus_per_thread(self):
        for each, expected in ((1, None), (2, {"job": {"options": {"gpus_per_thread": 2}}})):
            (self.folder / "nccl.log").write_text(NCCL.format(each), encoding="utf-8")
            self.assertEqual(self.run_("import", "nccl.log", "-o", "nccl.json").returncode, 0)
            found = json.loads((self.folder / "nccl.json").read_text(encoding="utf-8"))
            self.assertEqual([one.get("scenario") for one in found["measurements"]], [expected])

    def test_a_description_of_a_host_becomes_its_cluster(self):
        topo = ("\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\n"
                "GPU0\t X \tNV12\t0-31\t0\nGPU1\tNV12\t X \t0-31\t0\n")
        for file, label in (("topo.txt", ""), ("srun.txt", "0: "), ("mail.txt", "> "),
                            ("mpirun.txt", "[1,0]<stdout>:"), ("bom.txt", "\ufeff")):
            (self.folder / file).write_text("".join(
                (label if i == 0 or label != "\ufeff" else "") + line
                for i, line in enumerate(topo.splitlines(keepends=True))), encoding="utf-8")
        amd = str(VALIDATION.parent / "topologies/machines/mi300x.txt")
        for file, name in (("topo.txt", "topo.txt"), (amd, "mi300x.txt"), ("srun.txt", "srun.txt"),
                           ("mail.txt", "mail.txt"), ("mpirun.txt", "mpirun.txt"),
                           ("bom.txt", "bom.txt")):
            ran = self.run_("import", file, "-o", "host.yaml")
            self.assertEqual((ran.returncode, ran.stderr), (0, ""))
            self.assertIn(f"Imported by `ringscope import-machine` from {name}",
                          (self.folder / "host.yaml").read_text(encoding="utf-8"))

    def test_lines_that_a_terminal_broke_give_the_same_cluster(self):
        names = [f"GPU{i}" for i in range(8)] + [f"NIC{i}" for i in range(4)]
        rows = [["", *names, "CPU Affinity", "NUMA Affinity"]]
        for name in names:
            rows.append([name, *(" X " if name == to else "NV18" if name[0] == to[0] == "G" else
                                 "SYS" for to in names)] + ["0-31", "0"] * (name[0] == "G"))
        whole = "".join("\t".join(row) + "\n" for row in rows).expandtabs()
        broken = "\n".join(line[at:at + 80].rstrip() for line in whole.splitlines()
                           for at in range(0, len(line), 80)) + "\n\nLegend:\n"
        result = {"stdout_lines": whole.splitlines()}
        texts = {"whole.txt": whole, "broken.txt": broken,
                 "ansible.txt": f"ok: [a] => {json.dumps(result, indent=4)}\n",
                 "srun.txt": "".join(f"{rank}: {line}\n" for line in whole.splitlines()
                                     for rank in (0, 1))}
        found = []
        for name, text in texts.items():
            (self.folder / name).write_text(text, encoding="utf-8")
            found.append(self.run_("import", name).stdout.replace(name, ""))
        self.assertIn("nvswitch", found[0])
        self.assertEqual(found, found[:1] * 4)

    def test_printed_topology_of_slurm_becomes_a_cluster(self):
        text = ("$ scontrol show topology\nSwitchName=leaf0 Level=0 LinkSpeed=1 Nodes=n[0-3]\n"
                "SwitchName=leaf1 Level=0 LinkSpeed=1 Nodes=n[4-6]\n"
                "SwitchName=top Level=1 LinkSpeed=1 Nodes=n[0-6] Switches=leaf[0-1]\n")
        (self.folder / "topology.txt").write_text(text, encoding="utf-8")
        ran = self.run_("import", "topology.txt")
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        self.assertIn("n6", ran.stdout)

    def test_latency_log_gives_a_model_with_bounded_values(self):
        told, screen = self.fitted("latency.log")
        calibration = told["calibration"]
        for one in [*calibration["parameters"].values(), *calibration["not_identified"].values()]:
            self.assertTrue({"low", "high"} <= set(one) or one["interval"] == "not identifiable")
        self.assertIn("library.network.send_overhead", calibration["not_identified"])
        self.assertIn("Not identifiable: assumed; prediction intervals use any value", screen)

    def test_collective_logs_are_validated_and_extrapolation_reported(self):
        self.fitted("latency.log")
        ran = self.run_("validate", "my.yaml", "allreduce.log", "--nodes", "4",
                        "--mpi", "Open MPI 4.0.5")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("as Open MPI 4.0.5 does", ran.stdout)
        self.assertIn("extrapolated: 2 of 2 (hosts in 2)", ran.stdout)
        self.assertIn("inside the model's interval (level 90 %): ", ran.stdout)

    def test_gpu_logs_give_a_machine_for_doctor(self):
        rank = "#  Rank {0} Pid 1 on {1} device {2} [0x3{0}] NVIDIA H100\n"
        devices = "".join(rank.format(i, "ab"[i // 2], i % 2) for i in range(4))
        head, table = NCCL.split("#  Rank")[0], NCCL[NCCL.index("#  size"):]
        row = "{} 2 float sum -1 {} 0 0 0\n"
        rows = row.format(1 << 21, 170.0) + row.format(1 << 22, 330.0)
        info = "a:1:2 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/RoCE [RO]; OOB eth0:10.0.0.1<0>\n"
        (self.folder / "gpus.log").write_text(
            info + head.format(1) + devices + table.replace("8 2 float sum -1 10.0 0 0 0\n", rows),
            encoding="utf-8")
        fit, _ = self.fitted("gpus.log", "--cluster", "h100x4_nvlink", "--library", "nccl_h100",
                             "--bootstrap", "0")
        self.assertEqual(fit["cluster"]["link"]["kind"], "roce")
        self.assertEqual(fit["library"]["transport"], "roce")
        ran = self.run_("doctor/doctor", "gpus.log", "my.yaml")
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        self.assertIn("\nNormal: 2 points", ran.stdout)

    def test_cases_without_a_job_are_omitted(self):
        self.fitted("latency.log")
        head, table = "# OSU MPI {} Latency Test v5.8\n", "# Size       Avg Latency(us)\n{}\n"
        (self.folder / "several.log").write_text(
            head.format("Allgatherv") + table.format("1024  40.00") +
            head.format("Broadcast") + table.format("1024  30.00") +
            head.format("Gather") + table.format("1024  50.00"), encoding="utf-8")
        given = ["several.log", "--nodes", "4", "--mpi", "Open MPI 4.0.5"]
        ran = self.run_("validate", "my.yaml", *given)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("several.log: 1 case omitted: allgatherv is not simulated", ran.stderr)
        self.assertIn("gather linear (a guess: no table of Open MPI 4.0.5 has it)", ran.stdout)
        self.assertIn("2 held-out cases", ran.stdout)
        _, screen = self.fitted("latency.log", *given)
        self.assertIn("several.log: 1 case omitted: allgatherv is not simulated", screen)
        ran = self.run_("validate", "my.yaml", "several.log", "--nodes", "1", "--ranks-per-node",
                        "1")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("expected a case that a job represents, got several.log: 3 cases omitted: a "
                      "single rank does not communicate", ran.stderr)

    def test_say_what_they_lack(self):
        self.fitted("latency.log")
        for words, complaint in ((["allreduce.log"], "--nodes N"),
                                 (["latency.log"], "expected replay or trace, got probes"),
                                 (["none.log"], "none.log: cannot be read")):
            ran = self.run_("validate", "my.yaml", *words)
            self.assertEqual(ran.returncode, 1)
            self.assertIn(complaint, ran.stderr)


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
