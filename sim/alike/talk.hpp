// Pairs of ranks that talk, by the scripts of those that are simulated for others.
#pragma once

#include <set>
#include <tuple>
#include <vector>

#include "sim/alike/equal_cells.hpp"
#include "sim/alike/equal_hosts.hpp"
#include "sim/alike/script.hpp"

namespace ringscope::sim {

inline bool sends_to_peer(Verb verb) {
  return verb == Verb::isend || verb == Verb::send || verb == Verb::sendrecv;
}

/// Pairs of ranks that talk: one of those that moves make of each other, or of other hosts' like
/// ranks.
class Talk {
 public:
  explicit Talk(const Orbits& orbits) : orbits_(orbits) {}
  /// Adds a rank and its peers, by its script.
  void add(int rank, const std::vector<Line>& script) {
    add({rank, rank});
    for (const Line& line : script)
      for (const int further : {line.peer, line.other_peer})
        if (further >= 0) {
          const int peer = (rank + further) % orbits_.ranks;
          add({rank, peer});
          add({peer, rank});
          const bool sends = further == line.peer && sends_to_peer(line.verb);
          bool& known = distances_[{rank, further}];
          known = known || sends;
        }
  }
  const Distances& distances() const { return distances_; }
  const std::vector<Pair>& pairs() const { return pairs_; }

 private:
  void add(const Pair& pair) {
    const auto [from, to] = pair;
    const int n = orbits_.simulated;
    if (known_.emplace(from % n, to % n, from / n == to / n).second) pairs_.push_back(pair);
  }

  Orbits orbits_;
  std::set<std::tuple<int, int, bool>> known_;
  std::vector<Pair> pairs_;
  Distances distances_;
};

}  // namespace ringscope::sim
