// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/library/ringscope.hpp"

#include <stdexcept>

#include "scenarios/answer/formats/report_formats.hpp"
#include "scenarios/answer/text/report_text.hpp"
#include "scenarios/question/scenario_tree.hpp"
#include "scenarios/warnings/job_warnings.hpp"
#include "sim/run_cost.hpp"

namespace ringscope {
namespace {

std::vector<Scenario> scenarios_in(const std::string& text, const std::vector<std::string>& changes,
                                   const std::string& name) {
  std::vector<Override> overrides;
  for (const std::string& change : changes) overrides.push_back(parse_override(change));
  std::vector<Scenario> scenarios;
  for (const CaseTree& one : case_trees(Value::from_text(name, text), name, overrides))
    for (Scenario& scenario : read_tree(one.tree, one.name))
      scenarios.push_back(std::move(scenario));
  return scenarios;
}

/// Errors of input leave as a type of the standard's: our own types are no part of the interface.
std::vector<Report> reports_of(const std::string& text, const std::vector<std::string>& changes,
                               const std::string& name) {
  try {
    const std::vector<Scenario> scenarios = scenarios_in(text, changes, name);
    const double free = free_memory_bytes();
    RunOptions options;
    options.keep_deadlock = true;
    for (const Scenario& scenario : scenarios) estimate_for(scenario, options, false, free);
    std::vector<Report> reports;
    for (const Scenario& scenario : scenarios) {
      reports.push_back(simulate(scenario, options));
      reports.back().warnings = job_warnings(scenario);
    }
    return reports;
  } catch (const InputError& error) {
    throw std::invalid_argument(error.what());
  }
}

}  // namespace

std::string run(const std::string& scenario, const std::vector<std::string>& changes,
                const std::string& name) {
  return document(reports_of(scenario, changes, name)).dump(2) + '\n';
}

std::string compare(const std::string& scenario, const std::vector<std::string>& changes,
                    const std::string& name) {
  return print_compare(reports_of(scenario, changes, name));
}

}  // namespace ringscope
