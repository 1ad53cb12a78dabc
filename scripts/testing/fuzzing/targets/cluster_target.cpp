// SPDX-License-Identifier: LGPL-2.1-or-later
// Clusters: network families, hosts and their links.
#include "scripts/testing/fuzzing/targets/target.hpp"
#include "topologies/cluster.hpp"

namespace ringscope::fuzzing {

void read(const std::string& text) { (void)read_cluster(Value::from_text("c.yaml", text)); }

}  // namespace ringscope::fuzzing
