// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/studies/search/draws.hpp"

#include <fmt/format.h>

#include "sim/insight/measurement.hpp"
#include "sim/studies/search/evaluations.hpp"
#include "sim/studies/search/place_points.hpp"

namespace ringscope {
namespace {

constexpr std::size_t most_pairs = 12;
constexpr double widest = 1.3;

struct Factors {
  double hop, start, link;
};

void apply(Transport& transport, const Factors& factors) {
  transport.latency = transport.latency.times(factors.hop);
  transport.send_overhead = transport.send_overhead.times(factors.start);
  transport.recv_overhead = transport.recv_overhead.times(factors.start);
  transport.goodput = std::min(1.0, transport.goodput * factors.link);
}

/// Report of the numbers that an interval and its error depend on.
Report report_of(const PlaceStudy& study, const Placed& placed) {
  sim::Measurement measured;
  measured.time_s = placed.cost_s;
  measured.traffic.bytes_between_hosts =
      static_cast<std::uint64_t>(placed.outcome.metrics.at("bytes_between_hosts"));
  return sim::report_of(placed_scenario(study, placed), {measured});
}

}  // namespace

Library drawn(Library library, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  // Not std::uniform_real_distribution, whose numbers differ from library to library.
  const auto factor = [&random] {
    const double share = static_cast<double>(random() >> 11) * 0x1p-53;
    return std::pow(widest, 2 * share - 1);
  };
  const double hop = factor(), start = factor(), link = factor();
  const Factors factors = {hop, start, link};
  for (Transport& transport : library.transports) apply(transport, factors);
  if (!library.blocks) return library;
  library.blocks->launch *= start;
  library.blocks->issue *= start;
  for (ProtocolCosts& costs : library.blocks->protocols) {
    costs.start *= start;
    apply(costs.inside_host, factors);
    apply(costs.between_hosts, factors);
    for (double* carries : {&costs.carries, &costs.carries_over_pcie, &costs.carries_between_hosts})
      *carries = std::min(1.0, *carries * link);
  }
  return library;
}

std::optional<DrawnDifference> drawn_difference(const PlaceStudy& study, const Placed& one,
                                                const Placed& other, Evaluator& evaluator) {
  const auto outcomes =
      evaluator.evaluate_beside(2 * most_pairs, [&](std::size_t index, KnownParts& known) {
        const Placed& placed = index % 2 == 0 ? one : other;
        Scenario scenario =
            placed_scenario(study.under(placed.groups), placed.placement, placed.degraded, known);
        const std::uint64_t seed = study.seed + index / 2;
        scenario.library = drawn(std::move(scenario.library), seed);
        lay_over(scenario.resolved, "draw",
                 Value::scalar_at(scenario.resolved.place(), fmt::format("{} {}", widest, seed)));
        return scenario;
      });
  DrawnDifference difference;
  for (std::size_t i = 0; i + 1 < outcomes.size(); i += 2) {
    if (!outcomes[i] || !outcomes[i + 1]) break;
    const double share = cost_of(study, *outcomes[i]) / cost_of(study, *outcomes[i + 1]) - 1;
    if (!std::isfinite(share)) break;  // a draw that gets stuck, or takes no time
    difference.least = difference.draws == 0 ? share : std::min(difference.least, share);
    difference.most = difference.draws == 0 ? share : std::max(difference.most, share);
    ++difference.draws;
  }
  return difference.draws < 2 ? std::nullopt : std::optional(difference);
}

void add_intervals(const PlaceStudy& study, PlaceAnswer& answer) {
  if (study.objective != Objective::time || study.jobs != WhoseTime::own) return;
  std::vector<Report> reports;
  for (Placed* placed : {&answer.placed.front(), &answer.own}) {
    if (!placed->outcome.error.empty()) return;
    reports.push_back(report_of(study, *placed));
    placed->likely = reports.back().likely;
  }
  answer.open_order = open_order(reports[0], reports[1]);
}

}  // namespace ringscope
