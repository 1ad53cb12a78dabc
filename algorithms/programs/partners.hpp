// SPDX-License-Identifier: LGPL-2.1-or-later
// Both ends of a program's messages, and all ends of its collectives: do they fit?
#pragma once

#include <compare>
#include <map>
#include <vector>

#include "algorithms/programs/program.hpp"
#include "algorithms/programs/sequence.hpp"

namespace ringscope::programs {

/// One end of messages that follow each other, or a rank's collectives of a communicator.
struct End {
  bool sends = false;
  int communicator = 0;
  int partner = -1;  ///< rank among all; -1: collectives
  int tag = 0;

  auto operator<=>(const End&) const = default;
};
struct EndWork {
  Sequence what;
  const Step* step = nullptr;  ///< the first
};
/// Ends of one rank.
using RankEnds = std::map<End, EndWork>;

/// Throws Unsound where messages of one end are on several streams.
void add_message(RankEnds& ends, const Step& step, const End& end, std::uint64_t bytes);
void add_collective(RankEnds& ends, const Step& step, std::uint64_t bytes);
/// Puts `body`, `turns` times, behind it.
void add_times(RankEnds& ends, const RankEnds& body, std::uint64_t turns);

class Partners {
 public:
  explicit Partners(const Program& program);

  /// Adds one rank after the other. Throws Unsound where its collectives are not those of its
  /// groups.
  void add(int rank, RankEnds ends);
  /// Throws Unsound where the ends of messages do not fit.
  void require_alike();

 private:
  struct Flow {
    int communicator = 0, from = 0, to = 0, tag = 0;
    bool sends = false;
    EndWork work;

    auto key() const { return std::tuple(communicator, from, to, tag); }
  };
  struct Meeting {
    int first = -1;  ///< rank
    EndWork work;
  };
  void compare(int rank, const RankEnds& ends, std::size_t communicator);
  [[noreturn]] void explain(std::size_t communicator, int one, int other) const;
  [[noreturn]] void explain(const Flow* sent, const Flow* received) const;

  const Program* program_;
  std::vector<Flow> flows_;
  Table<Table<Meeting>> meetings_;  ///< by communicator, by group
};

}  // namespace ringscope::programs
