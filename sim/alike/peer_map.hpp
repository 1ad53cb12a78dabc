// SPDX-License-Identifier: LGPL-2.1-or-later
// Pairs of ranks that talk, by the scripts of those that are simulated for others.
#pragma once

#include <set>
#include <tuple>
#include <vector>

#include "sim/alike/equal_hosts.hpp"
#include "sim/alike/script.hpp"

namespace ringscope::sim {

inline bool sends_to_peer(Verb verb) {
  return verb == Verb::isend || verb == Verb::send || verb == Verb::sendrecv;
}

class PeerMap {
 public:
  explicit PeerMap(const Orbits& orbits) : orbits_(orbits) {}
  /// Adds a rank and its peers, by its script, which may have millions of lines and few peers.
  void add(int rank, const std::vector<ScriptLine>& script) {
    std::map<int, bool> peers;
    for (const ScriptLine& line : script) {
      if (line.peer >= 0) {
        bool& sends = peers[line.peer];
        sends = sends || sends_to_peer(line.verb);
      }
      if (line.other_peer >= 0) peers.try_emplace(line.other_peer, false);
    }
    for (const auto& [distance, sends] : peers) distances_[{rank, distance}] = sends;
  }
  const Distances& distances() const { return distances_; }
  /// One representative for each orbit of communicating pairs, and each simulated rank with itself.
  std::vector<Pair> pairs() const {
    const int n = orbits_.simulated;
    std::set<std::tuple<int, int, bool>> known;
    std::vector<Pair> found;
    const auto add = [&](const Pair& pair) {
      const auto [from, to] = pair;
      if (known.emplace(from % n, to % n, from / n == to / n).second) found.push_back(pair);
    };
    for (int rank = 0; rank < n; ++rank) add({rank, rank});
    for (const auto& [pair, sends] : distances_) {
      const int rank = pair.first, peer = (rank + pair.second) % orbits_.ranks;
      add({rank, peer});
      add({peer, rank});
    }
    return found;
  }

 private:
  Orbits orbits_;
  Distances distances_;
};

}  // namespace ringscope::sim
