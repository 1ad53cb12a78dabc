// SPDX-License-Identifier: LGPL-2.1-or-later
// Answers for people on standard output: as they are in a pipe, so that the same input gives the
// same bytes; fitted and coloured at a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ringscope {

// Screens as a terminal of some width shows them: narrower tables, lines that are folded, colours.
// Knows no terminal.

/// The text with no line longer than `columns`, where it can be: of tables (lines with columns, two
/// spaces or more between them) the widest columns of words are shortened, "~" where something is
/// left out, and where that is not enough the last columns stand below, beside the first one; other
/// lines go on in the next one, as far in as they began.
std::string fitted(std::string_view text, std::size_t columns);

/// The text with the heads of its tables in bold and its warnings in yellow. For a text in columns
/// that has not been coloured yet.
std::string coloured(std::string_view text);

/// --quiet: the answer alone, without progress, announcements and suggestions.
bool& quiet();

/// Prints an answer. At a terminal no line is longer than COLUMNS or, without that, than the
/// terminal is wide; coloured unless NO_COLOR is set. Throws as write_output.
void show_screen(const std::string& text);

/// Prints an answer for people, if it goes to standard output ("-"), or writes it as it is.
void show_or_write(const std::string& text, const std::string& output, bool for_people);

/// Says which command is useful next, in one line, to a terminal alone.
void suggest(const std::string& command);

}  // namespace ringscope
