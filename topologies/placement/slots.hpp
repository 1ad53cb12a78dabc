// SPDX-License-Identifier: LGPL-2.1-or-later
// Slots: the number of ranks that each host gets, and the host of each rank.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topologies/placement/hostfile.hpp"

namespace ringscope {

inline constexpr int most_ranks = 1 << 20;

enum class MapBy { slot, node, numa };

/// "4-3-1" or "4x64-1" as slots of the hosts, in the topology's order.
std::vector<HostSlots> read_counts(const Value& value, const Topology& topology);

/// Ranks of each host when `ranks` fill its slots: one host after the other, or one rank each in
/// turn. Ranks beyond the slots go round again.
std::vector<HostSlots> fill(const std::vector<HostSlots>& hosts, int ranks, MapBy map_by);

/// The host of each rank, each host with as many ranks as slots.
std::vector<int> host_of_each_rank(const std::vector<HostSlots>& hosts, MapBy map_by);

/// Number of ranks of each host, by the ranks' hosts: "4-3-1", "1x64" for more than three alike.
std::string counts_text(const std::vector<int>& host_of_rank);

/// Explains the numbers of "16x32" as "16 ranks on each of 32 hosts", and of "4x64-1 on gpu" as "4
/// ranks on each of 64 hosts, then 1 on one"; "" where no number of hosts stands in it.
std::string counts_words(std::string_view counts);

}  // namespace ringscope
