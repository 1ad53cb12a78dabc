# SPDX-License-Identifier: LGPL-2.1-or-later
"""Host memory is slower than described: NUMA settings, missing modules."""

from validation.doctor.causes.cause import RARE, Cause, share
from validation.doctor.scenario.scene import scale


CAUSE = Cause(
    "memory-slow",
    "host memory is slow: NUMA nodes per socket (NPS), missing modules",
    "numactl -H; sudo dmidecode -t memory  # stream on each socket; the BIOS's NPS",
    lambda scene: [0.5, 0.25, 0.12] if "memory_bandwidth" in scene.host else [],
    lambda scene, value: scale(scene.host, value, "memory_bandwidth"),
    lambda value: f"{share(value)} of its bandwidth", weight=RARE)
