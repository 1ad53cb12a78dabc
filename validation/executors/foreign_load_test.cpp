// SPDX-License-Identifier: LGPL-2.1-or-later
// Is the CPU time of others told from that of the measured processes?
#include "validation/executors/measurement.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <sstream>
#include <vector>

namespace ringscope {
namespace {

/// Two cores whose times are `ticks`: user, nice, system, idle, iowait, irq, softirq, steal.
std::istringstream stat_text(const std::string& ticks) {
  return std::istringstream(fmt::format("cpu  {0}\ncpu0 {0}\ncpu1 {0}\nintr 7\ncpu9 1\n", ticks));
}

TEST(ForeignLoad, busy_time_has_user_nice_system_and_stolen_ticks) {
  auto text = stat_text("100 20 3 1000 500 40 50 6 70 80");
  const auto found = machine_cpu_of(text);
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->busy_s, (100.0 + 20 + 3 + 6) / static_cast<double>(sysconf(_SC_CLK_TCK)));
  EXPECT_EQ(found->cores, 2);
}

TEST(ForeignLoad, text_of_another_form_gives_no_time) {
  for (const char* const text : {"", "intr 1 2 3\n", "cpu 1 2\n", "cpu 1 2 3 4 5 6 7 8\n"}) {
    std::istringstream stat(text);
    EXPECT_FALSE(machine_cpu_of(stat)) << text;
  }
}

TEST(ForeignLoad, of_this_machine_is_known_on_linux) {
  const auto before = machine_cpu();
  ASSERT_TRUE(before);
  EXPECT_GE(before->cores, 1);
  EXPECT_FALSE(machine_id().empty());
}

TEST(ForeignLoad, is_busy_time_without_that_of_all_ranks_of_a_machine) {
  // Two ranks that use a core each for 10 s on 4 cores, of which others use 1.8: (38 - 20) / 10.
  const std::vector<CpuUse> ranks(2, {"a", 10, 38, 10, 4});
  const auto load = foreign_load(ranks);
  ASSERT_TRUE(load);
  EXPECT_NEAR(load->used, 1.8, 1e-12);
  EXPECT_EQ(load->cores, 4);
  EXPECT_EQ(foreign_load_text(*load), "others used 1.8 of 4 cores meanwhile: measure again");
}

TEST(ForeignLoad, is_rounded_once_so_that_a_document_and_a_warning_say_the_same) {
  const std::vector<CpuUse> ranks = {{"a", 10, 18.4996, 0, 2}};  // 1.84996 cores
  const auto load = foreign_load(ranks);
  ASSERT_TRUE(load);
  EXPECT_EQ(load->used, 1.85);
  EXPECT_EQ(foreign_load_text(*load), "others used 1.9 of 2 cores meanwhile: measure again");
}

TEST(ForeignLoad, is_that_of_the_busiest_machine) {
  const std::vector<CpuUse> ranks = {{"a", 10, 11, 10, 4}, {"b", 10, 15, 10, 8}};
  const auto load = foreign_load(ranks);
  ASSERT_TRUE(load);
  EXPECT_NEAR(load->used, 0.5, 1e-12);
  EXPECT_EQ(load->cores, 8);
}

TEST(ForeignLoad, below_zero_is_zero_and_no_warning) {
  const std::vector<CpuUse> ranks = {{"a", 10, 9, 10, 4}};
  EXPECT_EQ(foreign_load(ranks)->used, 0);
  EXPECT_EQ(foreign_load_text(*foreign_load(ranks)), "");
  EXPECT_EQ(foreign_load_text({most_foreign_cores, 2}), "");
}

TEST(ForeignLoad, of_a_moment_is_unknown) {
  EXPECT_FALSE(foreign_load({}));
  const std::vector<CpuUse> ranks = {{"a", 0.01, 0.02, 0.01, 4}};
  EXPECT_FALSE(foreign_load(ranks));
}

}  // namespace
}  // namespace ringscope
