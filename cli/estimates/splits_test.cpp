// SPDX-License-Identifier: LGPL-2.1-or-later
// Are splits those that a job takes, each once?
#include "cli/estimates/step_rows.hpp"

#include <gtest/gtest.h>

#include <set>

namespace ringscope {
namespace {

Transformer model_of(std::uint64_t layers, std::uint64_t experts = 1) {
  Transformer model;
  model.layers = layers;
  model.hidden = 1024;
  model.heads = 16;
  model.sequence = 4096;
  model.experts = experts;
  return model;
}

TEST(Splits, use_all_gpus_and_the_whole_batch) {
  for (const std::uint64_t experts : {1, 8}) {
    const std::vector<Split> splits = splits_of(model_of(24, experts), {64, 8, 128});
    ASSERT_FALSE(splits.empty());
    std::set<std::string> texts;
    for (const Split& split : splits) {
      EXPECT_EQ(split.tensor * split.context * split.stages * split.data, 64);
      EXPECT_EQ(split.data * split.micro_batch * split.micro_batches, 128);
      EXPECT_LE(split.stages * split.parts, 24 + 2);
      EXPECT_LE(lacking_layers(24, split.stages * split.parts), 3);
      EXPECT_LE(split.tensor, 8);
      EXPECT_EQ(split.data % split.expert, 0);
      EXPECT_TRUE(texts.insert(split.text()).second) << split.text();
    }
  }
}

// In 16 stages, both ends of 30 layers lack one, and those of 61 three in all; of 28, four.
TEST(Splits, have_stages_that_lack_few_layers_at_their_ends) {
  for (const auto& [layers, expected] : {std::pair{30, true}, {61, true}, {28, false}}) {
    bool found = false;
    for (const Split& split : splits_of(model_of(layers), {16, 8, 64}))
      found |= split.stages == 16 && split.parts == 1;
    EXPECT_EQ(found, expected) << layers;
  }
}

TEST(Splits, are_tried_in_each_order_that_places_their_groups_differently) {
  const Split all = {.context = 2, .stages = 4, .data = 8}, two = {.stages = 4, .data = 8};
  EXPECT_EQ(all.orders().size(), 6u);
  EXPECT_EQ(two.orders(), (std::vector<std::string>{"tp-cp-dp-pp", "tp-cp-pp-dp"}));
  EXPECT_EQ(Split{.data = 8}.orders(), std::vector<std::string>{all.order});
}

}  // namespace
}  // namespace ringscope
