// SPDX-License-Identifier: LGPL-2.1-or-later
// MSCCL++'s schedules, JSON.
#include <memory>

#include "scenarios/schedule/schedule_file.hpp"
#include "scripts/testing/fuzzing/targets/target.hpp"

namespace ringscope::fuzzing {

void read(const std::string& text) {
  ScheduleFile file;
  read_schedule_text(std::make_shared<const Source>(Source{"s.json", text}), file);
}

}  // namespace ringscope::fuzzing
