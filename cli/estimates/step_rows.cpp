// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/estimates/step_rows.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "algorithms/training/llm/llm.hpp"
#include "algorithms/training/training.hpp"
#include "cli/terminal/failure.hpp"
#include "cli/terminal/progress_bar.hpp"
#include "scenarios/answer/text/table.hpp"
#include "scenarios/question/scenario_tree.hpp"
#include "topologies/input/data_files.hpp"

namespace ringscope {
namespace {

/// Measured memory over predicted: 17 of 18 rows are below. Source: validation/published/SPLIT.md,
/// "Memory of a GPU".
constexpr double more_memory = 1.25;

/// A part of a step: its column, its key, and whether JSON has it only above 0.
struct PartOfStep {
  const char *header, *key;
  double (*seconds)(const LlmTimes&);
  bool optional = false;
};
constexpr PartOfStep estimated_parts[] = {
    {"busy", "busy_s", [](const LlmTimes& t) { return t.busy_s; }},
    {"repeated", "repeated_s", [](const LlmTimes& t) { return t.repeated_s; }},
    {"slowest", "slowest_s", [](const LlmTimes& t) { return t.slowest_s; }, true},
    {"tp", "tp_s", [](const LlmTimes& t) { return t.tp_s; }},
    {"cp", "cp_s", [](const LlmTimes& t) { return t.cp_s; }},
    {"ep", "ep_s", [](const LlmTimes& t) { return t.ep_s; }},
    {"pp", "pp_s", [](const LlmTimes& t) { return t.pp_s; }},
    {"dp", "dp_s", [](const LlmTimes& t) { return t.dp_s; }},
    {"bubble", "bubble_s", [](const LlmTimes& t) { return t.bubble_s; }},
    {"checks", "checks_s", [](const LlmTimes& t) { return t.checks_s; }, true},
    {"update", "update_s", [](const LlmTimes& t) { return t.update_s; }},
    {"input", "input_s", [](const LlmTimes& t) { return t.input_s; }, true},
    {"host", "overhead_s", [](const LlmTimes& t) { return t.host.overhead_s; }},
    {"logging", "logging_s", [](const LlmTimes& t) { return t.host.logging_s; }, true},
    {"collection", "collection_s", [](const LlmTimes& t) { return t.host.collection_s; }, true},
    {"checkpoint", "checkpoint_s", [](const LlmTimes& t) { return t.host.checkpoint_s; }, true},
};

}  // namespace

StepRow step_row(const Scenario& scenario, KnownParts& known, SimulatedPrograms& simulated) {
  const Training* training = scenario.job.training.get();
  if (training == nullptr || training->llm == nullptr)
    scenario.resolved.fail("expected a job with 'program: llm', got {} {}",
                           scenario.job.algorithm->collective, scenario.job.algorithm->name);
  StepRow row;
  row.name = scenario.name;
  row.gpus = static_cast<int>(scenario.placement.ranks.size());
  GroupTimes groups(scenario, known, simulated);
  const LlmStep& step = *training->llm;
  row.times = llm_times(scenario, groups);
  row.memory = step.memory;
  row.may_not_fit = step.gpu_memory > 0 && step.memory.sum() * more_memory > step.gpu_memory;
  const double records = 1.0 * training->batch * row.gpus / training->replica;
  row.tokens_per_s = records * step.tokens / row.times.step_s;
  row.utilisation = row.tokens_per_s * step.flops_per_token / (row.gpus * step.peak_flops);
  if (step.spread > 1)
    row.likely = TimeRange{row.times.step_s / step.spread, row.times.step_s * step.spread};
  return row;
}

Json json_of(const StepRow& row) {
  Json json = {{"case", row.name}, {"gpus", row.gpus}};
  if (!row.error.empty()) {
    json["error"] = row.error;
    return json;
  }
  json["step_s"] = row.times.step_s;
  if (row.likely) json.update({{"low_s", row.likely->low_s}, {"high_s", row.likely->high_s}});
  for (const PartOfStep& part : estimated_parts)
    if (const double seconds = part.seconds(row.times); seconds > 0 || !part.optional)
      json[part.key] = seconds;
  json.update({{"tokens_per_s", row.tokens_per_s},
               {"mfu", row.utilisation},
               {"memory_bytes", row.memory.sum()},
               {"may_not_fit", row.may_not_fit}});
  return json;
}

std::string text_of(const std::vector<StepRow>& rows) {
  double longest = 0;
  for (const StepRow& row : rows) longest = std::max(longest, row.times.step_s);
  const TimeScale scale(longest);
  std::vector<TextTable::Column> columns = {
      {"case", TextTable::Align::left}, {"GPUs"}, {"step"}, {"low"}, {"high"}};
  std::vector<const PartOfStep*> shown;
  for (const PartOfStep& part : estimated_parts)
    if (std::ranges::any_of(rows, [&](const StepRow& row) { return part.seconds(row.times) > 0; }))
      shown.push_back(&part), columns.push_back({part.header});
  columns.insert(columns.end(), {{"tokens/s"}, {"MFU"}, {"memory"}});
  TextTable table(columns);
  std::string below;  // the table
  for (const StepRow& row : rows) {
    if (!row.error.empty()) {
      below += fmt::format("  {}: {}\n", row.name, row.error);
      continue;
    }
    std::vector<std::string> cells = {row.name, std::to_string(row.gpus),
                                      scale.text(row.times.step_s),
                                      row.likely ? scale.text(row.likely->low_s) : "-",
                                      row.likely ? scale.text(row.likely->high_s) : "-"};
    for (const PartOfStep* part : shown) cells.push_back(scale.text(part->seconds(row.times)));
    cells.push_back(fmt::format("{:.4g}", row.tokens_per_s));
    cells.push_back(fmt::format("{:.1f} %", 100 * row.utilisation));
    cells.push_back(
        fmt::format("{:.3g} GB{}", row.memory.sum() / 1e9, row.may_not_fit ? " ?" : ""));
    table.add(std::move(cells));
  }
  if (std::ranges::any_of(rows, &StepRow::may_not_fit))
    below += fmt::format("?: may not fit, as measured jobs took up to {} times this memory\n",
                         more_memory);
  return table.text(0) + below;
}

void print_steps(const std::string& scenario, const std::vector<Override>& overrides,
                 const std::string& format, const std::string& output) {
  KnownParts known;
  SimulatedPrograms simulated;
  ProgressBar bar("estimating");
  const std::string file = scenario_file(scenario);
  const std::string stem = std::filesystem::path(file).stem().string();
  const std::vector<CaseTree> trees = case_trees(Value::from_file(file), stem, overrides);
  std::vector<StepRow> rows;
  for (const CaseTree& one : trees) {
    bar.show(static_cast<double>(rows.size()) / static_cast<double>(trees.size()));
    try {
      rows.push_back(step_row(read_tree(one.tree, one.name, known).front(), known, simulated));
    } catch (const InputError& error) {
      if (trees.size() == 1) throw;
      rows.emplace_back();
      rows.back().name = one.name;
      rows.back().error = error.what();
    }
  }
  bar.end();
  Json all = Json::array();
  for (const StepRow& row : rows) all.push_back(json_of(row));
  const Json document = {{"schema", 1}, {"version", version()}, {"steps", std::move(all)}};
  show_or_write(format == "json" ? json_text(document) : text_of(rows), output, format == "text");
}

}  // namespace ringscope
