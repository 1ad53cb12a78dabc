# SPDX-License-Identifier: LGPL-2.1-or-later
"""Each hop takes longer: sleeping cores, interrupts, a detour; the bandwidth is as it should be."""

from validation.doctor.causes.changes import protocols
from validation.doctor.scenario.scene import Scene, times


def values(_: Scene) -> list:
    return [2.0, 4.0, 8.0, 16.0]


def edit(scene: Scene, value):
    if scene.blocks is not None:
        key = "hop_between_hosts" if scene.between_hosts else "hop"
        for one in protocols(scene):
            one[key] = times(one.get(key, one["hop"]), value)
        return
    ways = ("network", "gdr") if scene.between_hosts else ("shm", "p2p", "staged")
    for way in ways:
        if isinstance(scene.library.get(way), dict):
            for key in ("latency", "send_overhead", "recv_overhead"):
                if key in scene.library[way]:
                    scene.library[way][key] = times(scene.library[way][key], value)
