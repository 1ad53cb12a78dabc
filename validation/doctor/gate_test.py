# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does `ringscope doctor` withhold verdicts, take good logs, keep simulations and fail as it says?

Usage: python3 -m validation.doctor.gate_test BUILD
"""

import contextlib
import io
import json
import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

from common.programs import InputError
from validation.calibration.verdict.simulator import Simulator
from validation.doctor import (document, inputs, judgement, program, ranking, store, text,
                               what_if)
from validation.doctor.causes import CAUSES
from validation.doctor.curve import Curve, Point
from validation.doctor.judge import machines_for_test as machines

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(".")
SIZES = [1 << power for power in (14, 18, 22, 26, 28)]
INFO = "h0:1:2 [0] NCCL INFO "


def of(cause: str):
    return next(one for one in CAUSES if one.name == cause)


class Gate(unittest.TestCase):
    cluster = "a100_nvswitch"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.simulator = Simulator(str(BUILD / "ringscope"))
        cache = mock.patch.dict(os.environ, {"XDG_CACHE_HOME": str(self.folder / "cache")})
        cache.start()
        self.addCleanup(cache.stop)

    def log(self, name: str, cause: str = "", value=None, factor=lambda size: 1.0,
            sizes=SIZES) -> str:
        """nccl-tests' log of two hosts of eight A100 that have a cause."""
        job = {"collective": "allreduce", "algorithm": "nccl", "options": {"gpus_per_thread": 1}}
        points = [Point("a", size, 1.0, {"hosts": "8x2", "on": "gpu"},
                        {**job, "bytes": f"{size} B"}) for size in sizes]
        scene = inputs.scene_of(Curve(points, {"devices": ["NVIDIA A100"]}, []), self.cluster, "",
                                None)[0]
        scene = of(cause).scene(scene, value) if cause else scene
        answers = what_if.WhatIf(self.simulator).answers(scene.scenarios())
        rows = "".join(f"{size} {size // 4} float sum -1 "
                       f"{1e6 * factor(size) * one['time_s']:.3f} 0 0 0\n"
                       for size, one in zip(sizes, answers))
        devices = "".join(f"#  Rank {i} Group 0 Pid {i} on h{i // 8} device {i % 8} "
                          f"[0x{i % 8 + 1:02x}] NVIDIA A100\n" for i in range(16))
        path = self.folder / name
        path.write_text("# nccl-tests version 2.13.8 nccl-library=22703\n"
                        "# Collective test starting: all_reduce_perf\n"
                        f"# nThread 1 nGpus 1 minBytes 8 maxBytes 8\n{devices}"
                        "# size count type redop root time algbw busbw #wrong\n"
                        f"# (B) (elements) (us) (GB/s) (GB/s)\n{rows}"
                        "# Avg bus bandwidth : 0\n", encoding="utf-8")
        return str(path)

    def doctor(self, *words, causes=()):
        """(exit code, standard output), with some of the causes."""
        some = [of(name) for name in causes] or CAUSES
        out = io.StringIO()
        with mock.patch.object(sys, "argv", ["doctor", *words]), \
                mock.patch.object(program, "CAUSES", some), \
                mock.patch.object(program, "Simulator", lambda: self.simulator), \
                contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            return program.main(), out.getvalue()

    def line(self, log: str, *words, **more) -> tuple:
        code, out = self.doctor(log, self.cluster, *words, "--fail", "--json", **more)
        self.assertEqual(out.count("\n"), 1, out)
        said = json.loads(out)
        self.assertEqual(said["exit_code"], code)
        return code, said


