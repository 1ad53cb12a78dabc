// SPDX-License-Identifier: LGPL-2.1-or-later
// Has a report the interval of its library's spread, of what the spread was measured on?
#include <cmath>

#include "scenarios/warnings/job_warnings.hpp"
#include "sim/tests/scenario_for_test.hpp"

namespace ringscope {
namespace {

/// Allreduce of 1 MiB on four GPUs of `hosts`.
Report allreduce(const std::string& hosts, const std::string& algorithm, const std::string& library,
                 const std::string& measured = "") {
  return simulate(
      scenario_of("cluster: {base: h100_nvswitch, hosts: 4}\nlibrary: {base: " + library +
                  ", spread: {" + measured +
                  "one_host: [{low: 0.5, high: 2}], several_hosts: "
                  "[{low: 0.25, high: 4}]}}\nplacement: {hosts: " +
                  hosts + ", on: gpu}\njob: {collective: allreduce, algorithm: " + algorithm +
                  ", bytes: 1 MiB}\n"),
      {});
}

TEST(Likely, spread_of_kernels_is_that_of_one_host_or_several) {
  const Report inside = allreduce("4", "nccl", "nccl_h100");
  EXPECT_EQ(inside.likely->low_s, 0.5 * inside.time_s);
  EXPECT_EQ(inside.likely->high_s, 2 * inside.time_s);
  const Report between = allreduce("2-2", "channel_rings", "nccl_h100");
  EXPECT_EQ(between.likely->high_s, 4 * between.time_s);
}

TEST(Likely, messages_by_a_library_of_kernels_have_none) {
  for (const char* algorithm : {"ring", "two_level", "hierarchical"})
    EXPECT_FALSE(allreduce("2-2", algorithm, "nccl_h100").likely) << algorithm;
}

TEST(Likely, messages_by_a_library_of_messages_have_its_spread) {
  const Report ring = allreduce("4", "ring", "cuda_pinned");
  EXPECT_EQ(ring.likely->low_s, 0.5 * ring.time_s);
}

TEST(Likely, more_hosts_than_were_measured_are_an_extrapolation) {
  const auto warnings = [](const std::string& placement) {
    return job_warnings(scenario_of(
        "cluster: {base: h100_nvswitch, hosts: 3}\nlibrary: {base: nccl_h100, spread: {hosts: 2, "
        "several_hosts: [{low: 0.5, high: 2}]}}\nplacement: " +
        placement + "\njob: {collective: allreduce, algorithm: nccl, bytes: 1 MiB}\n"));
  };
  EXPECT_EQ(warnings("4-4"), std::vector<std::string>{});
  EXPECT_EQ(warnings("4-4-4"),
            std::vector<std::string>{"extrapolates to 3 hosts: the measured machines of "
                                     "nccl_h100* have at most 2"});
}

TEST(Likely, spread_is_wider_on_more_hosts_than_were_measured) {
  const Report seen = allreduce("2-2", "nccl", "nccl_h100", "hosts: 2, ");
  EXPECT_EQ(seen.likely->high_s, 4 * seen.time_s);
  const Report beyond = allreduce("1-1-1-1", "nccl", "nccl_h100", "hosts: 2, ");
  EXPECT_DOUBLE_EQ(beyond.likely->high_s, std::pow(4, std::sqrt(2)) * beyond.time_s);
}

}  // namespace
}  // namespace ringscope
