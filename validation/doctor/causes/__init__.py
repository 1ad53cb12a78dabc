# SPDX-License-Identifier: LGPL-2.1-or-later
"""The known causes: one file each, and one name in this list."""

import importlib

FILES = (
    "gpudirect_off", "acs_on", "far_nic", "rail_missing", "link_slow", "pcie_lower", "tcp",
    "core_both_ways", "tree_across_hosts", "nvls_off", "algorithm_forced", "protocol_forced",
    "few_channels", "eager_limit", "oversubscribed_uplinks", "crossing_order", "late_start",
    "noisy_neighbour", "wrong_binding", "no_peer_access", "slow_peer_copies", "nvlink_slow",
    "memory_slow", "gpu_slow", "high_latency", "shm_off", "registration_missing", "topology_file",
    "no_peers_in_vm", "nic_relinked", "shared_nic", "pxn_off", "two_ranks_one_gpu",
    "starved_threads", "transport_timer", "cold_start", "start_skew")
CAUSES = [importlib.import_module(f"{__name__}.{name}").CAUSE for name in FILES]
