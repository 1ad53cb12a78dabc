# SPDX-License-Identifier: LGPL-2.1-or-later
"""NVLS did not run where the hosts' NVSwitches have it, and rings did."""

from validation.doctor.causes.tree_across_hosts import chose
from validation.doctor.scenario.scene import Scene


def values(scene: Scene) -> list:
    """Only where the library says what such a switch carries: H100 and later."""
    switch = scene.host.get("nvswitch") or scene.host.get("nvswitches")
    has_it = bool(switch) and "in_switch" in (scene.blocks or {})
    return ["ring"] if has_it and any(map(chose, scene.each_job())) else []


def edit(scene: Scene, value):
    scene.set_option(chose, "algorithm", value)
