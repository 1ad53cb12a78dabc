# SPDX-License-Identifier: LGPL-2.1-or-later
"""The double binary tree ran, whose traffic between two hosts is half of a ring's."""

from validation.doctor.causes.cause import Cause
from validation.doctor.scenario.scene import Scene


def chose(job: dict) -> bool:
    """True if NCCL was free to choose the algorithm, as it is of an allreduce alone."""
    return (job["algorithm"] == "nccl" and job["collective"] == "allreduce" and
            "algorithm" not in job.get("options", {}))


def values(scene: Scene) -> list:
    return ["tree"] if scene.between_hosts and any(map(chose, scene.each_job())) else []


def edit(scene: Scene, value):
    scene.set_option(chose, "algorithm", value)


CAUSE = Cause(
    "tree-across-hosts",
    "a tree ran instead of the expected ring; on two hosts its bus bandwidth may exceed the cards'",
    "env | grep NCCL_ALGO  # NCCL_ALGO=Ring for comparison; NCCL_DEBUG=INFO with "
    "NCCL_DEBUG_SUBSYS=TUNING names the choice",
    values, edit, lambda value: "a double binary tree at all sizes", ordered=False,
    threads=("NVIDIA/nccl-tests#169", "NVIDIA/nccl-tests#309"))
