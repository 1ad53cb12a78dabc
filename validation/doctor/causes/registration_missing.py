# SPDX-License-Identifier: LGPL-2.1-or-later
"""Memory is not registered with the NIC: bytes are copied as by TCP, hops are quick as RDMA's."""

from common.quantities import format_bandwidth
from validation.doctor.causes import tcp
from validation.doctor.causes.cause import Cause

CAUSE = Cause(
    "registration-missing",
    "memory is not registered: each byte is copied through bounce buffers, small sizes are quick",
    "ulimit -l  # unlimited? /etc/security/limits.d; NCCL_DEBUG=INFO for 'reg_mr failed'; "
    "FI_MR_CACHE_MONITOR, UCX_RCACHE_ENABLE",
    lambda scene: tcp.values(scene) if scene.blocks is not None else [],
    lambda scene, value: tcp.edit(scene, value, None),
    lambda value: f"{format_bandwidth(value)} a host, at the latency of RDMA")
