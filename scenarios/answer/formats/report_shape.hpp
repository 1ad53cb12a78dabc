// SPDX-License-Identifier: LGPL-2.1-or-later
// The keys of each part of a report, once for writing and for reading, in their order in the file.
#pragma once

#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "scenarios/answer/formats/record_json.hpp"

namespace ringscope::shape {

void name_fields(auto& keys, Is<RankReport> auto& rank) {
  keys("rank", rank.rank);
  keys("host", rank.host);
  keys("numa", rank.numa);
  keys("finish_s", rank.finish_s);
  keys.named("seconds", activity_names, rank.seconds, false);
  keys.named("waited_for_s", cause_names, rank.waited_for, true);
  keys.unless_empty("groups", rank.groups);
}

void name_fields(auto& keys, Is<GroupReport> auto& group) {
  keys("name", group.name);
  keys("time_s", group.time_s);
  keys("partner_s", group.partner_s);
}

void name_fields(auto& keys, Is<StreamReport::Spent> auto& spent) {
  keys("on", spent.on);
  keys("mean_s", spent.mean_s);
  keys("least_s", spent.least_s);
  keys("most_s", spent.most_s);
}

void name_fields(auto& keys, Is<SampleReport> auto& sample) {
  keys("name", sample.name);
  keys("percent", sample.percent);
}

void name_fields(auto& keys, Is<StreamReport> auto& stream) {
  keys("name", stream.name);
  keys("ranks_count", stream.ranks);
  keys("spent", stream.spent);
}

void name_fields(auto& keys, Is<NodeCount> auto& nodes) {
  keys("kind", nodes.kind);
  keys("as", nodes.as);
  keys("count", nodes.count);
  keys("ignored", nodes.ignored);
}

void name_fields(auto& keys, Is<StageMemory> auto& memory) {
  keys("stage", memory.stage);
  keys("parameters_bytes", memory.parameters);
  keys("gradients_bytes", memory.gradients);
  keys("optimiser_bytes", memory.optimiser);
  keys("activations_bytes", memory.activations);
}

void name_fields(auto& keys, Is<PhaseReport> auto& phase) {
  keys("name", phase.name);
  keys("start_s", phase.start_s);
  keys("end_s", phase.end_s);
}

void name_fields(auto& keys, Is<ResourceReport> auto& resource) {
  keys("name", resource.id);
  keys("kind", resource.kind);
  keys("utilisation", resource.utilisation);
}

void name_fields(auto& keys, Is<PathSegment> auto& segment) {
  keys("cause", segment.cause);
  keys.or_null("rank", segment.rank, -1);
  keys.or_null("resource", segment.resource, ResourceId());
  keys("seconds", segment.seconds);
}

void name_fields(auto& keys, Is<std::pair<double, std::size_t>> auto& observed) {
  keys("value", observed.first);
  keys("count", observed.second);
}

void name_fields(auto& keys, Is<Observation> auto& one) {
  keys("what", one.what);
  keys("count", one.count);
  keys("mean", one.mean);
  keys("least", one.least);
  keys("median", one.median);
  keys("p90", one.p90);
  keys("most", one.most);
  keys("median_interval_s", one.median_interval_s);
  keys("p90_interval_s", one.p90_interval_s);
  keys("values", one.values);
}

void name_fields(auto& keys, Is<NeighbourReport> auto& one) {
  keys("name", one.name);
  keys("collective", one.collective);
  keys("algorithm", one.algorithm);
  keys("placement", one.placement);
  keys("ranks_count", one.ranks);
  keys("bytes", one.bytes);
  keys("rounds", one.rounds);
  keys("time_s", one.time_s);
  keys("end_s", one.end_s);
}

void name_fields(auto& keys, Is<Deadlock::Wait> auto& wait) {
  keys("rank", wait.rank);
  keys("text", wait.text);
  keys("for_ranks", wait.peers);
}

void name_fields(auto& keys, Is<Deadlock> auto& deadlock) {
  keys("text", deadlock.text);
  keys("waits", deadlock.waits);
  keys("cycle", deadlock.cycle);
}

void name_fields(auto& keys, Is<TrainingReport> auto& training) {
  keys("model", training.model);
  keys("devices", training.devices);
  keys("batch", training.batch);
  keys("replica", training.replica);
  keys("steps", training.steps);
  keys("one_device_s", training.one_device_s);
  keys("step_s", training.step_s);
  keys("forward_backward_s", training.forward_backward_s);
  keys("busy_s", training.busy_s);
  keys("exposed_s", training.exposed_s);
  keys("exposed_tp_s", training.exposed.tp);
  keys("exposed_cp_s", training.exposed.cp);
  keys("exposed_ep_s", training.exposed.ep);
  keys("exposed_pp_s", training.exposed.pp);
  keys("exposed_dp_s", training.exposed.dp);
  keys("bubble_s", training.bubble_s);
  keys("input_s", training.input_s);
  keys("other_s", training.other_s);
  keys("records_per_s", training.records_per_s);
  keys("efficiency", training.efficiency);
  keys("epochs", training.epochs);
  keys("epoch_s", training.epoch_s);
  keys.unless_empty("groups", training.groups);
  keys.unless_empty("memory", training.memory);
  keys.unless_empty("startup_s", training.startup_s);
  keys.unless_empty("all_epochs", training.all_epochs);
  keys.unless_empty("training_s", training.training_s);
}

/// Parts of a run that were not simulated: time and messages of steps, and whole repetitions.
struct Skipped {
  double seconds = 0;
  std::uint64_t messages = 0;
  std::optional<std::size_t> repetitions;
};

void name_fields(auto& keys, Is<Skipped> auto& skipped) {
  keys("seconds", skipped.seconds);
  keys("messages", skipped.messages);
  keys.unless_empty("repetitions", skipped.repetitions);
}

/// Ranks that stood for all, or why none did.
struct Folded {
  int simulated_ranks = 0;
  double uneven = 0;
  std::string why_not;
};

void name_fields(auto& keys, Is<Folded> auto& folded) {
  keys.or_null("simulated_ranks", folded.simulated_ranks, 0);
  keys("uneven", folded.uneven);
  keys("why_not", folded.why_not);
}

void name_fields(auto& keys, Is<TimeRange> auto& range) {
  keys("low_s", range.low_s);
  keys("high_s", range.high_s);
}

inline Json question_of(const Value& resolved) {
  const Value* question = resolved.kind() == Value::Kind::map ? resolved.find("question") : nullptr;
  return question ? to_json(*question) : Json();
}

void name_folded(auto& keys, auto& report) {
  std::optional<Folded> folded;
  if (report.simulated_ranks > 0 || !report.not_folded.empty())
    folded = {report.simulated_ranks, report.uneven, report.not_folded};
  keys.unless_empty("folded", folded);
  if constexpr (!std::is_const_v<std::remove_reference_t<decltype(report)>>)
    if (folded)
      std::tie(report.simulated_ranks, report.uneven, report.not_folded) =
          std::tuple(folded->simulated_ranks, folded->uneven, folded->why_not);
}

void name_skipped(auto& keys, auto& report) {
  std::optional<Skipped> skipped;
  if (report.skipped_messages > 0 || report.skipped_repetitions > 0)
    skipped = {report.skipped_s, report.skipped_messages, {}};
  if (report.skipped_repetitions > 0) skipped->repetitions = report.skipped_repetitions;
  keys.unless_empty("skipped", skipped);
  if constexpr (!std::is_const_v<std::remove_reference_t<decltype(report)>>)
    if (skipped)
      std::tie(report.skipped_s, report.skipped_messages, report.skipped_repetitions) =
          std::tuple(skipped->seconds, skipped->messages, skipped->repetitions.value_or(0));
}

void name_fields(auto& keys, Is<Report> auto& report) {
  keys("name", report.name);
  keys.derived("question", [&] { return question_of(report.resolved); });
  keys("scenario", report.resolved);
  keys("collective", report.collective);
  keys("algorithm", report.algorithm);
  keys("chosen", report.chosen);
  keys("cluster", report.cluster);
  keys("library", report.library);
  keys("placement", report.placement);
  keys("ranks_count", report.ranks);
  keys("bytes", report.bytes);
  keys("seed", report.seed);
  keys("time_s", report.time_s);
  keys("times_s", report.times_s);
  keys.unless_empty("likely", report.likely);
  keys("algbw", report.algbw);
  keys("busbw", report.busbw);
  keys("messages", report.messages);
  keys("bytes_on_wire", report.bytes_on_wire);
  keys("bytes_between_hosts", report.bytes_between_hosts);
  keys.unless_empty("file_bytes_between_hosts", report.file_bytes_between_hosts);
  keys("ranks", report.rank_reports);
  keys("phases", report.phases);
  keys("resources", report.resources);
  keys("critical_path", report.path);
  keys("kernel", report.kernel);
  keys.derived("version", [] { return Json(version()); });
  keys("wall_s", report.wall_s);
  keys("peak_rss_bytes", report.peak_rss_bytes);
  keys.unless_empty("deadlock", report.deadlock);
  name_skipped(keys, report);
  keys.unless_empty("tolerance", report.tolerance);
  name_folded(keys, report);
  keys.unless_empty("warnings", report.warnings);
  keys.unless_empty("observations", report.observations);
  keys.unless_empty("training", report.training);
  keys.unless_empty("streams", report.streams);
  keys.unless_empty("samples", report.samples);
  keys.unless_empty("trace_nodes", report.trace_nodes);
  keys.unless_empty("neighbours", report.neighbours);
  if (report.neighbours.empty()) return;
  keys.derived("slowest_job_s", [&] { return Json(slowest_job_s(report)); });
  keys.derived("mean_job_s", [&] { return Json(mean_job_s(report)); });
}

}  // namespace ringscope::shape
