# SPDX-License-Identifier: LGPL-2.1-or-later
"""Changes of a scenario that causes.yaml lists: key `change` of a cause.

`severities`: mild to heavy. `needs`: names in NEEDS. `host`: keys of all hosts; `staged`:
data of GPUs then go through host memory. `scale`: the keys that a severity multiplies, by name in
PARTS; without any of them there, the mildest severity alone remains of a change of hosts, and none
of another. `option`: name of NCCL's option that a severity is, of the jobs that JOBS has for it.
"""

import dataclasses
from typing import Sequence

from validation.doctor.scenario.scene import Scene, scale


def chose(job: dict) -> bool:
    """True if NCCL was free to choose the algorithm, as it is of an allreduce alone."""
    return (job["algorithm"] == "nccl" and job["collective"] == "allreduce" and
            "algorithm" not in job.get("options", {}))


def protocols(scene: Scene) -> list:
    """The costs of NCCL's protocols, of a library that has them."""
    blocks = scene.blocks or {}
    return [blocks[name] for name in ("LL", "LL128", "Simple") if name in blocks]


def nvlinks(scene: Scene) -> list:
    found = scene.host.get("nvlink") or []
    found = [found] if isinstance(found, dict) else found
    return [one for one in [*found, scene.host.get("nvswitch")] if isinstance(one, dict)]


NEEDS = {"GPUs": lambda scene: scene.on_gpus,
         "several GPUs": lambda scene: scene.gpus > 1,
         "several hosts": lambda scene: scene.between_hosts,
         "switches": lambda scene: scene.type in ("pcie_tree", "custom"),
         # The library has the share that switches with NVLS carry: H100 and later.
         "NVLS": lambda scene: bool(scene.host.get("nvswitch") or scene.host.get("nvswitches"))
         and "in_switch" in (scene.blocks or {}),
         "blocks": lambda scene: scene.blocks is not None}
PARTS = {"host": lambda scene: [scene.host], "nvlinks": nvlinks, "protocols": protocols,
         "link": lambda scene: [scene.cluster.get("link") or {}],
         "switch_uplink": lambda scene: [scene.host.get("switch_uplink") or {}]}
# The protocol of an all-to-all goes by size alone.
JOBS = {"algorithm": chose, "channels": lambda job: job["algorithm"] == "nccl",
        "protocol": lambda job: job["algorithm"] == "nccl" and job["collective"] != "alltoall"}


@dataclasses.dataclass(frozen=True)
class Change:
    severities: list
    needs: Sequence[str] = ()
    host: dict = dataclasses.field(default_factory=dict)
    staged: bool = False
    scale: dict = dataclasses.field(default_factory=dict)
    option: str = ""

    def scaled(self, scene: Scene) -> list:
        """(part, its keys) of what the severity multiplies."""
        return [(part, keys) for name, keys in self.scale.items() for part in PARTS[name](scene)]

    def values(self, scene: Scene) -> list:
        there = self.host.items() <= scene.host.items() if self.host else False
        free = not self.option or any(map(JOBS[self.option], scene.each_job()))
        if there or not free or not all(NEEDS[one](scene) for one in self.needs):
            return []
        if self.scale and not any(key in part for part, keys in self.scaled(scene) for key in keys):
            return self.severities[:1] * bool(self.host)
        return self.severities

    def edit(self, scene: Scene, value):
        scene.host.update(self.host)
        if self.staged:
            scene.stage()
        for part, keys in self.scaled(scene):
            scale(part, value, *keys)
        if self.option:
            shown = round(value) if isinstance(value, float) else value
            scene.set_option(JOBS[self.option], self.option, shown)
