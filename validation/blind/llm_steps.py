# SPDX-License-Identifier: LGPL-2.1-or-later
"""Rows of steps of large models without times, by `ringscope estimate`.

A row that is no job of `program: llm` stays empty, with the reason on standard error.
"""

import sys

from validation.calibration.step.estimate import estimate
from validation.calibration.verdict.simulator import Simulator
from validation.tables.steps.rows import scenario_of
from validation.yaml_files import tables_of

ASSUMED = tables_of(__file__)


def number(cells: dict, key: str, other: int = 1) -> int:
    return int(cells[key] or other)


def machine_of(cells: dict) -> dict:
    kind = next(name for name in ASSUMED["machines"] if cells["machine"].startswith(name))
    return ASSUMED["machines"][kind]


def scenario(cells: dict) -> dict:
    size = {key: number(cells, key) for key in ("tp", "pp", "cp", "ep", "vp", "gpus")}
    machine = machine_of(cells)
    model = {"base": ASSUMED["models"][cells["model"]], "parameters": None,
             "layers": number(cells, "layers")}
    precision = "fp8" if "8" in cells["precision"] and "BF" not in cells["precision"] else "bf16"
    data = size["gpus"] // (size["tp"] * size["pp"] * size["cp"])
    micro_batch = number(cells, "micro_batch")
    torchtitan = cells["case"].startswith("torchtitan")
    eager = torchtitan and cells["precision"] == "BF16"
    batch = number(cells, "global_batch", data * micro_batch)
    if torchtitan and size["pp"] > 1:  # its micro_batch is the batch of a pipeline
        micro_batch, batch = 1, batch or data * micro_batch
    options = {"model": model, "gpu": machine["gpu"], "precision": precision,
               "sequence": number(cells, "sequence"), "micro_batch": micro_batch,
               "micro_batches": max(1, batch // (data * micro_batch)),
               "recompute": ASSUMED["recompute"][cells["recompute"] or "none"]}
    if torchtitan and size["pp"] == 1:
        options["zero"] = 3
    else:
        options.update(zero=1, overlap="all")
    options.update(ASSUMED["eager" if eager else "compiled"] if torchtitan else ASSUMED["nemo"])
    if size["tp"] > 1:
        options["sequence_parallel"] = True
        options["tensor_overlap"] = size["ep"] == 1 and (not torchtitan or "TP" in cells["notes"])
    interleaved = size["vp"] > 1 or "interleaved" in cells["notes"]
    parts = size["vp"] if size["vp"] > 1 else 2
    if size["pp"] > 1 and interleaved:
        options.update(schedule="interleaved", stage_parts=parts)
    slots = size["pp"] * (parts if interleaved else 1)
    if size["pp"] > 1 and number(cells, "layers") % slots:
        options["fewer_at_ends"] = 1
    groups = {"order": "tp-cp-dp-pp", **{key: size[key] for key in ("tp", "cp", "pp")}}
    if size["ep"] > 1:
        groups["ep"] = size["ep"]
    made = scenario_of({key: machine[key] for key in ("cluster", "library")}, size["gpus"], groups,
                       options)
    if of_host := machine.get("gpus_of_host"):
        hosts = -(-size["gpus"] // of_host)
        made["cluster"]["hosts"] = max(2, hosts)
        counts = [of_host] * (size["gpus"] // of_host) + [size["gpus"] % of_host]
        made["placement"]["hosts"] = "-".join(str(count) for count in counts if count)
    return made


def fill(simulator: Simulator, rows: list, _):
    for cells, one in zip(rows, estimate(simulator, [scenario(cells) for cells in rows])):
        if "error" in one:
            print(f"{cells['case']}, {cells['gpus']} GPUs: {one['error']}", file=sys.stderr)
            continue
        spread, step = machine_of(cells)["spread"], one["step_s"]
        cells |= {"step_s": f"{step:.4g}", "low_s": f"{step / spread:.4g}",
                  "high_s": f"{step * spread:.4g}",
                  "tokens_per_s_per_gpu": f"{one['tokens_per_s'] / one['gpus']:.4g}"}
