// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/question/resource_id.hpp"

#include <gtest/gtest.h>

#include <set>

namespace ringscope {
namespace {

TEST(ResourceId, name_tells_the_place_and_the_rank_that_owns_it) {
  EXPECT_EQ((ResourceId{"host2/numa0/core0", 7}).name(), "host2/numa0/core0 (rank 7)");
  EXPECT_EQ((ResourceId{"host2/core0", 1, "training"}).name(), "host2/core0 (rank 1 of training)");
  EXPECT_EQ((ResourceId{"host0/nic0->switch"}).name(), "host0/nic0->switch");
  EXPECT_EQ(ResourceId{}.name(), "");
}

TEST(ResourceId, is_read_back_from_its_name) {
  for (const ResourceId& id :
       {ResourceId{}, ResourceId{"switch"}, ResourceId{"host0/nic0->switch and back"},
        ResourceId{"host1/core0", 0}, ResourceId{"endpoint3", 12}, ResourceId{"gpu0", 2, "bulk"},
        ResourceId{"host1/core0", 0, "one of (rank 3) of two"}})
    EXPECT_EQ(ResourceId::of_name(id.name()), id) << id.name();
}

// Stored reports are files: whatever stands in one is written as it was read.
TEST(ResourceId, any_text_keeps_its_name) {
  for (const std::string text :
       {"host (rank", "host (rank )", "host (rank 07)", "host (rank 7", "host (rank 7) or so",
        "host (rank 7 of )", "host (rank 7 of", "host (rank -1)", "host (rank 99999999999)"}) {
    EXPECT_EQ(ResourceId::of_name(text).name(), text);
    EXPECT_EQ(ResourceId::of_name(text).place, text);
  }
}

TEST(ResourceId, one_place_of_two_jobs_is_two_resources) {
  const std::set<ResourceId> ids = {{"host0", 0},      {"host0", 1}, {"host0", 0, "a"},
                                    {"host0", 0, "b"}, {"host0"},    {"host0", 0}};
  EXPECT_EQ(ids.size(), 5);
}

}  // namespace
}  // namespace ringscope
