// SPDX-License-Identifier: LGPL-2.1-or-later
// Does a recording say what each rank holds when, and how loaded each resource is, and does it
// leave the run as it is?
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <numeric>

#include "scenarios/answer/recording.hpp"
#include "sim/tests/scenario_for_test.hpp"

namespace ringscope::recording_test {
namespace {

using testing::ElementsAre;

/// `ranks` hosts with one rank each on a switch of 10 Gbit/s, 5 us per cable.
Scenario on_star(int ranks, std::string_view collective, std::string_view algorithm,
                 std::uint64_t bytes) {
  return scenario_of(fmt::format(R"(
cluster:
  network: star
  hosts: {0}
  link: {{bandwidth: 10 Gbit/s, latency: 5 us}}
  host: {{type: simple}}
library: ideal
placement: 1x{0}
job: {{collective: {1}, algorithm: {2}, bytes: {3} B}}
)",
                                 ranks, collective, algorithm, bytes));
}

Report recorded(const Scenario& scenario) {
  RunOptions options;
  options.kernel = "fluid";
  options.record = true;
  return simulate(scenario, options);
}

/// Holding of each rank of each chunk at `at`: the changes up to then, played.
std::vector<std::uint32_t> held_at(const ChunkHistory& chunks, double at) {
  std::vector<std::uint32_t> now = chunks.at_start;
  for (const ChunkChange& change : chunks.changes)
    if (change.at <= at)
      now[static_cast<std::size_t>(change.rank * chunks.chunks + change.chunk)] = change.holding;
  return now;
}

const Holding& holding(const ChunkHistory& chunks, const std::vector<std::uint32_t>& now, int rank,
                       int chunk) {
  return chunks.holdings[now[static_cast<std::size_t>(rank * chunks.chunks + chunk)]];
}

std::vector<int> all_up_to(int ranks) {
  std::vector<int> all(static_cast<std::size_t>(ranks));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// Contributions that the collective promises to `rank` in `chunk`; empty: it promises nothing. See
/// algorithms/collective_cases_for_test.hpp.
std::vector<int> promised(std::string_view collective, int ranks, int root, int rank, int chunk) {
  if (collective == "allreduce") return all_up_to(ranks);
  if (collective == "reduce") return rank == root ? all_up_to(ranks) : std::vector<int>{};
  if (collective == "reduce_scatter") return rank == chunk ? all_up_to(ranks) : std::vector<int>{};
  if (collective == "allgather") return {chunk};
  if (collective == "gather") return rank == root ? std::vector{chunk} : std::vector<int>{};
  if (collective == "scatter") return rank == chunk ? std::vector{root} : std::vector<int>{};
  return {root};  // broadcast
}

void expect_promises(const Scenario& scenario) {
  const Report report = recorded(scenario);
  const ChunkHistory& chunks = report.recording->chunks;
  ASSERT_EQ(chunks.ranks, report.ranks);
  const auto end = held_at(chunks, report.time_s);
  for (int rank = 0; rank < chunks.ranks; ++rank)
    for (int chunk = 0; chunk < chunks.chunks; ++chunk) {
      const auto wanted =
          promised(report.collective, report.ranks, scenario.job.options.root, rank, chunk);
      if (wanted.empty() || chunks.chunk_items[static_cast<std::size_t>(chunk)] == 0) continue;
      const Holding& held = holding(chunks, end, rank, chunk);
      EXPECT_EQ(held.ranks, wanted) << "rank " << rank << ", chunk " << chunk;
      EXPECT_EQ(held.contributions, static_cast<double>(wanted.size()));
    }
}

class EveryCollective : public testing::TestWithParam<std::string_view> {};

TEST_P(EveryCollective, ends_with_what_it_promises_whatever_the_algorithm) {
  for (const Algorithm& algorithm : catalogue()) {
    if (algorithm.collective != GetParam() || algorithm.one_host) continue;
    for (const int ranks : {1, 2, 3, 5, 8}) {
      if (ranks < algorithm.least_ranks) continue;
      for (const std::uint64_t bytes : {std::uint64_t{3}, std::uint64_t{200'003}}) {
        SCOPED_TRACE(fmt::format("{}, {} ranks, {} B", algorithm.name, ranks, bytes));
        Scenario scenario = on_star(ranks, GetParam(), algorithm.name, bytes);
        scenario.job.options.root = ranks / 2;
        expect_promises(scenario);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, EveryCollective,
                         testing::Values("allreduce", "allgather", "reduce_scatter", "broadcast",
                                         "reduce", "scatter", "gather"),
                         [](const auto& one) { return std::string(one.param); });

// With an ideal library a step of the ring takes L + S/P/B, and a reduction nothing.
TEST(RingRecording, after_each_step_one_more_contribution_is_in_one_more_chunk) {
  constexpr int ranks = 6;
  constexpr double bytes = 6 * 125'000, step_s = 2 * 5e-6 + bytes / ranks / 1.25e9;
  const Report report =
      recorded(on_star(ranks, "allreduce", "ring", static_cast<std::uint64_t>(bytes)));
  ASSERT_NEAR(report.time_s, 2 * (ranks - 1) * step_s, 1e-9);
  const ChunkHistory& chunks = report.recording->chunks;
  for (int done = 0; done <= 2 * (ranks - 1); ++done) {
    const auto now = held_at(chunks, (done + 0.5) * step_s);
    for (int rank = 0; rank < ranks; ++rank) {
      for (int back = 1; back <= std::min(done, ranks - 1); ++back) {
        const int chunk = (rank + ranks - back) % ranks;
        // Chunk rank - back has passed `back` ranks before it came here in step `back`; in the
        // allgather it comes again, as a sum: rank + 1 - s in step s.
        const int gathered = done - (ranks - 1);
        const bool whole = back == ranks - 1 || (rank + 1 - chunk + ranks) % ranks <= gathered;
        EXPECT_EQ(holding(chunks, now, rank, chunk).contributions, whole ? ranks : back + 1)
            << "rank " << rank << ", chunk " << chunk << ", " << done << " steps";
      }
    }
  }
}

TEST(RingRecording, received_unreduced_chunk_is_waiting) {
  Scenario scenario = on_star(2, "allreduce", "ring", 2'000'000);
  scenario.library.reduce_cost = {1e-9};
  const Report report = recorded(scenario);
  const ChunkHistory& chunks = report.recording->chunks;
  // Half the vector comes in 10 us + 1 MB / 1.25 GB/s = 810 us and is added in 1 ms.
  const Holding& before = holding(chunks, held_at(chunks, 1e-3), 0, 1);
  EXPECT_THAT(before.ranks, ElementsAre(0));
  EXPECT_THAT(before.waiting_ranks, ElementsAre(1));
  const Holding& after = holding(chunks, held_at(chunks, 1.9e-3), 0, 1);
  EXPECT_THAT(after.ranks, ElementsAre(0, 1));
  EXPECT_EQ(after.waiting, 0);
}

TEST(Recording, a_load_adds_up_to_what_the_resource_was_used_and_never_exceeds_its_capacity) {
  const Report report = recorded(on_star(5, "alltoall", "posted", 500'000));
  int cables = 0;
  for (const LoadCurve& load : report.recording->loads) {
    if (load.points.empty()) continue;
    for (std::size_t i = 1; i < load.points.size(); ++i) {
      const double seconds = load.points[i].at - load.points[i - 1].at;
      const double used = load.points[i].used - load.points[i - 1].used;
      EXPECT_GE(used, -1e-6) << load.id.name();
      EXPECT_LE(used, load.capacity * seconds + 1e-3) << load.id.name();
    }
    if (load.kind != ResourceKind::link) continue;
    ++cables;
    EXPECT_NEAR(load.points.back().used, 400'000, 1e-3)
        << load.id.name();  // to or from four others
  }
  EXPECT_EQ(cables, 2 * 5);
}

TEST(Recording, the_run_is_the_same_with_and_without) {
  const Scenario scenario = on_star(7, "allreduce", "rabenseifner", 1'000'003);
  RunOptions options;
  options.kernel = "fluid";
  const Report plain = simulate(scenario, options);
  const Report watched = recorded(scenario);
  EXPECT_EQ(plain.recording, nullptr);
  EXPECT_EQ(watched.time_s, plain.time_s);
  EXPECT_EQ(watched.messages, plain.messages);
  for (std::size_t rank = 0; rank < 7; ++rank)
    EXPECT_EQ(watched.rank_reports[rank].seconds, plain.rank_reports[rank].seconds);
}

TEST(Recording, recording_is_the_median_repetition_from_its_start) {
  Scenario scenario = on_star(4, "allreduce", "ring", 400'000);
  scenario.job.repetitions = 3;
  scenario.job.skew = Seconds(1e-3);
  const Report report = recorded(scenario);
  const ChunkHistory& chunks = report.recording->chunks;
  ASSERT_FALSE(chunks.changes.empty());
  EXPECT_GT(chunks.changes.front().at, 0);
  EXPECT_DOUBLE_EQ(chunks.changes.back().at, report.time_s);
}

TEST(Recording, a_collective_without_chunks_says_so) {
  const Report report = recorded(on_star(2, "pingpong", "blocking", 100));
  EXPECT_EQ(report.recording->no_chunks,
            "the ranks of pingpong do not share out one buffer in chunks");
  EXPECT_TRUE(report.recording->chunks.changes.empty());
}

}  // namespace
}  // namespace ringscope::recording_test
