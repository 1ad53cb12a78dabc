// SPDX-License-Identifier: LGPL-2.1-or-later
// Do the options of a large model's training say what is wrong with them, and what would be right?
#include "algorithms/training/llm/llm.hpp"

#include <gmock/gmock.h>

#include "algorithms/training/training.hpp"
#include "scenarios/question/scenario_tree.hpp"
#include "scenarios/workload/transformer.hpp"

namespace ringscope::llm_test {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

/// Eight ranks train a model of four layers.
Scenario with(const std::string& groups, const std::string& options) {
  return read_tree(Value::from_text("test", R"(question: which of it goes together?
cluster: star8
library: ideal
placement: 1x8
job:
  program: llm
  groups: )" + groups + R"(
  options:
    model: {layers: 4, hidden: 64, heads: 8, sequence: 32}
    gpu: {flops: 1e12, memory_bandwidth: 1 GB/s}
    )" + options + "\n"),
                   "test")
      .front();
}

struct Wrong {
  std::string groups, options, says;
};

TEST(LlmOptions, say_what_does_not_go_together) {
  const std::vector<Wrong> all = {
      {"{pp: 2}", "zero: 3",
       "zero: 3 exchanges in every micro-batch, and a pipeline has several under way: DeepSpeed "
       "rejects it, and FSDP2 then keeps all it has until the step ends, as zero: 1 does; expected "
       "groups.pp 1, got 2, or zero: 1"},
      {"{}", "variation: 0.4", "expected a number from 0 to 0.3"},
      {"{}", "zero: 4", "expected a whole number from 0 to 3"},
      {"{}", "{zero: 3, shard: 3}", "8 ranks of a data group cannot be cut into shards of 3"},
      {"{}", "shard: 4", "a data group is cut into shards by zero: 2 and zero: 3"},
      {"{tp: 2}", "{zero: 3, shard: 8}", "expected a whole number from 1 to 4"},
      {"{}", "{zero: 2, prefetch: 1}", "parameters are gathered, and so fetched ahead, by zero: 3"},
  };
  for (const Wrong& wrong : all) {
    SCOPED_TRACE(wrong.options);
    std::string options = wrong.options;
    if (options.front() == '{') {
      options = options.substr(1, options.size() - 2);
      options.replace(options.find(", "), 2, "\n    ");
    }
    EXPECT_THAT([&] { with(wrong.groups, options); },
                ThrowsMessage<InputError>(HasSubstr(wrong.says)));
  }
}

/// Eight ranks train a model of four layers with so many experts.
Scenario with_experts(int experts, const std::string& groups, const std::string& options,
                      int top_k = 1) {
  return read_tree(
             Value::from_text("test",
                              "question: do these experts go?\ncluster: star8\n"
                              "library: ideal\nplacement: 1x8\njob:\n  program: llm"
                              "\n  groups: " +
                                  groups +
                                  "\n  options:\n    model: {name: small, layers: 4, "
                                  "hidden: 64, heads: 8, sequence: 32, experts: " +
                                  std::to_string(experts) + ", top_k: " + std::to_string(top_k) +
                                  "}\n    gpu: {flops: 1e12, memory_bandwidth: 1 GB/s}\n"
                                  "    " +
                                  options + "\n"),
             "test")
      .front();
}

TEST(Experts, say_what_does_not_go_together) {
  struct {
    int experts;
    std::string groups, options, says;
  } const all[] = {
      {4, "{ep: 3}", "zero: 0",
       "expert groups split the dp groups: 8 ranks do not split into parts of 3"},
      {4, "{tp: 2, ep: 8}", "sequence_parallel: true",
       "expert groups split the dp groups: 4 ranks do not split into parts of 8"},
      {4, "{ep: 9}", "zero: 0", "expected a whole number from 1 to 8"},
      {4, "{ep: 8}", "zero: 0", "4 experts cannot be cut into ep 8 equal parts"},
      {1, "{ep: 2}", "zero: 0", "small has no experts that groups.ep 2 could cut"},
      {1, "{}", "routing: {imbalance: 1}", "small has no experts to which tokens are routed"},
      {4, "{tp: 2, ep: 2}", "zero: 0",
       "experts on ep groups with tp groups need sequence_parallel: true"},
      {4, "{ep: 2}", "zero: 2",
       "zero: 2 cuts whole layers over the data group, and groups.ep cuts their experts: expected "
       "zero: 0 or 1"},
      {4, "{ep: 2}", "routing: {imbalance: 5}", "expected a number from 1 to 4"},
      {4, "{ep: 2}", "routing: {imbalance: 4, shape: zipf}",
       "by Zipf's law no expert has all: expected less than 4"},
      {4, "{ep: 2}", "routing: {imbalance: 3, hot: 2}",
       "2 hot of 4 experts cannot have 3 times the mean each: expected at most 2"},
      {4, "{}", "context_exchange: allgather", "a context group of one rank exchanges nothing"},
      {4, "{ep: 2}", "routing: {capacity: 0}",
       "expected a capacity above 0, by an expert's even share of the tokens"},
      {4, "{ep: 4}", "routing: {hosts: 3}", "4 ranks of ep cannot be cut into 3 equal hosts"},
      {4, "{ep: 2}", "routing: {shape: zipf}", "the key 'imbalance' is missing"},
      {4, "{ep: 2}", "routing: {capasity: 1}", "did you mean 'capacity'?"},
      {4, "{ep: 2}", "expert_exchange: channel_peers",
       "unknown algorithm of alltoallv 'channel_peers' (known: pairwise, posted, nccl)"},
  };
  for (const auto& wrong : all)
    EXPECT_THAT([&] { with_experts(wrong.experts, wrong.groups, wrong.options); },
                ThrowsMessage<InputError>(HasSubstr(wrong.says)))
        << wrong.groups << " " << wrong.options;
}

// A token has two different experts of four. A host with two has one or both with 1 - 2/4 x 1/3, a
// rank with one has it with 1/2. A token that may go to one host goes to both experts there.
TEST(Experts, get_a_token_once_for_each_host_and_once_for_each_rank) {
  const double tokens = 32 * 64 * 2;  // bytes
  for (const auto& [most, of_host] : {std::pair{2, 5.0 / 6}, {1, 1.0 / 2}}) {
    const Scenario scenario =
        with_experts(4, "{ep: 4}", fmt::format("routing: {{hosts: 2, most_hosts: {}}}", most), 2);
    const Experts& experts = scenario.job.training->llm->experts;
    ASSERT_EQ(experts.dispatch.size(), 2U);
    ASSERT_EQ(experts.combine.size(), 2U);
    for (const TokenExchange* rail : {&experts.dispatch.front(), &experts.combine.back()})
      EXPECT_NEAR(static_cast<double>(rail->most_bytes()), 2 * of_host * tokens, 4) << most;
    for (const TokenExchange* host : {&experts.dispatch.back(), &experts.combine.front()}) {
      EXPECT_EQ(host->sizes.size(), 2U);
      EXPECT_NEAR(static_cast<double>(host->most_bytes()), 2 * 2 * tokens / 2, 4) << most;
    }
  }
  EXPECT_THAT([] { with_experts(4, "{ep: 4}", "routing: {hosts: 4, most_hosts: 1}", 2); },
              ThrowsMessage<InputError>(HasSubstr("1 of 4 hosts have fewer than 2 of 4 experts")));
}

// Jiang et al. 2024, arXiv:2401.04088: 47 B parameters, of which a token uses 13 B.
TEST(Experts, mixtral_has_the_published_number_of_parameters) {
  const Transformer model =
      read_transformer(Value::scalar_at(Value::from_text("test", "a").place(), "mixtral_8x7b"));
  EXPECT_EQ(model.parameters(), 46'702'792'704U);
  const std::uint64_t idle = model.layers * (model.experts - model.top_k) * model.mlp_matrices();
  EXPECT_EQ(model.parameters() - idle, 12'879'925'248U);
}

// GPT-2 and GPT-3 use one matrix for both; stages at both ends of a pipeline hold a copy each.
TEST(ATiedEmbedding, IsCountedOnceOnAGpuThatHasBothEnds) {
  const auto gradients = [](const std::string& groups, const std::string& tied,
                            const std::string& zero) {
    const std::string model =
        "model: {layers: 4, hidden: 64, heads: 8, sequence: 32, vocabulary: 1000, tied: " + tied;
    return read_tree(Value::from_text("test", R"(question: how much?
cluster: star8
library: ideal
placement: 1x8
job:
  program: llm
  groups: )" + groups + R"(
  options: {gpu: {flops: 1e12, memory_bandwidth: 1 GB/s}, zero: )" +
                                                  zero + ", " + model + "}}\n"),
                     "test")
        .front()
        .job.training->llm->gradients;
  };
  const std::uint64_t matrix = 1000 * 64 * 2;
  for (const std::string zero : {"0", "1", "3"}) {
    SCOPED_TRACE(zero);
    EXPECT_EQ(gradients("{}", "false", zero)[0] - gradients("{}", "true", zero)[0], matrix);
  }
  EXPECT_EQ(gradients("{pp: 2}", "true", "1"), gradients("{pp: 2}", "false", "1"));
}

}  // namespace
}  // namespace ringscope::llm_test
