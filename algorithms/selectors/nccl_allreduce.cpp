// ncclAllReduce as NCCL 2.21 chooses it: a ring or the double binary tree, by what it expects each
// to take with the best of its protocols (nccl_tuning.hpp names the constants and what is assumed
// of the machine).
//
// The protocol decides here only where the one gives way to the other: what a message costs is the
// scenario's library profile's to say. NCCL cuts what goes up a tree by rules of its own; here
// `segment` does.
#include <set>

#include "algorithms/selectors/nccl_tuning.hpp"
#include "algorithms/selectors/selector.hpp"

namespace ringscope {
namespace {

int nodes_of(int ranks, const std::vector<int>* hosts) {
  if (hosts == nullptr) return ranks;
  assert(std::ssize(*hosts) >= ranks);
  return static_cast<int>(std::set<int>(hosts->begin(), hosts->begin() + ranks).size());
}

Choice choose(int ranks, std::size_t items, const Options& options) {
  if (ranks == 1) return {"ring"};
  const nccl::Size size = {ranks, nodes_of(ranks, options.hosts)};
  const nccl::Choice choice = nccl::choose(size, bytes_of(items, options));
  return {choice.algorithm == nccl::Algorithm::tree ? "double_binary_tree" : "ring"};
}

constexpr Selection selection = {
    .collective = "allreduce",
    .name = "nccl",
    .summary = "ring or double binary tree, as NCCL 2.21 expects it to take less",
    .choose = choose,
};

}  // namespace

Algorithm describe_nccl_allreduce() {
  Algorithm nccl = selector<selection>({"segment"});
  nccl.varies = Varies::steps;
  nccl.one_channel = true;
  return nccl;
}

}  // namespace ringscope
