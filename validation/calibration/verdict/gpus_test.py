# SPDX-License-Identifier: LGPL-2.1-or-later
"""Are cases that were measured on GPUs predicted where they ran, with what their library chose?

Usage: python3 -m validation.calibration.verdict.gpus_test BUILD
"""

import pathlib
import subprocess
import sys
import unittest

from validation.calibration.verdict import cases, gpus, model
from validation.calibration.verdict.round_trip_test import WithPrograms
from validation.calibration.verdict.simulator import Simulator
from validation.measurements import Document, Measurement

VALIDATION = pathlib.Path(__file__).resolve().parents[2]

PUBLISHED = VALIDATION / "published" / "nccl-tests-allreduce-4xV100-pcie.log"
# As nccl-tests prints its columns; the times are made up.
SIBLING = """# nThread 1 nGpus 4 minBytes 1048576 maxBytes 1048576 step: 2(factor) iters: 20
# Collective test starting: {0}_perf
#  Rank  0 Pid 1 on a device  0 [0x3d] Tesla V100-PCIE-32GB
#  Rank  1 Pid 1 on a device  1 [0x3e] Tesla V100-PCIE-32GB
#  Rank  2 Pid 1 on a device  2 [0x3f] Tesla V100-PCIE-32GB
#  Rank  3 Pid 1 on a device  3 [0x40] Tesla V100-PCIE-32GB
#       size         count      type   redop    root     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)
     1048576        262144     float    {1}      {2}    100.0   10.49    {3}      0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 7.86
"""
# Columns redop, root and busbw of nccl-tests on four ranks: doc/PERFORMANCE.md there.
SIBLINGS = {"all_gather": ("none", -1, 7.86), "reduce_scatter": ("sum", -1, 7.86),
            "broadcast": ("none", 0, 10.49), "reduce": ("sum", 0, 10.49),
            "alltoall": ("none", -1, 7.86), "gather": ("none", 0, 7.86),
            "scatter": ("none", 0, 7.86)}


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
        case = cases.Case(one, cases.series_of(one.document.where), cases.placement_of(one), 1,
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
                              cases.placement_of(one), 1, None)
            self.assertEqual(model.Model("", {}, {}, {}, nccl=nccl).algorithm_of(case),
                             expected)
        self.assertEqual(gpus.chosen({"mpi": "Open MPI 4.1"}, "allreduce", nccl), "")


class NcclTests(WithPrograms):
    fit: list = []  # what `calibrate` wrote, once for all tests

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
        fitted = self.folder / "m.yaml"
        if not self.fit:
            self.run_script("calibrate", real, "--only", "buffers=in place", "-o", fitted,
                            "--cluster", "v100x4_pcie", "--library", "nccl_v100_pcie",
                            "--bootstrap", "0")
            NcclTests.fit.append(fitted.read_text(encoding="utf-8"))
        fitted.write_text(self.fit[0], encoding="utf-8")
        return real

    # The fit has seen the same sizes in place.
    def test_published_allreduces_fit_a_profile_that_predicts_the_others(self):
        real = self.calibrated()
        found = self.verdict("m.yaml", real)
        unseen = [case for case in found["cases"] if not case["fitted"]]
        self.assertEqual(len(unseen), 25)
        self.assertEqual({case["predicted_as"] for case in unseen}, {"nccl"})
        self.assertLess(found["figures"]["counted"]["median"], 0.06)

    def test_collectives_without_a_cluster_or_a_library_are_refused(self):
        real = self.imported(PUBLISHED, "real.json")
        for words, expected in (((), "expected --cluster and --library for collectives on GPUs"),
                                (("--cluster", "v100x4_pcie"), "--library: expected one"),
                                (("--library", "nccl_a100"), "--cluster: expected one"),
                                (("--library", "nccl_a100", "--cores", "4"),
                                 "--cores: expected no such option with --cluster")):
            ran = subprocess.run([VALIDATION / "calibrate", real, "-o", "m.yaml", *words],
                                 check=False, capture_output=True, text=True, cwd=self.folder,
                                 env=self.environment)
            self.assertEqual(ran.returncode, 1)
            self.assertIn(expected, ran.stderr)

    def test_every_sibling_is_predicted(self):
        self.calibrated()
        nccl = Simulator(str(self.build / "ringscope")).nccl()
        for name, columns in SIBLINGS.items():
            log = self.folder / f"{name}.log"
            log.write_text(SIBLING.format(name, *columns), encoding="utf-8")
            (case,) = self.verdict("m.yaml", self.imported(log, f"{name}.json"))["cases"]
            self.assertGreater(case["predicted_s"], 1e-6, name)
            self.assertEqual(case["predicted_as"], nccl[case["collective"]])

    def test_a_ring_of_sends_is_predicted_as_one(self):
        self.calibrated()
        log = self.folder / "sendrecv.log"
        log.write_text(SIBLING.format("sendrecv", "sum", -1, 10.49), encoding="utf-8")
        (case,) = self.verdict("m.yaml", self.imported(log, "sendrecv.json"))["cases"]
        self.assertEqual((case["collective"], case["predicted_as"]), ("sendrecv", "nccl"))
        self.assertGreater(case["predicted_s"], 1e-6)

    def test_rejected_case_is_reported_and_others_continue(self):
        self.calibrated()
        path = self.folder / "refused.json"
        path.write_text('{"schema": 2, "kind": "replay", "where": {"mpi": "NCCL 2.28.9"}, '
                        '"refused": [{"ranks": 2, "gpus": 1, "why": "join: invalid usage"}], '
                        '"measurements": []}', encoding="utf-8")
        ran = self.validate("m.yaml", path)
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        self.assertIn("not measured: 2 ranks on 1 GPU: NCCL 2.28.9 rejects (join: invalid usage)",
                      ran.stdout)


if __name__ == "__main__":
    WithPrograms.build = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
