// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/cases/cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "scenarios/answer/explain/explain.hpp"
#include "scenarios/answer/formats/report_formats.hpp"
#include "topologies/input/characters.hpp"

namespace ringscope {
namespace {

using Times = std::map<std::string, double>;

/// True below a key that says seconds, of a place such as "ranks/3/finish_s".
bool says_seconds(const std::string& place) {
  return std::ranges::any_of(split(place, '/'), [](std::string_view key) {
    return key == "seconds" || (key.ends_with("_s") && !key.ends_with("_per_s"));
  });
}

/// All times but those that the simulation itself took; sums of the critical path, where equal
/// segments have no order.
Times times_of(const Report& report) {
  Json json = to_json(report);
  for (const char* key : {"scenario", "critical_path", "skipped", "wall_s"}) json.erase(key);
  Times times;
  const Json flat = json.flatten();
  for (const auto& [place, value] : flat.items())
    if (value.is_number() && says_seconds(place)) times[place.substr(1)] = value;
  for (const Blamed& one : blames(report))
    times["critical path, " + blame_text(one)] += one.segment.seconds;
  return times;
}

double share_of(double difference, double whole) {
  if (difference == 0) return 0;
  return whole > 0 ? std::abs(difference) / whole : std::numeric_limits<double>::infinity();
}

KernelDifference difference_of(const Report& fluid, const Report& simgrid) {
  KernelDifference most;
  most.cases = 1;
  const auto look = [&](const std::string& what, double a, double b, double share) {
    ++most.times;
    if (share > most.share) most = {most.cases, most.times, share, fluid.name, what, a, b};
  };
  if (fluid.deadlock.has_value() != simgrid.deadlock.has_value())
    look(fluid.deadlock ? "deadlock on fluid alone" : "deadlock on simgrid alone", fluid.time_s,
         simgrid.time_s, std::numeric_limits<double>::infinity());
  const Times first = times_of(fluid);
  Times second = times_of(simgrid);
  for (const auto& [what, seconds] : first) {
    const double same = second[what];  // what took no time need not be there
    look(what, seconds, same, share_of(seconds - same, fluid.time_s));
    second.erase(what);
  }
  for (const auto& [what, seconds] : second)
    look(what, 0, seconds, share_of(seconds, fluid.time_s));
  return most;
}

}  // namespace

std::string KernelDifference::text() const {
  const std::string all = fmt::format("{} times of {}", times, plural(cases, "case"));
  if (share == 0) return fmt::format("fluid and simgrid agree to the last digit: {}", all);
  if (!is_defect())
    return fmt::format(
        "fluid and simgrid agree: {}, which differ by {:.1e} of the case's time at most ({}: {})",
        all, share, name, what);
  return fmt::format(
      "fluid and simgrid differ by {:.1e} of the case's time: {}: {}: {} s on fluid, {} s on "
      "simgrid; more than {:.0e} is a defect of this program: please report it with the scenario",
      share, name, what, fluid_s, simgrid_s, tolerance);
}

void KernelDifference::merge(const KernelDifference& other) {
  const KernelDifference before = *this;
  if (other.share > share) *this = other;
  cases = before.cases + other.cases;
  times = before.times + other.times;
}

KernelDifference kernel_difference(std::span<const Report> fluid, std::span<const Report> simgrid) {
  KernelDifference most;
  for (std::size_t i = 0; i < fluid.size(); ++i) most.merge(difference_of(fluid[i], simgrid[i]));
  return most;
}

}  // namespace ringscope
