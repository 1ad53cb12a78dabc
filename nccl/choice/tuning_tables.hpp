// SPDX-License-Identifier: LGPL-2.1-or-later
// The constants of NCCL's estimate (tuning.hpp).
#pragma once

#include <array>

namespace ringscope::nccl::tables {

/// Latencies by algorithm (tree, ring), then by protocol (LL, LL128, Simple); us.
using Latencies = std::array<std::array<double, 3>, 2>;
inline constexpr Latencies base = {{{6.8, 14.0, 8.4}, {6.6, 14.0, 8.4}}};
inline constexpr Latencies nvlink = {{{0.6, 1.25, 4.0}, {0.6, 1.9, 3.4}}};
inline constexpr Latencies pcie = {{{1.0, 1.9, 4.0}, {1.0, 2.5, 5.7}}};
inline constexpr Latencies network = {{{5.0, 8.5, 14.0}, {2.7, 4.0, 14.0}}};
/// Latencies of versions before 2.18.
inline constexpr Latencies old_base = {{{4.4, 4.4, 0}, {3.6, 10.0, 8.4}}};
inline constexpr Latencies old_nvlink = {{{0.52, 1.25, 28.0}, {0.47, 1.9, 3.4}}};
inline constexpr Latencies old_pcie = {{{1.0, 1.9, 28.0}, {1.0, 2.5, 5.7}}};
inline constexpr Latencies old_network = {{{5.0, 8.5, 28.0}, {2.7, 4.0, 28.0}}};
inline constexpr double old_ampere = 235, old_ll_between_hosts = 1.8;
/// Latency of trees with Simple, from 2.19 on up to 2.22, when they had no base.
inline constexpr double old_tree = 28.0;

// Bandwidths by the number of nodes: 1, 2, more; GB/s.
using ByNodes = std::array<double, 3>;
/// By generation on one node; on several by the CPU: Intel, AMD.
inline constexpr std::array<ByNodes, 4> most_ll = {
    {{39.0, 39.0, 20.4}, {87.7, 22.5, 19.0}, {141.0, 45.0, 35.0}, {282.0, 90.0, 70.0}}};
// Per channel, by generation.
inline constexpr std::array<ByNodes, 4> most_tree = {
    {{26.5, 18.5, 10.0}, {24.0, 23.6, 17.8}, {38.7, 41.4, 36.0}, {70.0, 42.8, 24.0}}};
inline constexpr std::array<ByNodes, 4> most_ring_ll128 = {
    {{20.0, 20.0, 20.0}, {20.0, 20.0, 20.0}, {36.7, 36.7, 36.7}, {40.0, 40.0, 40.0}}};
inline constexpr std::array<ByNodes, 4> most_tree_ll128 = {
    {{20.0, 20.0, 20.0}, {20.0, 20.0, 20.0}, {36.7, 36.7, 29.0}, {55.6, 31.67, 20.0}}};

/// Correction of the tree's bandwidth, by log2 of the vector in units of 64 B.
inline constexpr std::array<std::array<double, 23>, 3> tree_correction = {{
    {1.0, 1.0, 1.0, 1.0, .9, .8, .7, .7, .7, .7, .6, .5,
     .4,  .4,  .5,  .6,  .7, .8, .9, 1., 1., 1., 1.},
    {1.0, 1.0, 1.0, 1.0, 1., .9, .8, .8, .8, .7, .6, .6,
     .6,  .6,  .6,  .6,  .8, .9, .9, .9, .9, 1., 1.},
    {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9},
}};

inline constexpr std::array<int, 3> threads = {512, 640, 512};  ///< of a block, by protocol
inline constexpr std::array<int, 3> bytes_a_thread = {8, 8,
                                                      64};  ///< below which there are too many
inline constexpr int most_threads_of_slow_rings = 256;
inline constexpr double slow_ring = 12;  ///< GB/s in all

/// Share of their rate that heads of NVLS use, by generation; from 2.28 on.
inline constexpr std::array<double, 4> nvls_share = {0, 0, .85, .74};
inline constexpr std::array<ByNodes, 4> most_nvls_tree = {
    {{26.5, 18.5, 10.0}, {24.0, 23.6, 17.8}, {0.0, 57.7, 45.5}, {0.0, 96.0, 80.0}}};

}  // namespace ringscope::nccl::tables
