# SPDX-License-Identifier: LGPL-2.1-or-later
"""Steps of the published training jobs by the simulator; of the measured it reads one GPU's."""

from validation.calibration.verdict.simulator import Simulator, batch
from validation.tables.training.rows import Row
from validation.yaml_files import tables_of

CLUSTER = "v100x8_one_nic"
# NCCL's profile of the A100 by the data sheet of the V100: its generation.
LIBRARY = {"base": "nccl_a100", "blocks": {"generation": "volta", "nccl": 2.18}}
MODELS = {"resnet50-v1.5": "resnet50", "bert-base": "bert_base"}
EXCHANGES = tables_of(__file__)
STEPS = 2  # each is like the others


def scenario_of(row: Row, one_gpu_s: float, gpus_of_a_host: int = 8) -> dict:
    strategy, options = EXCHANGES[row.model][row.framework]
    model = {"base": MODELS[row.model], "batch": row.batch, "step": f"{one_gpu_s} s"}
    return {"cluster": {"base": CLUSTER, "hosts": row.hosts},
            "placement": {"hosts": f"{gpus_of_a_host}x{row.hosts}", "on": "gpu"},
            "job": {"collective": "training", "algorithm": strategy,
                    "options": {"model": model, "exchange": "nccl", "steps": STEPS, **options}}}


def predict(simulator: Simulator, rows: list, one_gpu: dict, gpus_of_a_host: int = 8) -> list:
    """Seconds of a step of each row."""
    scenarios = [scenario_of(row, one_gpu[row.job], gpus_of_a_host) for row in rows]
    names = [f"{row.model}, {row.framework}, {row.gpus} GPUs" for row in rows]
    return [case["training"]["step_s"] for case in batch(simulator, LIBRARY, scenarios, names)]
