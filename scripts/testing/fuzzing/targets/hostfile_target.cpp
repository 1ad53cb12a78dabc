// SPDX-License-Identifier: LGPL-2.1-or-later
// MPI's hostfiles, lists of nodes that schedulers print, Intel MPI's tables of pinned ranks,
// TF_CONFIG.
#include "scripts/testing/fuzzing/targets/target.hpp"
#include "topologies/cluster.hpp"
#include "topologies/imports/schedulers/node_lists.hpp"
#include "topologies/placement/placement.hpp"

namespace ringscope::fuzzing {

void read(const std::string& text) {
  static const Cluster rack = read_cluster(Value::from_text("c.yaml", "rack3"));
  static const Folder folder;
  folder.write("hosts", text);
  const auto place = [&](const std::string& placement) {
    (void)read_placement(Value::from_text(folder.path() + "/s.yaml", placement), rack.topology);
  };
  for (const char* form : {"{pinning: hosts}", "{tf_config: hosts}"}) {
    try {
      place(form);
    } catch (const InputError&) {
    }
  }
  (void)read_free_slots(Value::from_text(folder.path() + "/s.yaml", "hosts"), rack.topology);
}

}  // namespace ringscope::fuzzing
