// SPDX-License-Identifier: LGPL-2.1-or-later
// Double binary tree: each of two binary trees takes half of the vector, segment by segment up to
// its root, summed on the way, and down again. Who has children in one tree is a leaf in the other
// (binary_trees.hpp), so all links are at work: nearly as few items per rank as a ring, in steps
// that grow with log2 P.
//
// Source: Sanders, Speck and Traeff 2009; NCCL 2.4 and later, algorithm "Tree".
// Cost with K segments per half: 4(P-1)K messages, 2(P-1)S items on the wire; at best
// 4(K-1) + 2 floor(log2 P) steps, as a rank with two children sends four messages per segment, and
// 2K where P is 2.
#include "algorithms/allreduce/tree_branch.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/steps/segments.hpp"

namespace ringscope {
namespace {

std::size_t segments_per_half(std::size_t items, const Options& options) {
  return segments_of(Range{.size = items}.part(0, 2).size, options.segment);
}

using Branches = std::vector<TreeBranch>;

Branches trees_of(int self, int ranks, Range data, std::size_t segments) {
  Branches trees;
  for (const int tree : {0, 1}) {
    const TreeNode node = tree_node(tree, self, ranks);
    const TreeEnds ends = {node.parent, {node.children[0], node.children[1], no_rank}};
    trees.emplace_back(tree, ends, data.part(tree, 2), segments);
  }
  return trees;
}

std::size_t place_slots(Branches& trees, Range scratch) {
  return trees[1].place_slots(scratch, trees[0].place_slots(scratch, 0));
}

Cost double_binary_tree_allreduce_cost(int ranks, std::size_t items, Options options) {
  if (ranks == 1) return {};
  const auto segments = static_cast<std::int64_t>(segments_per_half(items, options));
  const std::int64_t others = ranks - 1;
  const auto levels = static_cast<int>(std::bit_width(static_cast<unsigned>(ranks))) - 1;
  return {.steps = ranks == 2 ? 2 * segments : 4 * (segments - 1) + 2 * levels,
          .messages = 4 * others * segments,
          .items = 2 * static_cast<std::uint64_t>(others) * items};
}

std::size_t double_binary_tree_allreduce_scratch(int ranks, std::size_t items, Options options) {
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
      .summary = "half of the buffer up and down each of two trees, in segments",
      .options = {"segment"},
      .run =
          [](Communicator comm, Workspace work, Options options) {
            auto trees = trees_of(comm.rank(), comm.size(), work.data,
                                  segments_per_half(work.data.size, options));
            place_slots(trees, work.scratch);
            return up_and_down(comm, std::move(trees));
          },
      .cost = double_binary_tree_allreduce_cost,
      .scratch_items = double_binary_tree_allreduce_scratch,
      .varies = Varies::steps,
  };
}

}  // namespace ringscope
