// SPDX-License-Identifier: LGPL-2.1-or-later
// Does every algorithm say who it is, and can it be found by that name?
#include "algorithms/catalogue.hpp"

#include <gtest/gtest.h>

#include <set>

namespace ringscope {
namespace {

TEST(Catalogue, every_algorithm_describes_itself) {
  ASSERT_FALSE(catalogue().empty());
  for (const Algorithm& algorithm : catalogue()) {
    SCOPED_TRACE(std::string(algorithm.collective) + "/" + std::string(algorithm.name));
    EXPECT_FALSE(algorithm.collective.empty());
    EXPECT_FALSE(algorithm.name.empty());
    EXPECT_FALSE(algorithm.summary.empty());
    EXPECT_GE(algorithm.least_ranks, 1);
    EXPECT_TRUE(algorithm.run && algorithm.cost && algorithm.scratch_items);
  }
}

TEST(Catalogue, names_are_unique_inside_a_collective) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const Algorithm& algorithm : catalogue())
    EXPECT_TRUE(seen.insert({algorithm.collective, algorithm.name}).second) << algorithm.name;
}

/// Read by scenarios/workload/llm.cpp, which makes gradients, times and sizes of them.
const std::set<std::string_view> of_large_models = {"gpu",
                                                    "efficiency",
                                                    "element",
                                                    "sequence",
                                                    "micro_batch",
                                                    "micro_batches",
                                                    "schedule",
                                                    "stage_parts",
                                                    "sequence_parallel",
                                                    "zero",
                                                    "tensor_exchange",
                                                    "shard",
                                                    "prefetch",
                                                    "routing",
                                                    "expert_exchange",
                                                    "precision",
                                                    "gradient",
                                                    "attention",
                                                    "launch",
                                                    "recompute",
                                                    "fewer_at_ends",
                                                    "overlap",
                                                    "tensor_overlap",
                                                    "border_parts",
                                                    "step_overhead",
                                                    "variation",
                                                    "logging",
                                                    "garbage_collection",
                                                    "context_exchange",
                                                    "gradient_norm",
                                                    "loss_scaling",
                                                    "gradient_copy",
                                                    "optimiser",
                                                    "fragmentation"};

TEST(Catalogue, options_are_named_as_the_struct_names_them) {
  const std::set<std::string_view> known = {"segment",        "compute",
                                            "rounds",         "root",
                                            "rings",          "threads",
                                            "inside",         "between",
                                            "servers",        "steps",
                                            "update",         "bound",
                                            "algorithm",      "protocol",
                                            "channels",       "sms",
                                            "model",          "batch",
                                            "exchange",       "overlap",
                                            "fusion",         "cycle",
                                            "bucket",         "bytes_per_pack",
                                            "input",          "checkpoint",
                                            "item",           "sizes",
                                            "element",        "compression",
                                            "startup",        "serialisation",
                                            "staging",        "gpus_per_thread",
                                            "epochs",         "n_push",
                                            "n_fetch",        "pause",
                                            "default_stream", "push_share",
                                            "own_copy",       "servers_by",
                                            "whole_below",    "variation",
                                            "copy",           "hook",
                                            "negotiation"};
  for (const Algorithm& algorithm : catalogue())
    for (std::string_view option : algorithm.options)
      EXPECT_TRUE(known.contains(option) ||
                  (algorithm.name == "llm" && of_large_models.contains(option)))
          << option;
}

TEST(Catalogue, an_algorithm_is_found_by_collective_and_name) {
  for (const Algorithm& algorithm : catalogue())
    EXPECT_EQ(find_algorithm(algorithm.collective, algorithm.name), &algorithm);
}

TEST(Catalogue, an_unknown_name_finds_nothing) {
  EXPECT_EQ(find_algorithm("allreduce", "blocking"), nullptr);
  EXPECT_EQ(find_algorithm("pingpong", "ring"), nullptr);
  EXPECT_EQ(find_algorithm("", ""), nullptr);
}

}  // namespace
}  // namespace ringscope
