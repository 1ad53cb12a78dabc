# SPDX-License-Identifier: LGPL-2.1-or-later
"""Are cases that were measured on GPUs predicted where they ran, with what their library chose?

Usage: python3 -m validation.calibration.verdict.gpus_test BUILD
"""

import pathlib
import subprocess
import sys
import unittest

import yaml

from validation.calibration.verdict import cases, gpus, model
from validation.calibration.verdict.round_trip_test import WithPrograms
from validation.calibration.verdict.simulator import Simulator
from validation.measurements import Document, Measurement

VALIDATION = pathlib.Path(__file__).resolve().parents[2]

PUBLISHED = VALIDATION / "published" / "nccl-tests-allreduce-4xV100-pcie.log"
# As nccl-tests prints its columns; the times are made up.
SIBLING = """# nThread 1 nGpus 4 minBytes 1048576 maxBytes 1048576 step: 2(factor) iters: 20
# Collective test starting: {name}_perf
#  Rank  0 Pid 1 on a device  0 [0x3d] Tesla V100-PCIE-32GB
#  Rank  1 Pid 1 on a device  1 [0x3e] Tesla V100-PCIE-32GB
#  Rank  2 Pid 1 on a device  2 [0x3f] Tesla V100-PCIE-32GB
#  Rank  3 Pid 1 on a device  3 [0x40] Tesla V100-PCIE-32GB
#       size         count      type   redop    root     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)
     1048576        262144     float    none      -1    100.0   10.49    7.86      0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 7.86
"""
# Rings over two hosts of two GPUs: 6 steps of 10 us and a quarter of the vector at 5 GB/s each.
BETWEEN = """# nThread 1 nGpus 1 minBytes 1024 maxBytes 67108864 step: 4(factor) iters: 20
# Collective test starting: all_reduce_perf
#  Rank  0 Pid 1 on node-1 device  0 [0x3d] A GPU
#  Rank  1 Pid 2 on node-1 device  1 [0x3e] A GPU
#  Rank  2 Pid 1 on node-2 device  0 [0x3d] A GPU
#  Rank  3 Pid 2 on node-2 device  1 [0x3e] A GPU
#       size         count      type   redop    root     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)
{rows}# Out of bounds values : 0 OK
# Avg bus bandwidth    : 5
"""


def ring_us(size):
    return 6 * (10 + size / 4 / 5e3)


def row(size):
    return f"{size} {size // 4} float sum -1 {ring_us(size):.2f} 1.0 1.5 0\n"


SIBLINGS = ("all_gather", "reduce_scatter", "broadcast", "reduce", "alltoall", "gather", "scatter")


def measurement(where, collective="allreduce", ranks=(), scenario=None, **extra):
    parameters = {"bytes": 8, "collective": collective, "algorithm": "", "ranks_count": 2,
                  "hosts_count": 1, "placement": "2"}
    one = Measurement(collective, parameters, 1.0, name="x", scenario=scenario,
                      ranks=list(ranks), extra=extra)
    Document("x.json", "replay", where, [one])
    return one


class Gpus(unittest.TestCase):
    def test_ranks_are_where_they_say_and_else_on_the_devices(self):
        ranks = [{"rank": 0, "gpu": 1}, {"rank": 1, "gpu": 1}]
        self.assertEqual(gpus.placement_of(measurement({}, ranks=ranks, scenario={})),
                         [{"host": 0, "gpu": 1}] * 2)
        self.assertEqual(gpus.placement_of(measurement({"devices": ["a GPU"] * 2})),
                         {"hosts": "2", "on": "gpu"})
        self.assertIsNone(gpus.placement_of(measurement({})))

    def test_the_library_stages_where_the_replay_was_told_to(self):
        library = {"gpu": {"launch": "1 us"}}
        staged = gpus.library_for(library, measurement({}, path="staged"))
        self.assertEqual(staged, {"gpu": {"launch": "1 us", "always_staged": True}})
        self.assertEqual(library, {"gpu": {"launch": "1 us"}})
        self.assertIsNone(gpus.library_for(library, measurement({}, path="device")))

    def test_a_thread_of_several_gpus_launches_their_kernels(self):
        several = {"job": {"options": {"gpus_per_thread": 8}}}
        one = measurement({"devices": ["a GPU"] * 2, "mpi": "NCCL 2.28.9"}, scenario=several)
        self.assertEqual(gpus.placement_of(one), {"hosts": "2", "on": "gpu"})
        case = cases.Case(one, cases.series_of(one.document.where), cases.placement_of(one), 1, [],
                          None)
        known = {"allreduce": ["ring", "nccl"]}
        for algorithm, options in (("nccl", {"gpus_per_thread": 8}), ("ring", {})):
            fitted = model.Model("", {}, {}, {})
            fitted.algorithms = {"allreduce": algorithm}
            self.assertEqual(model.job_for(fitted, case, known)["options"], options)

    def test_nccl_chooses_for_itself(self):
        nccl = Simulator(str(WithPrograms.build / "ringscope")).nccl()
        for collective, expected in (("allreduce", "nccl"), ("broadcast", "nccl"),
                                     ("barrier", model.CHOSEN)):
            one = measurement({"mpi": "NCCL 2.28.9"}, collective)
            case = cases.Case(one, cases.series_of(one.document.where),
                              cases.placement_of(one), 1, [], None)
            self.assertEqual(model.Model("", {}, {}, {}, nccl=nccl).algorithm_of(case),
                             expected)
        self.assertEqual(gpus.chosen({"mpi": "Open MPI 4.1"}, "allreduce", nccl), "")


