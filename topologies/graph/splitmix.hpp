// SPDX-License-Identifier: LGPL-2.1-or-later
// Random numbers that hang on what they are for, and not on the order in which they are asked for.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace ringscope {

/// One step of splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators).
inline std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// The 64 random bits of all `names`, in their order.
inline std::uint64_t random_of(std::initializer_list<std::uint64_t> names) {
  std::uint64_t state = 0, bits = 0;
  for (const std::uint64_t name : names) {
    state = bits ^ name;
    bits = next_random(state);
  }
  return bits;
}

}  // namespace ringscope
