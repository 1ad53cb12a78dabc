# SPDX-License-Identifier: LGPL-2.1-or-later
"""From probes of GPUs to the errors of a model of them: does the whole way work, and how well?

The GPUs are fake ones (fake_gpus.hpp), whose times are formulas; no size and no number of ranks of
the table is in the fit. Usage: python3 -m validation.executors.cuda.round_trip_test BUILD [--table]
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import unittest

import yaml

from common.quantities import format_bytes, parse_quantity
from validation.measurements import GPU_PROBES, read

VALIDATION = pathlib.Path(__file__).resolve().parents[2]
ROOT = VALIDATION.parent

BUILD = pathlib.Path(sys.argv[1]).resolve()
PROGRAM = BUILD / "ringscope-cuda-fake"
KIB, MIB = 1 << 10, 1 << 20
SEGMENT = MIB

# FakeParameters: what an operation keeps its engine busy for, in seconds and bytes/s.
H2D, D2H, D2D, REDUCE = (8e-6, 25e9), (9e-6, 24e9), (3e-6, 1e12), (4e-6, 8e11)
EVENT = 0.5e-6

PIPELINED = {"job.options": {"segment": "256 KiB"}}
ALGORITHMS = {"ring": {}, "ring_waitall": {}, "ring_sendrecv": {}, "ring_two_threads": {},
              "ring_segmented": PIPELINED, "recursive_doubling": {}, "rabenseifner": {},
              "double_binary_tree": PIPELINED}
ONE_BY_ONE = ("ring", "ring_waitall", "ring_sendrecv", "ring_two_threads", "recursive_doubling",
              "rabenseifner")
PROBED = ("16KiB", "256KiB", "1MiB", "4MiB", "16MiB")  # none of them is replayed
REPLAYED = (4 * KIB, 64 * KIB, 512 * KIB, 2 * MIB, 8 * MIB, 32 * MIB)


def seconds(rate, size):
    return rate[0] + size / rate[1]


def scenario(sizes=REPLAYED, algorithms=None):
    algorithms = ALGORITHMS if algorithms is None else algorithms
    cases = [{"name": f"{name} {size}",
              "set": {"job.algorithm": name, "job.bytes": f"{size} B"} | changes}
             for name, changes in algorithms.items() for size in sizes]
    return {"question": "?", "cluster": "gtx1080ti_x4", "library": "cuda_pinned", "placement": "2",
            "job": {"collective": "allreduce", "algorithm": "ring", "bytes": "4 KiB"},
            "cases": cases}


STREAMING = {
    "question": "?", "cluster": "gtx1080ti_x4", "library": "cuda_pinned", "placement": "2",
    "job": {"collective": "streaming_exchange", "algorithm": "interlocked", "bytes": "8 MiB",
            "options": {"steps": 5, "compute": "3 ms", "segment": "1 MiB"}},
    "cases": [{"name": f"{name} {size}",
               "set": {"job.algorithm": name, "job.bytes": f"{size} MiB"}}
              for name in ("interlocked", "free_running") for size in (2, 8, 32)]}


class Way:
    """Shared by all tests: probed and fitted once."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.environment = {**os.environ, "RINGSCOPE": str(BUILD / "ringscope"),
                            "RINGSCOPE_DATA": str(ROOT)}
        self.run(PROGRAM, "probe", "-o", "probes.json", "--sizes", ",".join(PROBED), "--segments",
                 "256KiB,1MiB", "--streams", "2", "--repetitions", "2", "--emulated", "fake GPUs")
        self.run(VALIDATION / "calibrate", "probes.json", "--segment", "1MiB", "-o", "m.yaml",
                 "--report", "m.txt")

    def run(self, *words, **settings):
        ran = subprocess.run([str(word) for word in words], check=False, capture_output=True,
                             text=True, cwd=self.folder, env=self.environment | settings)
        assert ran.returncode == 0, f"{words}: {ran.stderr}"
        return ran.stdout

    def replayed(self, name, what, ranks, *more, **settings):
        (self.folder / f"{name}.yaml").write_text(json.dumps(what), encoding="utf-8")
        self.run(PROGRAM, "replay", f"{name}.yaml", "--ranks", ranks, "-o", f"{name}.json",
                 "--repetitions", "1", "--max-repetitions", "1", "--warmups", "0",
                 "--emulated", "fake GPUs", *more, **settings)
        return f"{name}.json"

    def judged(self, *documents):
        return json.loads(self.run(VALIDATION / "validate", "m.yaml", *documents, "--fitted",
                                   "refuse", "--json", "-"))["cases"]

    def on_one_gpu(self, path, ranks=(2, 3, 5, 8), sizes=REPLAYED, algorithms=None):
        return self.judged(*[self.replayed(f"{path}{count}", scenario(sizes, algorithms), count,
                                           "--path", path) for count in ranks])