class Verdicts(Gate):
    FEW = ("link-slow", "rail-missing", "straggler", "gpudirect-off")

    def test_healthy_log_ends_with_0(self):
        self.assertEqual(self.line(self.log("x.log"))[0], 0)

    def test_gpus_that_the_cluster_does_not_have_end_with_6_and_are_said_first(self):
        log = pathlib.Path(self.log("x.log"))
        for device, code in (("NVIDIA H100 80GB HBM3", 6), ("NVIDIA A100-SXM4-80GB", 0),
                             ("a GPU", 0)):
            other = self.folder / "other.log"
            other.write_text(log.read_text(encoding="utf-8").replace("NVIDIA A100", device),
                             encoding="utf-8")
            found, out = self.doctor(str(other), self.cluster, "--fail")
            first = out.split("\n\n")[2].replace("\n", " ")
            self.assertEqual(found, code, device)
            if code == 0:
                self.assertTrue(first.startswith("Normal: "), out)
                continue
            self.assertRegex(first, f"^Cannot tell: the log is of {device}, but a100_nvswitch has "
                             r"A100 .built-in clusters with the log's GPUs: .*h100_nvswitch")
            self.assertNotIn("Normal", out)
            code, said = self.line(str(other))
            self.assertEqual((code, said["verdict"]), (6, "cannot tell"))
            self.assertIn(f"the log is of {device}", said["cannot_tell"])

    def test_links_at_a_quarter_end_with_5_and_their_cause(self):
        code, said = self.line(self.log("x.log", "link-slow", 0.25), causes=self.FEW)
        self.assertEqual((code, said["verdict"], said["cannot_tell"]), (5, "not normal", None))
        self.assertEqual((said["causes"][0], said["bytes"]), ("link-slow", 256 << 20))

    def test_links_at_a_half_end_with_5_beside_a_good_log(self):
        code, said = self.line(self.log("x.log", "link-slow", 0.5), "--reference",
                               self.log("good.log"), causes=self.FEW)
        self.assertEqual((code, said["verdict"], said["cannot_tell"]), (5, "not normal", None))
        self.assertIn("link-slow", said["causes"][:2])

    def test_slow_small_sizes_of_a_network_end_with_6_and_what_would_tell(self):
        log = self.log("x.log", factor=lambda size: 3.0 if size < 1 << 24 else 1.0)
        code, said = self.line(log, causes=self.FEW)
        self.assertEqual((code, said["verdict"]), (6, "cannot tell"))
        self.assertIn("lines of NCCL_DEBUG=INFO, or a log of a good day", said["cannot_tell"])
        text = " ".join(self.doctor(log, self.cluster, causes=self.FEW)[1].split())
        self.assertIn("Cannot tell whether this is a fault. Missing evidence: the largest", text)

    def test_a_stated_cause_settles_it(self):
        log = pathlib.Path(self.log("x.log", factor=lambda size: 3.0 if size < 1 << 24 else 1.0))
        log.write_text(INFO + "GPU Direct RDMA Disabled for HCA 0 'mlx5_0'\n" + log.read_text())
        code, said = self.line(str(log), causes=self.FEW)
        self.assertEqual((code, said["causes"][0]), (5, "gpudirect-off"))
        self.assertEqual(said["stated"]["gpudirect-off"]["line"], 1)

    def test_contradicted_cause_is_not_ranked(self):
        log = pathlib.Path(self.log("x.log", "link-slow", 0.25))
        log.write_text(INFO + "Channel 00/0 : 7[7] -> 8[0] [send] via NET/IB/0/GDRDMA\n"
                       + log.read_text())
        code, out = self.doctor(str(log), self.cluster, "--json", causes=self.FEW)
        said = json.loads(out)
        self.assertEqual(code, 0)  # without --fail
        self.assertEqual(set(said["struck_out"]), {"tcp", "gpudirect-off"})
        self.assertNotIn("gpudirect-off", [one["name"] for one in said["causes"]])

    def test_small_sizes_alone_cannot_show_the_links(self):
        log = self.log("x.log", factor=lambda size: 6.0, sizes=SIZES[:2])
        code, said = self.line(log, causes=self.FEW)
        self.assertEqual((code, said["cannot_tell"]),
                         (6, "sizes up to 1 GiB, which show what the links carry"))

    def test_machine_that_is_faster_than_described_cannot_tell(self):
        code, said = self.line(self.log("x.log", factor=lambda size: 0.05), causes=self.FEW)
        self.assertEqual(code, 6)
        self.assertIn("faster than a100_nvswitch describes", said["cannot_tell"])

    def test_slow_curve_inside_the_range_of_illustrative_costs_cannot_tell(self):
        machine = next(one for one in machines.MACHINES if one.library == "rdma")
        found = machines.examined(what_if.WhatIf(self.simulator), machine)
        for factor, verdict, begin in ((1.2, "normal", "Normal: "), (2.0, "cannot tell", "12 ")):
            for i, point in enumerate(found.curve.points):
                point.seconds = (factor if i < 4 else 1.0) * point.expected
            found.first = ranking.abnormal(found.curve.points, found.errors)
            self.assertTrue(found.normal)
            self.assertEqual(document.document(found)["verdict"], verdict)
            self.assertEqual(text.verdict(found).startswith(begin), True, text.verdict(found))
            self.assertEqual("--reference GOOD.log" in text.verdict(found), factor > 1.5)

    def test_every_verdict_has_its_code(self):
        self.assertEqual(sorted(judgement.CODES.values()), [0, 5, 6])


