// SPDX-License-Identifier: LGPL-2.1-or-later
// Chakra's traces, protobuf messages.
#include "scripts/testing/fuzzing/targets/target.hpp"

namespace ringscope::fuzzing {

void read(const std::string& text) {
  static Folder folder;
  read_trace_at(folder.path() + "/t", folder.write_ranks(text, "t.", ".et"));
}

}  // namespace ringscope::fuzzing
