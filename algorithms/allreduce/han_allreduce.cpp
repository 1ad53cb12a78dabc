// SPDX-License-Identifier: LGPL-2.1-or-later
// Two levels in segments, as Open MPI's coll/han: each segment is reduced inside its host, reduced
// between the leaders to the first one, broadcast between them, and broadcast inside; four segments
// are on their way at once. The leaders' reduce and broadcast are non-blocking, beside which they
// take part in what their hosts do.
//
//            segment 0   segment 1   segment 2   segment 3
//   turn 0   reduce
//   turn 1   between     reduce
//   turn 2   back        between     reduce
//   turn 3   broadcast   back        between     reduce
//
// Source: Open MPI's mca_coll_han_allreduce_intra, with its defaults: segments of 64 KiB; libnbc
// between hosts, whose reduce is Rabenseifner's on 3 hosts and more where each has a number to sum,
// and whose broadcast is flat on up to 4; tuned inside, which is binomial here both ways. Open MPI
// 4.1.4's bytes on each host's wire agree (validation/lab/bytes_test.py). Left out: on two hosts a
// whole segment of 64 KiB is reduced in pieces of 8 KiB.
// Cost: of each segment the four parts; the steps at least those of one segment.
#include <bit>

#include "algorithms/steps/host_order.hpp"
#include "algorithms/steps/segments.hpp"

namespace ringscope {
namespace {

constexpr int few_hosts = 4;
constexpr int stages = 4;

const Algorithm& sum() { return find_part("reduce", "binomial"); }

/// The reduce of one segment between hosts.
const Algorithm& up(int hosts, std::size_t items, const Options& options) {
  const std::uint64_t numbers = items * options.given.item_bytes / options.number_bytes;
  const bool enough = hosts > 2 && numbers >= std::bit_floor(static_cast<unsigned>(hosts));
  return enough ? find_part("reduce", "rabenseifner") : sum();
}

/// The broadcast of one segment between hosts.
const Algorithm& back(int hosts) {
  return hosts <= few_hosts ? find_part("broadcast", "flat") : binomial_spread();
}

/// Items of `range` behind the first `count`; none where there are no more.
Range behind_first(Range range, std::size_t count) {
  count = std::min(count, range.size);
  return {range.buffer, range.offset + count, range.size - count};
}

/// Begins it as a non-blocking collective.
Thread begin(const Algorithm& algorithm, Communicator comm, Workspace work, Options options) {
  return comm.start(run_part(algorithm, comm.beside(Beside::nonblocking), work, options),
                    Beside::nonblocking);
}

Task han_allreduce(Levels levels, Levels returning, Workspace work, Options options) {
  const Options part = below(options);
  const auto count = static_cast<int>(segments_of(work.data.size, options.segment));
  const auto segment = [=](int index) {
    const Range data = segment_of(work.data, index, options.segment);
    return Workspace{data, work.scratch.first(std::min(data.size, work.scratch.size))};
  };
  // Vectors from other leaders come in behind those from the host.
  const std::size_t behind = levels.inside.size() > 1 ? segment(0).data.size : 0;
  const Range more = behind_first(work.scratch, behind);
  const int hosts = levels.between ? levels.between->size() : 0;
  const auto is_one = [=](int index) { return index >= 0 && index < count; };

  for (int turn : levels.inside.phase("segments", count + stages - 1)) {
    std::vector<Thread> between;
    if (returning.between && is_one(turn - 2))
      between.push_back(begin(back(hosts), *returning.between, segment(turn - 2), part));
    if (levels.between && is_one(turn - 1)) {
      const Workspace one{segment(turn - 1).data, more};
      between.push_back(begin(up(hosts, one.data.size, options), *levels.between, one, part));
    }
    if (is_one(turn)) co_await run_part(sum(), levels.inside, segment(turn), part);
    if (is_one(turn - 3))
      co_await run_part(binomial_spread(), levels.inside, segment(turn - 3), part);
    for (const Thread& one : between) co_await levels.inside.join(one);
  }
}

/// All segments have one size but for the last.
Cost han_allreduce_cost(int ranks, std::size_t items, Options options) {
  const auto groups = host_groups(ranks, options);
  const int hosts = static_cast<int>(groups->hosts.size());
  const std::size_t count = segments_of(items, options.segment);
  const Options part = below(options);
  Cost all;
  const auto add = [&](std::size_t index, std::size_t times) {
    const std::size_t size = segment_of({.size = items}, index, options.segment).size;
    const Cost rest = levels_cost(*groups, size, part, {&sum(), back(hosts), binomial_spread()});
    const Cost between = up(hosts, size, options).cost(hosts, size, part);
    all.steps = std::max(all.steps, between.steps + rest.steps);
    all.messages += (between.messages + rest.messages) * static_cast<std::int64_t>(times);
    all.items += (between.items + rest.items) * times;
  };
  if (count > 1) add(0, count - 1);
  add(count - 1, 1);
  return all;
}

/// A leader sums what comes from its host and what comes from other leaders.
std::size_t han_allreduce_scratch(int ranks, std::size_t items, Options options) {
  const auto groups = host_groups(ranks, options);
  const int hosts = static_cast<int>(groups->hosts.size());
  const std::size_t largest = std::min(items, options.segment);
  const std::size_t last =
      segment_of({.size = items}, segments_of(items, options.segment) - 1, options.segment).size;
  const auto between = [&](std::size_t size) {
    return hosts > 1 ? up(hosts, size, options).scratch_items(hosts, size, {}) : 0;
  };
  const bool from_host =
      std::ranges::any_of(groups->hosts, [](const auto& on_host) { return on_host->size() > 1; });
  return (from_host ? largest : 0) + std::max(between(largest), between(last));
}

}  // namespace

Algorithm describe_han_allreduce() {
  return {
      .collective = "allreduce",
      .name = "han",
      .summary =
          "in segments, inside hosts and between leaders concurrently, as Open MPI's coll/han",
      .options = {"segment", "item"},
      .nonblocking = 2,
      .run =
          [](Communicator comm, Workspace work, Options options) {
            return han_allreduce(levels_of(comm, options), levels_of(comm, options, 0, 1), work,
                                 options);
          },
      .cost = han_allreduce_cost,
      .scratch_items = han_allreduce_scratch,
      .varies = Varies::steps,
  };
}

}  // namespace ringscope
