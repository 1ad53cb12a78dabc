#include <algorithm>
#include <stdexcept>

#include "scenarios/answer/formats/report_formats.hpp"

namespace ringscope {
namespace {

template <class Names, class Values>
void read_named(const Names& names, const Json& map, Values& values) {
  for (std::size_t i = 0; i < names.size(); ++i) values[i] = map.value(std::string(names[i]), 0.0);
}

Cause cause_of(const Json& name) {
  const auto found =
      std::find(cause_names.begin(), cause_names.end(), name.get_ref<const std::string&>());
  if (found == cause_names.end()) throw std::invalid_argument("unknown cause " + name.dump());
  return static_cast<Cause>(found - cause_names.begin());
}

RankReport rank_of(const Json& json) {
  RankReport rank;
  rank.rank = json.at("rank");
  rank.host = json.at("host");
  rank.numa = json.at("numa");
  rank.finish_s = json.at("finish_s");
  read_named(activity_names, json.at("seconds"), rank.seconds);
  read_named(cause_names, json.at("waited_for_s"), rank.waited_for);
  return rank;
}

PathPiece piece_of(const Json& json) {
  PathPiece piece;
  piece.cause = cause_of(json.at("cause"));
  if (!json.at("rank").is_null()) piece.rank = json.at("rank");
  if (!json.at("resource").is_null()) piece.resource = json.at("resource");
  piece.seconds = json.at("seconds");
  return piece;
}

Observation observation_of(const Json& json) {
  Observation one;
  one.what = json.at("what");
  one.count = json.at("count");
  one.mean = json.at("mean");
  one.least = json.at("least");
  one.median = json.at("median");
  one.p90 = json.at("p90");
  one.most = json.at("most");
  one.median_interval_s = json.at("median_interval_s");
  one.p90_interval_s = json.at("p90_interval_s");
  for (const Json& value : json.at("values"))
    one.values.emplace_back(value.at("value"), value.at("count"));
  return one;
}

NeighbourReport neighbour_of(const Json& json) {
  NeighbourReport one;
  one.name = json.at("name");
  one.collective = json.at("collective");
  one.algorithm = json.at("algorithm");
  one.placement = json.at("placement");
  one.ranks = json.at("ranks_count");
  one.bytes = json.at("bytes");
  one.rounds = json.at("rounds");
  one.time_s = json.at("time_s");
  one.end_s = json.at("end_s");
  return one;
}

Deadlock deadlock_of(const Json& json) {
  Deadlock deadlock;
  deadlock.text = json.at("text");
  for (const Json& wait : json.at("waits"))
    deadlock.waits.push_back(
        {wait.at("rank"), wait.at("text"), wait.at("for_ranks").get<std::vector<int>>()});
  deadlock.cycle = json.at("cycle").get<std::vector<int>>();
  return deadlock;
}

TrainingReport training_of(const Json& json) {
  TrainingReport training;
  training.model = json.at("model");
  training.devices = json.at("devices");
  training.batch = json.at("batch");
  training.steps = json.at("steps");
  training.one_device_s = json.at("one_device_s");
  training.step_s = json.at("step_s");
  training.input_s = json.at("input_s");
  training.compute_s = json.at("compute_s");
  training.exposed_s = json.at("exposed_s");
  training.update_s = json.at("update_s");
  training.records_per_s = json.at("records_per_s");
  training.efficiency = json.at("efficiency");
  training.epochs = json.at("epochs");
  return training;
}

void read_parts(const Json& json, Report& report) {
  for (const Json& rank : json.at("ranks")) report.rank_reports.push_back(rank_of(rank));
  for (const Json& phase : json.at("phases")) {
    report.phases.push_back({phase.at("name"), phase.at("start_s"), phase.at("end_s")});
  }
  for (const Json& resource : json.at("resources")) {
    report.resources.push_back(
        {resource.at("name"), resource.at("kind"), resource.at("utilisation")});
  }
  for (const Json& one : json.value("observations", Json::array()))
    report.observations.push_back(observation_of(one));
  if (json.contains("deadlock")) report.deadlock = deadlock_of(json.at("deadlock"));
  if (json.contains("training")) report.training = training_of(json.at("training"));
  for (const Json& one : json.value("neighbours", Json::array()))
    report.neighbours.push_back(neighbour_of(one));
  for (const Json& piece : json.at("critical_path")) report.path.push_back(piece_of(piece));
}

}  // namespace

Report report_from_json(const Json& json) {
  Report report;
  report.name = json.at("name");
  report.collective = json.at("collective");
  report.algorithm = json.at("algorithm");
  report.chosen = json.at("chosen");
  report.placement = json.at("placement");
  report.library = json.at("library");
  report.cluster = json.at("cluster");
  report.ranks = json.at("ranks_count");
  report.bytes = json.at("bytes");
  report.seed = json.at("seed");
  report.time_s = json.at("time_s");
  report.times_s = json.at("times_s").get<std::vector<double>>();
  report.algbw = json.at("algbw");
  report.busbw = json.at("busbw");
  report.messages = json.at("messages");
  report.bytes_on_wire = json.at("bytes_on_wire");
  report.bytes_between_hosts = json.at("bytes_between_hosts");
  read_parts(json, report);
  if (const auto skipped = json.find("skipped"); skipped != json.end()) {
    report.skipped_s = skipped->at("seconds");
    report.skipped_messages = skipped->at("messages");
  }
  report.kernel = json.at("kernel");
  report.wall_s = json.at("wall_s");
  report.peak_rss_bytes = json.at("peak_rss_bytes");
  // JSON is YAML: the scenario reads back with the reader that scenarios have.
  report.resolved = Value::from_text("the report of " + report.name, json.at("scenario").dump());
  return report;
}

std::vector<Span> spans_from_json(const Json& json) {
  std::vector<Span> spans;
  spans.reserve(json.size());
  for (const Json& span : json) {
    spans.push_back({span.at(0), static_cast<Activity>(span.at(1).get<int>()), span.at(2),
                     span.at(3), span.at(4), span.at(5), span.at(6), std::nullopt});
    if (const int cause = span.at(7); cause >= 0) spans.back().cause = static_cast<Cause>(cause);
  }
  return spans;
}

}  // namespace ringscope
