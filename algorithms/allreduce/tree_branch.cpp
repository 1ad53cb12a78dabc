// SPDX-License-Identifier: LGPL-2.1-or-later
#include "algorithms/allreduce/tree_branch.hpp"

namespace ringscope {

std::size_t TreeBranch::place_slots(Range scratch, std::size_t offset, bool copies) {
  for (std::size_t child = 0; child < children; ++child) {
    if (peer(child) == no_rank && !(copies && is_leaf() && child == 0)) continue;
    slots_[child] = {scratch.buffer, scratch.offset + offset, range_.part(0, segments_).size};
    offset += slots_[child].size;
  }
  return offset;
}

std::size_t TreeBranch::total() const {
  std::size_t peers = 0;
  for (std::size_t way = 0; way < ways; ++way)
    if (peer(way) != no_rank) ++peers;
  return peers * segments_;
}

void TreeBranch::post(Communicator comm, std::size_t way) {
  if (peer(way) == no_rank || in_flight_[way] || done_[way] >= ready(way)) return;
  const Range segment = range_.part(done_[way], segments_);
  if (way < children)
    in_flight_[way] = comm.irecv(slots_[way], peer(way), tag_);
  else if (way == from_parent)
    in_flight_[way] = comm.irecv(copies() ? slots_[0] : segment, peer(way), tag_);
  else
    in_flight_[way] = comm.isend(segment, peer(way), tag_);
}

std::pair<Range, Range> TreeBranch::to_add(std::size_t way) const {
  if (way >= children && !(way == from_parent && copies())) return {};
  return {range_.part(done_[way], segments_), slots_[way < children ? way : 0]};
}

void TreeBranch::complete(std::size_t way) {
  in_flight_[way].reset();
  ++done_[way];
}

int TreeBranch::peer(std::size_t way) const {
  if (way == to_parent || way == from_parent) return ends_.parent;
  return ends_.children[way < children ? way : way - to_children];
}

/// Segments that all children have added to.
std::size_t TreeBranch::summed() const {
  std::size_t least = segments_;
  for (std::size_t child = 0; child < children; ++child)
    if (peer(child) != no_rank) least = std::min(least, done_[child]);
  return least;
}

/// Number of segments that may have set out on this way. The sum comes to where the part went from,
/// when that has gone.
std::size_t TreeBranch::ready(std::size_t way) const {
  if (way < children) return segments_;
  if (way == to_parent) return summed();
  if (way == from_parent) return done_[to_parent];
  return ends_.parent == no_rank ? summed() : done_[from_parent];
}

Task up_and_down(Communicator comm, std::vector<TreeBranch> branches) {
  struct Event {
    TreeBranch* branch;
    std::size_t way;
  };
  Table<Event> events;
  std::vector<Request> requests;
  std::size_t segments = 0;
  for (const TreeBranch& branch : branches) segments += branch.total();
  for ([[maybe_unused]] int step : comm.phase("up and down", static_cast<int>(segments))) {
    events.clear();
    requests.clear();
    for (TreeBranch& branch : branches)
      for (std::size_t way = 0; way < TreeBranch::ways; ++way) {
        branch.post(comm, way);
        if (!branch.in_flight(way)) continue;
        events.push_back({&branch, way});
        requests.push_back(*branch.in_flight(way));
      }
    const Event event = events[co_await comm.wait_any(requests)];
    const auto [sum, part] = event.branch->to_add(event.way);
    if (event.way == TreeBranch::from_parent && part.size > 0)
      co_await comm.copy(sum, part);
    else if (part.size > 0)
      co_await comm.reduce(sum, part);
    event.branch->complete(event.way);
  }
}

}  // namespace ringscope
