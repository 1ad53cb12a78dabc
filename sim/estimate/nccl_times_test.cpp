// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/estimate/nccl_times.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>

#include "nccl/choice/choice.hpp"

namespace ringscope {
namespace {

const std::string with_spread =
    "{base: nccl_h100, spread: {one_host: [{low: 0.8, high: 1.3}], several_hosts: [{up_to: 1 MiB, "
    "low: 0.5, high: 2}, {low: 0.9, high: 1.2}]}}";

Scenario scenario_of(const std::string& cluster, const std::string& ranks = "",
                     const std::string& library = "", const std::string& placement = "",
                     const std::string& collective = "allreduce") {
  return nccl_scenario({.cluster = named_value("cluster", cluster),
                        .collective = named_value("collective", collective),
                        .ranks = named_value("ranks", ranks),
                        .library = named_value("library", library),
                        .placement = named_value("placement", placement)});
}

std::string complaint(const auto&... words) {
  try {
    scenario_of(words...);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(NcclTimes, library_and_placement_are_by_default_those_of_the_clusters_gpus) {
  const Scenario all = scenario_of("h100_nvswitch");
  EXPECT_EQ(all.library.name, "nccl_h100");
  EXPECT_EQ(all.placement.ranks.size(), 16u);
  const Scenario some = scenario_of("{base: a100_nvswitch, hosts: 3}", "20");
  EXPECT_EQ(some.library.name, "nccl_a100");
  EXPECT_EQ(some.placement.text, "8-8-4 on gpu");
  EXPECT_EQ(scenario_of("h100_nvswitch", "", "", "2-2").placement.ranks.size(), 4u);
}

TEST(NcclTimes, library_is_by_default_that_of_the_file_of_the_cluster) {
  const std::string path = testing::TempDir() + "nccl_times_own.yaml";
  std::ofstream(path) << "cluster: {base: h100_nvswitch}\nlibrary: " << with_spread << "\n";
  for (const std::string& cluster : {path, "{base: " + path + ", hosts: 4}"})
    EXPECT_EQ(scenario_of(cluster).library.spread.one_host.front().low, 0.8);
}

TEST(NcclTimes, errors_name_the_word_and_what_is_known) {
  EXPECT_NE(complaint("h100_nvswitch", "17").find("ranks: expected at most 16"), std::string::npos);
  EXPECT_NE(
      complaint("h100_nvswitch", "5", "", "2-2").find("expected 4, the ranks of the placement"),
      std::string::npos);
  EXPECT_NE(complaint("rack3").find("cluster with two GPUs or more"), std::string::npos);
  EXPECT_NE(complaint("h100_nvswitch", "", "cuda_pinned").find("nccl_a100, nccl_b200, nccl_h100"),
            std::string::npos);
  EXPECT_NE(complaint("h100_nvswitch", "", "", "", "allreduc").find("did you mean 'allreduce'"),
            std::string::npos);
  EXPECT_NE(complaint("gtx1080ti_x4").find("no shipped library has NCCL's costs on the GPUs of"),
            std::string::npos);
}

TEST(NcclTimes, interval_is_the_spread_of_the_library_for_that_size) {
  NcclTimes several(scenario_of("h100_nvswitch", "16", with_spread));
  several.build_table({.least = 1 << 10, .most = 1 << 12});
  const EstimatedCall small = several.at(1500), large = several.simulated((1 << 20) + 1);
  EXPECT_EQ(small.likely->low_s, small.time_s * 0.5);
  EXPECT_EQ(small.likely->high_s, small.time_s * 2);
  EXPECT_EQ(large.likely->high_s, large.time_s * 1.2);
  const EstimatedCall one_host =
      NcclTimes(scenario_of("h100_nvswitch", "8", with_spread)).simulated(8);
  EXPECT_EQ(one_host.likely->low_s, one_host.time_s * 0.8);
  const std::string fitted =
      ", fitted: {least: 1 KiB, most: 1 MiB, hosts: 2, ranks_per_host: 8, collectives: "
      "[allreduce], low: 0.9, high: 1.25}}";
  NcclTimes own(
      scenario_of("h100_nvswitch", "16", with_spread.substr(0, with_spread.size() - 1) + fitted));
  for (const auto& [bytes, low] : {std::pair{1024, 0.9}, {1 << 20, 0.9}, {512, 0.5}}) {
    const EstimatedCall found = own.simulated(static_cast<std::uint64_t>(bytes));
    EXPECT_EQ(found.likely->low_s, found.time_s * low) << bytes;
  }
  EXPECT_FALSE(NcclTimes(scenario_of("v100x4_pcie", "4", "nccl_v100_pcie")).simulated(8).likely);
}

// A table of 16 ranks to 16 GiB takes eight seconds; most of them are those of its larger half.
TEST(NcclTables, table_has_nccls_choice_and_meets_simulated_times_within_its_bound) {
  constexpr std::uint64_t seed = 28112026;
  fmt::print("seed {}\n", seed);
  std::mt19937_64 random(seed);
  const auto meets = [&](const Scenario& scenario, const TableSizes& sizes) {
    NcclTimes times(scenario);
    times.build_table(sizes);
    std::uniform_real_distribution<double> exponent(std::log2(static_cast<double>(sizes.least)),
                                                    std::log2(static_cast<double>(sizes.most)));
    for (int i = 0; i < 30; ++i) {
      const auto bytes = static_cast<std::uint64_t>(std::exp2(exponent(random)));
      const EstimatedCall found = times.at(bytes), exact = times.simulated(bytes);
      EXPECT_EQ(found.algorithm, exact.algorithm);
      EXPECT_NEAR(found.time_s / exact.time_s, 1, sizes.bound) << bytes << " B";
    }
  };
  meets(scenario_of("a100_nvswitch", "8"), {});
  meets(scenario_of("h100_nvswitch", "16"), {.most = 4 << 20});
}

TEST(NcclTimes, sizes_beyond_the_table_are_at_its_least_and_on_its_last_line) {
  NcclTimes times(scenario_of("h100_nvswitch", "8"));
  times.build_table({.least = 1 << 26, .most = 1 << 28});
  EXPECT_EQ(times.at(1).time_s, times.at(1 << 26).time_s);
  const double last = times.at(1 << 28).time_s, further = times.at(1 << 29).time_s;
  EXPECT_NEAR(further / times.simulated(1 << 29).time_s, 1, 0.03);
  EXPECT_NEAR(times.at(3 << 27).time_s, (last + further) / 2, 1e-9);
}

}  // namespace
}  // namespace ringscope
