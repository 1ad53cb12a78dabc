// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/answer/explain/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "scenarios/answer/text/report_text.hpp"
#include "scenarios/answer/text/table.hpp"

namespace ringscope {
namespace {

// R. L. Graham, Bounds on multiprocessing timing anomalies, SIAM J. Appl. Math. 17, 1969.
std::string note_on_losses(const Report& report, const std::vector<Gain>& gains) {
  const TimeScale scale(report.time_s);
  const bool some = std::ranges::any_of(gains, [&](const Gain& gain) {
    return !gain.with.deadlock && scale.rounded(report.time_s - gain.with.time_s) < 0;
  });
  if (!some) return "";
  return "\n  A loss is no mistake: what became faster comes earlier, and shares links and cores "
         "with\n"
         "  messages that others wait for.\n";
}

/// Where many things alike are as busy, one of them alone is no faster a run.
std::string note_on_none(const Report& report, const std::vector<Gain>& gains) {
  const TimeScale scale(report.time_s);
  const bool none = std::ranges::none_of(gains, [&](const Gain& gain) {
    return gain.with.deadlock || scale.rounded(report.time_s - gain.with.time_s) > 0;
  });
  if (!none || gains.empty()) return "";
  return "\n  No one thing gains: others are as busy at the same time. 'run' with a key changed, "
         "such as\n"
         "  --set cluster.link.bandwidth=..., shows the gain of all of a kind together.\n";
}

/// A line for each that never ends.
std::string note_on_stuck(const std::vector<Gain>& gains) {
  std::string text;
  for (const Gain& gain : gains)
    if (gain.with.deadlock)
      text += fmt::format("\n  With {} at 2x speed it {}.\n", gain.candidate.name(),
                          stuck_words(gain.with));
  return text;
}

}  // namespace

std::string Candidate::name() const {
  if (kind == Kind::resource) return resource.name();
  return kind == Kind::latency ? "latency" : "overhead per message";
}

std::vector<Candidate> candidates(const Report& report, std::size_t most) {
  std::map<std::pair<Candidate::Kind, ResourceId>, std::size_t> places;
  std::vector<Candidate> list;  // in the order in which they first came
  const auto add = [&](Candidate::Kind kind, const ResourceId& resource, double seconds) {
    const auto [place, is_new] = places.try_emplace({kind, resource}, list.size());
    if (is_new) list.push_back({kind, resource, 0});
    list[place->second].on_path_s += seconds;
  };
  for (const PathSegment& segment : report.path) {
    if (!segment.resource.empty())
      add(Candidate::Kind::resource, segment.resource, segment.seconds);
    if (segment.cause == Cause::latency || segment.cause == Cause::protocol)
      add(Candidate::Kind::latency, {}, segment.seconds);
    if (segment.cause == Cause::overhead || segment.cause == Cause::pinning)
      add(Candidate::Kind::overhead, {}, segment.seconds);
  }
  std::ranges::stable_sort(list, std::greater{}, &Candidate::on_path_s);
  if (list.size() > most) list.resize(most);
  return list;
}

Scenario improved(const Scenario& scenario, const Candidate& candidate) {
  constexpr double half = 0.5;
  Scenario result = scenario;
  result.name = fmt::format("{} with {} at 2x speed", scenario.name, candidate.name());
  switch (candidate.kind) {
    case Candidate::Kind::resource:
      result.speedup.resource = candidate.resource;
      result.speedup.capacity = 2;
      break;
    case Candidate::Kind::latency:
      result.speedup.link_latencies = half;
      for (Transport& transport : result.library.transports)
        transport.latency = transport.latency.times(half);
      break;
    case Candidate::Kind::overhead:
      for (Transport& transport : result.library.transports) {
        transport.send_overhead = transport.send_overhead.times(half);
        transport.recv_overhead = transport.recv_overhead.times(half);
        transport.registration = transport.registration.times(half);
        transport.connection_cost = transport.connection_cost * half;
      }
      result.library.match_cost = result.library.match_cost * half;
      break;
  }
  return result;
}

void sort_gains(std::vector<Gain>& gains) {
  std::ranges::stable_sort(gains, [](const Gain& a, const Gain& b) {
    const bool a_stuck = a.with.deadlock.has_value();
    return a_stuck == b.with.deadlock.has_value() ? !a_stuck && a.with.time_s < b.with.time_s
                                                  : !a_stuck;
  });
}

std::string print_gains(const Report& report, const std::vector<Gain>& gains) {
  const TimeScale scale(report.time_s);
  TextTable table({"gain", "time", "ratio", "on the path", text_column("at 2x speed")});
  for (const Gain& gain : gains) {
    const std::string on_path = scale.text(gain.candidate.on_path_s);
    if (gain.with.deadlock) {
      table.add({"-", "deadlock", "-", on_path, gain.candidate.name()});
      continue;
    }
    const double time_s = gain.with.time_s;
    const double ratio = report.time_s > 0 ? time_s / report.time_s : 1;
    table.add({scale.text(scale.rounded(report.time_s - time_s)), scale.text(time_s),
               fmt::format("{:.3f} x", ratio), on_path, gain.candidate.name()});
  }
  return fmt::format("{} takes {}. With one resource at 2x speed:\n\n", report.name,
                     to_short_text(Seconds(report.time_s))) +
         table.text(2) + note_on_none(report, gains) + note_on_losses(report, gains) +
         note_on_stuck(gains);
}

}  // namespace ringscope
