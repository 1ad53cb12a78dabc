# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cables carry less than they should: of all hosts, or of one."""

from validation.doctor.scenario.scene import Scene, scale

SHARES = (0.8, 0.65, 0.5, 0.4, 0.25, 0.1, 0.04)
CABLES = ("bandwidth", "send_bandwidth", "receive_bandwidth", "both")


def values(scene: Scene) -> list:
    return list(SHARES) if scene.between_hosts and scene.cluster.get("link") else []


def edit(scene: Scene, value):
    scale(scene.cluster["link"], value, *CABLES)
