// SPDX-License-Identifier: LGPL-2.1-or-later
// Descriptions of hosts by hwloc (XML), NCCL (XML) and nvidia-smi.
#include "scripts/testing/fuzzing/targets/target.hpp"
#include "topologies/imports/imports.hpp"

namespace ringscope::fuzzing {

void read(const std::string& text) { (void)parse_machine({"m", text}, ""); }

}  // namespace ringscope::fuzzing
