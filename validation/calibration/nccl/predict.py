# SPDX-License-Identifier: LGPL-2.1-or-later
"""Predictions of NCCL's times by the simulator, for rows of one machine."""

import statistics
from typing import NamedTuple

from validation.calibration.verdict.simulator import Simulator, batch


class Machine(NamedTuple):
    """A published machine: its cluster, and what the A100's profile becomes by its data sheet."""
    name: str
    cluster: str
    sheet: dict = {}  # over library.blocks


A100 = Machine("a100", "a100x4_nvlink")
V100_PCIE = Machine("v100_pcie", "v100x4_pcie", {"generation": "volta", "measured_on": "ampere"})
H100 = Machine("h100", "h100x4_nvlink", {"generation": "hopper", "measured_on": "ampere"})


def job_of(row) -> dict:
    options = {"algorithm": "ring", "protocol": row.protocol} if row.protocol else {}
    options |= {name: getattr(row, name) for name in ("channels", "sms") if getattr(row, name)}
    if row.gpus_per_thread > 1:
        options["gpus_per_thread"] = row.gpus_per_thread
    return {"collective": row.collective, "algorithm": "nccl", "bytes": f"{row.size} B",
            "options": options}


def scenario_of(cluster, row) -> dict:
    hosts = str(row.ranks) if row.hosts == 1 else f"{row.ranks // row.hosts}x{row.hosts}"
    return {"cluster": cluster, "placement": {"hosts": hosts, "on": "gpu"}, "job": job_of(row)}


def seconds_of(cases: list) -> list:
    return [statistics.median(case["times_s"]) for case in cases]


def predict(simulator: Simulator, machine: Machine, library: dict, rows: list) -> list:
    """Seconds of each row."""
    return seconds_of(batch(simulator, library, [scenario_of(machine.cluster, row) for row in rows],
                            [f"{row.size} B" for row in rows]))
