// SPDX-License-Identifier: LGPL-2.1-or-later
// Do groups say what is wrong with them, where, and what would be right?
#include <gmock/gmock.h>

#include "scenarios/question/scenario_tree.hpp"

namespace ringscope::groups_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// Eight ranks.
Scenario with(const std::string& job) {
  return read_tree(Value::from_text("test", R"(question: who is with whom?
cluster: star8
library: ideal
placement: 1x8
job: {program: llm, )" + job + "}\n"),
                   "test")
      .front();
}

const std::string small =
    "options: {model: {layers: 4, hidden: 64, heads: 8, sequence: 32}, "
    "gpu: {flops: 1e12, memory_bandwidth: 1 GB/s}}";

Scenario grouped(const std::string& groups) { return with("groups: " + groups + ", " + small); }

struct Wrong {
  std::string groups, says;
};

TEST(Groups, say_what_is_wrong_with_them) {
  const std::vector<Wrong> all = {
      {"{tp: 3}", "tp 3 x pp 1 make replicas of 3 ranks, and the placement has 8"},
      {"{tp: 2, dp: 2, pp: 4}",
       "tp 2 x dp 2 x pp 4 are 16 ranks, and the placement has 8: omit dp, it has the remaining "
       "ranks"},
      {"{tp: 16}", "expected a whole number from 1 to 8"},
      {"{td: 2}", "did you mean 'tp'"},
      {"{order: tp-pd-pp}", "unknown group 'pd'; did you mean 'pp'?"},
      {"{order: tp-tp-pp}", "expected each of tp, cp, dp and pp once, got tp twice in 'tp-tp-pp'"},
      {"{order: tp-dp}", "expected an order of tp, dp and pp, got 'tp-dp', which lacks pp"},
      {"{order: tp-dp-pp, cp: 2}",
       "expected an order of tp, cp, dp and pp, got 'tp-dp-pp', which lacks cp"},
      {"{cp: 3}", "tp 1 x cp 3 x pp 1 make replicas of 3 ranks, and the placement has 8"},
      {"{tp: [[0, 1, 2, 3], [4, 5, 6, 6]], pp: [[0, 4], [1, 5], [2, 6], [3, 7]]}",
       "duplicate rank 6 in the groups of tp"},
      {"{tp: [[0, 1, 2, 3], [4, 5, 6]]}",
       "expected a group of 4 ranks, as the first one of tp has, got 3"},
      {"{tp: [[0, 1], [2, 3]]}", "rank 4 is in no group of tp"},
      {"{tp: [[0, 1, 2, 3], [4, 5, 6, 7]]}",
       "expected groups whose sizes multiply to 8 ranks, got tp 4 = 4: give lists of dp too"},
      {"{tp: [[0, 1, 2, 3], [4, 5, 6, 7]], dp: 2}", "groups are either all lists, or all sizes"},
      {"{tp: [[0, 1, 2, 3], [4, 5, 6, 7]], dp: [[0, 4], [1, 5], [2, 6], [7, 3]]}",
       "expected the ranks of a tp group at one place of their dp groups, got rank 0 at place 0 "
       "and rank 3 at place 1"},
      {"{tp: [0, 1]}", "expected a group, a list of ranks such as [0, 1]"},
      {"{order: tp-dp-pp, tp: [[0, 1, 2, 3], [4, 5, 6, 7]]}",
       "groups by lists have no order: omit it"},
  };
  for (const Wrong& one : all)
    EXPECT_THAT([&] { grouped(one.groups); },
                ThrowsMessage<InputError>(AllOf(HasSubstr("test:5:"), HasSubstr(one.says))))
        << one.groups;
}

TEST(Groups, by_rule_resolve_to_what_is_left) {
  const Value resolved = grouped("{tp: 2, pp: 2}").resolved;
  const Value* groups = resolved.find("job")->find("groups");
  EXPECT_EQ(groups->find("dp")->text(), "2");
  EXPECT_EQ(groups->find("order")->text(), "tp-dp-pp");
}

