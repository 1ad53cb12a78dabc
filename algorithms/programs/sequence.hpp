// SPDX-License-Identifier: LGPL-2.1-or-later
// Sequences of numbers too long to keep: what tells two of them apart, and what they are made of.
#pragma once

#include <cstdint>

namespace ringscope::programs {

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

}  // namespace ringscope::programs
