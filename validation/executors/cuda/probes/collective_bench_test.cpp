// SPDX-License-Identifier: LGPL-2.1-or-later
// Is every collective of a library timed and checked, and a refusal kept?
#include <gtest/gtest.h>

#include "validation/executors/cuda/probes/collective_bench.hpp"
#include "validation/executors/cuda/testing/fake_collectives.hpp"
#include "validation/executors/cuda/testing/fake_gpus.hpp"
#include "validation/executors/replayed.hpp"

namespace ringscope::cuda::collective_bench_test {
namespace {

using Json = nlohmann::ordered_json;

CollectiveOptions all_of(std::vector<int> ranks) {
  return {.what = {collectives.begin(), collectives.end()},
          .sizes = {4096, 65536},
          .ranks = std::move(ranks),
          .repetitions = {.warmups = 1, .stop = {.least = 5, .most = 5}}};
}

TEST(Collectives, take_what_the_library_takes) {
  FakeParameters parameters;
  parameters.gpus = 4;
  FakeGpus gpus(parameters);
  const auto library = make_fake_collectives(gpus);
  const CollectiveResults results = measure_collectives(gpus, *library, all_of({4}));
  EXPECT_TRUE(results.refused.empty());
  ASSERT_EQ(results.measurements.size(), 5U * 2);
  const double copied_s = 65536 / 10e9;  // fake_collectives.cpp: 10 GB/s
  for (const Json& one : results.measurements) {
    if (one["parameters"]["bytes"] != 65536) continue;
    EXPECT_NEAR(one["median_s"].get<double>(), parameters.launch_s + copied_s + parameters.event_s,
                1e-12)
        << one["what"];
    EXPECT_EQ(one["parameters"]["algorithm"], "");
    EXPECT_EQ(one["parameters"]["placement"], "4 listed");
  }
  const Json& first = results.measurements.front();
  EXPECT_EQ(first["scenario"]["job"]["algorithm"], "nccl");
  EXPECT_EQ(first["scenario"]["placement"][3], (Json{{"host", 0}, {"gpu", 3}}));
}

TEST(Collectives, vectors_have_whole_parts_for_all_ranks) {
  FakeParameters parameters;
  parameters.gpus = 3;
  FakeGpus gpus(parameters);
  const auto library = make_fake_collectives(gpus);
  const CollectiveResults results = measure_collectives(gpus, *library, all_of({3}));
  EXPECT_EQ(results.measurements.front()["parameters"]["bytes"], 4096 / 12 * 12);
}

TEST(Collectives, that_are_refused_say_so_and_the_others_go_on) {
  FakeParameters parameters;
  parameters.gpus = 2;
  FakeGpus gpus(parameters);
  const auto library = make_fake_collectives(gpus);
  const CollectiveResults results = measure_collectives(gpus, *library, all_of({4, 2}));
  ASSERT_EQ(results.refused.size(), 1U);
  EXPECT_EQ(results.refused[0]["ranks"], 4);
  EXPECT_EQ(results.refused[0]["gpus"], 2);
  EXPECT_EQ(results.refused[0]["why"], "join: invalid usage: two ranks on GPU 0");
  EXPECT_EQ(results.measurements.size(), 5U * 2);
}

/// Leaves one item of the last rank as it was.
class Forgetful final : public CollectiveLibrary {
 public:
  explicit Forgetful(Gpus& gpus) : library_(make_fake_collectives(gpus)) {}
  std::string version() const override { return "forgetful"; }
  std::unique_ptr<CollectiveGroup> join(std::span<const CollectiveRank> ranks) override {
    return std::make_unique<Group>(library_->join(ranks), ranks.back().to);
  }

 private:
  class Group final : public CollectiveGroup {
   public:
    Group(std::unique_ptr<CollectiveGroup> group, float* result)
        : group_(std::move(group)), result_(result) {}
    void start(Collective what, std::size_t items) override {
      group_->start(what, items);
      result_[7] = -1;
    }

   private:
    std::unique_ptr<CollectiveGroup> group_;
    float* result_;
  };
  std::unique_ptr<CollectiveLibrary> library_;
};

TEST(Collectives, that_compute_something_else_are_refused) {
  FakeParameters parameters;
  parameters.gpus = 2;
  FakeGpus gpus(parameters);
  Forgetful library(gpus);
  try {
    measure_collectives(gpus, library, all_of({2}));
    FAIL() << "not refused";
  } catch (const WrongResult& error) {
    EXPECT_NE(std::string(error.what()).find("allreduce"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace ringscope::cuda::collective_bench_test