class Reference(Gate):
    FEW = ("link-slow", "straggler", "rail-missing", "high-latency")

    @staticmethod
    def odd(size: int) -> float:
        """A cluster that is slower than described, most at small sizes."""
        return 1.6 + 3 * (size < 1 << 24)

    def test_difference_of_two_days_is_explained_by_its_cause(self):
        good = self.log("good.log", factor=self.odd)
        bad = self.log("bad.log", "straggler", 200e-6, factor=self.odd)
        self.assertEqual(self.line(good, "--reference", good)[0], 0)
        code, said = self.line(bad, "--reference", good, causes=self.FEW)
        self.assertEqual((code, said["causes"][0]), (5, "straggler"))

    def test_other_sizes_follow_by_interpolation(self):
        good = self.log("good.log", factor=lambda size: 2.0)
        bad = self.log("bad.log", factor=lambda size: 2.0, sizes=[1 << 20, 1 << 24, 1 << 27])
        code, out = self.doctor(bad, self.cluster, "--reference", good, "--json")
        for point in json.loads(out)["points"]:
            self.assertAlmostEqual(point["ratio"], 1, delta=0.001)

    def test_another_kind_of_job_is_rejected(self):
        log = pathlib.Path(self.log("good.log"))
        log.write_text(log.read_text().replace("all_reduce_perf", "all_gather_perf")
                       .replace("float sum", "float none"))
        with self.assertRaisesRegex(InputError, "expected a log of the same kind of job"):
            self.doctor(self.log("bad.log"), self.cluster, "--reference", str(log))


class Copies(Gate):
    MATRIX = ("Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)\n  D\\D  0  1\n"
              "  0 700.0 {0}\n  1 {0} 700.0\n")

    def test_peer_copies_follow_a_good_matrix(self):
        for name, rate in (("good", 18.0), ("bad", 7.0)):
            (self.folder / name).write_text(self.MATRIX.format(rate), encoding="utf-8")
        good, bad = str(self.folder / "good"), str(self.folder / "bad")
        self.cluster = "gpu_pair"
        self.assertEqual(self.line(good, "--reference", good)[0], 0)
        code, said = self.line(bad, "--reference", good, causes=("slow-peer-copies", "pcie-lower"))
        self.assertEqual(code, 5)
        self.assertAlmostEqual(said["ratio"], 18 / 7, places=3)


class Kept(Gate):
    def test_repeated_question_is_not_simulated_again(self):
        log = self.log("x.log", "link-slow", 0.25)
        few = ("link-slow", "straggler")
        first = self.line(log, causes=few)
        with mock.patch.object(what_if.WhatIf, "call", side_effect=AssertionError):
            self.assertEqual(self.line(log, causes=few), first)
            with self.assertRaises(AssertionError):
                self.line(log, "--no-store", causes=few)

    def test_another_program_and_a_file_that_is_no_store_answer_nothing(self):
        one = store.Store("/bin/sh")
        one.keep({"question": {"time_s": 1.0}})
        self.assertEqual(store.Store("/bin/sh").read(["question"]), {"question": {"time_s": 1.0}})
        self.assertEqual(store.Store(sys.executable).read(["question"]), {})
        store.path_of().write_bytes(b"no store" * 4096)
        broken = store.Store("/bin/sh")
        broken.keep({"question": {}})
        self.assertEqual(broken.read(["question"]), {})


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    os.environ.setdefault("RINGSCOPE_DATA", str(ROOT))
    unittest.main()
