// Can a machine be slower because a part of it is faster? Then by how much, on paper?
//
// A transfer of 1 unit over a link is followed by 10 s of something else: the critical chain.
// Beside it somebody does 1 unit of work elsewhere, and then sends 1 unit over the same link.
#include <gmock/gmock.h>

#include "sim/kernel/kernel_cases.hpp"

namespace ringscope::sim {
namespace {

class SharingAnomaly : public KernelTest {
 protected:
  /// Time until all is done, with this many units per second elsewhere.
  double end_with(double elsewhere) {
    const int link = add_resource(1), other = add_resource(elsewhere);
    start(1, {{link, 1}}, call([this] { kernel().after(10, log("end of the chain")); }));
    start(1, {{other, 1}}, call([this, link] { start(1, {{link, 1}}, log("sent")); }));
    kernel().run();
    return kernel().now();
  }
};
INSTANTIATE_TEST_SUITE_P(Kernels, SharingAnomaly,
                         testing::ValuesIn(kernel_names().begin(), kernel_names().end()),
                         kernel_of_test);

TEST_P(SharingAnomaly, what_is_slow_elsewhere_leaves_the_link_to_the_chain) {
  // The chain has the link for itself in its only second there.
  EXPECT_DOUBLE_EQ(end_with(1), 1 + 10);
}

TEST_P(SharingAnomaly, what_is_twice_as_fast_elsewhere_shares_the_link_with_the_chain) {
  // From 0.5 s on at half the rate: the other half unit takes 1 s instead of 0.5 s.
  EXPECT_DOUBLE_EQ(end_with(2), 0.5 + 0.5 / 0.5 + 10);
}

TEST_P(SharingAnomaly, who_begins_earlier_ends_earlier_by_twice_as_much) {
  // The other one begins at 1. Alone it does `lead`, the rest at half the rate.
  for (const double lead : {0.0, 0.25, 0.5, 1.0}) {
    const double begun = kernel().now();
    const int link = add_resource(1);
    double ended = 0;
    kernel().after(1 - lead, call([&, this, link] {
                     start(1, {{link, 1}}, call([&, this] { ended = kernel().now() - begun; }));
                   }));
    kernel().after(1, call([this, link] { start(1, {{link, 1}}, {}); }));
    kernel().run();
    EXPECT_DOUBLE_EQ(ended, 1 + (1 - lead) / 0.5);
    EXPECT_DOUBLE_EQ(kernel().now() - begun, 3 - lead);
  }
}

}  // namespace
}  // namespace ringscope::sim
