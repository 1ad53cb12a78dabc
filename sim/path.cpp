#include "sim/path.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace ringscope::sim {

void Paths::restart(double now) {
  nodes_.clear();
  complete_ = limit_ > 0;
  start_ = now;
}

double Paths::end(PathCursor cursor) const {
  return cursor.node < 0 ? start_ : nodes_[static_cast<std::size_t>(cursor.node)].end;
}

PathCursor Paths::extend(PathCursor from, Cause cause, int rank, int resource, double until) {
  if (!complete_ || until <= end(from)) return from;
  if (nodes_.size() >= limit_) {
    complete_ = false;
    nodes_ = {};
    return {};
  }
  nodes_.push_back({until, from.node, rank, resource, cause});
  return {static_cast<int>(nodes_.size()) - 1};
}

std::vector<Paths::Piece> Paths::merged(PathCursor cursor) const {
  std::map<std::tuple<Cause, int, int>, double> seconds;
  if (complete_)
    for (int id = cursor.node; id >= 0;) {
      const Node& node = nodes_[static_cast<std::size_t>(id)];
      seconds[{node.cause, node.rank, node.resource}] += node.end - end({node.parent});
      id = node.parent;
    }
  std::vector<Piece> pieces;
  for (const auto& [key, sum] : seconds)
    pieces.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), sum});
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const Piece& a, const Piece& b) { return a.seconds > b.seconds; });
  return pieces;
}

}  // namespace ringscope::sim
