// SPDX-License-Identifier: LGPL-2.1-or-later
// Descriptions of networks by ibnetdiscover, Slurm and topograph.
#include "scripts/testing/fuzzing/targets/target.hpp"
#include "topologies/imports/fabrics/fabric.hpp"

namespace ringscope::fuzzing {

void read(const std::string& text) { (void)parse_fabric({"f", text}, ""); }

}  // namespace ringscope::fuzzing