WAY = None


def errors(cases, keep=lambda case: True):
    found = sorted(abs(case["error"]) for case in cases if keep(case))
    return statistics.median(found), found[min(len(found) - 1, int(0.9 * len(found)))]


def one_by_one(case):
    """Algorithms in which no rank reduces while it receives."""
    return case["algorithm"] in ONE_BY_ONE


class Calibration(unittest.TestCase):
    """Parameters of the fake come back within 2 %: an event in 50 us of a batch is 1 % of it."""

    @classmethod
    def setUpClass(cls):
        cls.file = yaml.safe_load((WAY.folder / "m.yaml").read_text(encoding="utf-8"))

    def value(self, name):
        return parse_quantity(self.file["calibration"]["parameters"][name]["value"])

    def test_copies_kernels_and_memory_are_found(self):
        gpu = "cluster.host.gpu"
        for name, truth in (
                (f"{gpu}.send_bandwidth", SEGMENT / seconds(D2H, SEGMENT)),
                (f"{gpu}.receive_bandwidth", SEGMENT / seconds(H2D, SEGMENT)),
                (f"{gpu}.memory_bandwidth", 2 * D2D[1]),
                ("library.gpu.launch", REDUCE[0]),
                ("library.p2p.gap", D2D[0] * D2D[1]),
                ("library.staged.gap", D2H[0] * SEGMENT / seconds(D2H, SEGMENT))):
            self.assertAlmostEqual(self.value(name) / truth, 1, delta=0.02, msg=name)
        self.assertAlmostEqual(self.value("library.p2p.latency") / EVENT, 1, delta=0.1)

    def test_every_parameter_has_a_source_and_no_empty_interval(self):
        for name, one in self.file["calibration"]["parameters"].items():
            self.assertTrue(one["evidence"], name)
            # The clock of the fake GPUs is exact: drawing again may move nothing, and one value
            # alone is no interval, which the file then says.
            ends = [parse_quantity(one[end]) for end in ("low", "high") if end in one]
            self.assertEqual(len(ends), 0 if one.get("interval") == "not identifiable" else 2, name)
            self.assertEqual(ends, sorted(ends), name)

    def test_the_document_is_what_measurement_md_says(self):
        document = read(str(WAY.folder / "probes.json"))
        self.assertEqual(document.where["devices"], ["fake GPU"])
        self.assertTrue(document.where["driver"] and document.where["date"])
        alone = {what for what in GPU_PROBES if "peer" not in what}
        self.assertEqual({one.what for one in document.measurements}, alone)
        text = (VALIDATION / "measurement.md").read_text(encoding="utf-8")
        for what, parameters in GPU_PROBES.items():
            self.assertIn(f"| `{what}` | {', '.join(parameters)} |", text)
        for one in document.measurements:
            self.assertEqual(tuple(one.parameters), GPU_PROBES[one.what])


class RoundTrip(unittest.TestCase):
    def test_ranks_that_share_a_gpu(self):
        cases = WAY.on_one_gpu("auto", (2, 5), (64 * KIB, 2 * MIB))
        self.assertLess(errors(cases, one_by_one)[1], 0.07)

    def test_ranks_that_share_a_gpu_and_stage(self):
        cases = WAY.on_one_gpu("staged", sizes=(64 * KIB, 2 * MIB, 8 * MIB))
        large = errors(cases, lambda case: one_by_one(case) and case["bytes"] >= MIB)
        self.assertLess(large[0], 0.10)
        self.assertLess(large[1], 0.20)
        self.assertLess(errors(cases, lambda case: case["bytes"] < MIB)[0], 0.05)

    def test_the_streaming_exchange_through_host_memory(self):
        cases = WAY.judged(WAY.replayed("streaming", STREAMING, 2, "--path", "staged"))
        self.assertEqual(len(cases), 6)
        self.assertLess(errors(cases)[1], 0.05)


