// SPDX-License-Identifier: LGPL-2.1-or-later
// Does the line say what is done and how long the rest takes, by a clock of the test?
#include "cli/terminal/progress_bar.hpp"

#include <gtest/gtest.h>

namespace ringscope {
namespace {

using Clock = ProgressLine::Clock;

Clock::time_point at(double seconds) {
  return Clock::time_point(
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds)));
}

TEST(ProgressLine, says_nothing_in_the_first_second) {
  ProgressLine line(at(0));
  line.phase("reading", at(0));
  EXPECT_EQ(line.text(at(0.9)), "");
  EXPECT_EQ(line.text(at(4)), "reading, 4 s");
}

TEST(ProgressLine, says_the_share_and_the_time_that_the_rest_takes_at_this_pace) {
  ProgressLine line(at(0));
  line.share(0, at(0));
  EXPECT_EQ(line.text(at(1)), "[                                        ]   0 %");
  line.share(0.25, at(10));
  EXPECT_EQ(line.text(at(10)), "[##########                              ]  25 %, 30 s left");
  line.share(0.5, at(1000));
  EXPECT_EQ(line.text(at(1000)), "[####################                    ]  50 %, 17 min left");
}

// Shares from before the first share, or is there at once, tells nothing of the pace.
TEST(ProgressLine, the_pace_begins_with_the_first_share) {
  ProgressLine line(at(0));
  line.phase("reading", at(0));
  line.share(0.5, at(100));
  EXPECT_EQ(line.text(at(101)), "[####################                    ]  50 %");
  line.share(0.75, at(110));
  EXPECT_TRUE(line.text(at(110)).ends_with(" 75 %, 10 s left"));
}

TEST(ProgressLine, the_time_left_goes_down_while_nothing_new_is_known) {
  ProgressLine line(at(0));
  line.share(0, at(0));
  line.share(0.5, at(10));
  EXPECT_TRUE(line.text(at(14)).ends_with(", 6 s left"));
  EXPECT_TRUE(line.text(at(30)).ends_with(", 0 s left"));
}

TEST(ProgressLine, never_goes_back) {
  ProgressLine line(at(0));
  line.share(0.5, at(1));
  line.share(0.25, at(2));
  EXPECT_NE(line.text(at(3)).find(" 50 %"), std::string::npos);
  line.share(7, at(3));
  EXPECT_NE(line.text(at(4)).find("100 %"), std::string::npos);
}

TEST(ProgressLine, a_phase_begins_anew) {
  ProgressLine line(at(0));
  line.share(1, at(1));
  line.phase("writing page.html", at(5));
  EXPECT_EQ(line.text(at(7)), "writing page.html, 2 s");
}

}  // namespace
}  // namespace ringscope
