// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/program/program_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "algorithms/programs/program.hpp"
#include "algorithms/programs/survey.hpp"
#include "scenarios/program/groups_of_program.hpp"
#include "scenarios/program/steps.hpp"

namespace ringscope {
namespace {

/// `values`: each a formula of those before it.
void read_values(Fields& job, Scope& scope) {
  const Value* map = job.optional("values");
  if (map == nullptr) return;
  if (map->kind() != Value::Kind::map)
    map->fail("expected names and their values, such as {micro_batches: 8, forward: 2 ms}");
  for (const Value::Entry& entry : map->entries()) {
    if (entry.value.is_null()) continue;
    if (entry.key == "rank" || entry.key == "ranks")
      throw InputError(entry.key_place, fmt::format("'{}' has a meaning already", entry.key));
    const Formula formula = read_formula(entry.value, scope);
    if (formula.expression.is_constant() && formula.expression.value({}) < 0)
      entry.value.fail("expected a value that is not negative");
    scope.values[entry.key] = formula;
  }
}

StepGpu read_step_gpu(Fields& job) {
  Fields options(job.value_or("options", "{}"), "job.options");
  StepGpu gpu;
  if (const Value* said = options.optional("gpu")) {
    gpu.gpu = read_gpu(*said);
    options.resolve("gpu", gpu.gpu->resolved);
    const Value& efficiency = options.value_or("efficiency", "1");
    gpu.efficiency = efficiency.number(0, 1);
    if (gpu.efficiency <= 0) efficiency.fail("expected a share above 0 of the GPU's operations");
  } else if (const Value* efficiency = options.optional("efficiency")) {
    efficiency->fail("an efficiency is that of a GPU: say which by 'gpu'");
  }
  options.finish();
  job.resolve("options", options.resolved());
  return gpu;
}

}  // namespace

std::shared_ptr<const ScheduleFile> read_program_of_steps(Fields& job, const Value& list, int ranks,
                                                          bool nccl) {
  for (const char* other : {"collective", "algorithm", "schedule", "trace", "overlap"})
    if (const Value* value = job.optional(other))
      value->fail(fmt::format("a job with a program has no {}: leave it out", other));
  auto program = std::make_shared<programs::Program>();
  ProgramGroups groups = read_program_groups(job, ranks);
  program->kinds = std::move(groups.kinds);
  program->grid = std::move(groups.grid);
  Scope scope;
  for (const programs::GroupKind& kind : program->kinds) scope.kinds.push_back(kind.name);
  read_values(job, scope);
  const StepGpu gpu = read_step_gpu(job);
  StepsReader reader(*program, std::move(scope), gpu, nccl);
  reader.read(list);
  try {
    programs::survey(*program);
  } catch (const programs::Unsound& wrong) {
    reader.places()[wrong.step].fail(wrong.what());
  }
  job.resolve("program", list);
  auto file = std::make_shared<ScheduleFile>();
  for (const int step : program->undone)
    file->warnings.push_back(fmt::format("the conditions of the step in line {} hold for no rank",
                                         reader.places()[step].place().line));
  file->file = "the program";
  file->schedule.name = "program";
  file->schedule.collective = "messages";
  file->schedule.program = std::move(program);
  file->algorithm = programs::algorithm_of_program(file->schedule);
  return file;
}

}  // namespace ringscope
