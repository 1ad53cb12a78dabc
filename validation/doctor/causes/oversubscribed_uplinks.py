# SPDX-License-Identifier: LGPL-2.1-or-later
"""Hosts sit in several racks, whose uplinks carry less than their hosts can send."""

from validation.doctor.scenario.scene import Scene

FACTORS = (2.0, 4.0, 8.0, 16.0, 32.0)


def values(scene: Scene) -> list:
    known = scene.cluster.get("network") in ("star", "two_level")
    return list(FACTORS) if known and scene.between_hosts else []


def edit(scene: Scene, value) -> bool:
    """Hosts of a star come into two racks, of two levels they stay where they are."""
    cluster = scene.cluster
    if "unlike" in cluster or "degraded" in cluster:
        return False
    if cluster["network"] == "star":
        hosts = cluster.pop("hosts")
        many = len(hosts) if isinstance(hosts, list) else int(hosts)
        used = max(2, min(many, scene.hosts))
        cluster |= {"network": "two_level", "racks": 2, "hosts_per_rack": -(-used // 2)}
        cluster["oversubscription"] = value
        return True
    uplink = cluster.get("uplink") or {}
    uplink.pop("bandwidth", None)
    cluster["oversubscription"] = value * float(cluster.get("oversubscription", 1))
    return True
