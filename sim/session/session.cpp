// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/session/session.hpp"

#include <fmt/format.h>

#include "scenarios/answer/formats/report_formats.hpp"
#include "scenarios/question/scenario_tree.hpp"
#include "scenarios/warnings/job_warnings.hpp"
#include "sim/folding.hpp"

namespace ringscope {
namespace {

SomeReports one_after_another(std::span<const Case> cases, const RunOptions& options) {
  SomeReports reports;
  const double count = static_cast<double>(cases.size());
  for (const Case& one : cases) {
    RunOptions of_this = options;
    const double done = static_cast<double>(reports.size());
    if (options.progress)
      of_this.progress = [&options, count, done](double share) {
        options.progress((done + share) / count);
      };
    reports.emplace_back(simulate_case(one, of_this));
  }
  return reports;
}

/// Background jobs that had not begun when the foreground job ended.
std::vector<std::string> late_neighbours(const Scenario& scenario, const Report& report) {
  std::vector<std::string> late;
  for (const Neighbour& one : scenario.neighbours)
    if (one.start.count() >= report.time_s * scenario.job.repetitions)
      late.push_back(fmt::format(
          "background job '{}' changes nothing: its 'start' of {} is after the end of the job",
          one.name, to_short_text(one.start)));
  return late;
}

std::vector<std::string> warnings_of(const Scenario& scenario, const Report& report,
                                     const std::string& twin) {
  std::vector<std::string> warnings = late_neighbours(scenario, report);
  if (!twin.empty()) warnings.push_back(twin);
  for (std::string& more : job_warnings(scenario)) warnings.push_back(std::move(more));
  return warnings;
}

}  // namespace

std::vector<Report> answer(const Session& session, const Question& question) {
  // Read first, all cases: the last one's mistake is told before the first one is simulated.
  const std::vector<Scenario> scenarios = read(question);
  std::vector<Report> reports;
  for (std::optional<Report>& report : answer(session, scenarios))
    reports.push_back(std::move(*report));
  return reports;
}

SomeReports answer(const Session& session, std::span<const Scenario> scenarios) {
  // Estimated before anything is built: a case that would not fit into memory is refused at its own
  // line. Where the cost matters, this proves which ranks stand for others.
  std::vector<Case> cases;
  const double free = session.estimates ? free_memory_bytes() : 0;
  for (const Scenario& scenario : scenarios)
    cases.push_back(session.estimates ? estimated(scenario, session.run, session.on_simgrid, free)
                                      : Case{.scenario = &scenario});
  // Announced while the user can still stop it.
  if (session.announce) session.announce(cases);
  // Simulated: what is equal once, by the estimate's proof if it made one.
  SomeReports reports =
      session.perform ? session.perform(cases) : one_after_another(cases, session.run);
  // Warned last: some warnings compare the question with its answer.
  const std::vector<std::string> twins =
      session.as_written ? twin_warnings(scenarios) : std::vector<std::string>(scenarios.size());
  for (std::size_t i = 0; i < reports.size(); ++i)
    if (reports[i]) reports[i]->warnings = warnings_of(scenarios[i], *reports[i], twins[i]);
  return reports;
}

std::vector<Scenario> read(const Question& question) {
  if (!question.text) return read_scenarios(question.name, question.set);
  return read_cases(Value::from_text(question.name, *question.text), question.name, question.set);
}

Case estimated(const Scenario& scenario, const RunOptions& options, bool on_simgrid,
               double free_bytes) {
  Simulated simulated = {
      scenario.placement.ranks.size(),
      on_simgrid ? scenario.job.repetitions : simulated_repetitions(scenario, options)};
  Case one = {.scenario = &scenario, .estimate = estimate_of(scenario, on_simgrid, simulated)};
  if (one.estimate.seconds >= long_s || one.estimate.memory_bytes > free_bytes) {
    one.alike = std::make_shared<const sim::Alike>(sim::alike_for(scenario, options));
    const std::optional<sim::Orbits>& orbits = one.alike->orbits;
    if (orbits) simulated.ranks = static_cast<std::size_t>(orbits->simulated);
    one.estimate = estimate_of(scenario, on_simgrid, simulated);
  }
  require_memory(scenario, one.estimate, free_bytes);
  return one;
}

Report simulate_case(const Case& one, const RunOptions& options) {
  return one.alike ? simulate(*one.scenario, options, *one.alike)
                   : simulate(*one.scenario, options);
}

std::vector<std::string> twin_warnings(std::span<const Scenario> scenarios) {
  std::vector<std::string> warnings(scenarios.size());
  std::map<std::string, std::string> names;  // by the resolved scenario
  for (std::size_t i = 0; i < scenarios.size() && scenarios.size() > 1; ++i) {
    const auto [first, is_new] =
        names.emplace(to_json(scenarios[i].resolved).dump(), scenarios[i].name);
    if (!is_new) warnings[i] = fmt::format("the same scenario as {}", first->second);
  }
  return warnings;
}

}  // namespace ringscope
