// SPDX-License-Identifier: LGPL-2.1-or-later
// Any YAML file, before its keys are looked at.
#include "scripts/testing/fuzzing/targets/target.hpp"
#include "topologies/input/input.hpp"

namespace ringscope::fuzzing {

void read(const std::string& text) { (void)Value::from_text("x.yaml", text); }

}  // namespace ringscope::fuzzing
