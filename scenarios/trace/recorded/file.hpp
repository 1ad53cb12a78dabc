// SPDX-License-Identifier: LGPL-2.1-or-later
// Recorded calls of one rank, line by line (validation/executors/mpi/record/calls.md).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/traces/trace.hpp"
#include "base/table.hpp"
#include "topologies/input/input.hpp"

namespace ringscope::recorded {

/// The first lines of a file.
struct Head {
  int rank = 0, ranks = 1;
  std::string mpi;  ///< "Open MPI v4.1.4"
};

/// A line of the file, and its words.
struct Line {
  std::shared_ptr<const Source> source;
  int number = 0;
  std::vector<std::string_view> words{};

  bool is_communicator() const { return words.front() == "communicator"; }
  Place place(std::string_view word = {}) const;
  template <typename... Parts>
  [[noreturn]] void fail(std::string_view word, fmt::format_string<Parts...> text,
                         Parts&&... parts) const {
    throw InputError(place(word), fmt::format(text, std::forward<Parts>(parts)...));
  }
  /// A whole number of at least `least`. `what` it is, for errors.
  std::int64_t number_at(std::string_view word, std::string_view what, std::int64_t least) const;
};

/// Bytes that a line may speak of.
inline constexpr std::int64_t most_bytes = std::int64_t{1} << 49;

/// A receive that was found complete, or a send: "0:2:7:1000", "1", "0:cancelled".
struct Done {
  std::string_view word;
  std::int64_t request = 0;
  bool came = false, cancelled = false;
  int from = 0;  ///< none: of MPI_PROC_NULL
  std::int64_t tag = 0, bytes = 0;
};
inline constexpr int none = -1, any = -2;

/// A call: "GAP TOOK NAME KEY=VALUE ...".
class Call {
 public:
  explicit Call(const Line& line);

  const Line& line() const { return *line_; }
  std::string_view name() const { return line_->words[2]; }
  std::int64_t gap_ns() const { return gap_ns_; }
  int thread() const { return static_cast<int>(number_or("thread", 0, 0)); }
  std::int64_t communicator() const { return number_or("in", 0, 0); }
  bool has(std::string_view key) const { return !find(key).empty(); }

  std::int64_t number(std::string_view key, std::int64_t least = 0) const;
  std::uint64_t bytes(std::string_view key) const;
  /// A rank of a communicator of `size` ranks; none or any.
  int rank(std::string_view key, int size) const;
  std::string_view word(std::string_view key) const;
  std::vector<Done> done() const;
  /// "3x1024,0": `size` sizes.
  Table<std::uint64_t> parts(int size) const;
  template <typename... Parts>
  [[noreturn]] void fail(std::string_view key, fmt::format_string<Parts...> text,
                         Parts&&... parts) const {
    const std::string_view value = find(key);
    line_->fail(value.empty() ? name() : value, text, std::forward<Parts>(parts)...);
  }

 private:
  std::string_view find(std::string_view key) const;
  std::int64_t number_or(std::string_view key, std::int64_t otherwise, std::int64_t least) const;
  int rank_of(std::string_view text, int size) const;

  const Line* line_;
  std::int64_t gap_ns_ = 0;
};

class File {
 public:
  /// Reads the head. Throws InputError.
  explicit File(std::shared_ptr<const Source> source);

  const Head& head() const { return head_; }
  /// The next line of a communicator or a call; false behind the last one, which has to be of the
  /// call "finalize".
  bool next(Line& line);
  Place place() const { return {source_, 0, 0}; }
  Place place(int line) const { return {source_, line, 1}; }

 private:
  std::string_view head_line(std::string_view begins);
  std::optional<std::string_view> take();
  [[noreturn]] void fail_cut_off() const;

  std::shared_ptr<const Source> source_;
  std::size_t at_ = 0;
  int number_ = 0;
  std::string_view last_name_;
  Head head_;
};

// Communicators of a recorded program, as groups of ranks that all its files have in common.

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
