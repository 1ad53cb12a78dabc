// The keys of each part of a report, once for writing and for reading, in their order in the file.
//
// Shape<T>::visit(keys, record) names the fields of a T. A visitor has
//   keys(key, field)               a field that is always there
//   keys.unless_empty(key, field)  a list, or an optional, left out while it holds nothing
//   keys.derived(key, make)        written as make() says and not read: it follows from the others
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "scenarios/answer/formats/report_formats.hpp"

namespace ringscope::shape {

template <class Record>
struct Shape;

template <>
struct Shape<RankReport> {
  static void visit(auto& keys, auto& rank) {
    keys("rank", rank.rank);
    keys("host", rank.host);
    keys("numa", rank.numa);
    keys("finish_s", rank.finish_s);
    keys.named("seconds", activity_names, rank.seconds, false);
    keys.named("waited_for_s", cause_names, rank.waited_for, true);
  }
};

template <>
struct Shape<PhaseReport> {
  static void visit(auto& keys, auto& phase) {
    keys("name", phase.name);
    keys("start_s", phase.start_s);
    keys("end_s", phase.end_s);
  }
};

template <>
struct Shape<ResourceReport> {
  static void visit(auto& keys, auto& resource) {
    keys("name", resource.name);
    keys("kind", resource.kind);
    keys("utilisation", resource.utilisation);
  }
};

template <>
struct Shape<PathPiece> {
  static void visit(auto& keys, auto& segment) {
    keys("cause", segment.cause);
    keys.or_null("rank", segment.rank, -1);
    keys.or_null("resource", segment.resource, std::string());
    keys("seconds", segment.seconds);
  }
};

template <>
struct Shape<std::pair<double, std::size_t>> {
  static void visit(auto& keys, auto& observed) {
    keys("value", observed.first);
    keys("count", observed.second);
  }
};

template <>
struct Shape<Observation> {
  static void visit(auto& keys, auto& one) {
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
};

template <>
struct Shape<NeighbourReport> {
  static void visit(auto& keys, auto& one) {
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
};

template <>
struct Shape<Deadlock::Wait> {
  static void visit(auto& keys, auto& wait) {
    keys("rank", wait.rank);
    keys("text", wait.text);
    keys("for_ranks", wait.peers);
  }
};

template <>
struct Shape<Deadlock> {
  static void visit(auto& keys, auto& deadlock) {
    keys("text", deadlock.text);
    keys("waits", deadlock.waits);
    keys("cycle", deadlock.cycle);
  }
};

template <>
struct Shape<TrainingReport> {
  static void visit(auto& keys, auto& training) {
    keys("model", training.model);
    keys("devices", training.devices);
    keys("batch", training.batch);
    keys("steps", training.steps);
    keys("one_device_s", training.one_device_s);
    keys("step_s", training.step_s);
    keys("input_s", training.input_s);
    keys("compute_s", training.compute_s);
    keys("exposed_s", training.exposed_s);
    keys("update_s", training.update_s);
    keys("records_per_s", training.records_per_s);
    keys("efficiency", training.efficiency);
    keys("epochs", training.epochs);
  }
};

/// Time and messages of steps that were not simulated.
struct Skipped {
  double seconds = 0;
  std::uint64_t messages = 0;
};

template <>
struct Shape<Skipped> {
  static void visit(auto& keys, auto& skipped) {
    keys("seconds", skipped.seconds);
    keys("messages", skipped.messages);
  }
};

template <>
struct Shape<Report> {
  static void visit(auto& keys, auto& report) {
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
    keys("algbw", report.algbw);
    keys("busbw", report.busbw);
    keys("messages", report.messages);
    keys("bytes_on_wire", report.bytes_on_wire);
    keys("bytes_between_hosts", report.bytes_between_hosts);
    keys("ranks", report.rank_reports);
    keys("phases", report.phases);
    keys("resources", report.resources);
    keys("critical_path", report.path);
    keys("kernel", report.kernel);
    keys.derived("version", [] { return Json(version()); });
    keys("wall_s", report.wall_s);
    keys("peak_rss_bytes", report.peak_rss_bytes);
    keys.unless_empty("deadlock", report.deadlock);
    visit_skipped(keys, report);
    keys.unless_empty("warnings", report.warnings);
    keys.unless_empty("observations", report.observations);
    keys.unless_empty("training", report.training);
    keys.unless_empty("neighbours", report.neighbours);
    if (report.neighbours.empty()) return;
    keys.derived("slowest_job_s", [&] { return Json(slowest_job_s(report)); });
    keys.derived("mean_job_s", [&] { return Json(mean_job_s(report)); });
  }

