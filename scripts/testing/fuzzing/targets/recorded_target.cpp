// SPDX-License-Identifier: LGPL-2.1-or-later
// Recorded calls of MPI programs.
#include "scripts/testing/fuzzing/targets/target.hpp"

namespace ringscope::fuzzing {

void read(const std::string& text) {
  static Folder folder;
  read_trace_at(folder.path(), folder.write_ranks(text, "calls.", ""));
}

}  // namespace ringscope::fuzzing
