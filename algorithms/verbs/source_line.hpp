// SPDX-License-Identifier: LGPL-2.1-or-later
// Place of a verb in the source of its program: for pictures, never for decisions.
#pragma once

namespace ringscope {

/// File of lines in the scenario itself, of a program that it has.
inline constexpr const char* scenario_source = "scenario.yaml";

/// By the compiler's own functions: clang 14 has no std::source_location. Of a statement in several
/// lines it is one of them, which differs from compiler to compiler.
struct SourceLine {
  const char* file = "";  ///< as the compiler was given it
  int line = 0;           ///< from 1; 0: unknown

  /// As a default argument: where the call is that leaves it out.
  static constexpr SourceLine here(const char* file = __builtin_FILE(),
                                   int line = __builtin_LINE()) {
    return {file, line};
  }
};

}  // namespace ringscope
