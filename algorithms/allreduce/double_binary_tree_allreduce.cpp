// Double binary tree: each of two binary trees takes half of the vector, segment by segment up to
// its root, summed on the way, and down again. Who has children in one tree is a leaf in the other
// (binary_trees.hpp), so all links are at work: nearly as few items per rank as a ring, in steps
// that grow with log2 P.
//
// The program is a loop over what completes: trees and directions must not wait for each other, or
// each segment would cost a round trip.
//
// Source: Sanders, Speck and Traeff 2009; NCCL 2.4 and later, algorithm "Tree".
// Cost with K segments per half: 4(P-1)K messages, 2(P-1)S items on the wire; at best
// 4(K-1) + 2 floor(log2 P) steps, as a rank with two children sends four messages per segment, and
// 2K where P is 2.
#include <optional>

#include "algorithms/catalogue.hpp"
#include "algorithms/steps/binary_trees.hpp"
#include "algorithms/steps/segments.hpp"

namespace ringscope {
namespace {

/// The six ways that a rank's segments take in a tree.
enum Way : std::size_t { from_first, from_second, to_parent, from_parent, to_first, to_second };
constexpr std::array all_ways = {from_first,  from_second, to_parent,
                                 from_parent, to_first,    to_second};

/// One tree as a rank stands in it. At most one segment is in flight each way.
class Branch {
 public:
  Branch(int tree, int self, int ranks, Range data, std::size_t segments)
      : tree_(tree),
        node_(tree_node(tree, self, ranks)),
        half_(data.part(static_cast<std::size_t>(tree), 2)),
        segments_(segments) {}

  /// Gives each child a slot from `offset` on; returns where the next one begins.
  std::size_t place_slots(Range scratch, std::size_t offset) {
    for (const Way way : {from_first, from_second}) {
      if (peer(way) == no_rank) continue;
      slots_[way] = {scratch.buffer, scratch.offset + offset, half_.part(0, segments_).size};
      offset += slots_[way].size;
    }
    return offset;
  }

  /// Number of segments that come and go in all.
  std::size_t total() const {
    std::size_t peers = 0;
    for (const Way way : all_ways) peers += peer(way) == no_rank ? 0 : 1;
    return peers * segments_;
  }

  void post(Communicator comm, Way way) {
    if (peer(way) == no_rank || under_way_[way] || done_[way] >= ready(way)) return;
    const Range segment = half_.part(done_[way], segments_);
    switch (way) {
      case from_first:
      case from_second:
        under_way_[way] = comm.irecv(slots_[way], peer(way), tree_);
        break;
      case from_parent:
        under_way_[way] = comm.irecv(segment, peer(way), tree_);
        break;
      default:
        under_way_[way] = comm.isend(segment, peer(way), tree_);
    }
  }
  const std::optional<Request>& under_way(Way way) const { return under_way_[way]; }

  /// (destination, source) of a segment received this way but not yet added; empty elsewhere.
  std::pair<Range, Range> to_add(Way way) const {
    if (way != from_first && way != from_second) return {};
    return {half_.part(done_[way], segments_), slots_[way]};
  }
  void complete(Way way) {
    under_way_[way].reset();
    ++done_[way];
  }

 private:
  int peer(Way way) const {
    if (way == to_parent || way == from_parent) return node_.parent;
    return node_.children[way == from_first || way == to_first ? 0 : 1];
  }
  /// Segments that all children have added to.
  std::size_t summed() const {
    std::size_t least = segments_;
    for (const Way way : {from_first, from_second})
      if (peer(way) != no_rank) least = std::min(least, done_[way]);
    return least;
  }
  /// Number of segments that may have set out on this way. The sum comes to where the part went
  /// from, when that has gone.
  std::size_t ready(Way way) const {
    if (way == from_first || way == from_second) return segments_;
    if (way == to_parent) return summed();
    if (way == from_parent) return done_[to_parent];
    return node_.parent == no_rank ? summed() : done_[from_parent];
  }

  int tree_;
  TreeNode node_;
  Range half_;
  std::size_t segments_;
  std::array<Range, 2> slots_;
  std::array<std::optional<Request>, 6> under_way_;
  std::array<std::size_t, 6> done_{};
};

std::size_t segments_per_half(std::size_t items, const Options& options) {
  return segments_of(Range{.size = items}.part(0, 2).size, options.segment);
}

Task double_binary_tree_allreduce(Communicator comm, std::array<Branch, 2> trees) {
  struct Event {
    Branch* tree;
    Way way;
  };
  std::vector<Event> events;
  std::vector<Request> requests;
  const auto segments = static_cast<int>(trees[0].total() + trees[1].total());

  for ([[maybe_unused]] int step : comm.phase("up and down", segments)) {
    events.clear();
    requests.clear();
    for (Branch& tree : trees)
      for (const Way way : all_ways) {
        tree.post(comm, way);
        if (!tree.under_way(way)) continue;
        events.push_back({&tree, way});
        requests.push_back(*tree.under_way(way));
      }
    const Event event = events[static_cast<std::size_t>(co_await comm.wait_any(requests))];
    if (const auto [sum, part] = event.tree->to_add(event.way); part.size > 0)
      co_await comm.reduce(sum, part);
    event.tree->complete(event.way);
  }
}

std::array<Branch, 2> trees_of(int self, int ranks, Range data, std::size_t segments) {
  return {Branch(0, self, ranks, data, segments), Branch(1, self, ranks, data, segments)};
}

std::size_t place_slots(std::array<Branch, 2>& trees, Range scratch) {
  return trees[1].place_slots(scratch, trees[0].place_slots(scratch, 0));
}

Cost cost(int ranks, std::size_t items, Options options) {
  if (ranks == 1) return {};
  const auto segments = static_cast<std::int64_t>(segments_per_half(items, options));
  const std::int64_t others = ranks - 1;
  const auto levels = static_cast<int>(std::bit_width(static_cast<unsigned>(ranks))) - 1;
  return {.steps = ranks == 2 ? 2 * segments : 4 * (segments - 1) + 2 * levels,
          .messages = 4 * others * segments,
          .items = 2 * static_cast<std::uint64_t>(others) * items};
}

std::size_t scratch_items(int ranks, std::size_t items, Options options) {
  const std::size_t segments = segments_per_half(items, options);
  std::size_t most = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    auto trees = trees_of(rank, ranks, {.size = items}, segments);
    most = std::max(most, place_slots(trees, {}));
  }
  return most;
}

}  // namespace

Algorithm describe_double_binary_tree_allreduce() {
  return {
      .collective = "allreduce",
      .name = "double_binary_tree",
      .summary = "half of the vector up and down each of two trees, in segments",
      .options = {"segment"},
      .run =
          [](Communicator comm, Workspace work, Options options) {
            auto trees = trees_of(comm.rank(), comm.size(), work.data,
                                  segments_per_half(work.data.size, options));
            place_slots(trees, work.scratch);
            return double_binary_tree_allreduce(comm, trees);
          },
      .cost = cost,
      .scratch_items = scratch_items,
      .varies = Varies::steps,
  };
}

}  // namespace ringscope
