# SPDX-License-Identifier: LGPL-2.1-or-later
"""The double binary tree ran, whose traffic between two hosts is half of a ring's."""

from validation.doctor.scenario.scene import Scene


def chose(job: dict) -> bool:
    """True if NCCL was free to choose the algorithm, as it is of an allreduce alone."""
    return (job["algorithm"] == "nccl" and job["collective"] == "allreduce" and
            "algorithm" not in job.get("options", {}))


def values(scene: Scene) -> list:
    return ["tree"] if scene.between_hosts and any(map(chose, scene.each_job())) else []


def edit(scene: Scene, value):
    scene.set_option(chose, "algorithm", value)
