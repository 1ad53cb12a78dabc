// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/web/runs.hpp"

#include <fmt/format.h>

#include <deque>
#include <stdexcept>

#include "cli/lesson/lesson_case.hpp"
#include "cli/lesson/lesson_data.hpp"
#include "scenarios/question/estimate.hpp"
#include "scenarios/question/file_kind.hpp"
#include "scenarios/question/scenario_tree.hpp"
#include "sim/session/session.hpp"
#include "topologies/input/data_files.hpp"

namespace ringscope::web {
namespace {

// Memory grows with the square of the ranks: 0.2 GB of 256, 2.4 GB of 1,024. A page has 2 GB.
constexpr std::size_t most_ranks = 256;
constexpr double longest_s = 10;  // of the estimate, which is for a native program
constexpr std::size_t kept_runs = 6;
constexpr std::size_t kept_ranks = 2 * most_ranks;  // of all kept runs

Value file_of_run(const Json& run) {
  if (const auto text = run.find("text"); text != run.end())
    return Value::from_text("scenario.yaml", *text);
  const std::string name = run.at("scenario");
  const std::vector<std::string> known = names_in(scenarios_folder);
  if (std::find(known.begin(), known.end(), name) == known.end())
    throw std::runtime_error(unknown_name("scenario", name, known));
  return Value::from_file(fmt::format("{}/{}/{}.yaml", data_directory(), scenarios_folder, name));
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
        fmt::format("a page shows at most {} ranks, got {}; the command line "
                    "simulates more",
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

std::shared_ptr<const Recorded> simulated(const Json& run) {
  auto made = std::make_shared<Recorded>(Recorded{asked_of(run), {}, {}});
  const Scenario& scenario = made->asked.scenario;
  RunOptions options;
  options.keep_deadlock = options.record = true;
  options.record_spans = options.record_chain = true;
  options.path_limit = long_path_limit;
  Report& report = made->report =
      *answer({.run = options, .estimates = false}, std::span(&scenario, 1)).front();
  made->drawn = lesson::case_json(scenario, report);
  made->drawn["tree"] = to_json(made->asked.tree);
  made->drawn["resolved"] = to_json(scenario.resolved);
  add_places(scenario, made->drawn);
  report.spans.clear();
  report.recording.reset();
  return made;
}

}  // namespace

Asked asked_of(const Json& run) {
  const Value file = file_of_run(run);
  CaseTree one = case_of(file, run);
  for (const Json& change : run.value("set", Json::array())) {
    const Override set{change.at(0), change.at(1)};
    lay_over(one.tree, set.key, Value::from_text("--set " + set.key, set.text), place_of_key(set));
  }
  one.tree.set("cases", Value());
  Scenario scenario = std::move(read_tree(one.tree, one.name).front());
  if (const auto label = run.find("label"); label != run.end()) {
    scenario.name = *label;
    scenario.labelled = true;
  }
  refuse_too_much(scenario);
  Json words = lesson::words_above(file.place().source->text);
  return {std::move(one.tree), std::move(scenario), std::move(words)};
}

// The page changes one of two runs at a time: the other one stands.
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

}  // namespace ringscope::web
