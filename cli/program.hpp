// SPDX-License-Identifier: LGPL-2.1-or-later
// The program as a function: main() runs it once, the fuzzers' server once per fork.
#pragma once

namespace ringscope {

/// Runs `ringscope` with these words, the program's name among them, and tells whatever goes wrong
/// on standard error. Returns its exit code.
int run_program(int count, char** words);

}  // namespace ringscope
