#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "scenarios/answer/formats/report_formats.hpp"
#include "scenarios/answer/text/report_text.hpp"

namespace ringscope {
namespace {

/// Names and values side by side, in the order of the names.
template <class Names, class Values>
Json named(const Names& names, const Values& values, bool only_nonzero) {
  Json map = Json::object();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!only_nonzero || values[i] != 0) map[std::string(names[i])] = values[i];
  }
  return map;
}

Json null_if_none(int number) { return number < 0 ? Json() : Json(number); }

Json ranks_json(const Report& report) {
  Json list = Json::array();
  for (const RankReport& rank : report.rank_reports) {
    list.push_back({{"rank", rank.rank},
                    {"host", rank.host},
                    {"numa", rank.numa},
                    {"finish_s", rank.finish_s},
                    {"seconds", named(activity_names, rank.seconds, false)},
                    {"waited_for_s", named(cause_names, rank.waited_for, true)}});
  }
  return list;
}

Json phases_json(const Report& report) {
  Json list = Json::array();
  for (const PhaseReport& phase : report.phases) {
    list.push_back({{"name", phase.name}, {"start_s", phase.start_s}, {"end_s", phase.end_s}});
  }
  return list;
}

Json resources_json(const Report& report) {
  Json list = Json::array();
  for (const ResourceReport& resource : report.resources) {
    list.push_back(
        {{"name", resource.name}, {"kind", resource.kind}, {"utilisation", resource.utilisation}});
  }
  return list;
}

Json path_json(const Report& report) {
  Json list = Json::array();
  for (const PathPiece& piece : report.path) {
    list.push_back({{"cause", cause_names[static_cast<std::size_t>(piece.cause)]},
                    {"rank", null_if_none(piece.rank)},
                    {"resource", piece.resource.empty() ? Json() : Json(piece.resource)},
                    {"seconds", piece.seconds}});
  }
  return list;
}

Json observations_json(const Report& report) {
  Json list = Json::array();
  for (const Observation& one : report.observations) {
    Json values = Json::array();
    for (const auto& [value, count] : one.values)
      values.push_back({{"value", value}, {"count", count}});
    list.push_back({{"what", one.what},
                    {"count", one.count},
                    {"mean", one.mean},
                    {"least", one.least},
                    {"median", one.median},
                    {"p90", one.p90},
                    {"most", one.most},
                    {"median_interval_s", one.median_interval_s},
                    {"p90_interval_s", one.p90_interval_s},
                    {"values", values}});
  }
  return list;
}

Json neighbours_json(const Report& report) {
  Json list = Json::array();
  for (const NeighbourReport& one : report.neighbours)
    list.push_back({{"name", one.name},
                    {"collective", one.collective},
                    {"algorithm", one.algorithm},
                    {"placement", one.placement},
                    {"ranks_count", one.ranks},
                    {"bytes", one.bytes},
                    {"rounds", one.rounds},
                    {"time_s", one.time_s},
                    {"end_s", one.end_s}});
  return list;
}

Json deadlock_json(const Deadlock& deadlock) {
  Json waits = Json::array();
  for (const Deadlock::Wait& wait : deadlock.waits)
    waits.push_back({{"rank", wait.rank}, {"text", wait.text}, {"for_ranks", wait.peers}});
  return {{"text", deadlock.text}, {"waits", waits}, {"cycle", deadlock.cycle}};
}

Json question_of(const Report& report) {
  const Value* question =
      report.resolved.kind() == Value::Kind::map ? report.resolved.find("question") : nullptr;
  return question ? to_json(*question) : Json();
}

}  // namespace

std::string_view version() { return RINGSCOPE_VERSION; }

Json to_json(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::null:
      return {};
    case Value::Kind::scalar: {
      const std::string& text = value.scalar();
      std::int64_t number = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
      const bool whole = error == std::errc() && std::to_string(number) == text;
      return whole ? Json(number) : Json(text);
    }
    case Value::Kind::list: {
      Json list = Json::array();
      for (const Value& item : value.items()) list.push_back(to_json(item));
      return list;
    }
    case Value::Kind::map: {
      Json map = Json::object();
      for (const Value::Entry& entry : value.entries()) map[entry.key] = to_json(entry.value);
      return map;
    }
  }
  throw std::logic_error("a value of no kind");
}

