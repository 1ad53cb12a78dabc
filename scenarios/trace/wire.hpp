// SPDX-License-Identifier: LGPL-2.1-or-later
// Protobuf's wire format: the fields of a message, one after the other.
// Source: protobuf.dev/programming-guides/encoding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "topologies/input/input.hpp"

namespace ringscope::chakra {

struct Field {
  enum class Wire : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };
  int number = 0;
  Wire wire{};
  std::uint64_t value = 0;   ///< varint, and the bits of fixed64 and fixed32
  std::string_view bytes{};  ///< of a text, a message or a packed list
  std::size_t at = 0;        ///< in the file, of `bytes`
};

/// Reads what lies in `bytes`, which begin at byte `at` of the file at `place`. Throws InputError
/// with the byte where something is wrong.
class Wire {
 public:
  Wire(std::string_view bytes, std::size_t at, const Place& place)
      : bytes_(bytes), at_(at), place_(&place) {}

  bool ended() const { return next_ == bytes_.size(); }
  /// The next field of a message; nothing at its end.
  std::optional<Field> field();
  std::uint64_t varint();
  /// Bytes behind their length. `what` they are, for errors.
  std::string_view behind_length(std::string_view what);
  /// Position in the file.
  std::size_t at() const { return at_ + next_; }
  [[noreturn]] void fail(std::size_t at, const std::string& why) const;

 private:
  std::string_view take(std::size_t count, std::string_view what);

  std::string_view bytes_;
  std::size_t at_;
  std::size_t next_ = 0;
  const Place* place_;
};

}  // namespace ringscope::chakra
