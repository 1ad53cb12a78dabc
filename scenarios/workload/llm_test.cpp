// Do the options of a large model's training say what is wrong with them, and what would be right?
#include "algorithms/training/llm.hpp"

#include <gmock/gmock.h>

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

}  // namespace
}  // namespace ringscope
