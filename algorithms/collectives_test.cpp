// SPDX-License-Identifier: LGPL-2.1-or-later
// Is all that collectives.def says true of every algorithm of the collective?
#include "algorithms/collectives.hpp"

#include <set>

#include "algorithms/collective_cases_for_test.hpp"
#include "algorithms/steps/ring_steps.hpp"

namespace ringscope {
namespace {

std::vector<Algorithm> algorithms_that(bool (*choose)(const Collective&)) {
  std::vector<Algorithm> chosen;
  for (const Algorithm& algorithm : catalogue())
    if (choose(collective_of(algorithm))) chosen.push_back(algorithm);
  return chosen;
}

bool promises(const Collective& one) { return is_of_one_vector(one) || one.after == Held::pieces; }
bool keeps_the_roots_vector(const Collective& one) {
  return one.before == Held::root && one.after != Held::unsaid;
}
bool leaves_all_to_all(const Collective& one) { return one.sums && one.after == Held::all; }
bool leaves_pieces(const Collective& one) { return one.after == Held::pieces; }

class Promise : public testing::TestWithParam<Algorithm> {};
class FromRoot : public testing::TestWithParam<Algorithm> {};
class SumToAll : public testing::TestWithParam<Algorithm> {};
class InPieces : public testing::TestWithParam<Algorithm> {};
const auto promising = testing::ValuesIn(algorithms_that(promises));
INSTANTIATE_TEST_SUITE_P(catalogue, Promise, promising, test_name);
INSTANTIATE_TEST_SUITE_P(catalogue, FromRoot,
                         testing::ValuesIn(algorithms_that(keeps_the_roots_vector)), test_name);
INSTANTIATE_TEST_SUITE_P(catalogue, SumToAll, testing::ValuesIn(algorithms_that(leaves_all_to_all)),
                         test_name);
INSTANTIATE_TEST_SUITE_P(catalogue, InPieces, testing::ValuesIn(algorithms_that(leaves_pieces)),
                         test_name);

/// The one vector that a collective is about, from what counts before it.
std::vector<float> whole_vector(const Collective& collective, const Outcome& run) {
  if (collective.sums) return sum_of_all(run.ranks, run.items);
  if (collective.before == Held::root) return vector_of(run.options.root, run.items);
  std::vector<float> all;
  for (int rank = 0; rank < run.ranks; ++rank) {
    const auto chunk = chunk_of(vector_of(rank, run.items), rank, run.ranks);
    all.insert(all.end(), chunk.begin(), chunk.end());
  }
  return all;
}

void expect_vector(const Collective& collective, const Outcome& run) {
  const std::vector<float> whole = whole_vector(collective, run);
  if (collective.after == Held::all) {
    EXPECT_THAT(run.result.data, testing::Each(whole));
  } else if (collective.after == Held::root) {
    EXPECT_EQ(run.data(run.options.root), whole);
  } else {
    for (int rank = 0; rank < run.ranks; ++rank)
      EXPECT_EQ(run.chunk(rank, rank), chunk_of(whole, rank, run.ranks));
  }
}

/// Items that rank `from` has for rank `to`: its chunk, of a size of its own where pairs have such.
std::vector<float> sent_in(const Outcome& run, int from, int to) {
  const std::vector<float> vector = vector_of(from, run.items);
  if (run.options.sizes == nullptr) return chunk_of(vector, to, run.ranks);
  const Range chunk = run.options.sizes->chunk(from, to, {.size = run.items});
  const auto begin = vector.begin() + static_cast<std::ptrdiff_t>(chunk.offset);
  return {begin, begin + static_cast<std::ptrdiff_t>(chunk.size)};
}

/// Pieces lie one after the other, by the rank that they come from.
void expect_pieces(const Outcome& run) {
  for (int to = 0; to < run.ranks; ++to) {
    const auto& scratch = run.result.scratch[static_cast<std::size_t>(to)];
    auto at = scratch.begin();
    for (int from = 0; from < run.ranks; ++from) {
      const std::vector<float> piece = sent_in(run, from, to);
      EXPECT_EQ(std::vector<float>(at, at + std::ssize(piece)), piece);
      at += std::ssize(piece);
    }
  }
}

TEST_P(Promise, is_kept_from_what_counts_before_it_alone) {
  const Collective& collective = collective_of(GetParam());
  for_all_runs(GetParam(), [&](const Outcome& run) {
    collective.after == Held::pieces ? expect_pieces(run) : expect_vector(collective, run);
  });
}

TEST_P(FromRoot, the_root_keeps_its_vector) {
  for_all_runs(GetParam(), [](const Outcome& run) {
    EXPECT_EQ(run.data(run.options.root), vector_of(run.options.root, run.items));
  });
}

TEST_P(SumToAll, ranks_end_after_messages_from_all) {
  for (int ranks : {1, 2, 3, 6, 8, 13}) {
    const auto result = run_loopback(GetParam(), ranks, 40, {}, item_of);
    EXPECT_THAT(result.heard, testing::Each(testing::Each(true))) << ranks << " ranks";
  }
}

TEST_P(InPieces, vectors_stay_as_they_are) {
  for_all_runs(GetParam(), [](const Outcome& run) {
    for (int rank = 0; rank < run.ranks; ++rank)
      EXPECT_EQ(run.data(rank), vector_of(rank, run.items));
  });
}

TEST(Collectives, each_has_a_row_and_an_algorithm_or_is_for_files) {
  std::set<std::string_view> rows, used = {"messages"};
  for (const Collective& one : collectives()) {
    EXPECT_TRUE(rows.insert(one.name).second) << one.name;
    EXPECT_FALSE(one.summary.empty()) << one.name;
    EXPECT_EQ(find_collective(one.name), &one);
  }
  for (const Algorithm& algorithm : catalogue()) used.insert(algorithm.collective);
  EXPECT_EQ(rows, used);
  EXPECT_EQ(find_collective("allreduced"), nullptr);
}

TEST(Collectives, those_without_data_send_none) {
  for (const Algorithm& algorithm : catalogue()) {
    if (collective_of(algorithm).before != Held::nothing) continue;
    EXPECT_EQ(run_loopback(algorithm, 5, 20, {}, item_of).counted.items, 0u) << algorithm.name;
  }
}

TEST(Collectives, only_those_with_a_root_let_it_be_chosen) {
  for (const Algorithm& algorithm : catalogue()) {
    if (std::ranges::find(algorithm.options, "root") == algorithm.options.end()) continue;
    EXPECT_TRUE(has_root(collective_of(algorithm))) << algorithm.collective;
  }
}

// The least that a port must carry: a vector goes whole into (or out of) a port, or all of it
// but the rank's own chunk; a sum for everybody is first made in chunks, and then spread.
TEST(Collectives, the_bus_factor_is_what_the_busiest_port_must_carry) {
  for (const Collective& one : collectives()) {
    if (!promises(one)) {
      EXPECT_EQ(one.passes, 0) << one.name;
      continue;
    }
    const auto in_parts = [](Held held) { return held == Held::chunks || held == Held::pieces; };
    const bool parts = in_parts(one.before) || in_parts(one.after);
    const bool twice = one.before == Held::all && one.after == Held::all;
    for (const int ranks : {1, 2, 3, 8, 1000}) {
      const double all_but_own = static_cast<double>(ranks - 1) / ranks;
      EXPECT_DOUBLE_EQ(bus_factor(one, ranks), parts   ? all_but_own
                                               : twice ? 2 * all_but_own
                                                       : 1)
          << one.name;
    }
  }
}

// Source: nccl-tests, doc/PERFORMANCE.md, "Bus Bandwidth"; src/gather.cu and src/scatter.cu.
TEST(Collectives, the_bus_factor_is_that_of_nccl_tests) {
  const auto at_8 = [](std::string_view name) { return bus_factor(*find_collective(name), 8); };
  EXPECT_DOUBLE_EQ(at_8("allreduce"), 2.0 * (8 - 1) / 8);
  for (const char* name :
       {"reduce_scatter", "allgather", "alltoall", "alltoallv", "gather", "scatter"})
    EXPECT_DOUBLE_EQ(at_8(name), (8 - 1) / 8.0) << name;
  for (const char* name : {"broadcast", "reduce", "exchange"}) EXPECT_DOUBLE_EQ(at_8(name), 1);
}

TEST(Collectives, nccl_substitute_is_a_known_algorithm) {
  for (const Collective& one : collectives()) {
    if (one.nccl.empty()) continue;
    EXPECT_TRUE(find_algorithm(one.name, one.nccl)) << one.name;
  }
}

/// Whether every rank sends to the next alone, as many messages as any other, or to the root.
bool goes_round(const Algorithm& algorithm, int ranks, std::size_t items, const Options& options) {
  const auto sent = run_loopback(algorithm, ranks, items, options, item_of).sent;
  const auto root =
      has_root(collective_of(algorithm)) ? static_cast<std::size_t>(options.root) : sent.size();
  const auto next = [&](std::size_t rank) { return (rank + 1) % sent.size(); };
  for (std::size_t from = 0; from < sent.size(); ++from) {
    if (sent[from][next(from)] == 0) return false;
    if (root == sent.size() && sent[from][next(from)] != sent[0][1]) return false;
    for (std::size_t to = 0; to < sent.size(); ++to)
      if (to != next(from) && to != root && sent[from][to] > 0) return false;
  }
  return true;
}

TEST(Rings, are_those_whose_ranks_send_to_the_next_alone) {
  for (const Algorithm& algorithm : catalogue()) {
    // An algorithm around an allreduce of the user's choice sends as that does, a selector as its
    // choice.
    if (std::ranges::find(algorithm.options, "exchange") != algorithm.options.end()) continue;
    if (algorithm.chosen != nullptr) continue;
    bool always = true;
    for (const int ranks : {5, 8})
      for (const std::size_t items : {12u, 120u})
        for (const Options& options : options_for(algorithm, ranks))
          always = always &&
                   goes_round(algorithm, ranks, items * static_cast<std::size_t>(ranks), options);
    EXPECT_EQ(algorithm.ring, always) << algorithm.collective << "/" << algorithm.name;
  }
}

TEST(Rings, turn_unless_there_is_a_root) {
  for (const Algorithm& algorithm : catalogue())
    EXPECT_EQ(turns(algorithm), algorithm.ring && !has_root(collective_of(algorithm)));
}

}  // namespace
}  // namespace ringscope
