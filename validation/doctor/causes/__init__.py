# SPDX-License-Identifier: LGPL-2.1-or-later
"""The known causes: one file each, and one line in this list."""

from validation.doctor.causes import (acs_on, algorithm_forced, core_both_ways, crossing_order,
                                      eager_limit, far_nic, few_channels, gpu_slow, gpudirect_off,
                                      high_latency, late_start, link_slow, memory_slow,
                                      no_peer_access, noisy_neighbour, nvlink_slow, nvls_off,
                                      oversubscribed_uplinks, pcie_lower, protocol_forced,
                                      rail_missing, slow_peer_copies, tcp, tree_across_hosts,
                                      wrong_binding)

CAUSES = [one.CAUSE for one in (
    gpudirect_off,
    acs_on,
    far_nic,
    rail_missing,
    link_slow,
    pcie_lower,
    tcp,
    core_both_ways,
    tree_across_hosts,
    nvls_off,
    algorithm_forced,
    protocol_forced,
    few_channels,
    eager_limit,
    oversubscribed_uplinks,
    crossing_order,
    late_start,
    noisy_neighbour,
    wrong_binding,
    no_peer_access,
    slow_peer_copies,
    nvlink_slow,
    memory_slow,
    gpu_slow,
    high_latency,
)]