 private:
  static Json question_of(const Value& resolved) {
    const Value* question =
        resolved.kind() == Value::Kind::map ? resolved.find("question") : nullptr;
    return question ? to_json(*question) : Json();
  }

  static void visit_skipped(auto& keys, auto& report) {
    std::optional<Skipped> skipped;
    if (report.skipped_messages > 0) skipped = {report.skipped_s, report.skipped_messages};
    keys.unless_empty("skipped", skipped);
    if constexpr (!std::is_const_v<std::remove_reference_t<decltype(report)>>)
      if (skipped)
        std::tie(report.skipped_s, report.skipped_messages) =
            std::pair(skipped->seconds, skipped->messages);
  }
};

template <class Record>
concept Shaped = requires {
  sizeof(Shape<Record>);
};

/// Makes a JSON object of a record.
class Writer {
 public:
  template <class Field>
  void operator()(const char* key, const Field& field) {
    json_[key] = written(field);
  }
  template <class Field>
  void or_null(const char* key, const Field& field, const Field& none) {
    json_[key] = field == none ? Json() : Json(field);
  }
  template <class Names, class Values>
  void named(const char* key, const Names& names, const Values& values, bool only_nonzero) {
    Json map = Json::object();
    for (std::size_t i = 0; i < names.size(); ++i)
      if (!only_nonzero || values[i] != 0) map[std::string(names[i])] = values[i];
    json_[key] = std::move(map);
  }
  template <class Item>
  void unless_empty(const char* key, const std::vector<Item>& list) {
    if (!list.empty()) json_[key] = written(list);
  }
  template <class Record>
  void unless_empty(const char* key, const std::optional<Record>& record) {
    if (record) json_[key] = written(*record);
  }
  void derived(const char* key, auto make) { json_[key] = make(); }

  template <class Field>
  static Json written(const Field& field) {
    if constexpr (Shaped<Field>) {
      Writer writer;
      Shape<Field>::visit(writer, field);
      return std::move(writer.json_);
    } else if constexpr (std::is_same_v<Field, Cause>) {
      return cause_names[static_cast<std::size_t>(field)];
    } else if constexpr (std::is_same_v<Field, Value>) {
      return to_json(field);
    } else {
      return field;
    }
  }
  template <class Item>
  static Json written(const std::vector<Item>& list) {
    Json json = Json::array();
    for (const Item& item : list) json.push_back(written(item));
    return json;
  }

 private:
  Json json_ = Json::object();
};

/// Reads a record from a JSON object; throws a std::exception for anything that a Writer does not
/// make.
class Reader {
 public:
  explicit Reader(const Json& json) : json_(&json) {}
  template <class Field>
  void operator()(const char* key, Field& field) {
    read(json_->at(key), field);
  }
  template <class Field>
  void or_null(const char* key, Field& field, const Field& none) {
    const Json& json = json_->at(key);
    field = json.is_null() ? none : json.get<Field>();
  }
  template <class Names, class Values>
  void named(const char* key, const Names& names, Values& values, bool /*only_nonzero*/) {
    const Json& map = json_->at(key);
    for (std::size_t i = 0; i < names.size(); ++i)
      values[i] = map.value(std::string(names[i]), 0.0);
  }
  template <class Field>
  void unless_empty(const char* key, Field& field) {
    if (json_->contains(key)) read(json_->at(key), field);
  }
  void derived(const char* /*key*/, const auto& /*make*/) {}

  template <class Field>
  static void read(const Json& json, Field& field) {
    if constexpr (Shaped<Field>) {
      Reader reader(json);
      Shape<Field>::visit(reader, field);
    } else if constexpr (std::is_same_v<Field, Cause>) {
      const auto found = std::ranges::find(cause_names, json.get_ref<const std::string&>());
      if (found == cause_names.end()) throw std::invalid_argument("unknown cause " + json.dump());
      field = static_cast<Cause>(found - cause_names.begin());
    } else if constexpr (std::is_same_v<Field, Value>) {
      // JSON is YAML: the scenario reads back with the reader that scenarios have.
      field = Value::from_text("a report's scenario", json.dump());
    } else {
      field = json.get<Field>();
    }
  }
  template <class Item>
  static void read(const Json& json, std::vector<Item>& list) {
    list.clear();
    for (const Json& item : json) read(item, list.emplace_back());
  }
  template <class Record>
  static void read(const Json& json, std::optional<Record>& record) {
    read(json, record.emplace());
  }

 private:
  const Json* json_;
};

}  // namespace ringscope::shape
