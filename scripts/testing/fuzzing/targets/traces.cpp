// SPDX-License-Identifier: LGPL-2.1-or-later
#include <fmt/format.h>

#include "scenarios/trace/trace_file.hpp"
#include "scripts/testing/fuzzing/targets/target.hpp"

namespace ringscope::fuzzing {

void read_trace_at(const std::string& path, int ranks) {
  const Value job = Value::from_text("job", fmt::format("{{trace: {}}}", path));
  Fields fields(job, "job");
  (void)read_trace(fields, fields.required("trace"), ranks);
}

}  // namespace ringscope::fuzzing
