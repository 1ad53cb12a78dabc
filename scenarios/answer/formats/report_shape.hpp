// SPDX-License-Identifier: LGPL-2.1-or-later
// The keys of each part of a report, once for writing and for reading, in their order in the file.
#pragma once

#include <boost/preprocessor/seq/for_each.hpp>
#include <boost/preprocessor/stringize.hpp>
#include <boost/preprocessor/variadic/to_seq.hpp>
#include <optional>
#include <tuple>
#include <type_traits>

#include "scenarios/answer/formats/record_json.hpp"

namespace ringscope::shape {

// Members of a record whose keys are their names.
#define FIELD(unused, record, member) keys(BOOST_PP_STRINGIZE(member), record.member);
#define FIELD_UNLESS_EMPTY(unused, record, member) \
  keys.unless_empty(BOOST_PP_STRINGIZE(member), record.member);
#define FIELDS(record, ...) \
  BOOST_PP_SEQ_FOR_EACH(FIELD, record, BOOST_PP_VARIADIC_TO_SEQ(__VA_ARGS__))
#define FIELDS_UNLESS_EMPTY(record, ...) \
  BOOST_PP_SEQ_FOR_EACH(FIELD_UNLESS_EMPTY, record, BOOST_PP_VARIADIC_TO_SEQ(__VA_ARGS__))

void name_fields(auto& keys, Is<RankReport> auto& rank) {
  FIELDS(rank, rank, host, numa, finish_s);
  keys.named("seconds", activity_names, rank.seconds, false);
  keys.named("waited_for_s", cause_names, rank.waited_for, true);
  keys.unless_empty("groups", rank.groups);
}

void name_fields(auto& keys, Is<GroupReport> auto& group) {
  FIELDS(group, name, time_s, partner_s);
}

void name_fields(auto& keys, Is<StreamReport::Spent> auto& spent) {
  FIELDS(spent, on, mean_s, least_s, most_s);
}

void name_fields(auto& keys, Is<SampleReport> auto& sample) { FIELDS(sample, name, percent); }

void name_fields(auto& keys, Is<StreamReport> auto& stream) {
  keys("name", stream.name);
  keys("ranks_count", stream.ranks);
  keys("spent", stream.spent);
}

void name_fields(auto& keys, Is<NodeCount> auto& nodes) { FIELDS(nodes, kind, as, count, ignored); }

void name_fields(auto& keys, Is<HostWork> auto& host) {
  FIELDS(host, overhead_s, logging_s, collection_s, checkpoint_s);
}

void name_fields(auto& keys, Is<StageMemory> auto& memory) {
  keys("stage", memory.stage);
  keys("parameters_bytes", memory.parameters);
  keys("gradients_bytes", memory.gradients);
  keys("optimiser_bytes", memory.optimiser);
  keys("activations_bytes", memory.activations);
}

void name_fields(auto& keys, Is<PhaseReport> auto& phase) { FIELDS(phase, name, start_s, end_s); }

void name_fields(auto& keys, Is<ResourceReport> auto& resource) {
  keys("name", resource.id);
  FIELDS(resource, kind, utilisation);
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
  FIELDS(one, what, count, mean, least, median, p90, most, median_interval_s, p90_interval_s,
         values);
}

void name_fields(auto& keys, Is<NeighbourReport> auto& one) {
  FIELDS(one, name, collective, algorithm, placement);
  keys("ranks_count", one.ranks);
  FIELDS(one, bytes, rounds, time_s, end_s);
}

void name_fields(auto& keys, Is<Deadlock::Wait> auto& wait) {
  FIELDS(wait, rank, text);
  keys("for_ranks", wait.peers);
}

void name_fields(auto& keys, Is<Deadlock> auto& deadlock) { FIELDS(deadlock, text, waits, cycle); }

void name_fields(auto& keys, Is<TrainingReport> auto& training) {
  FIELDS(training, model, devices, batch, replica, steps, one_device_s, step_s, forward_backward_s,
         busy_s, exposed_s);
  keys("exposed_tp_s", training.exposed.tp);
  keys("exposed_cp_s", training.exposed.cp);
  keys("exposed_ep_s", training.exposed.ep);
  keys("exposed_pp_s", training.exposed.pp);
  keys("exposed_dp_s", training.exposed.dp);
  FIELDS(training, bubble_s, input_s, other_s, records_per_s, efficiency, epochs, epoch_s);
  FIELDS_UNLESS_EMPTY(training, groups, memory, startup_s, all_epochs, training_s, slowest_s, host);
}

/// Parts of a run that were not simulated: time and messages of steps, and whole repetitions.
struct Skipped {
  double seconds = 0;
  std::uint64_t messages = 0;
  std::size_t repetitions = 0;
};

void name_fields(auto& keys, Is<Skipped> auto& skipped) {
  FIELDS(skipped, seconds, messages);
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
  FIELDS(folded, uneven, why_not);
}

void name_fields(auto& keys, Is<TimeRange> auto& range) { FIELDS(range, low_s, high_s); }

inline Json question_of(const Value& resolved) {
  const Value* question = resolved.kind() == Value::Kind::map ? resolved.find("question") : nullptr;
  return question ? to_json(*question) : Json();
}

/// A record of its own for three members of a report, where `there`.
template <typename Part>
void name_part(auto& keys, const char* key, bool there, auto&... members) {
  std::optional<Part> part;
  if (there) part = Part{members...};
  keys.unless_empty(key, part);
  if constexpr (!(std::is_const_v<std::remove_reference_t<decltype(members)>> || ...))
    if (part) {
      const auto& [one, two, three] = *part;
      std::tie(members...) = std::tie(one, two, three);
    }
}

void name_fields(auto& keys, Is<Report> auto& report) {
  keys("name", report.name);
  keys.derived("question", [&] { return question_of(report.resolved); });
  keys("scenario", report.resolved);
  FIELDS(report, collective, algorithm, chosen, cluster, library, placement);
  keys("ranks_count", report.ranks);
  FIELDS(report, bytes, seed, time_s, times_s);
  keys.unless_empty("likely", report.likely);
  FIELDS(report, algbw, busbw, messages, bytes_on_wire, bytes_between_hosts);
  keys.unless_empty("file_bytes_between_hosts", report.file_bytes_between_hosts);
  keys("ranks", report.rank_reports);
  FIELDS(report, phases, resources);
  keys("critical_path", report.path);
  keys("kernel", report.kernel);
  keys.derived("version", [] { return Json(version()); });
  FIELDS(report, wall_s, peak_rss_bytes);
  keys.unless_empty("deadlock", report.deadlock);
  name_part<Skipped>(keys, "skipped", report.skipped_messages > 0 || report.skipped_repetitions > 0,
                     report.skipped_s, report.skipped_messages, report.skipped_repetitions);
  keys.unless_empty("tolerance", report.tolerance);
  name_part<Folded>(keys, "folded", report.simulated_ranks > 0 || !report.not_folded.empty(),
                    report.simulated_ranks, report.uneven, report.not_folded);
  keys.unless_empty("warnings", report.warnings);
  FIELDS_UNLESS_EMPTY(report, observations, training, streams, samples, trace_nodes, neighbours);
  if (report.neighbours.empty()) return;
  keys.derived("slowest_job_s", [&] { return Json(slowest_job_s(report)); });
  keys.derived("mean_job_s", [&] { return Json(mean_job_s(report)); });
}

#undef FIELDS_UNLESS_EMPTY
#undef FIELDS
#undef FIELD_UNLESS_EMPTY
#undef FIELD

}  // namespace ringscope::shape
