// SPDX-License-Identifier: LGPL-2.1-or-later
// Cost of a message in shared memory when its bytes are used as collectives use them: written
// before they are sent, read after they came, in buffers that the caches hold or do not.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "validation/executors/mpi/probes/probe.hpp"

namespace ringscope::mpi {
namespace {

constexpr std::uint64_t least = 1 << 10, most = 64 << 20;  ///< of a message

/// Buffers of `set` bytes each, which both ranks go through message by message.
struct Walk {
  std::span<float> mine, theirs;
  std::size_t items = 0;  ///< of a message
  std::size_t next = 0;

  std::size_t step() {
    const std::size_t here = next;
    next = here + 2 * items <= mine.size() ? here + items : 0;
    return here;
  }
};

/// Adds each received buffer to the one sent in the next round. Seconds of the exchanges.
double walk(Walk& at, const Team& pair, int iterations) {
  const int count = static_cast<int>(at.items * sizeof(float)), other = 1 - pair.index;
  double exchanging_s = 0;
  for (int i = 0; i < iterations; ++i) {
    const std::size_t here = at.step();
    float* mine = &at.mine[here];
    const float* came = &at.theirs[here];
    const double start_s = now_s();
    MPI_Sendrecv(mine, count, MPI_BYTE, other, 1, &at.theirs[here], count, MPI_BYTE, other, 1,
                 pair.comm, MPI_STATUS_IGNORE);
    exchanging_s += now_s() - start_s;
    for (std::size_t k = 0; k < at.items; ++k) mine[k] += came[k];
  }
  return exchanging_s;
}

/// Sizes asked for, whole floats that are worth adding; or twice as many as other probes have.
std::vector<std::uint64_t> sizes_of(Bench& bench, const Team& pair) {
  std::vector<std::uint64_t> sizes = bench.sizes(pair, false);
  if (bench.chooses_sizes()) {
    sizes.clear();
    for (std::uint64_t bytes = least; bytes <= most; bytes *= 2) sizes.push_back(bytes);
  }
  std::erase_if(sizes,
                [](std::uint64_t bytes) { return bytes < least || bytes % sizeof(float) != 0; });
  return sizes;
}

/// Sizes of all buffers together: one message, and ever more.
std::vector<std::uint64_t> sets_of(std::uint64_t bytes) {
  std::vector<std::uint64_t> sets = {bytes};
  for (const std::uint64_t set : {std::uint64_t{1} << 20, std::uint64_t{8} << 20, most})
    if (set >= 2 * bytes) sets.push_back(set);
  return sets;
}

void exchange(Bench& bench, const Team& pair) {
  const std::vector<std::uint64_t> sizes = sizes_of(bench, pair);
  std::size_t points = 0;
  for (const std::uint64_t bytes : sizes) points += sets_of(bytes).size();
  bench.expect_points(static_cast<int>(points));
  for (const std::uint64_t bytes : sizes) {
    for (const std::uint64_t set : sets_of(bytes)) {
      const std::size_t items = set / bytes * bytes / sizeof(float);
      Walk at{{reinterpret_cast<float*>(bench.room(0, set)), items},
              {reinterpret_cast<float*>(bench.room(1, set)), items},
              bytes / sizeof(float)};
      Point point{"exchange", {{"bytes", bytes}, {"way", pair.way}, {"set", set}}, bytes};
      bench.measure(pair, point, [&](int iterations) {
        pair.meet();
        return walk(at, pair, iterations);
      });
    }
  }
}

// Speed of a core on its own memory, alone and while others of its host do the same.

using Work = void (*)(std::span<float> to, std::span<const float> from);

// As executor 2 does it for `reduce` and `copy`.
void add(std::span<float> to, std::span<const float> from) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
}
void copy(std::span<float> to, std::span<const float> from) {
  std::copy(from.begin(), from.end(), to.begin());
}

void local_work(Bench& bench, const Team& team, const std::string& what, Work work) {
  std::vector<float> to, from;
  for (const std::uint64_t bytes : bench.sizes(team)) {
    const std::size_t items = bytes / sizeof(float);
    if (items == 0 || items == to.size()) continue;
    to.assign(items, 1);
    from.assign(items, 0);
    Point point{what, {{"bytes", items * sizeof(float)}, {"ranks", team.size}}, bytes};
    // The barriers must not count, and ranks that share a core must all have had their turn.
    if (team.size > 1) point.batch_s = 2e-3;
    bench.measure(team, point, [&](int iterations) {
      team.meet();
      const double start_s = now_s();
      for (int i = 0; i < iterations; ++i) work(to, from);
      if (team.size > 1) team.meet();
      return team.slowest(now_s() - start_s);
    });
  }
}

std::vector<Series> by_ranks(Layout& layout, const std::string& what, Work work) {
  std::vector<Series> plan;
  for (const int ranks : doubling_to(layout.most_of_one_host())) {
    const Team team = layout.of_one_host(ranks);
    plan.push_back({fmt::format("{}, {} ranks", what, ranks), team,
                    [team, what, work](Bench& bench) { local_work(bench, team, what, work); }});
  }
  return plan;
}

}  // namespace

std::vector<Series> plan_exchange(Layout& layout) {
  return for_each_pair(layout, "exchange", exchange, 1, "shm");
}

std::vector<Series> plan_reduction(Layout& layout) { return by_ranks(layout, "reduction", add); }
std::vector<Series> plan_copy(Layout& layout) { return by_ranks(layout, "copy", copy); }

}  // namespace ringscope::mpi
