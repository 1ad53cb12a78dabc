// SPDX-License-Identifier: LGPL-2.1-or-later
// Orders in which a search tries the GPUs that may come next, and the ports. The walk stops early,
// so they decide what it finds. Source of the rules: NCCL 2.31, src/graph/search.cc.
#pragma once

#include <cstdint>
#include <map>

#include "nccl/search/search.hpp"

namespace ringscope::nccl {

enum class WalkOrder { sorted, numbers, as_before };

/// Next GPU of the walk: any, one that leads to the port, or one from which others lead there.
enum class Towards { anywhere, port, port_later };

struct WalkStep {
  int gpu = 0;
  Shape shape = Shape::ring;
  Towards towards = Towards::anywhere;
  int port = -1;    ///< by which the channel came in
  int channel = 0;  ///< bit of those that a GPU is in
};

/// Orders of one host, kept for all searches of it.
class Orders {
 public:
  explicit Orders(const HostGraph& graph) : graph_(graph) {}

  /// GPUs to try behind one that are not in the channel yet.
  std::vector<int> next_gpus(const WalkStep& step, const Table<std::uint64_t>& used);

  /// Ports to try, for one GPU or, with -1, for all: those of their own choice, then those that are
  /// no farther.
  const std::vector<int>& ports(Distance farthest, int gpu);

 private:
  struct Candidate {
    int gpu = 0, rate = 0, links = 0;
  };

  const std::vector<Candidate>& candidates(int gpu, int port);

  const HostGraph& graph_;
  std::map<std::pair<int, int>, std::vector<Candidate>> candidates_;  ///< by GPU and port
  std::map<std::pair<Distance, int>, std::vector<int>> ports_;        ///< by distance and GPU
};

}  // namespace ringscope::nccl
