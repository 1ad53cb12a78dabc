# SPDX-License-Identifier: LGPL-2.1-or-later
"""NCCL had fewer channels than it would take."""

from validation.doctor.scenario.scene import Scene

CHANNELS = (16.0, 8.0, 4.0, 2.0, 1.0)


def of_nccl(job: dict) -> bool:
    return job["algorithm"] == "nccl"


def values(scene: Scene) -> list:
    nccl = scene.blocks is not None and any(map(of_nccl, scene.each_job()))
    return list(CHANNELS) if nccl else []


def edit(scene: Scene, value):
    scene.set_option(of_nccl, "channels", round(value))
