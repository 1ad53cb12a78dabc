// SPDX-License-Identifier: LGPL-2.1-or-later
// Both ends of a program's messages, and all ends of its collectives: do they fit?
#pragma once

#include <fmt/core.h>

#include <compare>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <vector>

#include "algorithms/programs/program.hpp"

namespace ringscope::programs {

// Sequences of numbers too long to keep: what tells two of them apart, and what they are made of.

/// Length and hash of a sequence; equal ones have both alike, and others hardly ever: the hash is a
/// polynomial over the numbers modulo the prime 2^61 - 1, of which a sequence repeated n times is
/// known in log n steps. Source: Karp and Rabin, 1987.
class Sequence {
 public:
  Sequence() = default;
  explicit Sequence(std::uint64_t number) : length_(1), hash_(number % prime), power_(base) {}

  std::uint64_t length() const { return length_; }
  bool operator==(const Sequence& other) const {
    return length_ == other.length_ && hash_ == other.hash_;
  }
  void append(const Sequence& behind) {
    hash_ = (product(hash_, behind.power_) + behind.hash_) % prime;
    power_ = product(power_, behind.power_);
    length_ += behind.length_;
  }
  Sequence times(std::uint64_t count) const {
    Sequence all, doubled = *this;
    for (; count > 0; count /= 2) {
      if (count % 2 == 1) all.append(doubled);
      doubled.append(Sequence(doubled));
    }
    return all;
  }

 private:
  static constexpr std::uint64_t prime = (std::uint64_t{1} << 61) - 1;
  static constexpr std::uint64_t base = 0x0123'4567'89ab'cdef;

  static std::uint64_t product(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(static_cast<Wide>(a) * b % prime);
  }

  std::uint64_t length_ = 0, hash_ = 0;
  std::uint64_t power_ = 1;  ///< of the base, by the length
};

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

// Checks of a program that need no clock, and its sums.

/// A fault of a step, by its number.
class Unsound : public std::runtime_error {
 public:
  template <typename... Parts>
  Unsound(int of_step, fmt::format_string<Parts...> why, Parts&&... parts)
      : std::runtime_error(fmt::format(why, std::forward<Parts>(parts)...)), step(of_step) {}
  int step;
};

/// Steps that survey() looks at one by one, before it refuses: some ten seconds.
inline constexpr double most_looked_at = 1e8;

/// Follows each rank through the program, a loop once where its turns do not differ, and sets the
/// program's sums. Throws Unsound where an expression has no value, a rank sends what nobody
/// receives, or receives what nobody sends, or another size; where ranks of a group begin different
/// collectives; where messages of one pair and tag are on several streams; where nobody does
/// anything.
void survey(Program& program);

}  // namespace ringscope::programs
