// ncclAllReduce as NCCL chooses it: a ring or the double binary tree, by what it expects each to
// take with the best of its protocols (nccl_tuning.hpp).
//
// Where the library says what each protocol costs (`blocks`), rings and trees are those of a
// kernel's channels. Elsewhere the protocol decides only where ring and tree give way to each
// other: what a message costs is then the scenario's library profile's to say. NCCL cuts what goes
// up a tree by rules of its own; here `segment` does.
#include "algorithms/selectors/nccl_allreduce.hpp"

#include <set>

#include "algorithms/selectors/nccl_tuning.hpp"
#include "algorithms/selectors/selector.hpp"
#include "algorithms/steps/channel_parts.hpp"

namespace ringscope {
namespace {

int nodes_of(int ranks, const std::vector<int>* hosts) {
  if (hosts == nullptr) return ranks;
  assert(std::ssize(*hosts) >= ranks);
  return static_cast<int>(std::set<int>(hosts->begin(), hosts->begin() + ranks).size());
}

nccl::Forced forced_by(const Options& options) {
  nccl::Forced forced;
  if (options.algorithm != "auto")
    forced.algorithm = options.algorithm == "tree" ? nccl::Algorithm::tree : nccl::Algorithm::ring;
  if (options.protocol != "auto") forced.protocol = protocol_named(options.protocol);
  return forced;
}

Choice choose(int ranks, std::size_t items, const Options& options) {
  if (ranks == 1) return {"ring"};
  const nccl::Size size = {ranks, nodes_of(ranks, options.hosts)};
  const nccl::Machine unknown;
  const nccl::Machine& machine = options.nccl != nullptr ? *options.nccl : unknown;
  const std::uint64_t bytes = bytes_of(items, options);
  const nccl::Choice choice = nccl::choose(size, bytes, machine, forced_by(options));
  const bool tree = choice.algorithm == nccl::Algorithm::tree;
  if (options.nccl == nullptr) return {tree ? "double_binary_tree" : "ring"};
  return {.name = tree ? "channel_trees" : "channel_rings",
          .protocol = protocol_names[static_cast<std::size_t>(choice.protocol)],
          .channels = options.channels > 0 ? options.channels
                                           : nccl::channels(choice, size, bytes, machine)};
}

/// The most that it may choose, of any size.
int most_threads(const Options& options) {
  if (options.nccl == nullptr) return 1;
  const nccl::Machine& machine = *options.nccl;
  const int most =
      machine.most > 0 ? machine.most : 2 * std::max(machine.inside.count, machine.between.count);
  const int channels = options.channels > 0 ? options.channels : most;
  return options.sms > 0 ? std::min(options.sms, channels) : channels;
}

constexpr Selection selection = {
    .collective = "allreduce",
    .name = "nccl",
    .summary = "ring or double binary tree, as NCCL expects it to take less",
    .choose = choose,
};

}  // namespace

std::string nccl_choice_text(int ranks, std::size_t items, const Options& options) {
  const Choice choice = choose(ranks, items, options);
  if (choice.protocol.empty()) return "";
  return std::string(choice.protocol) + ", " + std::to_string(choice.channels) +
         (choice.channels == 1 ? " channel" : " channels");
}

Algorithm describe_nccl_allreduce() {
  Algorithm nccl = selector<selection>({"segment", "algorithm", "protocol", "channels", "sms"});
  nccl.varies = Varies::steps;
  nccl.one_channel = true;
  nccl.threads_for = most_threads;
  return nccl;
}

}  // namespace ringscope