Json to_json(const TrainingReport& training) {
  return {{"model", training.model},
          {"devices", training.devices},
          {"batch", training.batch},
          {"steps", training.steps},
          {"one_device_s", training.one_device_s},
          {"step_s", training.step_s},
          {"input_s", training.input_s},
          {"compute_s", training.compute_s},
          {"exposed_s", training.exposed_s},
          {"update_s", training.update_s},
          {"records_per_s", training.records_per_s},
          {"efficiency", training.efficiency},
          {"epochs", training.epochs}};
}

Json to_json(const Report& report) {
  Json json = {{"name", report.name},
               {"question", question_of(report)},
               {"scenario", to_json(report.resolved)},
               {"collective", report.collective},
               {"algorithm", report.algorithm},
               {"chosen", report.chosen},
               {"cluster", report.cluster},
               {"library", report.library},
               {"placement", report.placement},
               {"ranks_count", report.ranks},
               {"bytes", report.bytes},
               {"seed", report.seed},
               {"time_s", report.time_s},
               {"times_s", report.times_s},
               {"algbw", report.algbw},
               {"busbw", report.busbw},
               {"messages", report.messages},
               {"bytes_on_wire", report.bytes_on_wire},
               {"bytes_between_hosts", report.bytes_between_hosts},
               {"ranks", ranks_json(report)},
               {"phases", phases_json(report)},
               {"resources", resources_json(report)},
               {"critical_path", path_json(report)},
               {"kernel", report.kernel},
               {"version", version()},
               {"wall_s", report.wall_s},
               {"peak_rss_bytes", report.peak_rss_bytes}};
  if (report.deadlock) json["deadlock"] = deadlock_json(*report.deadlock);
  if (report.skipped_messages > 0)
    json["skipped"] = {{"seconds", report.skipped_s}, {"messages", report.skipped_messages}};
  if (!report.warnings.empty()) json["warnings"] = report.warnings;
  if (!report.observations.empty()) json["observations"] = observations_json(report);
  if (report.training) json["training"] = to_json(*report.training);
  if (!report.neighbours.empty()) {
    json["neighbours"] = neighbours_json(report);
    json["slowest_job_s"] = slowest_job_s(report);
    json["mean_job_s"] = mean_job_s(report);
  }
  return json;
}

Json document(std::span<const Report> reports) {
  Json cases = Json::array(), stuck = Json::array();
  for (const Report& report : reports) (report.deadlock ? stuck : cases).push_back(to_json(report));
  Json json = {{"schema", 1}, {"version", version()}, {"cases", cases}};
  if (!stuck.empty()) json["stuck"] = stuck;
  return json;
}

Json differences_json(const Report& first, const Report& other) {
  Json causes = Json::array();
  for (const Difference& one : differences(first, other))
    causes.push_back({{"spent_on", one.spent_on},
                      {"first_s", one.first_s},
                      {"other_s", one.other_s},
                      {"difference_s", one.seconds()}});
  return causes;
}

Json comparison(std::span<const Report> reports) {
  Json result = document(reports);
  result["differences"] = Json::array();
  for (std::size_t i = 1; i < reports.size(); ++i) {
    result["differences"].push_back({{"first", reports[0].name},
                                     {"other", reports[i].name},
                                     {"causes", differences_json(reports[0], reports[i])}});
  }
  return result;
}

Json spans_to_json(std::span<const Span> spans) {
  Json list = Json::array();
  for (const Span& span : spans) {
    list.push_back(
        Json::array({span.rank, static_cast<int>(span.activity), span.phase, span.step, span.peer,
                     span.start_s, span.end_s, span.cause ? static_cast<int>(*span.cause) : -1}));
  }
  return list;
}

}  // namespace ringscope
