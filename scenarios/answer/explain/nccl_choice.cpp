// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/answer/explain/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "nccl/choice/choice.hpp"
#include "scenarios/answer/text/table.hpp"

namespace ringscope {
namespace {

constexpr double us = 1e-6;

const NcclOutcome& fastest(std::span<const NcclOutcome> outcomes) {
  return *std::ranges::min_element(outcomes, {},
                                   [](const NcclOutcome& one) { return one.report.time_s; });
}

std::string share(double difference_s, double of_s) {
  return fmt::format("{} ({:.1f} %)", to_short_text(Seconds(difference_s)),
                     100 * difference_s / of_s);
}

std::string verdict(const Report& report, std::span<const NcclOutcome> outcomes) {
  const NcclOutcome& best = fastest(outcomes);
  const double gain = report.time_s - best.report.time_s;
  constexpr double nothing = 1e-9;  // of the time
  if (best.is(report) || gain <= nothing * report.time_s)
    return "No permitted choice would have been faster";
  return fmt::format("{} would have been faster by {}", best.report.chosen,
                     share(gain, report.time_s));
}

}  // namespace

nccl::KernelCall kernel_call_of(const Scenario& scenario) {
  const Placement& placement = scenario.placement;
  return {static_cast<int>(placement.ranks.size()),
          static_cast<int>(placement.ranks_by_host().size()),
          *nccl_function(scenario.job.algorithm->collective)};
}

std::vector<NcclAlternative> nccl_alternatives(const Scenario& scenario) {
  const Job& job = scenario.job;
  if (job.algorithm->name != "nccl" || job.nccl == nullptr || scenario.placement.ranks.size() < 2)
    return {};
  if (!nccl_function(job.algorithm->collective)) return {};  // sends have peers' channels alone
  const nccl::KernelCall call = kernel_call_of(scenario);
  std::vector<NcclAlternative> all;
  const auto add = [&](nccl::Pattern algorithm, Protocol protocol) {
    NcclAlternative& one = all.emplace_back();
    one.scenario = scenario;
    const std::string_view by = nccl::algorithm_names[static_cast<std::size_t>(algorithm)];
    const std::string_view with = protocol_names[protocol];
    one.algorithm = by;
    one.protocol = with;
    one.scenario.job.options.algorithm = by;
    one.scenario.job.options.protocol = with;
    one.scenario.name += fmt::format(" {} {}", by, with);
    one.expected_s = us * nccl::time(algorithm, protocol, call, job.bytes.count, *job.nccl);
  };
  for (const nccl::Pattern algorithm :
       {nccl::Pattern::ring, nccl::Pattern::tree, nccl::Pattern::nvls, nccl::Pattern::pat})
    for (const Protocol protocol : {Protocol::ll, Protocol::ll128, Protocol::simple})
      if (nccl::is_weighed({algorithm, protocol}, call, *job.nccl)) add(algorithm, protocol);
  return all;
}

std::string print_nccl_choice(const Report& report, std::span<const NcclOutcome> outcomes) {
  if (outcomes.empty()) return "";
  std::string text =
      fmt::format("NCCL takes {}. {}.\n\n", report.chosen, verdict(report, outcomes));
  double most = report.time_s;
  for (const NcclOutcome& one : outcomes)
    most = std::max({most, one.report.time_s, one.alternative.expected_s});
  const TimeScale scale(most);
  TextTable table({text_column("algorithm"), text_column("protocol"), "NCCL expects", "simulated",
                   "against its choice", text_column("")});
  for (const NcclOutcome& one : outcomes)
    table.add({one.alternative.algorithm, one.alternative.protocol,
               scale.text(one.alternative.expected_s), scale.text(one.report.time_s),
               scale.difference(one.report.time_s - report.time_s),
               one.is(report) ? "its choice" : ""});
  return text + table.text(2);
}

nlohmann::ordered_json nccl_choice_json(const Report& report,
                                        std::span<const NcclOutcome> outcomes) {
  auto alternatives = nlohmann::ordered_json::array();
  for (const NcclOutcome& one : outcomes)
    alternatives.push_back({{"algorithm", one.alternative.algorithm},
                            {"protocol", one.alternative.protocol},
                            {"runs", one.report.chosen},
                            {"expected_s", one.alternative.expected_s},
                            {"time_s", one.report.time_s},
                            {"is_choice", one.is(report)}});
  return {{"name", report.name},
          {"chosen", report.chosen},
          {"time_s", report.time_s},
          {"fastest", fastest(outcomes).report.chosen},
          {"fastest_s", fastest(outcomes).report.time_s},
          {"alternatives", alternatives}};
}

}  // namespace ringscope
