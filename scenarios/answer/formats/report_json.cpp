// SPDX-License-Identifier: LGPL-2.1-or-later
#include <charconv>
#include <stdexcept>

#include "scenarios/answer/formats/report_formats.hpp"
#include "scenarios/answer/formats/report_shape.hpp"
#include "scenarios/answer/text/report_text.hpp"

namespace ringscope {

std::string_view version() { return RINGSCOPE_VERSION; }

std::string json_text(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

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

Json to_json(const Report& report) { return shape::Writer::written(report); }
Json to_json(const TrainingReport& training) { return shape::Writer::written(training); }

Report report_from_json(const Json& json) {
  Report report;
  shape::Reader::read(json, report);
  return report;
}

Json document(std::span<const Report> reports) {
  Json cases = Json::array(), stuck = Json::array();
  for (const Report& report : reports) (report.deadlock ? stuck : cases).push_back(to_json(report));
  Json json = {{"schema", 1}, {"version", version()}, {"cases", cases}};
  if (!stuck.empty()) json["stuck"] = stuck;
  return json;
}

void add_stuck(std::span<const Report> reports, Json& document) {
  for (const Report& report : reports)
    if (report.deadlock)
      document["stuck"].push_back(
          {{"name", report.name}, {"deadlock", to_json(report).at("deadlock")}});
}

Json differences_json(const Report& first, const Report& other) {
  Json causes = Json::array();
  for (const Difference& one : differences(first, other))
    causes.push_back({{"spent_on", one.spent_on},
                      {"cause", one.cause},
                      {"first_s", one.first_s},
                      {"other_s", one.other_s},
                      {"difference_s", one.seconds()}});
  return causes;
}

Json comparison(std::span<const Report> reports) {
  Json result = document(reports);
  result["differences"] = Json::array();
  const Report* first = nullptr;
  for (const Report& report : reports) {
    if (report.deadlock) continue;
    if (first != nullptr) {
      Json& one =
          result["differences"].emplace_back(Json{{"first", first->name},
                                                  {"other", report.name},
                                                  {"causes", differences_json(*first, report)}});
      if (const std::string open = open_order(*first, report); !open.empty())
        one["open_order"] = open;
    } else
      first = &report;
  }
  return result;
}

Json spans_to_json(std::span<const Span> spans) {
  Json list = Json::array();
  for (const Span& span : spans) {
    list.push_back(Json::array({span.rank, static_cast<int>(span.activity), span.phase, span.step,
                                span.peer, span.start_s, span.end_s,
                                span.cause ? static_cast<int>(*span.cause) : -1, span.stream}));
  }
  return list;
}

std::vector<Span> spans_from_json(const Json& json) {
  std::vector<Span> spans;
  spans.reserve(json.size());
  for (const Json& span : json) {
    spans.push_back({span.at(0), static_cast<RankActivity>(span.at(1).get<int>()), span.at(2),
                     span.at(3), span.at(4), span.at(5), span.at(6), std::nullopt, span.at(8)});
    if (const int cause = span.at(7); cause >= 0) spans.back().cause = static_cast<Cause>(cause);
  }
  return spans;
}

}  // namespace ringscope
