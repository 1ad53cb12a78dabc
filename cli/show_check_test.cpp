// SPDX-License-Identifier: LGPL-2.1-or-later
// Do show and check take what users name: hosts, GPUs, changed keys?
#include <gtest/gtest.h>

#include "cli/program_for_test.hpp"

namespace ringscope::show_check_test {
namespace {

Ended ringscope(const std::string& arguments) {
  return ended(built_program() + " " + arguments + " 2>&1");
}

TEST(ShowAndCheck, a_rank_that_is_not_there_has_no_route) {
  const auto [code, text] = ringscope("show pair --from 0 --to 2");
  EXPECT_EQ(code, 1);
  EXPECT_EQ(
      text,
      "--to: expected a host from 0 to 1, or a GPU or NUMA domain such as host1/numa0, got 2\n");
}

TEST(ShowAndCheck, a_route_that_is_not_there_draws_no_graph_either) {
  const auto [code, text] = ringscope("show pair --dot - --from 0 --to 2");
  EXPECT_EQ(code, 1);
  EXPECT_EQ(
      text,
      "--to: expected a host from 0 to 1, or a GPU or NUMA domain such as host1/numa0, got 2\n");
}

TEST(ShowAndCheck, a_host_goes_by_its_number_or_its_name) {
  const auto [code, text] = ringscope("show pair --from host0 --to host1");
  EXPECT_EQ(code, 0);
  EXPECT_EQ(text, ringscope("show pair --from 0 --to 1").text);
  EXPECT_EQ(ringscope("show pair --from host0 --to hots1").text,
            "--to: expected a host from 0 to 1, or a GPU or NUMA domain such as host1/numa0, got "
            "hots1\n");
  EXPECT_EQ(
      ringscope("show 01-two-hosts --from 0 --to 1x").text,
      "--to: expected a rank from 0 to 1, or a GPU or NUMA domain such as host1/numa0, got 1x\n");
}

TEST(ShowAndCheck, a_gpu_goes_by_its_name_in_a_route) {
  const auto [code, text] = ringscope("show h100_rails --from host0/gpu0 --to host4/gpu0");
  EXPECT_EQ(code, 0);
  EXPECT_TRUE(text.find("From host0/gpu0 to host4/gpu0: 50 GB/s") != std::string::npos) << text;
  EXPECT_TRUE(text.find("host0/nic0->pod0/rail0") != std::string::npos) << text;
  EXPECT_EQ(ringscope("show h100_rails --from host0/gpu8 --to 0").code, 1);
}

TEST(ShowAndCheck, check_takes_changed_keys) {
  EXPECT_EQ(ringscope("check 03-anomaly --set library=rdma").code, 0);
  const auto [code, text] = ringscope("check 03-anomaly --set library=rdmaa");
  EXPECT_EQ(code, 1);
  EXPECT_TRUE(text.find("did you mean 'rdma'") != std::string::npos) << text;
  EXPECT_TRUE(ringscope("check rack3 --set hosts=2").text.starts_with("--set: changes keys of a "));
}

}  // namespace
}  // namespace ringscope::show_check_test
