# SPDX-License-Identifier: LGPL-2.1-or-later
"""Ranks of a host are bound to too few cores, or far from their memory."""

from validation.doctor.scenario.scene import Scene, counts_of


def values(scene: Scene) -> list:
    if scene.on_gpus or not all(isinstance(ask["placement"], str) for ask in scene.asks):
        return []
    many = max(max(counts_of(ask["placement"])) for ask in scene.asks)
    shared = sorted({2, 4, many} & set(range(2, many + 1)))
    remote = scene.sockets > 1 and "memory_bandwidth" in scene.host
    return shared + ["remote"] * remote


def edit(scene: Scene, value):
    for ask in scene.asks:
        counts = counts_of(ask["placement"])
        if value == "remote":
            ask["placement"] = {"hosts": ask["placement"], "memory": {"bind": scene.sockets - 1}}
        else:
            ask["placement"] = [{"host": host, "numa": 0, "core": i // value}
                                for host, count in enumerate(counts) for i in range(count)]


def words(value) -> str:
    return "memory on the other socket" if value == "remote" else f"{value} ranks share each core"
