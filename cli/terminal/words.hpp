// The words of a command line, for each of the programs.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <sstream>
#include <string>

#include "cli/terminal/failure.hpp"
#include "topologies/input/characters.hpp"

namespace ringscope {

/// Typed words end up in names, and names in files that others read.
inline void require_utf8_words(int count, char** words) {
  for (int i = 1; i < count; ++i) {
    if (first_not_utf8(words[i]) == std::string_view::npos) continue;
    throw Failure(ExitCode::bad_input,
                  fmt::format("argument {}: expected text in UTF-8, got '{}'", i, words[i]));
  }
}

/// Parses, and thereby runs, the words; prints help that was asked for. Throws Failure where CLI11
/// refuses them: its words repeat ours, and have to go where errors are printed.
inline ExitCode parse_words(CLI::App& program, int count, char** words) {
  try {
    program.parse(count, words);
  } catch (const CLI::ParseError& error) {
    std::ostringstream message;
    if (program.exit(error, std::cout, message) != 0) {
      std::string text = message.str();
      while (text.ends_with('\n')) text.pop_back();
      throw Failure(ExitCode::bad_input, text);
    }
  }
  return ExitCode::ok;
}

}  // namespace ringscope
