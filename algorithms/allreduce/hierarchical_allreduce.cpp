// SPDX-License-Identifier: LGPL-2.1-or-later
// Hierarchical allreduce over rails: a reduce-scatter in each host, one allreduce between hosts for
// each chunk, and an allgather in each host. The ranks with the same number on their hosts sum the
// same chunk, so each NIC carries one chunk, which stays on the rail of that NIC.
//
// If hosts have different numbers of ranks, all ranks run one allreduce.
//
// Source: Mikami, Suganuma, U-chupala, Tanaka and Kageyama, "Massively distributed SGD:
// ImageNet/ResNet-50 training in a flash" (2D-torus all-reduce), arXiv 1811.05233, 2018; Horovod's
// HOROVOD_HIERARCHICAL_ALLREDUCE.
// Cost: inside the H hosts of k ranks each, 2(k-1) steps, 2Hk(k-1) messages and 2H(k-1)S items;
// between them that of k allreduces of S/k items on H ranks, at once.

#include "algorithms/steps/host_order.hpp"
#include "algorithms/steps/ring_steps.hpp"

namespace ringscope {
namespace {

const Algorithm& reduce_scatter() { return find_part("reduce_scatter", "ring"); }
const Algorithm& allgather() { return find_part("allgather", "ring"); }
const Algorithm& rail_allreduce(const Options& options) {
  return find_part("allreduce", options.between);
}

Task hierarchical_allreduce(Rails rails, Workspace work, Options options) {
  const Options part = below(options);
  const Chunks chunk(work.data, rails.inside.size());
  const Workspace rail = {chunk[rails.inside.rank()], work.scratch};
  co_await run_part(reduce_scatter(), rails.inside, work, part);
  co_await run_part(rail_allreduce(options), rails.between, rail, part);
  co_await run_part(allgather(), rails.inside, work, part);
}

/// Numbers of ranks in a host and in a rail.
struct RailSizes {
  int inside = 1, hosts = 1;
};

RailSizes rail_sizes(int ranks, const Options& options) {
  const auto groups = host_groups(ranks, options);
  if (groups->rails.empty()) return {1, ranks};
  return {static_cast<int>(groups->rails.size()), static_cast<int>(groups->hosts.size())};
}

Cost hierarchical_cost(int ranks, std::size_t items, Options options) {
  const auto [inside, hosts] = rail_sizes(ranks, options);
  const Options part = below(options);
  const Chunks chunk({.size = items}, inside);
  Cost sum = reduce_scatter().cost(inside, items, part);
  sum += allgather().cost(inside, items, part);
  sum.messages *= hosts;
  sum.items *= static_cast<std::uint64_t>(hosts);
  std::int64_t longest = 0;
  for (int rail = 0; rail < inside; ++rail) {
    const Cost between = rail_allreduce(options).cost(hosts, chunk[rail].size, part);
    longest = std::max(longest, between.steps);
    sum.messages += between.messages;
    sum.items += between.items;
  }
  sum.steps += longest;
  return sum;
}

/// The first chunk is the largest.
std::size_t hierarchical_scratch(int ranks, std::size_t items, Options options) {
  const auto [inside, hosts] = rail_sizes(ranks, options);
  const Options part = below(options);
  const std::size_t largest = ring_chunk_items(inside, items);
  return std::max(reduce_scatter().scratch_items(inside, items, part),
                  rail_allreduce(options).scratch_items(hosts, largest, part));
}

/// Every host runs the same program inside.
bool rails_alike(int ranks, std::size_t items, const Options& options) {
  const auto [inside, hosts] = rail_sizes(ranks, options);
  const Property between = rail_allreduce(options).alike;
  return between != nullptr && between(hosts, ring_chunk_items(inside, items), below(options));
}

}  // namespace

Algorithm describe_hierarchical_allreduce() {
  return {
      .collective = "allreduce",
      .name = "hierarchical",
      .summary = "reduce-scatter inside each host, one allreduce a rail, allgather inside",
      .options = {"between", "segment", "rings", "threads", "item"},
      .threads_for =
          [](const Options& options) {
            return threads_of(rail_allreduce(options), below(options));
          },
      .run =
          [](Communicator comm, Workspace work, Options options) {
            return hierarchical_allreduce(rails_of(comm, options), work, options);
          },
      .cost = hierarchical_cost,
      .scratch_items = hierarchical_scratch,
      .varies = Varies::steps,
      .alike = rails_alike,
  };
}

}  // namespace ringscope
