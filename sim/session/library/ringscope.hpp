// SPDX-License-Identifier: LGPL-2.1-or-later
// Ringscope for other programs: a scenario goes in as text, its answer comes out as text.
//
// The only header that is installed: find_package(ringscope), target ringscope::ringscope.
#pragma once

#include <string>
#include <vector>

#define RINGSCOPE_EXPORTED __attribute__((visibility("default")))

namespace ringscope {

/// Simulates each case of `scenario`, YAML or JSON as scenarios/format.md says, and returns the
/// JSON that `ringscope run --json` writes (scenarios/schema.md). Each of `changes` is what `--set`
/// takes: "job.bytes=1 MiB". `name`: what cases and places of errors are called by; files that the
/// scenario names are seen from the working directory. Threads may call it at once.
///
/// Throws std::invalid_argument for input that cannot be, in the program's words: the place, what
/// was expected, what stood there. A case that can never go on is one of `stuck`, no error.
RINGSCOPE_EXPORTED std::string run(const std::string& scenario,
                                   const std::vector<std::string>& changes = {},
                                   const std::string& name = "scenario");

/// Simulates the same, and returns the screen that `ringscope compare` prints.
RINGSCOPE_EXPORTED std::string compare(const std::string& scenario,
                                       const std::vector<std::string>& changes = {},
                                       const std::string& name = "scenario");

}  // namespace ringscope
