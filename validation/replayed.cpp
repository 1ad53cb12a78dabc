#include "validation/replayed.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/answer/formats/report_formats.hpp"
#include "validation/measurement.hpp"

namespace ringscope {

void refuse_result(const std::string& scenario, int rank, std::size_t item, float got,
                   float expected, const std::string& writer) {
  throw WrongResult(
      fmt::format("{}: wrong result: rank {}, item {} is {}, expected {}; last written by: {}",
                  scenario, rank, item, got, expected, writer.empty() ? "nobody" : writer));
}

Options in_items(Options options) {
  options.segment = std::max<std::size_t>(1, options.segment / item_bytes);
  options.item_bytes = item_bytes;
  return options;
}

void check_one_job_of_floats(const Scenario& scenario) {
  if (!scenario.neighbours.empty())
    scenario.resolved.find("neighbours")
        ->fail("a replay runs one job: start its neighbours as jobs of their own");
  const std::uint64_t bytes = scenario.job.bytes.count;
  if (bytes % item_bytes != 0)
    scenario.resolved.find("job")->fail(
        fmt::format("expected a whole number of floats of 4 B to replay, got {} B", bytes));
}

nlohmann::ordered_json replay_entry(const Scenario& scenario, const std::vector<double>& samples_s,
                                    std::string_view stopped_by,
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
                       samples_s);
  entry["name"] = call.empty() ? scenario.name : scenario.name + ' ' + call;
  entry["scenario"] = to_json(scenario.resolved);
  entry["stopped_by"] = stopped_by;
  return entry;
}

}  // namespace ringscope
