// SPDX-License-Identifier: LGPL-2.1-or-later
// Profiles of libraries.
#include "scenarios/library/library.hpp"
#include "scripts/testing/fuzzing/targets/target.hpp"

namespace ringscope::fuzzing {

void read(const std::string& text) { (void)read_library(Value::from_text("l.yaml", text)); }

}  // namespace ringscope::fuzzing
