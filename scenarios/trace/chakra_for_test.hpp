// SPDX-License-Identifier: LGPL-2.1-or-later
// Chakra traces from lines of text, for tests.
#pragma once

#include <array>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace ringscope::chakra {

inline std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}
inline std::string number_field(int number, std::uint64_t value) {
  return varint(static_cast<std::uint64_t>(number) << 3) + varint(value);
}
inline std::string bytes_field(int number, const std::string& bytes) {
  return varint((static_cast<std::uint64_t>(number) << 3) | 2) + varint(bytes.size()) + bytes;
}

/// A number, true, false, a list of 0 and 1 such as [1,0], or else a text.
inline std::string attribute(const std::string& name, const std::string& value) {
  const std::string named = bytes_field(1, name);
  if (value == "true" || value == "false")
    return bytes_field(10, named + number_field(27, value == "true" ? 1 : 0));
  if (value.front() == '[') {
    std::string list;
    for (const char one : value)
      if (one == '0' || one == '1') list += one == '1' ? '\1' : '\0';
    return bytes_field(10, named + bytes_field(28, bytes_field(1, list)));
  }
  if (value.find_first_not_of("-0123456789") != std::string::npos)
    return bytes_field(10, named + bytes_field(29, value));
  return bytes_field(10, named + number_field(9, static_cast<std::uint64_t>(std::stoll(value))));
}

/// "7 COMP after=3,4 called_by=1 us=5 tid=1": number, type or its number, data_deps, ctrl_deps, its
/// time, its inputs, attributes.
inline std::string node(const std::string& line) {
  static constexpr std::array<std::string_view, 8> types = {
      "INVALID", "METADATA", "MEM_LOAD", "MEM_STORE", "COMP", "SEND", "RECV", "COLL"};
  std::istringstream words(line);
  std::string id, type, word;
  words >> id >> type;
  std::uint64_t number = 0;
  while (number < types.size() && types[number] != type) ++number;
  if (number == types.size()) number = std::stoull(type);
  std::string bytes =
      number_field(1, std::stoull(id)) + bytes_field(2, type) + number_field(3, number);
  while (words >> word) {
    const std::size_t equals = word.find('=');
    const std::string key = word.substr(0, equals), value = word.substr(equals + 1);
    if (key == "after" || key == "called_by") {
      std::string packed, one;
      for (std::istringstream ids(value); std::getline(ids, one, ',');)
        packed += varint(std::stoull(one));
      bytes += bytes_field(key == "after" ? 5 : 4, packed);
    } else if (key == "us") {
      bytes += number_field(7, std::stoull(value));
    } else if (key == "inputs") {
      bytes += bytes_field(8, bytes_field(1, value));
    } else {
      bytes += attribute(key, value);
    }
  }
  return varint(bytes.size()) + bytes;
}

/// A file: metadata, then a node for each line.
inline std::string trace_of(const std::string& lines) {
  const std::string version = bytes_field(1, "0.0.4");
  std::string bytes = varint(version.size()) + version, line;
  for (std::istringstream all(lines); std::getline(all, line);)
    if (!line.empty()) bytes += node(line);
  return bytes;
}

}  // namespace ringscope::chakra
