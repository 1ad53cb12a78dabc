// Two-level allreduce: an allreduce among the ranks of each host, one among the hosts' leaders, and
// a binomial broadcast inside each host. Which allreduce each level runs is an option, so that each
// can be the one that suits its wires; without hosts every rank is a leader.
//
// Source: Karonis, de Supinski, Foster, Gropp, Lusk and Bresnahan, "Exploiting hierarchy in
// parallel computer networks to optimize collective operation performance", IPDPS 2000. Horovod and
// Open MPI (coll/han) do the same with a reduce, or a reduce-scatter, inside.
// Cost: the sum of the parts; the steps at best those of the quickest host on each level, one after
// the other. Where all hosts have as many ranks none is quicker.
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "algorithms/catalogue.hpp"
#include "algorithms/steps/host_order.hpp"

namespace ringscope {
namespace {

/// Options for one level: without the hosts, and without a third level with names of its own.
Options below(Options options) {
  options.hosts = nullptr;
  options.by_host = nullptr;
  options.inside = options.between = Options{}.inside;
  return options;
}

/// Throws std::invalid_argument where there is none of that name.
const Algorithm& allreduce(std::string_view name) {
  const Algorithm* algorithm = find_algorithm("allreduce", name);
  if (algorithm == nullptr)
    throw std::invalid_argument("no allreduce has the name " + std::string(name));
  return *algorithm;
}

const Algorithm& spread() { return *find_algorithm("broadcast", "binomial"); }

/// The groups of one rank.
struct Levels {
  Communicator inside;
  std::optional<Communicator> between;  ///< of leaders
};

Levels levels_of(Communicator comm, const Options& options) {
  const auto groups = host_groups(comm.size(), options);
  const int host = groups->host_of[static_cast<std::size_t>(comm.rank())];
  const SharedRanks& mine = groups->hosts[static_cast<std::size_t>(host)];
  Levels levels = {comm.group(mine, "inside hosts"), {}};
  if (comm.rank() == mine->front()) levels.between = comm.group(groups->leaders, "between hosts");
  return levels;
}

Task level(const Algorithm& algorithm, Communicator comm, Workspace work, Options options) {
  work.scratch = work.scratch.first(algorithm.scratch_items(comm.size(), work.data.size, options));
  return algorithm.run(comm, work, options);
}

Task two_level_allreduce(Levels levels, Workspace work, Options options) {
  const Options part = below(options);
  co_await level(allreduce(options.inside), levels.inside, work, part);
  if (levels.between) co_await level(allreduce(options.between), *levels.between, work, part);
  co_await level(spread(), levels.inside, work, {});
}

Cost cost(int ranks, std::size_t items, Options options) {
  const auto groups = host_groups(ranks, options);
  const int leaders = static_cast<int>(groups->hosts.size());
  Cost sum = allreduce(options.between).cost(leaders, items, below(options));
  std::int64_t before = INT64_MAX, after = INT64_MAX;
  for (const SharedRanks& host : groups->hosts) {
    const int size = static_cast<int>(host->size());
    const Cost inside = allreduce(options.inside).cost(size, items, below(options));
    const Cost back = spread().cost(size, items, {});
    before = std::min(before, inside.steps);
    after = std::min(after, back.steps);
    sum.messages += inside.messages + back.messages;
    sum.items += inside.items + back.items;
  }
  sum.steps += before + after;
  return sum;
}

std::size_t scratch_items(int ranks, std::size_t items, Options options) {
  const auto groups = host_groups(ranks, options);
  std::size_t most =
      allreduce(options.between)
          .scratch_items(static_cast<int>(groups->hosts.size()), items, below(options));
  for (const SharedRanks& host : groups->hosts)
    most =
        std::max(most, allreduce(options.inside)
                           .scratch_items(static_cast<int>(host->size()), items, below(options)));
  return most;
}

/// Inside a host anything goes: the program there is that of each host.
bool alike(int ranks, std::size_t items, const Options& options) {
  const int leaders = static_cast<int>(host_groups(ranks, options)->hosts.size());
  const Property between = allreduce(options.between).alike;
  return between != nullptr && between(leaders, items, below(options));
}

}  // namespace

Algorithm describe_two_level_allreduce() {
  return {
      .collective = "allreduce",
      .name = "two_level",
      .summary = "inside each host, between their leaders, and back into the hosts",
      .options = {"inside", "between", "segment", "rings", "threads", "item"},
      .threads_for =
          [](const Options& options) {
            return std::max(threads_of(allreduce(options.inside), below(options)),
                            threads_of(allreduce(options.between), below(options)));
          },
      .run =
          [](Communicator comm, Workspace work, Options options) {
            return two_level_allreduce(levels_of(comm, options), work, options);
          },
      .cost = cost,
      .scratch_items = scratch_items,
      .varies = Varies::steps,
      .alike = alike,
  };
}

}  // namespace ringscope
