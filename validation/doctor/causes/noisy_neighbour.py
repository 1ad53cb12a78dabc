# SPDX-License-Identifier: LGPL-2.1-or-later
"""Other jobs send over the same links of the hosts all the while."""

from validation.doctor.scenario.scene import Scene


def values(scene: Scene) -> list:
    return [1, 2, 3] if 2 <= scene.hosts <= 16 and scene.ranks <= 128 else []


def edit(scene: Scene, value):
    cores = scene.host["domains"][0] if scene.type == "custom" else scene.host
    cores["cores"] = int(cores.get("cores", 1)) + value
    job = {"collective": "allreduce", "algorithm": "ring", "bytes": "64 MiB"}
    scene.neighbours = {f"other{i}": {"placement": f"1x{scene.hosts}", "job": job}
                        for i in range(value)}
