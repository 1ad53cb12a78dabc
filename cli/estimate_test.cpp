// SPDX-License-Identifier: LGPL-2.1-or-later
// Does `ringscope estimate` print the same in each of its forms, and name the option that is wrong?
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/program_for_test.hpp"

namespace ringscope::estimate_test {
namespace {

const std::string with_spread =
    " --library '{base: nccl_h100, spread: {one_host: [{low: 0.8, high: 1.3}], several_hosts: "
    "[{up_to: 1 MiB, low: 0.5, high: 2}]}}'";

Ended estimate(const std::string& words) {
  return ended(built_program() + " estimate " + words + " 2>&1");
}

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(EstimateCommand, a_row_for_each_power_of_two_in_each_form) {
  const std::string words = "h100_nvswitch --ranks 8 --bytes 1KiB..5KiB,1MiB";
  const auto document = nlohmann::json::parse(estimate(words + " --format json").text);
  std::vector<std::uint64_t> sizes;
  for (const auto& row : document.at("sizes")) {
    sizes.push_back(row.at("bytes"));
    EXPECT_LT(row.at("low_s"), row.at("time_s"));
    const double bytes = row.at("bytes"), time = row.at("time_s");
    EXPECT_DOUBLE_EQ(row.at("algbw"), bytes / time);
    EXPECT_DOUBLE_EQ(row.at("busbw"), bytes / time * 2 * 7 / 8);
  }
  EXPECT_EQ(sizes, (std::vector<std::uint64_t>{1024, 2048, 4096, 1 << 20}));
  EXPECT_EQ(lines_of(estimate(words + " --format csv").text), 1 + sizes.size());
  const Ended text = estimate(words);
  EXPECT_EQ(text.code, 0);
  EXPECT_NE(text.text.find("low to high: 90 %"), std::string::npos);
  EXPECT_EQ(estimate("--cluster " + words).text, text.text);
  const std::string without = "v100x4_pcie --library nccl_v100_pcie --bytes 1KiB";
  EXPECT_NE(estimate(without).text.find("no interval: nccl_v100_pcie has no"), std::string::npos);
}

TEST(EstimateCommand, an_interval_is_printed_where_the_spread_has_one) {
  const std::string words = "h100_nvswitch --bytes 1MiB,2MiB" + with_spread;
  const auto document = nlohmann::json::parse(estimate(words + " --format json").text);
  const auto &small = document.at("sizes").at(0), &large = document.at("sizes").at(1);
  EXPECT_DOUBLE_EQ(small.at("low_s"), 0.5 * small.at("time_s").get<double>());
  EXPECT_FALSE(large.contains("low_s"));
  EXPECT_NE(estimate(words).text.find("low to high: 90 %"), std::string::npos);
}

TEST(EstimateCommand, options_of_other_commands_mean_the_same) {
  const std::string said = "h100_nvswitch --collective allgather --bytes 3MiB";
  EXPECT_EQ(estimate("--cluster h100_nvswitch --job allgather/nccl:3MiB").text,
            estimate(said).text);
  const std::string steps = "17-which-parallelism-crosses-hosts --format json";
  EXPECT_NE(estimate(steps + " --set job.options.batch=64").text, estimate(steps).text);
  const auto complains = [](const std::string& words, const std::string& complaint) {
    EXPECT_NE(estimate(words).text.find(complaint), std::string::npos) << estimate(words).text;
  };
  complains("--job allreduce/ring:1MiB --cluster h100_nvswitch", "as NCCL chooses it");
  complains("h100_nvswitch --set library=rdma", "--set: expected a scenario, got a cluster");
  complains("--bytes 1MiB", "expected a CLUSTER, or --cluster NAME");
}

TEST(EstimateCommand, errors_name_the_option) {
  const auto complains = [](const std::string& words, const std::string& complaint) {
    const Ended got = estimate(words);
    EXPECT_EQ(got.code, 1);
    EXPECT_NE(got.text.find(complaint), std::string::npos) << got.text;
  };
  complains("h100_nvswitch --bytes 8B..4B", "--bytes:1:1: expected the smaller size first");
  complains("h100_nvswitch --bytes 0B", "--bytes:1:1: expected a size from 1 B to 1 PiB");
  complains("h100_nvswitch --ranks 17", "--ranks: expected at most 16");
  complains("h100_nvswitch --collective sum", "--collective: unknown collective 'sum'");
  complains("gtx1080ti_x4", "CLUSTER: no shipped library has NCCL's costs on the GPUs of");
}

}  // namespace
}  // namespace ringscope::estimate_test
