// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/mpi/message.hpp"

#include <gtest/gtest.h>

namespace ringscope::sim {
namespace {

// A stream that thousands of calls interrupt has a stage for each; adding one, or asking for the
// last, may not go through all of them.
TEST(Stages, are_kept_in_order_however_many) {
  constexpr int many = 200'000;
  Stages stages;
  for (int i = 0; i < many; ++i) {
    stages.add(i % 2 == 0 ? Cause::wire : Cause::copy, i);
    ASSERT_EQ(stages.back().end, i);
  }
  ASSERT_EQ(stages.size(), static_cast<std::size_t>(many));
  stages.end_of(100) = 100.5;
  for (const std::size_t i : {0u, 7u, 8u, 9u, 100u, 199'999u}) {
    EXPECT_EQ(stages[i].cause, i % 2 == 0 ? Cause::wire : Cause::copy);
    EXPECT_EQ(stages[i].end, i == 100 ? 100.5 : static_cast<double>(i));
  }
  stages.clear();
  EXPECT_EQ(stages.size(), 0u);
}

}  // namespace
}  // namespace ringscope::sim
