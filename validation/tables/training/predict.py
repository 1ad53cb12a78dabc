# SPDX-License-Identifier: LGPL-2.1-or-later
"""Steps of the published training jobs by the simulator, from those of one GPU and one host."""

from validation.calibration.verdict.simulator import Simulator, batch
from validation.tables.training.rows import Row
from validation.yaml_files import tables_of

CLUSTER, LIBRARY, MODELS, OVERHEADS, NEEDS, EXCHANGES = tables_of(__file__).values()
STEPS = 2  # each is like the others
LIMITS = 1.2  # a step on one host that is longer by this factor waits for its input


def scenario_of(row: Row, step_s: float, gpus_of_a_host: int = 8) -> dict:
    exchanges = EXCHANGES[row.model]
    strategy, options = (exchanges.get(f"{row.framework} {row.precision}")
                         or exchanges[row.framework])
    model = {"base": MODELS[row.model], "batch": row.batch, "step": f"{step_s} s"}
    return {"cluster": {**CLUSTER, "hosts": row.hosts},
            "placement": {"hosts": f"{gpus_of_a_host}x{row.hosts}", "on": "gpu"},
            "job": {"collective": "training", "algorithm": strategy, "needs": NEEDS,
                    "options": {"model": model, "exchange": "nccl", "steps": STEPS, **OVERHEADS,
                                **options}}}


def simulated(simulator: Simulator, rows: list, steps: dict, gpus_of_a_host: int = 8) -> list:
    """Seconds of a step of each row, with the computation of {job: seconds}."""
    scenarios = [scenario_of(row, steps[row.job], gpus_of_a_host) for row in rows]
    names = [f"{' '.join(row.job)}, {row.gpus} GPUs" for row in rows]
    return [case["training"]["step_s"] for case in batch(simulator, LIBRARY, scenarios, names)]


def predict(simulator: Simulator, rows: list, one_gpu: dict, one_host: dict) -> list:
    """Seconds of a step of each row. What a host's step takes beyond its prediction is computation
    or, where it is most of it, the wait for an input that hides all else."""
    jobs = {row.job: row._replace(hosts=1, gpus=8, step_s=0) for row in rows}
    hosts = dict(zip(jobs, simulated(simulator, list(jobs.values()), one_gpu)))
    waits = {job: one_host[job] for job in jobs if one_host[job] > LIMITS * hosts[job]}
    computes = {job: one_gpu[job] + (0 if job in waits else one_host[job] - hosts[job])
                for job in jobs}
    return [max(step_s, waits.get(row.job, 0))
            for row, step_s in zip(rows, simulated(simulator, rows, computes))]
