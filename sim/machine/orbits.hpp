// SPDX-License-Identifier: LGPL-2.1-or-later
// Ranks that do the same at the same time, and which of them are simulated for all.
//
// The ranks of a host, moved to the next one, make the ranks of that; the last host's next one is
// the first. An orbit is a rank and where it comes to so: ranks r, r + n, r + 2n, ... of n on each
// host. Simulated are the first host's. By symmetry a message that leaves this host stands for the
// one that arrives here.
//
// Several hosts may move as one: those of a replica of a large model. The ranks are then numbered
// replica by replica, which programs, and reports, need not do (`order`).
//
// GPUs of one host may move, too, each to the next one of its host: ranks are then numbered GPU by
// GPU, by the programs as well, and the first GPU of each host is simulated.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/verbs/communicator.hpp"
#include "base/table.hpp"

namespace ringscope::sim {

// Channels of a kernel whose blocks do the same at the same time, and which of them are simulated
// for all.
//
// With channels c and d alike, what the block of a rank does in c that of another rank does in d,
// over links that as many such blocks use in the same way. So all of them have the same rates and
// times, whether d is simulated or not: a message of c counts for one of each channel that is like
// it, and links that are alike are one link with the bandwidth of all.

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

// Ranks that do the same at the same time.

/// Links between switches that carry only what the ranks of the first hosts send, or receive.
struct CellLinks {
  /// By link: its name, and those of the links to which it comes as the ranks move. The same by
  /// resource of the whole machine where GPUs of a host move.
  std::map<int, std::vector<std::string>> names;
  Table<int> first{};  ///< by such a resource: the one that stands for it; none where hosts move
};

struct Orbits {
  int ranks = 0;         ///< of all hosts
  int simulated = 0;     ///< on the first hosts, or all: then every rank is an orbit of its own
  SharedRanks order{};   ///< each rank as the scenario numbers it; null: so they are numbered here
  SharedRanks places{};  ///< the other way round; null: programs number them as here
  std::shared_ptr<const CellLinks> links{};  ///< null: no message goes from switch to switch

  bool folded() const { return simulated < ranks; }
  bool gpus_move() const { return links != nullptr && !links->first.empty(); }
  /// Ranks of each orbit.
  int size() const { return ranks / simulated; }
  /// The simulated rank that does what `rank` does.
  int simulated_for(int rank) const { return rank % simulated; }
  /// The rank as the scenario numbers it.
  int number(int rank) const { return order == nullptr ? rank : (*order)[rank]; }
  /// The communicator of all ranks as the scenario numbers them, from that of the ranks here.
  Communicator as_numbered(Communicator comm) const {
    return places == nullptr ? comm : comm.group(places, {});
  }
  /// Sender of what `sender`, which is simulated, sends to `receiver`, as simulated_for(receiver)
  /// sees it.
  int seen_sender(int sender, int receiver) const {
    const int moved = sender - (receiver - simulated_for(receiver));
    return moved < 0 ? moved + ranks : moved;
  }
};

}  // namespace ringscope::sim
