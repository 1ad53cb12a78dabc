// SPDX-License-Identifier: LGPL-2.1-or-later
// Answers for people on standard output: as they are in a pipe, so that the same input gives the
// same bytes; fitted and coloured at a terminal.
#pragma once

#include <string>

namespace ringscope {

/// --quiet: the answer alone, without progress, announcements and suggestions.
bool& quiet();

/// Prints an answer. At a terminal no line is longer than COLUMNS or, without that, than the
/// terminal is wide; coloured unless NO_COLOR is set. Throws as write_output.
void show_screen(const std::string& text);

/// Says which command is useful next, in one line, to a terminal alone.
void suggest(const std::string& command);

}  // namespace ringscope
