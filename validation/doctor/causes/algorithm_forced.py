# SPDX-License-Identifier: LGPL-2.1-or-later
"""Another algorithm ran than the library would choose."""

from validation.doctor.causes.changes import chose
from validation.doctor.scenario.scene import Scene
from validation.yaml_files import tables_of

OTHERS = tables_of(__file__)


def values(scene: Scene) -> list:
    names = {(job["collective"], job["algorithm"]) for job in scene.each_job()}
    if len(names) != 1:
        return []
    collective, algorithm = names.pop()
    if algorithm == "nccl":
        return ["ring"] if any(map(chose, scene.each_job())) else []
    return [one for one in OTHERS.get(collective, ()) if one != algorithm]


def edit(scene: Scene, value):
    scene.set_option(chose, "algorithm", value)
    for job in scene.each_job():
        if job["algorithm"] != "nccl":
            job["algorithm"] = value
