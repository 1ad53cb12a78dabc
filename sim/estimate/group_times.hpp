// SPDX-License-Identifier: LGPL-2.1-or-later
// Times of a job's collectives and messages, in all groups of a kind at once, each simulated once.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/question/scenario_tree.hpp"

namespace ringscope {

/// Times in seconds by what was simulated: cluster, library, places and job.
using SimulatedPrograms = std::map<std::string, double>;

/// Exchanges of a job whose program splits its ranks into groups. With many ranks only the groups
/// with a rank on its first host are simulated: those that share that host's links.
class GroupTimes {
 public:
  /// All outlive this.
  GroupTimes(const Scenario& scenario, KnownParts& known, SimulatedPrograms& simulated);

  /// Seconds of a collective on a vector of so many bytes; 0 where groups of the kind have one
  /// rank. Beyond 1 GiB each byte takes as long as between 512 MiB and 1 GiB.
  double collective(std::string_view kind, const Algorithm& algorithm, std::uint64_t bytes);
  /// Seconds of a message between two places of each group.
  double message(std::string_view kind, std::uint64_t bytes, int from, int to);
  /// Seconds of messages from each rank to the next in its group, from the last one to the first.
  double round(std::string_view kind, std::uint64_t bytes);

 private:
  /// `step`: of a program, in YAML, for the groups `g`. `alone`: the same as a job of one group,
  /// whose equal ranks are simulated once; "" if there is none.
  double simulated(std::string_view kind, const std::string& step, const std::string& alone);

  /// Groups of a kind as a program lists them, their ranks numbered anew.
  struct Groups {
    Placement placement;
    std::string places, lists;
    bool one = false;    ///< there is a single group
    bool alone = false;  ///< each has one rank
  };
  const Groups& groups_of(std::string_view kind);

  const Scenario& scenario_;
  KnownParts& known_;
  std::vector<RankGroup> groups_;
  std::map<std::string, Groups> of_kind_;
  SimulatedPrograms& times_;
  std::string machine_;  ///< cluster and library, as they are read
};

}  // namespace ringscope
