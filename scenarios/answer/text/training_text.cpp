// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/answer/text/report_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "scenarios/answer/text/table.hpp"
#include "topologies/input/characters.hpp"

namespace ringscope {
namespace {

constexpr StepPart all_parts[] = {
    {"busy", false, [](const TrainingReport& t) { return t.busy_s; }},
    {"slowest", false, [](const TrainingReport& t) { return t.slowest_s.value_or(0); }},
    {"tp", true, [](const TrainingReport& t) { return t.exposed.tp; }},
    {"cp", true, [](const TrainingReport& t) { return t.exposed.cp; }},
    {"ep", true, [](const TrainingReport& t) { return t.exposed.ep; }},
    {"pp", true, [](const TrainingReport& t) { return t.exposed.pp; }},
    {"dp", true, [](const TrainingReport& t) { return t.exposed.dp; }},
    {"bubble", false, [](const TrainingReport& t) { return t.bubble_s; }},
    {"host", false, [](const TrainingReport& t) { return t.host ? t.host->sum() : 0; }},
    {"input", false, [](const TrainingReport& t) { return t.input_s; }},
    {"other", false, [](const TrainingReport& t) { return t.other_s; }}};

std::string epochs(const TrainingReport& report) {
  if (report.epoch_s == 0) return "";
  const std::string all =
      report.training_s
          ? fmt::format("; {}: {}", plural(static_cast<std::uint64_t>(*report.all_epochs), "epoch"),
                        duration_text(*report.training_s))
          : "";
  return fmt::format("  At this pace an epoch takes {}{}\n", duration_text(report.epoch_s), all);
}

std::string step(const TrainingReport& report) {
  const TimeScale scale(std::max(report.step_s, report.one_device_s));
  const TrainingReport* const only[] = {&report};
  const std::vector<StepPart> parts = step_parts(only);
  std::vector<TextTable::Column> columns = {"step"};
  std::vector<std::string> cells = {scale.text(report.step_s)};
  for (const StepPart& part : parts) {
    columns.push_back(part.header);
    cells.push_back(scale.text(part.of(report)));
  }
  for (const char* header : {"one device", "samples/s", "efficiency"}) columns.push_back(header);
  cells.push_back(scale.text(report.one_device_s));
  cells.push_back(fmt::format("{:.4g}", report.records_per_s));
  cells.push_back(fmt::format("{:.1f} %", 100 * report.efficiency));
  TextTable table(std::move(columns));
  table.add(std::move(cells));
  const std::string devices = plural(static_cast<std::uint64_t>(report.devices), "device");
  const std::string batch = plural(static_cast<std::uint64_t>(report.batch), "record");
  const std::string shared =
      report.replica == 1 ? fmt::format("{} x {}", devices, batch)
                          : fmt::format("{}, {} for each {}", devices, batch, report.replica);
  const std::string before =
      report.startup_s ? fmt::format("  Before the first step: {}, variables sent to all\n",
                                     to_text(Seconds(*report.startup_s)))
                       : "";
  return fmt::format("\n  A step of {}: {}, {} ({:.3g} epochs)\n", report.model, shared,
                     plural(static_cast<std::uint64_t>(report.steps), "step"), report.epochs) +
         table.text(2) + "  " + sum_of_parts(parts) +
         fmt::format("  Forward and backward with all stalls: {}\n",
                     scale.text(report.forward_backward_s)) +
         epochs(report) + before;
}

/// Seconds of a step.
double computing(const RankReport& rank, int steps) {
  return rank.seconds[RankActivity::compute] / steps;
}

/// The devices' time by group: the bubble of a pipeline is what its devices wait in it.
std::string groups(const TrainingReport& report, std::span<const RankReport> ranks) {
  const TimeScale scale(report.step_s);
  TextTable table({text_column("a device spends"), "mean", "share of step", "least", "most"});
  const auto add = [&](const std::string& what, auto spent) {
    double sum = 0, most = 0, least = spent(ranks.front());
    for (const RankReport& rank : ranks) {
      const double one = spent(rank);
      sum += one;
      least = std::min(least, one);
      most = std::max(most, one);
    }
    const double mean = sum / static_cast<double>(ranks.size());
    if (most > 0)
      table.add({what, scale.text(mean), fmt::format("{:.1f} %", 100 * mean / report.step_s),
                 scale.text(least), scale.text(most)});
  };
  add("computing", [&](auto& rank) { return computing(rank, report.steps); });
  for (std::size_t i = 0; i < report.groups.size(); ++i) {
    const std::string& name = report.groups[i].name;
    add(fmt::format("waiting in {} groups", name),
        [i](auto& rank) { return rank.groups[i].partner_s; });
    add(fmt::format("exchanging in {} groups", name),
        [i](auto& rank) { return rank.groups[i].time_s - rank.groups[i].partner_s; });
  }
  add("idle, before its first step or after its last",
      [&](auto& rank) { return rank.seconds[RankActivity::idle] / report.steps; });
  return "\n" + table.text(2);
}

std::string memory(const StageMemory& memory) {
  const auto text = [](double bytes) { return fmt::format("{:.4g}", bytes / 1e9); };
  return fmt::format(
      "  A GPU of stage {} holds {} GB: parameters {}, gradients {}, optimiser {}, activations "
      "{}{}\n",
      memory.stage, text(memory.sum()), text(memory.parameters), text(memory.gradients),
      text(memory.optimiser), text(memory.activations),
      memory.reserved > 0 ? ", reserved " + text(memory.reserved) : "");
}

/// Share of a step in which nvidia-smi shows a GPU in use: some kernel of it runs. Source: NVIDIA,
/// NVML API reference, nvmlUtilization_t.
std::string in_use(const TrainingReport& report, std::span<const RankReport> ranks) {
  double adding_up = 0, in_groups = 0, all = 0;
  for (const RankReport& rank : ranks) {
    const double computed = computing(rank, report.steps);
    adding_up += computed + rank.seconds[RankActivity::reduce] / report.steps;
    in_groups += computed;
    for (const GroupReport& group : rank.groups) in_groups += group.time_s;
    all += report.step_s;
  }
  return fmt::format(
      "  nvidia-smi would show a GPU in use for {:.1f} % of a step where copy engines exchange, "
      "for {:.1f} %\n  with NCCL, whose kernels run while they wait\n",
      100 * adding_up / all, 100 * in_groups / all);
}

}  // namespace

std::string duration_text(double seconds) {
  constexpr double minute = 60, hour = 60 * minute, day = 24 * hour;
  if (seconds < 2 * minute) return to_short_text(Seconds(seconds));
  if (seconds < 2 * hour) return fmt::format("{:.1f} min", seconds / minute);
  if (seconds < 2 * day) return fmt::format("{:.1f} h", seconds / hour);
  return fmt::format("{:.1f} days", seconds / day);
}

std::string cycle_text(const Report& report) {
  constexpr double worth_a_line = 0.05;  // of the critical path
  double waiting = 0;
  for (const PathSegment& segment : report.path)
    if (segment.cause == Cause::sleep) waiting += segment.seconds;
  if (report.algorithm != "horovod" || waiting < worth_a_line * report.time_s) return "";
  return fmt::format(
      "  Gradients wait for Horovod's next cycle, {:.0f} % of the critical path: lower 'cycle' "
      "(HOROVOD_CYCLE_TIME)\n",
      100 * waiting / report.time_s);
}

std::vector<StepPart> step_parts(std::span<const TrainingReport* const> jobs) {
  constexpr double worth_a_column = 5e-4;  // of a step
  std::vector<StepPart> parts;
  std::ranges::copy_if(all_parts, std::back_inserter(parts), [&](const StepPart& part) {
    return std::ranges::any_of(jobs, [&](const TrainingReport* job) {
      return std::abs(part.of(*job)) > worth_a_column * job->step_s;
    });
  });
  return parts;
}

std::string sum_of_parts(const std::vector<StepPart>& parts) {
  std::string kinds;
  for (const StepPart& part : parts)
    if (part.exposed) kinds += (kinds.empty() ? "" : ", ") + std::string(part.header);
  std::string text;
  const auto add = [&](const std::string& word) { text += (text.empty() ? "" : " + ") + word; };
  for (const StepPart& part : parts) {
    if (!part.exposed) add(part.header);
    if (part.exposed && !kinds.empty())
      add(fmt::format("exposed communication ({})", std::exchange(kinds, "")));
  }
  return "step = " + text + "\n";
}

std::string training_text(const TrainingReport& report, std::span<const RankReport> ranks) {
  std::string text = step(report);
  if (!report.groups.empty() && !ranks.empty() && report.step_s > 0) text += groups(report, ranks);
  if (report.memory) text += memory(*report.memory);
  if (report.memory && !ranks.empty() && report.step_s > 0) text += in_use(report, ranks);
  return text;
}

}  // namespace ringscope
