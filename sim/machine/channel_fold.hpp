// SPDX-License-Identifier: LGPL-2.1-or-later
// Channels of a kernel whose blocks do the same at the same time, and which of them are simulated
// for all.
//
// With channels c and d alike, what the block of a rank does in c that of another rank does in d,
// over links that as many such blocks use in the same way. So all of them have the same rates and
// times, whether d is simulated or not: a message of c counts for one of each channel that is like
// it, and links that are alike are one link with the bandwidth of all.
#pragma once

#include <algorithm>
#include <vector>

#include "base/table.hpp"

namespace ringscope::sim {

struct ChannelFold {
  /// By channel: how many are like it, itself counted, where it is simulated for them; else 0.
  Table<int> stands_for;
  /// By resource: the one that stands for it and all that are like it; itself where none does.
  Table<int> resources;
  /// By resource: the one that is as busy; itself where it is used.
  Table<int> as_busy;
  /// A block's thread, and rank and thread of the simulated block that is like it.
  struct Like {
    int thread = 0;
    int rank = 0, other_thread = 0;
  };
  Table<std::vector<Like>> like;  ///< by rank

  bool folded() const { return !stands_for.empty(); }
  bool is_simulated(int channel) const { return !folded() || stands_for[channel] > 0; }
  /// Simulated channels of all.
  double simulated_share() const {
    if (!folded()) return 1;
    const auto left_out = std::ranges::count(stands_for, 0);
    return 1 - static_cast<double>(left_out) / static_cast<double>(stands_for.size());
  }
  int resource(int id) const { return of(resources, id); }
  int as_busy_as(int id) const { return of(as_busy, id); }
  /// It stands for several, and is none of the machine's.
  bool is_several(int id) const {
    return folded() && id >= first_of_several && id < static_cast<int>(resources.size());
  }
  int first_of_several = 0;

 private:
  static int of(const Table<int>& ids, int id) { return ids.has(id) ? ids[id] : id; }
};

}  // namespace ringscope::sim
