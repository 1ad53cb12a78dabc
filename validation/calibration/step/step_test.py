# SPDX-License-Identifier: LGPL-2.1-or-later
"""Do known kernels come back from steps that the simulator made, and known times from a trace?

Usage: python3 -m validation.calibration.step.step_test BUILD
"""

import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import yaml

from common.programs import InputError
from validation.calibration.imports.source import source_of
from validation.calibration.step import scenario, trace
from validation.calibration.verdict.simulator import Simulator

ROOT = pathlib.Path(__file__).resolve().parents[3]
STEP = """question: How long is a step of four layers?
cluster: my_cluster.yaml
library: nccl_h100
placement: {hosts: 8x1, on: gpu}
job:
  program: llm
  groups: {tp: 2}
  options: {model: my_model.yaml, gpu: h100, micro_batches: 4, zero: 1, launch: 0 s}
"""
MODEL = """{layers: 4, hidden: 4096, heads: 32, intermediate: 11008, gated: true, vocabulary: 32000,
 sequence: 4096}
"""
TABLE = """gpus,tp,pp,micro_batch,global_batch,precision,day
8,2,,1,16,bf16,1
8,4,,1,16,bf16,1
16,2,,1,16,bf16,2
16,2,2,1,64,,2
16,1,,2,64,fp8,3
"""


def kernel(name: str, begin: float, lasts: float, category: str = "kernel") -> dict:
    return {"ph": "X", "cat": category, "name": name, "ts": begin, "dur": lasts}


def trace_of(*events) -> bytes:
    return json.dumps({"schemaVersion": 1, "traceEvents": list(events)}).encode()


class Folder(unittest.TestCase):
    build = None

    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        self.simulator = Simulator(str(self.build / "ringscope"))
        self.write("step.yaml", STEP)
        self.write("my_model.yaml", MODEL)
        self.write("my_cluster.yaml", "base: h100_nvswitch\n")

    def write(self, name: str, content) -> str:
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    def step(self) -> scenario.Step:
        return scenario.Step(str(self.folder / "step.yaml"), self.simulator)

    def calibrate(self, *words) -> subprocess.CompletedProcess:
        return subprocess.run([self.build / "ringscope", "calibrate", *words, "--step", "step.yaml",
                               "-o", "fit.yaml"], cwd=self.folder, check=False, text=True,
                              capture_output=True, env={**os.environ, "RINGSCOPE_DATA": str(ROOT)})

    def error(self, *words) -> str:
        ran = self.calibrate(*words)
        self.assertEqual(ran.returncode, 1, ran.stderr)
        return ran.stderr


