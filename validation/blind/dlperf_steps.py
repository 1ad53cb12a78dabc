# SPDX-License-Identifier: LGPL-2.1-or-later
"""Rows of training steps without times: BERT-base and Megatron-LM's GPT on 1 to 32 V100."""

import numpy as np

from common.groups import grouped
from validation.calibration.step.estimate import estimate
from validation.calibration.verdict.simulator import Simulator
from validation.tables.training.predict import CLUSTER, simulated
from validation.tables.training.rows import Row, rows, steps_on
from validation.yaml_files import tables_of

PARALLEL = ("data_parallel", "tensor_parallel", "pipeline_stages")
HEADS, SLOWEST, MODEL, OPTIONS = tables_of(__file__).values()


def family(row: Row) -> str:
    return row.framework.removesuffix("-horovod")


def rests(simulator: Simulator) -> dict:
    """{(framework, GPUs): mean seconds of given steps beyond those simulated from one GPU}.
    Rows that wait for their input are left out."""
    every = rows()
    given = [row for row in every if row.gpus > 1 and row.framework not in ("mxnet", "tensorflow2")]
    pairs = zip(given, simulated(simulator, given, steps_on(every, 1)))
    return {key: np.mean([row.step_s - step_s for row, step_s in some]) for key, some in
            grouped(list(pairs), lambda pair: (family(pair[0]), pair[0].gpus)).items()}


def bert(simulator: Simulator, cells: list) -> list:
    """[(step, low, high)]"""
    cases = [Row(one["model"], one["framework"], one["precision"], int(one["batch_per_gpu"]),
                 int(one["hosts"]), int(one["gpus"]), 0.0) for one in cells]
    alone = {case.job: case.batch / float(one["one_gpu_throughput"])
             for case, one in zip(cases, cells) if case.gpus == 1}
    longer, several = rests(simulator), [case for case in cases if case.gpus > 1]
    steps = dict(zip(several, simulated(simulator, several, alone)))
    found = []
    for case in cases:
        one = alone[case.job]
        step = steps[case] + longer[family(case), case.gpus] if case.gpus > 1 else one
        low, high = {1: (0.99, 1.01), 8: (0.93, 1.1)}.get(case.gpus, (0.82, 1.2))
        found.append((step, max(low * step, 0.99 * one), high * step))
    return found


def gpt_scenario(one: dict) -> dict:
    size = {key: int(one[key]) for key in ("gpus", "global_batch", "hidden", "layers", *PARALLEL)}
    dp, tp, pp = (size[key] for key in PARALLEL)
    sequences, hosts = size["global_batch"] // dp, -(-size["gpus"] // 8)
    micro = sequences if pp == 1 else sequences // 32
    model = {**MODEL, "layers": size["layers"], "hidden": size["hidden"],
             "heads": HEADS[size["hidden"]], "vocabulary": -(-50257 // (128 * tp)) * 128 * tp}
    return {"cluster": {**CLUSTER, "hosts": max(2, hosts)}, "library": "nccl_v100_nvlink",
            "placement": {"hosts": f"{min(size['gpus'], 8)}x{hosts}", "on": "gpu"},
            "job": {"program": "llm", "groups": {"order": "tp-dp-pp", "tp": tp, "pp": pp},
                    "options": {**OPTIONS, "model": model, "micro_batch": micro,
                                "micro_batches": sequences // micro}}}


def gpt(simulator: Simulator, cells: list) -> list:
    """[(step, low, high)]"""
    found = []
    for one, result in zip(cells, estimate(simulator, [gpt_scenario(one) for one in cells])):
        gpus, rate = int(one["gpus"]), one["one_gpu_sequences_per_s"]
        step = int(one["global_batch"]) / float(rate) if rate else result["step_s"] * SLOWEST[gpus]
        low, high = ((0.99, 1.01) if rate else (0.65, 1.5) if int(one["tensor_parallel"]) > 8 else
                     (0.75, 1.45) if int(one["pipeline_stages"]) > 1 else (0.85, 1.2))
        found.append((step, low * step, high * step))
    return found


def by(times_of):
    """Fills rows with the steps and ranges of `times_of`."""
    def fill(simulator: Simulator, cells: list, _):
        for one, times in zip(cells, times_of(simulator, cells)):
            one |= {key: f"{seconds:.4g}" for key, seconds in
                    zip(("step_s", "low_s", "high_s"), times)}
    return fill
