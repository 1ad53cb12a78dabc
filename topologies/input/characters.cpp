// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/input/characters.hpp"

#include <algorithm>
#include <cctype>

namespace ringscope {
namespace {

unsigned char byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

/// Number of bytes of the character at `at`, from the table of well-formed sequences in the Unicode
/// standard (3.9, table 3-7): no overlong forms, no surrogates, nothing above U+10FFFF. 0: none.
std::size_t length_of_character(std::string_view text, std::size_t at) {
  const unsigned char first = byte_at(text, at);
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const std::size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (text.size() - at < length) return 0;
  const unsigned char second = byte_at(text, at + 1);
  const int least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const int most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (second < least || second > most) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte_at(text, at + i) & 0xc0) != 0x80) return 0;
  }
  return length;
}

/// Control characters: ASCII's, and the 32 from U+0080 to U+009F, which some terminals obey too.
bool is_control(std::string_view character) {
  const unsigned char first = byte_at(character, 0);
  if (character.size() == 1)
    return (first < 0x20 && first != '\t' && first != '\n') || first == 0x7f;
  return first == 0xc2 && byte_at(character, 1) < 0xa0;
}

/// True if all parts of a host's name, and it as a whole, are as long as they may be, and no
/// option.
bool has_host_parts(std::string_view name) {
  constexpr std::size_t longest = 253, longest_part = 63;
  return name.size() <= longest && std::ranges::all_of(split(name, '.'), [](std::string_view part) {
           return !part.empty() && part.size() <= longest_part && part.front() != '-' &&
                  part.back() != '-';
         });
}

}  // namespace

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::size_t first_not_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = length_of_character(text, at);
    if (length == 0) return at;
    at += length;
  }
  return std::string_view::npos;
}

Place place_at(const std::shared_ptr<const Source>& source, std::size_t offset) {
  const std::string_view before = std::string_view(source->text).substr(0, offset);
  const auto line = 1 + std::ranges::count(before, '\n');
  const std::size_t column = before.size() - (before.rfind('\n') + 1) + 1;  // npos + 1 is 0
  return {source, static_cast<int>(line), static_cast<int>(column)};
}

void require_utf8(const std::shared_ptr<const Source>& source) {
  const std::string_view text = source->text;
  const std::size_t at = first_not_utf8(text);
  if (at == std::string_view::npos) return;
  throw InputError(place_at(source, at), "expected text in UTF-8, got the byte 0x{:02x}",
                   byte_at(text, at));
}

std::size_t first_control_character(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = std::max<std::size_t>(1, length_of_character(text, at));
    if (is_control(text.substr(at, length))) return at;
    at += length;
  }
  return std::string_view::npos;
}

void require_host_name(const Place& place, std::string_view name) {
  constexpr std::string_view allowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  constexpr std::size_t most_shown = 60;
  const bool in_letters =
      !name.empty() && name.find_first_not_of(allowed) == std::string_view::npos;
  if (in_letters && has_host_parts(name)) return;
  std::string shown;
  for (const char letter : name.substr(0, most_shown))
    shown += letter == '\n' ? "\\n" : std::string(1, letter);
  throw InputError(
      place,
      in_letters
          ? fmt::format("expected a host's name with 1 to 63 characters between dots, which "
                        "neither begin nor end with '-', got '{}'",
                        shown)
          : fmt::format("expected a host's name of letters, digits, '.', '_' and '-', got '{}'",
                        shown));
}

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

std::string in_quotes(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

std::string in_shell_quotes(std::string_view text) {
  std::string word = "'";
  for (const char letter : text) word += letter == '\'' ? "'\\''" : std::string(1, letter);
  return word + "'";
}

std::string shell_word(std::string_view text) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  const bool is_plain = !text.empty() && text.find_first_not_of(plain) == std::string_view::npos;
  return is_plain ? std::string(text) : in_shell_quotes(text);
}

std::string for_terminal(std::string_view text) {
  std::string shown;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = length_of_character(text, at);
    const std::string_view part = text.substr(at, std::max<std::size_t>(1, length));
    if (length == 0 || is_control(part)) {
      for (const char byte : part)
        shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    } else {
      shown += part;
    }
    at += part.size();
  }
  return shown;
}

const Value& suspect_in(const Value& map) {
  if (map.kind() != Value::Kind::map) return map;
  for (const Value::Entry& entry : map.entries()) {
    const Value& found = suspect_in(entry.value);
    const Place& place = found.place();
    if (place.source && place.source->name.starts_with("--")) return found;
  }
  return map;
}

}  // namespace ringscope
