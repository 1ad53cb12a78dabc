// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/studies/mapping/mapping.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <span>
#include <string>

namespace ringscope {
namespace {

/// 256 ranks of a grid of 16 x 16 on four racks of four hosts, 16 each; a program of these steps.
PlaceStudy study_of(const std::string& steps, const std::string& order = "any") {
  const std::string yaml =
      "place: {order: " + order +
      "}\nscenario:\n  question: which?\n"
      "  cluster: {network: two_level, racks: 4, hosts_per_rack: 4, oversubscription: 4, link: "
      "{bandwidth: 10 Gbit/s, latency: 1 us}, uplink: {latency: 1 us}, host: {type: simple, "
      "cores: 16}}\n  library: rdma\n  placement: 16x16\n  job:\n    groups: {order: x-y, x: 16, "
      "y: "
      "16}\n    program:\n" +
      steps;
  return read_place({"test", Value::from_text("test", yaml)}, {}, Value::from_text("flags", "{}"));
}

const std::string round_each_row =
    "      - {send: 1 MB, to: next, group: x, around: true}\n"
    "      - {receive: 1 MB, from: previous, group: x, around: true}\n";
const std::string round_each_column =
    "      - {send: 1 MB, to: next, group: y, around: true}\n"
    "      - {receive: 1 MB, from: previous, group: y, around: true}\n";

/// A study whose ranks are packed, and what is made of that placement.
struct Mapped {
  explicit Mapped(PlaceStudy of)
      : study(std::move(of)),
        symmetry(study.scenario.cluster.topology, symmetry_rules(study)),
        base(*own_assignment(study, symmetry.bins())),
        placements(mapped_assignments(study, symmetry.bins(), std::span(&base, 1))) {}

  /// Messages between hosts, or with `racks` between racks, of a halo exchange of whole columns,
  /// and with `rows` of rows too, in both dimensions round.
  int crossings(const Assignment& one, bool racks, bool rows) const {
    const auto place = [&](int x, int y) {
      const int host = symmetry.bins()[one[x % 16 + 16 * (y % 16)]].host;
      return racks ? host / 4 : host;
    };
    int count = 0;
    for (int x = 0; x < 16; ++x)
      for (int y = 0; y < 16; ++y) {
        count += place(x, y) != place(x, y + 1);
        count += rows && place(x, y) != place(x + 1, y);
      }
    return count;
  }
  int fewest(bool racks, bool rows) const {
    int least = crossings(base, racks, rows);
    for (const Assignment& one : placements) least = std::min(least, crossings(one, racks, rows));
    return least;
  }

  PlaceStudy study;
  Symmetry symmetry;
  Assignment base;
  std::vector<Assignment> placements;
};

TEST(Mapping, PutsColumnsOnHostsEach) {
  const Mapped mapped(study_of(round_each_column));
  EXPECT_EQ(mapped.crossings(mapped.base, false, false), 256);
  EXPECT_EQ(mapped.fewest(false, false), 0);
}

// A square of 4 x 4 has 16 neighbours outside, as many as its perimeter; a row has 32.
TEST(Mapping, PutsSquaresOnHostsEach) {
  const Mapped mapped(study_of(round_each_row + round_each_column));
  EXPECT_EQ(mapped.crossings(mapped.base, false, true), 256);
  EXPECT_EQ(mapped.fewest(false, true), 16 * 16 / 2);
}

TEST(Mapping, KeepsTheBinsOfEachBase) {
  const Mapped mapped(study_of(round_each_row + round_each_column));
  const std::multiset<int> bins(mapped.base.begin(), mapped.base.end());
  ASSERT_FALSE(mapped.placements.empty());
  for (const Assignment& one : mapped.placements)
    EXPECT_EQ(std::multiset<int>(one.begin(), one.end()), bins);
}

TEST(Mapping, IsTheSameEachTime) {
  EXPECT_EQ(Mapped(study_of(round_each_column)).placements,
            Mapped(study_of(round_each_column)).placements);
}

TEST(Mapping, LeavesRanksPacked) {
  EXPECT_TRUE(Mapped(study_of(round_each_column, "packed")).placements.empty());
}

}  // namespace
}  // namespace ringscope
