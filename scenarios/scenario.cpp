#include "scenarios/scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "scenarios/scenario_tree.hpp"
#include "topologies/data_files.hpp"

namespace ringscope {
namespace {

/// `name` is what the user typed on the command line.
std::string file_named(const std::string& name) {
  if (is_path(name)) return name;
  const Place place{std::make_shared<const Source>(Source{"SCENARIO", name}), 0, 0};
  return file_of(Value::scalar_at(place, name), "scenarios", "scenario");
}

void require_ranks(const Value& placement, const Scenario& scenario) {
  const Algorithm& algorithm = *scenario.job.algorithm;
  const std::size_t ranks = scenario.placement.ranks.size();
  if (ranks >= static_cast<std::size_t>(algorithm.least_ranks)) return;
  placement.fail(fmt::format("the {} {} needs at least {} ranks, got {}", algorithm.collective,
                             algorithm.name, algorithm.least_ranks, ranks));
}

}  // namespace

void refuse_unknown_keys(const Value& map, const std::string& what,
                         std::initializer_list<const char*> known) {
  Fields fields(map, what);
  for (const char* key : known) fields.optional(key);
  fields.finish();
}

std::vector<Scenario> read_tree(const Value& tree, const std::string& name) {
  refuse_unknown_keys(tree, "a scenario",
                      {"question", "cluster", "library", "placement", "job", "cases"});
  Fields fields(tree, "a scenario");
  Scenario scenario;
  scenario.question = fields.required("question").text();
  const Value& cluster = fields.required("cluster");
  const Value& library = fields.required("library");
  const Value& placement = fields.required("placement");
  const Value& job = fields.required("job");
  scenario.cluster = read_cluster(cluster);
  scenario.library = read_library(library);
  scenario.placement = read_placement(placement, scenario.cluster.topology);
  fields.resolve("cluster", scenario.cluster.resolved);
  fields.resolve("library", scenario.library.resolved);
  const std::vector<ReadJob> jobs = read_jobs(job);
  std::vector<Scenario> scenarios;
  for (const ReadJob& read : jobs) {
    scenario.job = read.job;
    require_ranks(placement, scenario);
    fields.resolve("job", read.resolved);
    scenario.resolved = fields.resolved();
    scenario.name = jobs.size() == 1 ? name : name + " " + to_text(read.job.bytes);
    scenarios.push_back(scenario);
  }
  return scenarios;
}

std::vector<Scenario> read_scenarios(const std::string& name,
                                     const std::vector<Override>& overrides) {
  const std::string file = file_named(name);
  const std::string stem = std::filesystem::path(file).stem().string();
  std::vector<Scenario> scenarios;
  for (const CaseTree& one : case_trees(Value::from_file(file), stem, overrides)) {
    for (Scenario& scenario : read_tree(one.tree, one.name)) {
      scenarios.push_back(std::move(scenario));
    }
  }
  return scenarios;
}

}  // namespace ringscope
