// SPDX-License-Identifier: LGPL-2.1-or-later
#include "validation/executors/replayed.hpp"

#include <fmt/format.h>

#include "scenarios/answer/formats/report_formats.hpp"
#include "validation/executors/measurement.hpp"

namespace ringscope {

std::ptrdiff_t first_difference(std::span<const float> got, std::span<const float> expected) {
  const auto [place, other] =
      std::mismatch(got.begin(), got.end(), expected.begin(), expected.end());
  return place == got.end() && other == expected.end() ? -1 : place - got.begin();
}

void refuse_result(const std::string& scenario, int rank, std::size_t item, float got,
                   float expected, const std::string& writer) {
  throw WrongResult(
      fmt::format("{}: wrong result: rank {}, item {} is {}, expected {}; last written by: {}",
                  scenario, rank, item, got, expected, writer.empty() ? "nobody" : writer));
}

void check_result(const std::string& scenario, int rank, std::span<const float> got,
                  std::span<const float> expected,
                  const std::function<std::string(std::size_t item)>& writer) {
  const std::ptrdiff_t wrong = first_difference(got, expected);
  if (wrong < 0) return;
  const auto item = static_cast<std::size_t>(wrong);
  refuse_result(scenario, rank, item, got[item], expected[item], writer(item));
}

void Spent::add(const Array<double, verbs>& seconds, const PhaseTimes& times) {
  for (std::size_t verb = 0; verb < verbs; ++verb) verbs_s[verb] += seconds[verb];
  phases.add(times);
}

nlohmann::ordered_json Spent::seconds_json(std::size_t samples) const {
  nlohmann::ordered_json seconds = nlohmann::ordered_json::object();
  for (std::size_t verb = 0; verb < verbs; ++verb)
    if (verbs_s[verb] > 0)
      seconds[std::string(verb_names[verb])] = verbs_s[verb] / static_cast<double>(samples);
  return seconds;
}

nlohmann::ordered_json Spent::phases_json(std::size_t samples) const {
  nlohmann::ordered_json entries = nlohmann::ordered_json::array();
  for (const PhaseTime& time : phases.times())
    entries.push_back({{"phase", time.phase},
                       {"step", time.step},
                       {"seconds", time.seconds / static_cast<double>(samples)}});
  return entries;
}

Options in_items(Options options) {
  options.segment = std::max<std::size_t>(1, options.segment / item_bytes);
  options.given.item_bytes = item_bytes;
  return options;
}

void check_one_job_of_floats(const Scenario& scenario) {
  if (!scenario.neighbours.empty())
    scenario.resolved.find("neighbours")
        ->fail("a replay runs one job: start its neighbours as separate jobs");
  const std::uint64_t bytes = scenario.job.bytes.count;
  if (bytes % item_bytes != 0)
    scenario.resolved.find("job")->fail(
        "expected a whole number of floats of 4 B to replay, got {} B", bytes);
}

nlohmann::ordered_json replay_entry(const Scenario& scenario, const CaseSamples& samples,
                                    const std::vector<std::string>& hosts,
                                    const std::string& call) {
  const Algorithm& algorithm = *scenario.job.algorithm;
  nlohmann::ordered_json entry =
      measurement_json(algorithm.collective,
                       {{"bytes", scenario.job.bytes.count},
                        {"collective", algorithm.collective},
                        {"algorithm", call.empty() ? algorithm.name : ""},
                        {"ranks_count", hosts.size()},
                        {"hosts_count", hosts_count(hosts)},
                        {"placement", placement_text(hosts)}},
                       samples.samples_s);
  entry["name"] = call.empty() ? scenario.name : scenario.name + ' ' + call;
  entry["scenario"] = to_json(scenario.resolved);
  entry["stopped_by"] = samples.stopped_by;
  return entry;
}

}  // namespace ringscope
