// SPDX-License-Identifier: LGPL-2.1-or-later
// MPI's hostfiles.
#include "scripts/fuzzing/targets/target.hpp"
#include "topologies/cluster.hpp"
#include "topologies/placement/hostfile.hpp"

namespace ringscope::fuzzing {

void read(const std::string& text) {
  static const Cluster rack = read_cluster(Value::from_text("c.yaml", "rack3"));
  static const Folder folder;
  folder.write("hosts", text);
  (void)read_hostfile(Value::from_text(folder.path() + "/s.yaml", "hosts"), rack.topology);
}

}  // namespace ringscope::fuzzing
