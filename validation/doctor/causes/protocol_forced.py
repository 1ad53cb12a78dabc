# SPDX-License-Identifier: LGPL-2.1-or-later
"""One of NCCL's protocols ran at all sizes."""

from validation.doctor.scenario.scene import Scene


def chose(job: dict) -> bool:
    """True if NCCL chose the protocol by its tables; of an all-to-all it goes by size alone."""
    return job["algorithm"] == "nccl" and job["collective"] != "alltoall"


def values(scene: Scene) -> list:
    nccl = scene.blocks is not None and any(map(chose, scene.each_job()))
    return ["Simple", "LL128", "LL"] if nccl else []


def edit(scene: Scene, value):
    scene.set_option(chose, "protocol", value)
