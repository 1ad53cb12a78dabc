// Do the options of a large model's training say what is wrong with them, and what would be right?
#include "algorithms/training/llm.hpp"

#include <gmock/gmock.h>

#include "algorithms/training/training.hpp"
#include "scenarios/question/scenario_tree.hpp"

namespace ringscope {
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
       "zero: 3 exchanges in every micro-batch, and a pipeline has several under way: expected "
       "groups.pp 1, got 2; zero: 1 goes with a pipeline"},
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
}  // namespace ringscope