TEST(Groups, are_the_same_by_rule_and_by_lists) {
  const auto messages = [](const std::string& groups) {
    const Job job = grouped(groups).job;
    return job.algorithm->cost(8, job.bytes.count, job.options);
  };
  EXPECT_EQ(messages("{tp: 4}"),
            messages("{tp: [[0, 1, 2, 3], [4, 5, 6, 7]], dp: [[0, 4], [1, 5], [2, 6], [3, 7]]}"));
}

TEST(Program, says_what_is_wrong_with_it) {
  const auto says = [](const std::string& job, const std::string& text) {
    EXPECT_THAT([&] { with(job); },
                ThrowsMessage<InputError>(AllOf(HasSubstr("test:5:"), HasSubstr(text))));
  };
  says("algorithm: ring, " + small, "a job with a program has no algorithm: omit it");
  says("options: {}", "model");
  says("bytes: 1 MB, " + small, "omit job.bytes");
  const std::string gpu = "gpu: {flops: 1e12, memory_bandwidth: 1 GB/s, memory: 1 MB}";
  says("options: {model: {layers: 4, hidden: 63, heads: 8, sequence: 32}, " + gpu + "}",
       "hidden 63 cannot be cut into 8 heads");
  says("groups: {pp: 8}, options: {model: {layers: 4, hidden: 64, heads: 8, sequence: 32}, " + gpu +
           "}",
       "4 layers cannot be cut into 8 parts of a pipeline: an end would lack 2, and a part has 1");
  says("groups: {pp: 4}, options: {model: {layers: 4, hidden: 64, heads: 8, sequence: 32}, " + gpu +
           ", fewer_at_ends: 2}",
       "an end would lack 2, and a part has 2");
  const std::string interleaved =
      "options: {model: {layers: 4, hidden: 64, heads: 8, sequence: 32}, gpu: {flops: 1e12, "
      "memory_bandwidth: 1 GB/s}, schedule: interleaved";
  says(interleaved + "}", "an interleaved pipeline has at least two stages: set groups.pp");
  says("groups: {pp: 2}, " + interleaved + "}",
       "1 micro-batches cannot be cut into pp 2 equal parts");
  says("groups: {pp: 2}, " + interleaved + ", micro_batches: 2, stage_parts: 4}",
       "4 layers cannot be cut into 8 parts of a pipeline");
  says("options: {model: llama_2_7b, gpu: h100, stage_parts: 2}",
       "parts of a stage are for the schedule 'interleaved'");
  says("options: {model: llama_2_7, gpu: h100}", "did you mean 'llama_2_7b'");
  says("options: {model: llama_2_7b, gpu: h10}", "did you mean 'h100'");
}

// 6,738,415,616 parameters: 2 bytes of each and of its gradient, 12 of Adam; activations of one
// sequence of 4096 tokens in 32 layers, 34 bytes for each token and hidden unit.
TEST(Program, says_the_sum_that_does_not_fit_into_a_gpu) {
  EXPECT_THAT(
      [&] { with("options: {model: llama_2_7b, gpu: h100, efficiency: 1}"); },
      ThrowsMessage<InputError>(HasSubstr(
          "a GPU of stage 0 needs 126.1 GB, and h100 has 85.52 GB: parameters 13.48 GB + gradients "
          "13.48 GB + optimiser 80.86 GB + activations 18.25 GB (1 of 1 micro-batches in flight); "
          "more tp or pp takes less, or zero: 1")));
  // A dp of 8 keeps an eighth of the optimiser's.
  EXPECT_NO_THROW(with("options: {model: llama_2_7b, gpu: h100, zero: 1}"));
}

TEST(Program, refuses_groups_of_a_job_that_has_none) {
  EXPECT_THAT(
      [] {
        read_tree(Value::from_text("test",
                                   "question: q\ncluster: star8\nlibrary: ideal\nplacement: "
                                   "1x8\njob: {collective: allreduce, algorithm: ring, "
                                   "bytes: 1 MB, groups: {tp: 2}}\n"),
                  "test");
      },
      ThrowsMessage<InputError>(
          HasSubstr("the allreduce ring has no groups: a program has, such as llm")));
}

}  // namespace
}  // namespace ringscope::groups_test
