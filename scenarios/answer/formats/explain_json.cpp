// SPDX-License-Identifier: LGPL-2.1-or-later
#include <memory>

#include "scenarios/answer/explain/explain.hpp"
#include "scenarios/answer/formats/record_json.hpp"
#include "scenarios/answer/formats/report_formats.hpp"
#include "scenarios/answer/path_chain.hpp"
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

Json packed(const ChainSegment& one) {
  return Json::array({static_cast<int>(one.segment.cause), one.segment.rank,
                      one.segment.resource.name(), one.segment.seconds, one.start_s,
                      one.waited ? static_cast<int>(*one.waited) : -1});
}

ChainSegment segment_from(const Json& json) {
  ChainSegment one;
  one.segment = {static_cast<Cause>(json.at(0).get<int>()), json.at(1),
                 ResourceId::of_name(json.at(2)), json.at(3)};
  one.start_s = json.at(4);
  if (const int waited = json.at(5); waited >= 0) one.waited = static_cast<Cause>(waited);
  return one;
}

Json packed(const MessageSpan& one) {
  return Json::array({one.from, one.to, one.bytes, one.between_hosts, one.start_s, one.end_s,
                      one.sender_core, one.receiver_core});
}

MessageSpan message_from(const Json& json) {
  return {json.at(0), json.at(1), json.at(2), json.at(3),
          json.at(4), json.at(5), json.at(6), json.at(7)};
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

Json chain_to_json(const PathChain* chain) {
  if (chain == nullptr) return {};
  Json segments = Json::array(), messages = Json::array(), resources = Json::array();
  for (const ChainSegment& one : chain->segments) segments.push_back(packed(one));
  for (const MessageSpan& one : chain->messages) messages.push_back(packed(one));
  for (const ResourceReport& one : chain->resources)
    resources.push_back(
        Json::array({one.id.name(), shape::Writer::written(one.kind), one.utilisation}));
  return Json::array({chain->begin_s, segments, messages, resources});
}

std::shared_ptr<const PathChain> chain_from_json(const Json& json) {
  if (json.is_null()) return nullptr;
  auto chain = std::make_shared<PathChain>();
  chain->begin_s = json.at(0);
  for (const Json& one : json.at(1)) chain->segments.push_back(segment_from(one));
  for (const Json& one : json.at(2)) chain->messages.push_back(message_from(one));
  for (const Json& one : json.at(3)) {
    ResourceReport& resource = chain->resources.emplace_back();
    shape::Reader::read(one.at(0), resource.id);
    shape::Reader::read(one.at(1), resource.kind);
    shape::Reader::read(one.at(2), resource.utilisation);
  }
  return chain;
}

}  // namespace ringscope
