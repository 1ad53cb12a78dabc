// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/trace/wire.hpp"

#include <fmt/format.h>

namespace ringscope::chakra {
namespace {

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i > 0; --i)
    value = value << 8 | static_cast<unsigned char>(bytes[i - 1]);
  return value;
}

}  // namespace

void Wire::fail(std::size_t at, const std::string& why) const {
  throw InputError(*place_, fmt::format("byte {}: {}", at, why));
}

std::uint64_t Wire::varint() {
  constexpr int most_bits = 64, bits = 7;
  const std::size_t begin = at();
  std::uint64_t value = 0;
  for (int shift = 0; shift < most_bits; shift += bits) {
    if (ended()) fail(begin, "the file is cut off inside a number");
    const auto byte = static_cast<unsigned char>(bytes_[next_++]);
    value |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value;
  }
  fail(begin, "a number has more than ten bytes: this is no protobuf");
}

std::string_view Wire::take(std::size_t count, std::string_view what) {
  const std::size_t left = bytes_.size() - next_;
  if (count > left)
    fail(at(), fmt::format("{} has {} bytes, and {} are left: the file is cut off, or no protobuf",
                           what, count, left));
  const std::string_view taken = bytes_.substr(next_, count);
  next_ += count;
  return taken;
}

std::string_view Wire::behind_length(std::string_view what) {
  const std::uint64_t length = varint();
  return take(length, what);
}

std::optional<Field> Wire::field() {
  if (ended()) return {};
  const std::size_t begin = at();
  const std::uint64_t key = varint();
  constexpr std::uint64_t most_fields = (1u << 29) - 1;
  Field field;
  if (key >> 3 == 0 || key >> 3 > most_fields) fail(begin, "a field has no number");
  field.number = static_cast<int>(key >> 3);
  field.wire = static_cast<Field::Wire>(key & 7);
  const std::string what = fmt::format("field {}", field.number);
  switch (field.wire) {
    case Field::Wire::varint:
      field.value = varint();
      return field;
    case Field::Wire::fixed64:
      field.value = little_endian(take(8, what));
      return field;
    case Field::Wire::fixed32:
      field.value = little_endian(take(4, what));
      return field;
    case Field::Wire::bytes:
      field.bytes = behind_length(what);
      field.at = at() - field.bytes.size();
      return field;
  }
  fail(begin,
       fmt::format("field {} has the wire type {}, which protobuf has not", field.number, key & 7));
}

}  // namespace ringscope::chakra
