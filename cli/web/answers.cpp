// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/web/answers.hpp"

#include <fmt/format.h>

#include <deque>
#include <memory>
#include <new>
#include <stdexcept>

#include "cli/lesson/lesson_case.hpp"
#include "scenarios/answer/explain/explain.hpp"
#include "scenarios/answer/text/report_text.hpp"
#include "scenarios/question/estimate.hpp"
#include "scenarios/question/scenario_tree.hpp"
#include "sim/session/session.hpp"
#include "topologies/input/data_files.hpp"

namespace ringscope::web {
namespace {

// Runs that a page asks for: a scenario of ours or a text, one of its cases, and what differs.

/// A run as the page asks for it: {"scenario": "03-anomaly", "case": "4-3-1", "set": [["job.bytes",
/// "1 MiB"]], "label": "A"}; in place of the scenario's name "text", its YAML; without a case the
/// first one.
struct Asked {
  Value tree;         ///< before it is read, with all that is set
  Scenario scenario;  ///< of its first size
};

/// A run with all that the page draws.
struct Recorded {
  Asked asked;
  Report report;
  std::string drawn;  ///< lesson::case_json(), and `tree`, `resolved`, `hosts`, `places`
};

constexpr const char* too_large =
    "this run needs more memory than a page has; use fewer ranks, or export it for the command "
    "line";
// Memory grows with the square of the ranks: 0.2 GB of 256, 2.4 GB of 1,024. A page has 2 GB.
constexpr std::size_t most_ranks = 256;
constexpr double longest_s = 10;  // of the estimate, which is for a native program
constexpr std::size_t kept_runs = 6;
constexpr std::size_t kept_ranks = 2 * most_ranks;  // of all kept runs

Value read_file_of(const Json& run) {
  if (const auto text = run.find("text"); text != run.end())
    return Value::from_text("scenario.yaml", *text);
  const std::string name = run.at("scenario");
  const std::vector<std::string> known = names_in(scenarios_folder);
  if (std::find(known.begin(), known.end(), name) == known.end())
    throw std::runtime_error(unknown_name("scenario", name, known));
  return Value::from_file(fmt::format("{}/{}/{}.yaml", data_directory(), scenarios_folder, name));
}

/// The last one is kept: a slider changes neither the scenario nor its text.
const Value& file_of_run(const Json& run) {
  static std::pair<Json, Value> last;
  Json key = {run.value("scenario", ""), run.value("text", "")};
  if (last.first != key) last = {std::move(key), read_file_of(run)};
  return last.second;
}

CaseTree case_of(const Value& file, const Json& run) {
  const std::string stem = run.value("scenario", "scenario");
  std::vector<CaseTree> trees = case_trees(file, stem, {});
  const std::string wanted = run.value("case", "");
  if (wanted.empty()) return trees.front();
  std::vector<std::string> known;
  for (CaseTree& one : trees) {
    known.push_back(one.name.substr(std::min(one.name.size(), stem.size() + 1)));
    if (known.back() == wanted) return std::move(one);
  }
  throw std::runtime_error(unknown_name("case", wanted, known));
}

void refuse_too_much(const Scenario& scenario) {
  const Estimate estimate = estimate_of(scenario, false);
  if (estimate.ranks > most_ranks)
    throw std::runtime_error(
        fmt::format("a page shows at most {} ranks, got {}; the command line simulates more",
                    most_ranks, estimate.ranks));
  if (estimate.seconds > longest_s)
    throw std::runtime_error(fmt::format(
        "{} are too many for a page; lower {}, or export this case for the command line",
        in_words(estimate), what_to_lower(scenario, scenario.job.repetitions)));
}

/// Hosts with what a rank can take there, and where each rank is.
void add_places(const Scenario& scenario, Json& drawn) {
  const Topology& topology = scenario.cluster.topology;
  Json hosts = Json::array(), places = Json::array();
  for (const Host& host : topology.hosts()) {
    int cores = 0;
    for (const Vertex domain : host.numa_domains) cores += topology.graph()[domain].cores;
    hosts.push_back({{"name", host.name}, {"cores", cores}, {"gpus", host.gpus.size()}});
  }
  for (const Location& place : scenario.placement.ranks)
    places.push_back({{"host", place.host}, {"gpu", place.gpu}});
  drawn["hosts"] = std::move(hosts);
  drawn["places"] = std::move(places);
}

/// Throws std::runtime_error where it is too much for a page.
Asked asked_of(const Json& run) {
  static KnownParts known;  // a slider changes the job, and clusters take longest to read
  CaseTree one = case_of(file_of_run(run), run);
  for (const Json& change : run.value("set", Json::array())) {
    const Override set{change.at(0), change.at(1)};
    lay_over(one.tree, set.key, Value::from_text("--set " + set.key, set.text), place_of_key(set));
  }
  one.tree.set("cases", Value());
  Scenario scenario = std::move(read_tree(one.tree, one.name, known).front());
  scenario.name = run.value("label", scenario.name);
  scenario.labelled = scenario.labelled || run.contains("label");
  refuse_too_much(scenario);
  return {std::move(one.tree), std::move(scenario)};
}

std::string text_of(const Json& answer) {
  return answer.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::shared_ptr<const Recorded> simulated(const Json& run) {
  auto made = std::make_shared<Recorded>(Recorded{asked_of(run), {}, {}});
  const Scenario& scenario = made->asked.scenario;
  RunOptions options;
  options.keep_deadlock = options.record = options.record_spans = options.record_chain = true;
  options.path_limit = long_path_limit;
  Report& report = made->report =
      *answer({.run = options, .estimates = false}, std::span(&scenario, 1)).front();
  Json drawn = lesson::case_json(scenario, report);
  drawn["tree"] = to_json(made->asked.tree);
  drawn["resolved"] = to_json(scenario.resolved);
  add_places(scenario, drawn);
  made->drawn = text_of(drawn);
  report.spans.clear();
  report.recording.reset();
  return made;
}

/// Simulates, or takes from the last few that were asked for: the page changes one of two runs at a
/// time, and the other one stays.
std::shared_ptr<const Recorded> recorded(const Json& run) {
  static std::deque<std::pair<std::string, std::shared_ptr<const Recorded>>> kept;
  const std::string key = run.dump();
  for (const auto& [known, answer] : kept)
    if (known == key) return answer;
  kept.emplace_back(key, simulated(run));
  const auto ranks_of_kept = [] {
    std::size_t ranks = 0;
    for (const auto& [known, answer] : kept) ranks += answer->asked.scenario.placement.ranks.size();
    return ranks;
  };
  while (kept.size() > kept_runs || (kept.size() > 1 && ranks_of_kept() > kept_ranks))
    kept.pop_front();
  return kept.back().second;
}

/// The texts of the cases stand in the page's: a tree of 256 ranks takes longer than their run.
std::string play(const Json& request) {
  std::vector<std::shared_ptr<const Recorded>> runs;
  if (request.at("runs").empty()) throw std::runtime_error("'runs' names no run");
  for (const Json& run : request.at("runs")) runs.push_back(recorded(run));
  std::vector<Report> reports;
  std::vector<std::string_view> cases;
  for (const auto& run : runs) {
    reports.push_back(run->report);
    cases.emplace_back(run->drawn);
  }
  Json page = lesson::page_data(reports, {}, runs.front()->asked.scenario.question, Json::array());
  page.erase("cases");
  std::string text = text_of(page);
  text.back() = ',';
  return text + fmt::format("\"cases\":[{}]}}", fmt::join(cases, ","));
}

/// Numbers and reasons without pictures: of many ranks these take much longer.
Json quick(const Json& request) {
  std::vector<Report> reports;
  std::vector<Json> cases;
  for (const Json& run : request.at("runs")) {
    reports.push_back(simulate(asked_of(run).scenario, RunOptions{.keep_deadlock = true}));
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
  const RunOptions options{.keep_deadlock = true};
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
  Json algorithms = Json::array(), libraries = named("scenarios/libraries");
  for (Json& row : libraries) row["gpus"] = is_for_gpus(row["name"]);
  for (const Algorithm& one : catalogue())
    algorithms.push_back({{"collective", one.collective},
                          {"name", one.name},
                          {"about", one.summary},
                          {"options", one.options},
                          {"least_ranks", one.least_ranks},
                          {"one_host", one.one_host}});
  return {{"version", version()},
          {"algorithms", std::move(algorithms)},
          {"libraries", std::move(libraries)},
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

std::string answered(const Json& request) {
  const std::string ask = request.at("ask");
  if (ask == "play") return play(request);
  using Answer = Json (*)(const Json&);
  const std::pair<std::string, Answer> answers[] = {
      {"quick", quick},
      {"csv", csv},
      {"gains", gains},
      {"lists", [](const Json& /*request*/) { return lists(); }},
      {"screen",
       [](const Json& of) {
         return Json{{"text", print_compare(reports_of(of))}};
       }},
      {"report", [](const Json& of) {
         return Json{{"text", document(reports_of(of)).dump(2) + '\n'}};
       }}};
  std::vector<std::string> known = {"play"};
  for (const auto& [name, answer] : answers) {
    if (name == ask) return text_of(answer(request));
    known.push_back(name);
  }
  throw std::runtime_error(unknown_name("question", ask, known));
}

}  // namespace

std::string answer(const Json& request) {
  const auto failed = [](const char* why) { return text_of({{"error", why}}); };
  try {
    return request.is_object() ? answered(request) : failed("expected a JSON map");
  } catch (const std::bad_alloc&) {
    return failed(too_large);
  } catch (const std::exception& error) {
    return failed(error.what());
  }
}

}  // namespace ringscope::web