class Tables(Folder):
    def table(self, factor: float, overhead_s: float) -> str:
        """Steps by the simulator; the table without times has 1 s in each row."""
        step, lines = self.step(), TABLE.splitlines()
        blank = "\n".join([f"{lines[0]},step_s", *(f"{line},1" for line in lines[1:]), ""])
        rows, _ = step.rows(source_of("blank.csv", blank.encode()))
        kernels = scenario.scaled(step.kernels, dict.fromkeys(scenario.SHARES, factor))
        found = step.estimates([(row.place, row.tree, kernels,
                                 {"step_overhead": f"{overhead_s} s"}) for row in rows])
        times = [f"{line},{one['step_s']!r}" for line, one in zip(lines[1:], found)]
        return self.write("steps.csv", "\n".join([f"{lines[0]},step_s", *times, ""]))

    def fitted(self, factor: float, overhead_s: float) -> tuple:
        self.table(factor, overhead_s)
        ran = self.calibrate("steps.csv")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return yaml.safe_load((self.folder / "fit.yaml").read_text()), ran

    def test_known_efficiency_comes_back(self):
        fitted, ran = self.fitted(0.8, 0)
        self.assertEqual(list(fitted), ["gpu"])
        self.assertEqual(fitted["gpu"]["base"], "h100")
        kernels = fitted["gpu"]["kernels"]
        for name, share in (("matrix", 0.7), ("matrix_fp8", 0.6), ("attention", 0.6),
                            ("attention_backward", 0.5), ("memory", 0.85)):
            self.assertAlmostEqual(kernels[name] / (0.8 * share), 1, delta=0.01)
        self.assertEqual((kernels["multiprocessors"], kernels["spread"]), (132, 1.05))
        self.assertIn("columns not used: day", ran.stderr)
        self.assertRegex(ran.stdout, r"\nMost informative row: steps.csv:\d; without it, fitted "
                         r"steps change by 0\.\d\d %\n")

    def test_host_time_comes_back(self):
        fitted, _ = self.fitted(0.7, 0.1)
        self.assertAlmostEqual(fitted["gpu"]["kernels"]["matrix"] / 0.49, 1, delta=0.01)
        self.assertAlmostEqual(float(fitted["step_overhead"].removesuffix(" ms")), 100, delta=5)

    def test_fit_is_options_of_a_job(self):
        fitted, _ = self.fitted(0.8, 0)
        used = yaml.load(STEP, yaml.BaseLoader)
        used["job"]["options"].update(fitted)
        path = self.write("used.yaml", json.dumps(used))
        step = json.loads(self.simulator.output("estimate", path, "--format", "json"))["steps"][0]
        measured = float((self.folder / "steps.csv").read_text().splitlines()[1].split(",")[-1])
        self.assertAlmostEqual(step["step_s"] / measured, 1, delta=0.01)
        self.assertAlmostEqual(step["high_s"] / step["step_s"], 1.05, delta=1e-6)

    def test_wide_errors_widen_the_interval(self):
        self.write("steps.csv", "gpus,step_s\n8,0.2\n8,0.24\n")
        self.calibrate("steps.csv")
        spread = yaml.safe_load((self.folder / "fit.yaml").read_text())["gpu"]["kernels"]["spread"]
        self.assertAlmostEqual(np.log(spread) / (6.314 * np.log(1.2)), 1, delta=0.01)

    def test_row_is_a_job_of_its_columns(self):
        rows, _ = self.step().rows(source_of("a.csv", b"gpus,step_s,tp,pp,dp,micro_batch,"
                                             b"global_batch\n32,1,4,2,4,2,64\n4,1,,,,,\n"))
        job = rows[0].tree["job"]
        self.assertEqual(job["groups"], {"tp": 4, "pp": 2, "cp": 1})
        self.assertEqual(job["options"]["micro_batches"], 8)
        self.assertEqual(rows[0].tree["placement"], {"hosts": "8x4", "on": "gpu"})
        self.assertEqual(rows[0].tree["cluster"]["hosts"], 4)
        self.assertEqual(rows[1].tree["placement"]["hosts"], "4x1")
        self.assertEqual(rows[1].tree["cluster"], str(self.folder / "my_cluster.yaml"))

    def test_wrong_cells_are_errors_with_places(self):
        for table, expected in (
                ("gpus,step_s\n12,1\n", "t.csv:2:1: expected gpus: a multiple of 8, ranks of a "
                 "host, got '12'"),
                ("gpus,tp,step_s\n8,3,1\n", "t.csv:2:1: expected gpus: a multiple of tp x pp x cp "
                 "= 3, got '8'"),
                ("gpus,dp,step_s\n8,8,1\n", "t.csv:2:3: expected dp: gpus / (tp x pp x cp) = 4, "
                 "got '8'"),
                ("gpus,global_batch,step_s\n8,7,1\n", "t.csv:2:3: expected global_batch: a "
                 "multiple of dp x micro_batch = 4, got '7'"),
                ("gpus,step_s\n8,no\n", "t.csv:2:3: expected a number, not negative, got \"no\""),
                ("gpus,step_s\n8,0\n", "t.csv:2:3: expected a positive step time in seconds, "
                 "got 0"),
                ("gpus,tp\n8,1\n", "t.csv:1:8: expected the columns gpus,step_s, got no step_s"),
                ("gpus,precision,step_s\n8,bf17,1\n", "t.csv:2: the simulator rejects this job: "
                 "step.yaml: unknown precision 'bf17'"),
                ("gpus,micro_batch,step_s\n8,9999,1\n", "t.csv:2: the simulator rejects this job: "
                 "step.yaml: a GPU of stage 0 needs"),
                ("", "t.csv:1:1: expected the output of a benchmark, got an empty file")):
            self.write("t.csv", table)
            self.assertIn(expected, self.error("t.csv"))

    def test_wrong_scenarios_are_errors(self):
        self.write("t.csv", "gpus,step_s\n8,1\n")
        for text, expected in (
                (STEP.replace("zero: 1", "efficiency: 0.5"), "got 'efficiency'"),
                (STEP + "cases: [{name: a}]\n", "got 'cases'"),
                (STEP.replace("zero: 1", "zero: 7"), "step.yaml:8:"),
                (STEP.replace("{tp: 2}", "{tp: [[0, 1, 2, 3, 4, 5, 6, 7]]}"),
                 "got lists of ranks"),
                ("question: a\ncluster: pair\nlibrary: rdma\nplacement: 1-1\njob: {collective: "
                 "allreduce, algorithm: ring, bytes: 1 MiB}\n", "got another job")):
            self.write("step.yaml", text)
            self.assertIn(expected, self.error("t.csv"))

    def test_options_of_other_fits_are_errors(self):
        self.write("t.csv", "gpus,step_s\n8,1\n")
        self.assertIn("--ranks-per-node: expected no such option with --step: it is for a fit to "
                      "probes or collectives", self.error("t.csv", "--ranks-per-node", "8"))


