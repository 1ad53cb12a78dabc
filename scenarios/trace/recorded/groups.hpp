// SPDX-License-Identifier: LGPL-2.1-or-later
// Communicators of a recorded program, as groups of ranks that all its files have in common.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "algorithms/traces/trace.hpp"
#include "scenarios/trace/recorded/file.hpp"

namespace ringscope::recorded {

/// A communicator as one of its ranks knows it.
struct Communicator {
  int group = -1;  ///< index in Trace::groups; -1: it joins two groups ("inter")
  SharedRanks ranks{};
  int self = -1;

  int size() const { return static_cast<int>(ranks->size()); }
};

/// The k-th communicator of some members is one in all files.
class Groups {
 public:
  explicit Groups(int ranks) : ranks_(ranks) {}

  /// The communicator of a line "communicator N MEMBERS". `turns`: how many of the same members
  /// this rank had already, counted here.
  Communicator read(const Line& line, int rank, std::map<std::string, int, std::less<>>& turns);
  const Table<traces::TraceGroup>& all() const { return all_; }

  /// Number for messages of a communicator and a tag: those of another one match none of them. In
  /// the first communicator, that of all ranks, common tags stay as they are, for errors.
  int tag(int group, std::int64_t tag);

 private:
  SharedRanks members(const Line& line, std::string_view text);

  int ranks_;
  std::map<std::string, SharedRanks, std::less<>> members_;
  std::map<std::pair<std::string, int>, int> indices_;
  std::map<std::pair<int, std::int64_t>, int> tags_;
  Table<traces::TraceGroup> all_;
};

/// Name of the catalogue's algorithm that an MPI library chooses for its collective, where the user
/// says none. `library`: its own words, "Open MPI v4.1.4"; one that is not known is taken for Open
/// MPI. `bytes`: of the whole vector.
std::string_view choice_of(std::string_view library, std::string_view collective, int ranks,
                           std::uint64_t bytes);

}  // namespace ringscope::recorded
