// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/answer/explain/explain.hpp"
#include "scenarios/answer/explain/what_if.hpp"
#include "scenarios/answer/formats/report_formats.hpp"
#include "scenarios/answer/text/report_text.hpp"

namespace ringscope {
namespace {

std::string_view name_of(Cause cause) { return cause_names[cause]; }

Json blamed_json(const Blamed& one) {
  return {{"blame", name_of(one.blame)},
          {"cause", name_of(one.segment.cause)},
          {"rank", one.segment.rank < 0 ? Json() : Json(one.segment.rank)},
          {"resource", one.segment.resource.empty() ? Json() : Json(one.segment.resource.name())}};
}

Json chain_segments(const PathChain& chain) {
  Json list = Json::array();
  for (const ChainSegment& one : chain.segments) {
    Json json = blamed_json(blamed(one));
    json["start_s"] = one.start_s;
    json["seconds"] = one.segment.seconds;
    list.push_back(json);
  }
  return list;
}

Json one_explanation(const Report& report) {
  Json rows = Json::array();
  for (const Blamed& one : blames(report)) {
    Json json = blamed_json(one);
    json["seconds"] = one.segment.seconds;
    json["words"] = blame_text(one);
    rows.push_back(json);
  }
  return {{"name", report.name},
          {"time_s", report.time_s},
          {"reason", reason(report)},
          {"blames", rows},
          {"places_complete", !report.path_reduced},
          {"chain_begin_s", report.chain ? Json(report.chain->begin_s) : Json()},
          {"chain", report.chain ? chain_segments(*report.chain) : Json::array()}};
}

Json one_difference(const Report& first, const Report& other) {
  const std::vector<std::string> names = {first.name, other.name};
  Json rows = Json::array();
  for (const BlameDifference& one : blame_differences(first, other)) {
    Json json = blamed_json(one.blamed);
    json["words"] = blame_text(one.blamed);
    json["first_s"] = one.first_s;
    json["other_s"] = one.other_s;
    json["difference_s"] = one.seconds();
    rows.push_back(json);
  }
  return {{"first", first.name},
          {"other", other.name},
          {"difference_s", other.time_s - first.time_s},
          {"reason", difference_reason(first, other, names)},
          {"rows", rows}};
}

}  // namespace

Json explanation(std::span<const Report> reports) {
  Json cases = Json::array(), differences = Json::array();
  const Report* first = nullptr;
  for (const Report& report : reports) {
    if (report.deadlock) continue;
    cases.push_back(one_explanation(report));
    if (first != nullptr)
      differences.push_back(one_difference(*first, report));
    else
      first = &report;
  }
  Json json = {
      {"schema", 1}, {"version", version()}, {"cases", cases}, {"differences", differences}};
  add_stuck(reports, json);
  return json;
}

Json gains_json(const Report& report, const std::vector<Gain>& gains) {
  constexpr Array<const char*, 3> kinds = {"resource", "latency", "overhead"};
  Json list = Json::array(), stuck = Json::array();
  for (const Gain& gain : gains) {
    Json one = {{"kind", kinds[gain.candidate.kind]},
                {"what", gain.candidate.name()},
                {"on_path_s", gain.candidate.on_path_s}};
    if (gain.with.deadlock) {
      one["deadlock"] = to_json(gain.with).at("deadlock");
      stuck.push_back(one);
      continue;
    }
    one["time_s"] = gain.with.time_s;
    one["gain_s"] = report.time_s - gain.with.time_s;
    list.push_back(one);
  }
  Json json = {{"name", report.name}, {"time_s", report.time_s}, {"gains", list}};
  if (!stuck.empty()) json["stuck"] = stuck;
  return json;
}

}  // namespace ringscope