class Programs(unittest.TestCase):
    def refused(self, *words, **settings):
        ran = subprocess.run([str(PROGRAM), *words], check=False, capture_output=True, text=True,
                             cwd=WAY.folder, env=WAY.environment | settings)
        self.assertEqual(ran.returncode, 1, ran.stderr)
        return ran.stderr

    def test_nccl_beside_the_prediction_of_what_it_chooses(self):
        WAY.run(PROGRAM, "nccl", "-o", "nccl.json", "--sizes", "64KiB,1MiB", "--ranks", "3,8",
                "--max-repetitions", "10", RINGSCOPE_FAKE="gpus=3")
        WAY.run(PROGRAM, "probe", "-o", "three.json", "--only", "gpu_copy,gpu_copy_done,"
                "gpu_peer_copy,gpu_peer_copy_done,gpu_reduction", "--sizes", "16KiB,4MiB",
                "--streams", "1", "--repetitions", "2", RINGSCOPE_FAKE="gpus=3,peers=1")
        WAY.run(VALIDATION / "calibrate", "three.json", "-o", "three.yaml", "--report", "three.txt")
        out = WAY.run(VALIDATION / "validate", "three.yaml", "nccl.json", "--csv", "nccl.csv")
        self.assertIn("not measured: 8 ranks on 3 GPUs: fake NCCL 1.0.0 rejects "
                      "(join: invalid usage: two ranks on GPU 0)", out)
        rows = (WAY.folder / "nccl.csv").read_text(encoding="utf-8").splitlines()
        self.assertEqual(len(rows), 1 + 2 * 5)
        self.assertEqual({row.split(",")[5] for row in rows[1:]},
                         {"nccl"})  # predicted_as, behind a name with two commas

    def test_one_gpu_is_one_rank_too_few(self):
        WAY.run(PROGRAM, "nccl", "-o", "one.json", "--sizes", "64KiB")
        out = WAY.run(VALIDATION / "validate", "m.yaml", "one.json")
        self.assertIn("not measured: 2 ranks on 1 GPU", out)

    def test_unknown_names_are_rejected_with_the_known_names(self):
        for words, message in (
                (("probe", "--only", "gpu_kopy"),
                 "--only:1:1: unknown probe 'gpu_kopy'; did you mean 'gpu_copy'?"),
                (("probe", "--sizes", "6B"),
                 "expected whole floats: a multiple of 4 B up to 1 GiB"),
                (("probe", "--gpus", "1"), "expected a GPU from 0 to 0, got 1"),
                (("nccl", "--only", "allredoce"), "did you mean 'allreduce'?"),
                (("nccl", "--sizes", "1"), "--sizes:1:1: expected")):
            with self.subTest(words=words):
                self.assertIn(message, self.refused(*words, "-o", "x.json"))
                self.assertFalse((WAY.folder / "x.json").exists())

    def test_help_lists_every_probe(self):
        text = WAY.run(PROGRAM, "probe", "--help")
        for what in GPU_PROBES:
            self.assertRegex(text, rf"(?m)^  {what} ")


def print_table():
    print("| on one fake GPU | cases | median error | 90th percentile |\n|---|---|---|---|")
    for path, words in (("auto", "copied inside the GPU"), ("staged", "through host memory")):
        cases = WAY.on_one_gpu(path)
        for title, keep in (
                ("rings, doubling, halving, from 1 MiB",
                 lambda case: one_by_one(case) and case["bytes"] >= MIB),
                ("the same below 1 MiB",
                 lambda case: one_by_one(case) and case["bytes"] < MIB),
                ("segmented ring and trees, all sizes", lambda case: not one_by_one(case))):
            some = [case for case in cases if keep(case)]
            median, most = errors(some)
            print(f"| {words}, {title} | {len(some)} | {100 * median:.1f} % | {100 * most:.1f} % |")
        if "--all" in sys.argv:
            for case in cases:
                print(case["algorithm"], case["ranks_count"], format_bytes(case["bytes"]),
                      f"{case['measured_s'] * 1e6:.1f} us {100 * case['error']:+.1f} %")
    cases = WAY.judged(WAY.replayed("streaming", STREAMING, 2, "--path", "staged"))
    median, most = errors(cases)
    print(f"| streaming exchange through host memory, 2 to 32 MiB | {len(cases)} | "
          f"{100 * median:.1f} % | {100 * most:.1f} % |")
    if "--all" in sys.argv:
        for case in cases:
            print(case["case"], f"{case['measured_s'] * 1e6:.1f} us {100 * case['error']:+.1f} %")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        WAY = Way(place)
        if "--table" in sys.argv:
            print_table()
        else:
            unittest.main(argv=sys.argv[:1])
