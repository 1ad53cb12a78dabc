"""The double binary tree ran, whose traffic between two hosts is half of a ring's."""

from validation.doctor.causes.cause import Cause
from validation.doctor.scene import Scene


def values(scene: Scene) -> list:
    found = scene.between_hosts and any(job["algorithm"] == "nccl" for job in scene.each_job())
    return ["tree"] if found else []


def edit(scene: Scene, value):
    for job in scene.each_job():
        if job["algorithm"] == "nccl":
            job["options"] = {**job.get("options", {}), "algorithm": value}


CAUSE = Cause(
    "tree-across-hosts",
    "a tree ran where a ring was expected; on two hosts its bus bandwidth may exceed the cards'",
    "NCCL_ALGO=Ring for comparison; NCCL_DEBUG=INFO with NCCL_DEBUG_SUBSYS=TUNING names the choice",
    values, edit, lambda value: "a double binary tree at all sizes", ordered=False)