class Traces(Folder):
    def test_known_kernels_give_the_table(self):
        times = trace.read("a.json", trace_of(
            kernel("nvjet_tst_256x128", 0, 100), kernel("s16816gemm", 150, 300),
            kernel("flash_fwd_kernel<cutlass>", 450, 50),
            kernel("vectorized_elementwise", 500, 200),
            kernel("Memset (Device)", 700, 10, "gpu_memset"),
            kernel("Memcpy HtoD", 720, 500, "gpu_memcpy"),
            kernel("ncclDevKernel_AllGather", 600, 200), kernel("ncclDevKernel_SendRecv", 850, 50),
            kernel("aten::mm", 0, 9999, "cpu_op"), kernel("multi_tensor_apply", 5000, 100),
            {"ph": "M", "name": "process_name"}))
        us = [round(one * 1e6, 6) for one in times[2:]]
        self.assertEqual(times.counts, {"nccl": 2, "attention": 1, "matrix": 2, "memory": 3})
        self.assertEqual({name: round(one * 1e6, 6) for name, one in times.kernels.items()},
                         {"nccl": 250, "attention": 50, "matrix": 400, "memory": 310})
        # computing, exposed, launches, pauses, step
        self.assertEqual(us, [760, 140, 100, 4100, 5100])

    def test_steps_of_a_trace_are_counted(self):
        times = trace.read("a.json", trace_of(
            kernel("ProfilerStep#3", 0, 1000, "user_annotation"), kernel("gemm", 100, 300),
            kernel("ProfilerStep#4", 1000, 1000, "user_annotation"), kernel("gemm", 1100, 500)))
        self.assertAlmostEqual(times.step, 1e-3)
        self.assertAlmostEqual(times.kernels["matrix"], 0.4e-3)

    def made(self, gap_us: float) -> str:
        """Eight kernels of each class one behind the other, and a pause of 20 ms."""
        events, now = [], 0.0
        for name, lasts in (("nvjet", 12000), ("flash_bwd", 3000), ("elementwise", 4000)) * 8:
            events.append(kernel(name, now, lasts))
            now += lasts + gap_us
        events.append(kernel("gemm", now + 20000 - gap_us, 1))
        return self.write("run.json.gz", gzip.compress(trace_of(*events)))

    def test_fitted_kernels_take_the_times_of_a_trace(self):
        self.made(0)
        ran = self.calibrate("run.json.gz")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        fitted = yaml.safe_load((self.folder / "fit.yaml").read_text())
        self.assertEqual(list(fitted), ["gpu", "step_overhead"])
        self.assertEqual(fitted["step_overhead"], "20 ms")
        rows = {line.split()[0]: line.split() for line in ran.stdout.splitlines() if line.split()}
        for name, milliseconds in (("matrix", 96), ("attention", 24), ("memory", 32)):
            self.assertAlmostEqual(float(rows[name][-2]), milliseconds, delta=0.01 * milliseconds)
            self.assertEqual(rows[name][-1], "ms")

    def test_idle_time_between_kernels_is_launch(self):
        self.made(900)
        self.assertEqual(self.calibrate("run.json.gz").returncode, 0)
        fitted = yaml.safe_load((self.folder / "fit.yaml").read_text())
        self.assertEqual(fitted["step_overhead"], "20 ms")
        self.assertRegex(fitted["launch"], r"^\d+(\.\d+)? us$")

    def test_missing_class_scales_all(self):
        step = self.step()
        fitted = trace.Fit(step, trace.read("a.json", trace_of(kernel("gemm", 0, 200000))))
        ratios = [fitted.kernels[key] / step.kernels[key] for key in ("matrix", "memory")]
        self.assertAlmostEqual(*ratios)
        self.assertAlmostEqual(fitted.after.sum() / 0.2, 1, delta=0.01)

    def test_bad_traces_are_errors(self):
        for data, expected in (
                (b'{"traceEvents": [{"ph": "X", "ts": 1', "expected a trace of PyTorch's profiler"),
                (b'{"events": []}', "KeyError: 'traceEvents'"),
                (b"[" * 100000, "RecursionError"),
                (b'{"traceEvents": 7}', "TypeError"),
                (trace_of(7), "event 0: expected a trace of PyTorch's profiler"),
                (trace_of({"ph": "M"}, {"ph": "X", "ts": "x", "dur": 1}), "event 1: expected"),
                (b'{"traceEvents": [{"ph": "X", "ts": 1e999, "dur": 1}]}', "a time of inf us"),
                (b'{"traceEvents": [{"ph": "X", "ts": NaN, "dur": 1}]}', "event 0: expected"),
                (trace_of({"ph": "X", "ts": 10**400, "dur": 1}), "OverflowError"),
                (trace_of({"ph": "X", "ts": 1}), "KeyError: 'dur'"),
                (trace_of(kernel("ncclDevKernel", 0, 5)), "expected kernels of a GPU that compute"),
                (trace_of(kernel("gemm", 0, 0)), "expected kernels of a GPU that compute"),
                (trace_of(), "expected kernels of a GPU that compute")):
            with self.assertRaisesRegex(InputError, "^a.json: ") as caught:
                trace.read("a.json", data)
            self.assertIn(expected, str(caught.exception))

    def test_unpacked_size_is_limited(self):
        self.write("bomb.json.gz", gzip.compress(b"{" + b" " * (8 << 20)))
        self.assertIn("bomb.json.gz: expected at most 1024 MiB", self.error("bomb.json.gz"))

    def test_trace_comes_alone(self):
        self.write("a.json", trace_of())
        self.write("t.csv", "gpus,step_s\n8,1\n")
        self.assertIn("a.json: expected a trace alone, or tables, got 2 files",
                      self.error("t.csv", "a.json"))


if __name__ == "__main__":
    Folder.build = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
