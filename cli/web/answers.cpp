// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/web/answers.hpp"

#include <fmt/format.h>

#include <new>
#include <stdexcept>

#include "algorithms/catalogue.hpp"
#include "cli/lesson/lesson_data.hpp"
#include "cli/web/runs.hpp"
#include "scenarios/answer/explain/what_if.hpp"
#include "scenarios/answer/text/report_text.hpp"
#include "sim/session/session.hpp"
#include "topologies/input/data_files.hpp"

namespace ringscope::web {
namespace {

Json play(const Json& request) {
  std::vector<std::shared_ptr<const Recorded>> runs;
  if (request.at("runs").empty()) throw std::runtime_error("'runs' names no run");
  for (const Json& run : request.at("runs")) runs.push_back(recorded(run));
  std::vector<Report> reports;
  std::vector<Json> cases;
  for (const auto& run : runs) {
    reports.push_back(run->report);
    cases.push_back(run->drawn);
  }
  const Asked& first = runs.front()->asked;
  return lesson::page_data(reports, std::move(cases), first.scenario.question, first.words);
}

/// Numbers and reasons without pictures: of many ranks these take much longer.
Json quick(const Json& request) {
  RunOptions options;
  options.keep_deadlock = true;
  std::vector<Report> reports;
  std::vector<Json> cases;
  for (const Json& run : request.at("runs")) {
    reports.push_back(simulate(asked_of(run).scenario, options));
    cases.push_back(
        {{"time_s", reports.back().time_s}, {"busbw", to_json(reports.back())["busbw"]}});
  }
  return lesson::page_data(reports, std::move(cases), "", Json::array());
}

Json csv(const Json& request) {
  std::vector<Report> reports;
  for (const Json& run : request.at("runs")) reports.push_back(recorded(run)->report);
  return {{"text", to_csv(reports)}};
}

Json gains(const Json& request) {
  const std::shared_ptr<const Recorded> run = recorded(request.at("run"));
  if (run->report.deadlock) return {{"name", run->report.name}, {"gains", Json::array()}};
  RunOptions options;
  options.keep_deadlock = true;
  const std::vector<Candidate> all = candidates(run->report, request.value("top", std::size_t{5}));
  const std::size_t nth = request.value("nth", all.size());
  std::vector<Gain> list;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (nth == i || !request.contains("nth"))
      list.push_back({all[i], simulate(improved(run->asked.scenario, all[i]), options)});
  sort_gains(list);
  return gains_json(run->report, list);
}

/// True if a library, or the one that it is based on, has ways between GPUs.
bool is_for_gpus(const std::string& library) {
  const Value file =
      Value::from_file(fmt::format("{}/scenarios/libraries/{}.yaml", data_directory(), library));
  const Value* base = file.find("base");
  return file.find("p2p") != nullptr || (base != nullptr && is_for_gpus(base->text()));
}

Json libraries(Json rows) {
  for (Json& row : rows) row["gpus"] = is_for_gpus(row["name"]);
  return rows;
}

/// Files of a folder by their names, with what each says about itself.
Json named(const std::string& folder) {
  Json rows = Json::array();
  for (const std::string& name : names_in(folder)) {
    const Value file =
        Value::from_file(fmt::format("{}/{}/{}.yaml", data_directory(), folder, name));
    const Value* about = file.kind() == Value::Kind::map ? file.find("about") : nullptr;
    rows.push_back({{"name", name}, {"about", about != nullptr ? about->text() : ""}});
  }
  return rows;
}

Json lists() {
  Json algorithms = Json::array();
  for (const Algorithm& one : catalogue())
    algorithms.push_back({{"collective", one.collective},
                          {"name", one.name},
                          {"about", one.summary},
                          {"options", one.options},
                          {"least_ranks", one.least_ranks},
                          {"one_host", one.one_host}});
  return {{"version", version()},
          {"algorithms", std::move(algorithms)},
          {"libraries", libraries(named("scenarios/libraries"))},
          {"clusters", named("topologies/clusters")}};
}

/// Reports of all cases, as the command line makes them.
std::vector<Report> reports_of(const Json& request) {
  std::vector<Override> changes;
  for (const Json& change : request.value("set", Json::array()))
    changes.push_back(parse_override(change.get<std::string>()));
  std::vector<Report> reports;
  for (const Json& name : request.at("scenarios"))
    for (Report& report : answer({.run = {.keep_deadlock = true}}, Question{name, {}, changes}))
      reports.push_back(std::move(report));
  return reports;
}

Json answered(const Json& request) {
  const std::string ask = request.at("ask");
  if (ask == "play") return play(request);
  if (ask == "quick") return quick(request);
  if (ask == "csv") return csv(request);
  if (ask == "gains") return gains(request);
  if (ask == "lists") return lists();
  if (ask == "screen") return {{"text", print_compare(reports_of(request))}};
  if (ask == "report") return {{"text", document(reports_of(request)).dump(2) + '\n'}};
  const std::vector<std::string> known = {"play",  "quick",  "csv",   "gains",
                                          "lists", "screen", "report"};
  throw std::runtime_error(unknown_name("question", ask, known));
}

}  // namespace

Json answer(const Json& request) {
  try {
    return answered(request);
  } catch (const std::bad_alloc&) {
    return {{"error", too_large}};
  } catch (const std::exception& error) {
    return {{"error", error.what()}};
  }
}

}  // namespace ringscope::web
