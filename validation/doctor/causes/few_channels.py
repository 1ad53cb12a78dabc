"""NCCL had fewer channels than it would take."""

from validation.doctor.causes.cause import RARE, Cause
from validation.doctor.scene import Scene

CHANNELS = tuple(range(16, 0, -1))


def values(scene: Scene) -> list:
    nccl = scene.blocks is not None and any(job["algorithm"] == "nccl" for job in scene.each_job())
    return list(CHANNELS) if nccl else []


def edit(scene: Scene, value):
    for job in scene.each_job():
        if job["algorithm"] == "nccl":
            job["options"] = {**job.get("options", {}), "channels": value}


CAUSE = Cause(
    "few-channels",
    "NCCL has too few channels",
    "env | grep -e NCHANNELS -e MAX_CTAS; NCCL_DEBUG=INFO prints the channels; a topology file "
    "that hides links",
    values, edit, lambda value: f"{value} channel{'s' * (value > 1)}", weight=RARE)
