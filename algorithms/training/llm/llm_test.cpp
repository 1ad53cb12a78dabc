// SPDX-License-Identifier: LGPL-2.1-or-later
// Does every rank of a large model's training end a step with the sums of its data group, whatever
// the schedule, and does each step send what it declares?
#include "algorithms/training/llm/llm.hpp"

#include <gtest/gtest.h>

#include "algorithms/catalogue_cases_for_test.hpp"
#include "algorithms/training/llm/llm_parts.hpp"
#include "algorithms/training/training.hpp"

namespace ringscope::llm_test {
namespace {

constexpr std::size_t items = 40;

/// The first stage has gradients of all items, the others of three quarters.
LlmStep step_of(int tp, int dp, int pp, int micro_batches, PipelineSchedule schedule) {
  LlmStep step;
  step.grid = Grid({{"tp", tp}, {"dp", dp}, {"pp", pp}});
  step.part_layers = 2;
  step.micro_batches = micro_batches;
  step.schedule = schedule;
  step.activation = 12;
  step.gradients.assign(static_cast<std::size_t>(pp), items - items / 4);
  step.gradients.front() = items;
  return step;
}

const Algorithm& llm() { return *find_algorithm("training", "llm"); }

void expect_right(const LlmStep& step, const LoopbackOptions& how) {
  Training training;
  training.llm = std::make_shared<const LlmStep>(step);
  const Options options = {.training = &training};
  const int ranks = step.grid.ranks();
  const LoopbackResult result = run_loopback(llm(), ranks, items, options, item_of, how);
  for (int rank = 0; rank < ranks; ++rank) {
    const std::size_t own = step.gradients[static_cast<std::size_t>(step.grid.index(rank, "pp"))];
    for (std::size_t i = 0; i < items; ++i) {
      float sum = i < own ? 0 : item_of(rank, i);
      for (int other = 0; other < ranks && i < own; ++other)
        if (step.grid.colour(other, "cp", "dp") == step.grid.colour(rank, "cp", "dp"))
          sum += item_of(other, i);
      ASSERT_EQ(result.data[static_cast<std::size_t>(rank)][i], sum) << "rank " << rank;
    }
  }
  const Cost declared = llm().cost(ranks, items, options);
  EXPECT_EQ(result.counted.messages, declared.messages);
  EXPECT_EQ(result.counted.items, declared.items);
  EXPECT_GE(result.counted.steps, declared.steps);
  EXPECT_LE(result.scratch_used, llm().scratch_items(ranks, items, options));
}

TEST(Llm, sums_gradients_over_its_data_groups_whatever_the_schedule) {
  for (const PipelineSchedule schedule : {PipelineSchedule::gpipe, PipelineSchedule::one_f_one_b})
    for (const int tp : {1, 2})
      for (const int dp : {1, 3})
        for (const int pp : {1, 2, 4})
          for (const int micro_batches : {1, 2, 5})
            for (const LoopbackOptions& how : ways_to_run(llm())) {
              SCOPED_TRACE(testing::Message() << "tp " << tp << ", dp " << dp << ", pp " << pp
                                              << ", micro-batches " << micro_batches);
              expect_right(step_of(tp, dp, pp, micro_batches, schedule), how);
            }
}

TEST(Llm, sums_the_same_with_sequence_parallelism_and_zero) {
  LlmStep step = step_of(3, 2, 2, 3, PipelineSchedule::one_f_one_b);
  step.sequence_parallel = true;
  step.zero = 1;
  expect_right(step, {});
}

TEST(Llm, sends_less_where_it_gathers_in_fp8) {
  LlmStep step = step_of(2, 2, 2, 3, PipelineSchedule::one_f_one_b);
  step.sequence_parallel = true;
  step.gathered_by = 2;
  expect_right(step, {});
}

/// Experts of `ep` ranks, of which one gets as many tokens again as all others.
LlmStep with_experts(LlmStep step, int ep) {
  Experts& experts = step.experts;
  const auto n = static_cast<std::size_t>(ep);
  std::vector<double> loads(n, 1);
  loads[n - 1] = ep - 1.0;
  std::vector<std::vector<double>> back;
  for (const double load : loads) back.emplace_back(n, load);
  experts.ranks = ep;
  experts.dispatch = {{{}, ep, {{std::make_shared<const PairSizes>(loads), 24}}}};
  experts.combine = {{{}, ep, {{std::make_shared<const PairSizes>(back), 12 * n}}}};
  experts.passes.resize(n);
  for (const std::uint64_t all : step.gradients) experts.gradients.push_back(all / 2);
  return step;
}

void expect_right_with_experts(const LlmStep& step, const LoopbackOptions& how) {
  Training training;
  training.llm = std::make_shared<const LlmStep>(step);
  const Options options = {.training = &training};
  const int ranks = step.grid.ranks(), ep = step.experts.ranks;
  const LoopbackResult result = run_loopback(llm(), ranks, items, options, item_of, how);
  for (int rank = 0; rank < ranks; ++rank) {
    const auto stage = static_cast<std::size_t>(step.grid.index(rank, "pp"));
    const std::size_t own = step.gradients[stage], dense = own - step.experts.gradients[stage];
    for (std::size_t i = 0; i < own; ++i) {
      float sum = 0;
      for (int other = 0; other < ranks; ++other) {
        const auto place = [&](int of) { return step.grid.index(of, "dp") % ep; };
        if (step.grid.colour(other, "cp", "dp") != step.grid.colour(rank, "cp", "dp")) continue;
        if (i < dense || place(other) == place(rank)) sum += item_of(other, i);
      }
      ASSERT_EQ(result.data[static_cast<std::size_t>(rank)][i], sum) << rank << ", item " << i;
    }
  }
  const Cost declared = llm().cost(ranks, items, options);
  EXPECT_EQ(result.counted.messages, declared.messages);
  EXPECT_EQ(result.counted.items, declared.items);
  EXPECT_GE(result.counted.steps, declared.steps);
  EXPECT_LE(result.scratch_used, llm().scratch_items(ranks, items, options));
}

TEST(Llm, sums_gradients_of_experts_over_the_ranks_that_have_the_same) {
  for (const int zero : {0, 1})
    for (const int tp : {1, 2})
      for (const int ep : {2, 4})
        for (const LoopbackOptions& how : ways_to_run(llm())) {
          SCOPED_TRACE(testing::Message() << "ZeRO " << zero << ", tp " << tp << ", ep " << ep);
          LlmStep step = with_experts(step_of(tp, 4, 2, 3, PipelineSchedule::one_f_one_b), ep);
          step.sequence_parallel = true;
          step.zero = zero;
          expect_right_with_experts(step, how);
          step.grid = Grid({{"tp", tp}, {"cp", 2}, {"dp", 4}, {"pp", 2}});
          step.keys = 5;
          expect_right_with_experts(step, how);
        }
}

/// Four ranks on two hosts, one of which has two of three tokens.
LlmStep through_hosts(LlmStep step) {
  using Kind = TokenExchange::Group;
  step = with_experts(std::move(step), 4);
  const auto sizes = [](double first, double second, std::uint64_t bytes) {
    return TokenExchange::Sizes{
        std::make_shared<const PairSizes>(std::vector<double>{first, second}), bytes};
  };
  const Table<TokenExchange::Sizes> on = {sizes(1, 2, 12), sizes(2, 2, 24)};
  step.experts.hosts = 2;
  step.experts.dispatch = {{Kind::rail, 2, {sizes(1, 2, 18)}}, {Kind::host, 2, on}};
  step.experts.combine = {{Kind::host, 2, on}, {Kind::rail, 2, {sizes(2, 1, 18)}}};
  return step;
}

TEST(Llm, sums_the_same_where_tokens_pass_through_hosts) {
  for (const int tp : {1, 2}) {
    LlmStep step = through_hosts(step_of(tp, 4, 2, 3, PipelineSchedule::one_f_one_b));
    step.sequence_parallel = true;
    expect_right_with_experts(step, {});
  }
}

/// Two layers between an embedding and an output layer.
LlmStep sharded_step(int tp, int dp, int shard, int micro_batches) {
  LlmStep step = step_of(tp, dp, 1, micro_batches, PipelineSchedule::one_f_one_b);
  step.shard = shard;
  using Part = ParameterUnit::Part;
  step.units = {
      {Part::embedding, 7, 7}, {Part::layer, 13, 13}, {Part::layer, 13, 13}, {Part::head, 7, 7}};
  return step;
}

/// Index of the item's part, of a unit cut into `parts`.
int part_of(const LlmStep& step, std::size_t item, int parts) {
  for (std::size_t unit = 0; unit < step.units.size(); ++unit) {
    const Range range = unit_range(step, {Buffer::data, 0, items}, unit, {});
    for (int part = 0; part < parts; ++part) {
      const Range own = Chunks(range, parts)[part];
      if (item >= own.offset && item < own.offset + own.size) return part;
    }
  }
  return -1;
}

/// With ZeRO 3 a rank ends with the sums of its part of each unit, with ZeRO 2 with all.
void expect_parts(const LlmStep& step, const LoopbackOptions& how) {
  Training training;
  training.llm = std::make_shared<const LlmStep>(step);
  const Options options = {.training = &training};
  const int ranks = step.grid.ranks(), shard = step.shard;
  const LoopbackResult result = run_loopback(llm(), ranks, items, options, item_of, how);
  for (int rank = 0; rank < ranks; ++rank)
    for (std::size_t i = 0; i < items; ++i) {
      if (step.zero == 3 && part_of(step, i, shard) != step.grid.index(rank, "dp") % shard)
        continue;
      float sum = 0;
      for (int other = 0; other < ranks; ++other)
        if (step.grid.colour(other, "dp") == step.grid.colour(rank, "dp")) sum += item_of(other, i);
      ASSERT_EQ(result.data[static_cast<std::size_t>(rank)][i], sum) << rank << ", item " << i;
    }
  const Cost declared = llm().cost(ranks, items, options);
  EXPECT_EQ(result.counted.messages, declared.messages);
  EXPECT_EQ(result.counted.items, declared.items);
  EXPECT_GE(result.counted.steps, declared.steps);
  EXPECT_LE(result.scratch_used, llm().scratch_items(ranks, items, options));
}

TEST(Llm, sums_gradients_over_its_context_groups_too) {
  for (const int zero : {0, 1})
    for (const LoopbackOptions& how : ways_to_run(llm())) {
      LlmStep ring = step_of(2, 6, 2, 2, PipelineSchedule::one_f_one_b);
      ring.grid = Grid({{"tp", 2}, {"cp", 3}, {"dp", 2}, {"pp", 2}});
      ring.keys = 5;
      ring.zero = zero;
      expect_right(ring, how);
    }
}

std::int64_t items_sent(const LlmStep& step) {
  Training training;
  training.llm = std::make_shared<const LlmStep>(step);
  return std::int64_t(llm().cost(step.grid.ranks(), items, {.training = &training}).items);
}

// A ring sends (c-1)/c of the vector of an allgather or a reduce-scatter from each of c ranks; of
// an all-to-all each rank keeps a part.
TEST(Llm, gathers_keys_or_exchanges_heads_in_place_of_a_ring) {
  for (const ContextExchange how : {ContextExchange::allgather, ContextExchange::alltoall})
    for (const LoopbackOptions& run : ways_to_run(llm())) {
      LlmStep step = step_of(2, 4, 2, 2, PipelineSchedule::one_f_one_b);
      step.grid = Grid({{"tp", 2}, {"cp", 2}, {"dp", 2}, {"pp", 2}});
      step.keys = 6;
      step.queries = 8;
      const std::int64_t without = items_sent(step);
      step.context_exchange = how;
      expect_right(step, run);
      const std::int64_t groups = 2 * 2 * 2, layers_and_micro_batches = step.all_layers() * 2 / 2;
      const std::int64_t ring = (1 + 3) * 2 * 6, gathers = 3 * 12, exchanges = 2 * (14 + 8);
      EXPECT_EQ(items_sent(step) - without,
                groups * layers_and_micro_batches *
                    ((how == ContextExchange::allgather ? gathers : exchanges) - ring));
    }
}

TEST(Llm, sums_each_unit_where_its_part_is_kept) {
  for (const int zero : {2, 3})
    for (const int shard : {1, 2, 4})
      for (const int micro_batches : {1, 3})
        for (const int prefetch : {0, 1, 3})
          for (const LoopbackOptions& how : ways_to_run(llm())) {
            SCOPED_TRACE(testing::Message() << "ZeRO " << zero << ", " << shard << " of 4, "
                                            << micro_batches << " micro-batches");
            LlmStep step = sharded_step(2, 4, shard, micro_batches);
            step.zero = zero;
            step.prefetch = prefetch;
            expect_parts(step, how);
          }
}

// Rajbhandari et al. 2020, section 7: 3 S of a model of S with ZeRO 3, 2 S with ZeRO 2, but for the
// part that a rank has.
TEST(Llm, sends_three_times_its_parameters_where_it_keeps_a_part_of_them) {
  for (const int zero : {2, 3}) {
    LlmStep step = sharded_step(1, 4, 4, 1);
    step.zero = zero;
    Training training;
    training.llm = std::make_shared<const LlmStep>(step);
    const Cost cost = llm().cost(4, items, {.training = &training});
    EXPECT_EQ(cost.items,
              static_cast<std::uint64_t>(zero * (4 - 1)) * items);  // over all four ranks
  }
}

TEST(Llm, sums_the_same_where_stages_take_parts_of_their_layers_by_turns) {
  for (const int pp : {2, 4})
    for (const int times : {1, 2, 3})
      for (const int parts : {2, 3}) {
        SCOPED_TRACE(testing::Message() << pp << " stages of " << parts << " parts, " << times * pp
                                        << " micro-batches");
        LlmStep step = step_of(2, 2, pp, times * pp, PipelineSchedule::interleaved);
        step.parts = parts;
        step.part_layers = 6 / parts;
        expect_right(step, {});
      }
}

// The rank's part of each bucket is summed, as with ZeRO 3; without a gather beside the next step
// all ranks get all.
TEST(Llm, sums_the_same_where_buckets_go_beside_backward) {
  for (const PipelineSchedule schedule :
       {PipelineSchedule::one_f_one_b, PipelineSchedule::interleaved})
    for (const int pp : {1, 2}) {
      if (pp == 1 && schedule == PipelineSchedule::interleaved) continue;
      LlmStep step = step_of(2, 2, pp, 2 * pp, schedule);
      step.parts = schedule == PipelineSchedule::interleaved ? 2 : 1;
      step.zero = 1;
      step.overlap_gradients = true;
      step.repeated = 2;
      step.fewer_at_first = step.fewer_at_last = pp > 1 ? 1 : 0;
      SCOPED_TRACE(testing::Message() << pp << " stages of " << step.parts << " parts");
      expect_right(step, {});
    }
}

TEST(Llm, sums_the_same_with_checks_of_its_gradients) {
  for (const int zero : {0, 1}) {
    LlmStep step = step_of(2, 2, 2, 2, PipelineSchedule::one_f_one_b);
    step.zero = zero;
    step.checks = 2;
    SCOPED_TRACE(testing::Message() << "zero " << zero);
    expect_right(step, {});
  }
}

// Narayanan et al.: stage s of p takes p - 1 - s micro-batches forward first, if there are as many.
TEST(Llm, fills_the_pipeline_from_the_first_stage_on) {
  EXPECT_EQ(warm_up_of(8, 0, 4), 3);
  EXPECT_EQ(warm_up_of(8, 3, 4), 0);
  EXPECT_EQ(warm_up_of(2, 0, 4), 2);
}

}  // namespace
}  // namespace ringscope::llm_test
