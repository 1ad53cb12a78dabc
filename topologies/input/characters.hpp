// SPDX-License-Identifier: LGPL-2.1-or-later
// Characters accepted as input, and characters sent to a terminal.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <memory>
#include <string>
#include <string_view>

#include "topologies/input/input.hpp"

namespace ringscope {

/// Place of the byte at `offset` of the text, which is at most the text's size.
Place place_at(const std::shared_ptr<const Source>& source, std::size_t offset);

/// Throws InputError at the first byte that belongs to no character of UTF-8.
void require_utf8(const std::shared_ptr<const Source>& source);

/// Texts between separators.
std::vector<std::string_view> split(std::string_view text, char separator);

/// The offset of that byte; npos where there is none.
std::size_t first_not_utf8(std::string_view text);

/// The offset of the first control character but tab and line break; npos where there is none.
std::size_t first_control_character(std::string_view text);

/// Throws InputError at `place` unless `name` is a host's by RFC 1123, section 2.1, but for '_'
/// that Slurm takes as well. Launch files and shell scripts hold names of hosts.
void require_host_name(const Place& place, std::string_view name);

/// ASCII's letters in lower case.
std::string in_lower_case(std::string_view text);

/// The text in double quotes as Graphviz and JSON have it, with \" and \\.
std::string in_quotes(std::string_view text);

/// The text in quotes as a shell's word, in which no character has a meaning.
std::string in_shell_quotes(std::string_view text);

/// The text as a shell's word, quoted where it needs to be.
std::string shell_word(std::string_view text);

/// The text as a terminal may have it: bytes that are no characters and control characters but tab
/// and line break become "\xff", "\x1b".
std::string for_terminal(std::string_view text);

// The value to blame where values of a map contradict each other.

/// The first value below `map` that --set laid over it, or the map itself.
const Value& suspect_in(const Value& map);

// Counts in words.

/// "1 rank", "2 ranks".
inline std::string plural(std::integral auto count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace ringscope
