# SPDX-License-Identifier: LGPL-2.1-or-later
"""Consecutive hosts of the rings are in different racks, so that each step crosses the uplinks."""

from validation.doctor.causes import oversubscribed_uplinks
from validation.doctor.scenario.scene import Scene, counts_of


def values(scene: Scene) -> list:
    if scene.cluster.get("network") not in ("star", "two_level") or scene.hosts < 4:
        return []
    return [1.0, 2.0, 4.0]


def interleaved(placement, per_rack: int):
    """Hosts in the order first of the first rack, first of the second, ...; None for lists."""
    if isinstance(placement, list):
        return None
    counts = counts_of(placement)
    racks = -(-len(counts) // per_rack)
    order = [rack * per_rack + i for i in range(per_rack) for rack in range(racks)
             if rack * per_rack + i < len(counts)]
    gpu = isinstance(placement, dict) and placement.get("on") == "gpu"
    return [{"host": host, "gpu" if gpu else "core": i}
            for host in order for i in range(counts[host])]


def edit(scene: Scene, value):
    if not oversubscribed_uplinks.edit(scene, value):
        return False
    per_rack = int(scene.cluster["hosts_per_rack"])
    for ask in scene.asks:
        placement = interleaved(ask["placement"], per_rack)
        if placement is None:
            return False
        ask["placement"] = placement
    return True
