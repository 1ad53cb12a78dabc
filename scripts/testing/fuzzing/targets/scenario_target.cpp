// SPDX-License-Identifier: LGPL-2.1-or-later
// Scenarios, with all that may stand in them: programs, jobs, placements, background jobs.
#include "scenarios/question/scenario_tree.hpp"
#include "scripts/testing/fuzzing/targets/target.hpp"

namespace ringscope::fuzzing {

void read(const std::string& text) {
  const Value file = Value::from_text("s.yaml", text);
  static KnownParts known;  // NCCL's search of a host takes long in this build
  for (const CaseTree& one : case_trees(file, "s", {})) (void)read_tree(one.tree, one.name, known);
}

}  // namespace ringscope::fuzzing