class NcclTests(WithPrograms):
    def run_script(self, name, *words):
        ran = subprocess.run([VALIDATION / name, *map(str, words)], check=False,
                             capture_output=True, text=True, cwd=self.folder,
                             env=self.environment)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran.stdout

    def imported(self, path, name):
        out = self.folder / name
        out.write_text(self.run_script("import", path), encoding="utf-8")
        return out

    def calibrated(self):
        real = self.imported(PUBLISHED, "real.json")
        self.run_script("calibrate", real, "--only", "buffers=in place", "-o", "m.yaml")
        return real

    # Vectors of 64 KiB to 1 MiB, which tell neither the latency nor the rate, are not in the fit;
    # NCCL changes its protocol there. The others it has seen in place only.
    def test_published_allreduces_fit_a_host_of_gpus_that_predicts_the_others(self):
        real = self.calibrated()
        found = self.verdict("m.yaml", real)
        unseen = [case for case in found["cases"] if not case["fitted"]]
        self.assertEqual(len(unseen), 25 + 3)
        self.assertEqual({case["predicted_as"] for case in unseen}, {"nccl"})
        large = [case for case in unseen if case["bytes"] >= 4 << 20]
        self.assertEqual(len(large), 6)
        self.assertLess(max(abs(case["error"]) for case in large), 0.05)
        self.assertLess(found["figures"]["counted"]["median"], 0.06)

    def between(self, sizes, name="two.json"):
        log = self.folder / "two.log"
        log.write_text(BETWEEN.format(rows="".join(map(row, sizes))), encoding="utf-8")
        return self.imported(log, name)

    # The ring's formula is the fitted model's prediction of a ring; the rate is the median's of 16
    # and 64 MiB, in which the latencies are still seen: by 60 us of 3.4 ms and of 13.5.
    def test_rings_over_hosts_tell_of_the_link_between_them(self):
        real = self.between([1024, 16384, 16 << 20, 64 << 20])
        self.run_script("calibrate", real, "-o", "m.yaml", "--report", "m.txt")
        fitted = yaml.safe_load((self.folder / "m.yaml").read_text(encoding="utf-8"))
        self.assertEqual(fitted["cluster"]["hosts"], 2)
        self.assertEqual(fitted["cluster"]["host"]["gpus_per_switch"], 2)
        rate = fitted["calibration"]["parameters"]["cluster.link.bandwidth"]["value"]
        late = fitted["calibration"]["parameters"]["library.gdr.latency"]["value"]
        self.assertRegex(rate, r"^4\.9\d* GB/s$")
        self.assertRegex(late, r"^10\.\d* us$")
        other = self.between([32 << 20, 128 << 20], "other.json")
        found = self.verdict("m.yaml", other, "--algorithm", "allreduce=ring")
        self.assertEqual(len(found["cases"]), 2)
        self.assertLess(max(abs(case["error"]) for case in found["cases"]), 0.02)

    def test_what_tells_nothing_of_the_links_is_refused(self):
        real = self.between([1024])
        ran = subprocess.run([VALIDATION / "calibrate", real, "-o", "m.yaml"], check=False,
                             capture_output=True, text=True, cwd=self.folder,
                             env=self.environment)
        self.assertEqual(ran.returncode, 1)
        self.assertIn(f"{real}: expected allreduces of at least 1 MiB on at least 2 GPUs",
                      ran.stderr)

    def test_every_sibling_is_predicted(self):
        self.calibrated()
        nccl = Simulator(str(self.build / "ringscope")).nccl()
        for name in SIBLINGS:
            log = self.folder / f"{name}.log"
            log.write_text(SIBLING.format(name=name), encoding="utf-8")
            (case,) = self.verdict("m.yaml", self.imported(log, f"{name}.json"))["cases"]
            self.assertGreater(case["predicted_s"], 1e-6, name)
            self.assertEqual(case["predicted_as"], nccl[case["collective"]])

    def test_a_ring_of_sends_is_predicted_as_one(self):
        self.calibrated()
        log = self.folder / "sendrecv.log"
        log.write_text(SIBLING.format(name="sendrecv"), encoding="utf-8")
        (case,) = self.verdict("m.yaml", self.imported(log, "sendrecv.json"))["cases"]
        self.assertEqual((case["collective"], case["predicted_as"]), ("sendrecv", "nccl"))
        self.assertGreater(case["predicted_s"], 1e-6)

    def test_what_a_library_refuses_is_said_and_the_rest_goes_on(self):
        self.calibrated()
        path = self.folder / "refused.json"
        path.write_text('{"schema": 2, "kind": "replay", "where": {"mpi": "NCCL 2.28.9"}, '
                        '"refused": [{"ranks": 2, "gpus": 1, "why": "join: invalid usage"}], '
                        '"measurements": []}', encoding="utf-8")
        ran = self.validate("m.yaml", path)
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        self.assertIn("not measured: 2 ranks on 1 GPU: NCCL 2.28.9 refuses (join: invalid usage)",
                      ran.stdout)


if __name__ == "__main__":
    WithPrograms.build = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
