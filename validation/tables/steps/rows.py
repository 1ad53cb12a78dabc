# SPDX-License-Identifier: LGPL-2.1-or-later
"""Rows of published/training: measured steps of large models, each with the job that it was."""

from typing import NamedTuple

from validation import PUBLISHED
from validation.csv_files import rows_of
from validation.yaml_files import tables_of

FOLDER = PUBLISHED / "training"
MACHINES, LLAMA, MPT, MODELS, OPTIONS = tables_of(__file__).values()


class Row(NamedTuple):
    """A measured step; without a time it ran out of memory."""

    table: str
    model: str  # with the precision: what one efficiency is fitted to
    gpus: int
    step_s: float | None
    tuned: bool  # SPLIT.md lets mechanisms be tuned on it
    scenario: dict


def scenario_of(machine: dict, gpus: int, groups: dict, options: dict) -> dict:
    """`machine`: with its cluster and library."""
    hosts = -(-gpus // 8)
    return {**machine, "cluster": {**machine["cluster"], "hosts": max(2, hosts)},
            "placement": {"hosts": f"8x{hosts}", "on": "gpu"},
            "job": {"program": "llm", "groups": groups, "options": options}}


def llama(cells: dict) -> Row:
    size = {key: int(cells[key]) for key in ("gpus", "layers", "tp", "pp", "cp", "accumulation")}
    model = {"base": LLAMA[cells["model"]], "parameters": None, "layers": size["layers"]}
    options = OPTIONS["llama"] | {"model": model, "precision": cells["precision"],
                                  "micro_batches": size["accumulation"]}
    if cells["vp"]:
        options.update(schedule="interleaved", stage_parts=int(cells["vp"]))
        if size["layers"] % (size["pp"] * int(cells["vp"])):
            options["fewer_at_ends"] = 1
    if size["tp"] > 1:
        options.update(sequence_parallel=True, tensor_overlap=True)
    groups = {"order": "tp-cp-dp-pp", **{key: size[key] for key in ("tp", "cp", "pp")}}
    tuned = cells["precision"] == "bf16" and (cells["model"], size["gpus"]) in (
        ("llama3.1-8b", 8), ("llama3.1-70b", 64))
    return Row("llama", f"{cells['model']} {cells['precision']} {size['layers']} layers",
               size["gpus"], float(cells["step_s"]), tuned,
               scenario_of(MACHINES["h100"], size["gpus"], groups, options))


def mpt(cells: dict) -> Row:
    gpus, sequence = int(cells["gpus"]), int(cells["seq_len"])
    model = {**MPT[cells["model"]], **MODELS["mpt"], "positions": sequence, "sequence": sequence}
    hopper = cells["gpu"].startswith("h100")
    # FlashAttention of 2023: 25 to 40 % of an A100 (arXiv:2307.08691); of an H100: SPLIT.md.
    kernels = {"matrix": 0.7 if hopper else 0.8, "attention": 0.16 if hopper else 0.33,
               "memory": 0.85, "multiprocessors": 132 if hopper else 108}
    base = "h100" if hopper else cells["gpu"].removesuffix("gb")
    options = {"model": model, "gpu": {"base": base, "kernels": kernels},
               "micro_batch": int(cells["micro_batch"]), "micro_batches": int(cells["grad_accum"]),
               "zero": 3 if cells["sharding"] == "FULL_SHARD" else 2,
               "recompute": "full" if cells["checkpointing"] == "True" else "none"}
    tuned = gpus == 8 and cells["gpu"] == "a100_80gb"
    kind = f"mpt-{cells['model']} {cells['gpu']} {sequence} {options['recompute']}"
    return Row("mpt", kind, gpus, float(cells["step_s"]), tuned,
               scenario_of(MACHINES["h100" if hopper else "a100"], gpus, {}, options))


def bloom(cells: dict) -> Row:
    size = {key: int(cells[key]) for key in ("dp", "tp", "pp", "micro_batch", "global_batch",
                                             "layers", "hidden", "heads", "hosts")}
    section = cells["section"]
    model = MODELS["bloom"] | {key: size[key] for key in ("layers", "hidden", "heads")}
    options = OPTIONS["bloom"] | {
        "model": model, "micro_batch": size["micro_batch"],
        "micro_batches": size["global_batch"] // (size["dp"] * size["micro_batch"])}
    options |= OPTIONS["bloom_bf16" if section == "Rebalancing layers" else "bloom_fp16"]
    if size["layers"] % size["pp"]:
        options["fewer_at_ends"] = 1
    groups = {"order": "tp-dp-pp", "tp": size["tp"], "pp": size["pp"]}
    step = float(cells["step_s"]) if cells["step_s"] not in ("", "x") else None
    return Row("bloom", f"{section} {size['hidden']} {size['layers']} {size['global_batch']}",
               8 * size["hosts"], step, section == "GBS Variations",
               scenario_of(MACHINES["jean_zay"], 8 * size["hosts"], groups, options))


def megatron(cells: dict) -> Row | None:
    """GPT on one host of eight; other models, experts and releases on many hosts are left out."""
    name = cells["case"]
    if not name.startswith("gpt/") or cells["gpu"] == "gb200" or not cells["hidden"] or any(
            word in name for word in ("release", "mla", "frozen", "memory", "1node", "tunable")):
        return None
    size = {key: int(cells[key] or 1) for key in ("layers", "hidden", "heads", "seq", "mbs", "gbs",
                                                  "tp", "pp", "cp")}
    model = MODELS["megatron"] | {"positions": size["seq"], "sequence": size["seq"],
                                  **{key: size[key] for key in ("layers", "hidden", "heads")}}
    dp = 8 // (size["tp"] * size["pp"] * size["cp"])
    hopper = cells["gpu"] == "h100"
    options = OPTIONS["megatron"] | {
        "model": model, "gpu": "h100" if hopper else "a100_80", "micro_batch": size["mbs"],
        "micro_batches": size["gbs"] // (size["mbs"] * dp),
        "zero": 1 if cells["dist_opt"] else 0, "sequence_parallel": bool(cells["sp"])}
    if cells["vp_layers"]:
        options.update(schedule="interleaved",
                       stage_parts=size["layers"] // size["pp"] // int(cells["vp_layers"]))
    groups = {"order": "tp-cp-dp-pp", **{key: size[key] for key in ("tp", "cp", "pp")}}
    return Row("megatron", cells["gpu"], 8, float(cells["median_s"]), not hopper,
               scenario_of(MACHINES["h100" if hopper else "a100"], 8, groups, options))


def rows() -> list:
    files = (("dgxc-llama31-h100", llama), ("mpt-fsdp-steps", mpt), ("bloom-3d-search", bloom),
             ("megatron-golden-steps", megatron))
    every = [row_of(cells) for name, row_of in files for cells in rows_of(FOLDER / f"{name}.csv")]
    return [row for row in every if row is not None]
