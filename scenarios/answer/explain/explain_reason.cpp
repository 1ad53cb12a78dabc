// SPDX-License-Identifier: LGPL-2.1-or-later
// The pace-setter of a run, as a person would say it.
#include <fmt/format.h>

#include <algorithm>

#include "scenarios/answer/explain/explain.hpp"
#include "scenarios/answer/text/report_text.hpp"
#include "scenarios/answer/text/table.hpp"

namespace ringscope {
namespace {

std::string percent(double part, double whole) {
  return fmt::format("{:.0f} %", whole > 0 ? 100 * part / whole : 0);
}

std::string busy(const Report& report, const ResourceId& resource) {
  if (!report.chain) return "";
  for (const ResourceReport& one : report.chain->resources)
    if (one.id == resource) return fmt::format(", busy {:.0f} %", 100 * one.utilisation);
  return "";
}

/// Number of ranks on the host of this one, and of hosts with one rank.
struct Company {
  std::string host;
  std::ptrdiff_t ranks = 0, lone_hosts = 0;
};

Company company(const Report& report, int rank) {
  Company found;
  std::vector<std::string> hosts;
  for (const RankReport& one : report.rank_reports) {
    hosts.push_back(one.host);
    if (one.rank == rank) found.host = one.host;
  }
  std::sort(hosts.begin(), hosts.end());
  for (auto host = hosts.begin(); host != hosts.end();) {
    const auto next = std::upper_bound(host, hosts.end(), *host);
    if (*host == found.host) found.ranks = next - host;
    if (next - host == 1) ++found.lone_hosts;
    host = next;
  }
  return found;
}

/// One core that moves bytes: which way?
std::string core_clause(const Report& report, const PathSegment& segment) {
  const Directions bytes = directions(report, segment.resource);
  const Company with = company(report, segment.rank);
  if (bytes.both() && with.ranks == 1)
    return fmt::format(
        "on {}, {} host with one process, rank {} receives from the network and sends to the "
        "network, and one CPU has to push both",
        with.host, with.lone_hosts == 1 ? "the" : "a", segment.rank);
  if (bytes.both())
    return fmt::format(
        "rank {} on {} receives from the network and sends to the network, and one CPU has to "
        "push both",
        segment.rank, with.host);
  std::string text = "one CPU sets the pace, " + segment.resource.name();
  if (bytes.sent > 0 || bytes.received > 0)
    text += bytes.sent > bytes.received ? ", that sends to the network"
                                        : ", that receives from the network";
  return text;
}

/// All of one blame, and its two longest rows.
struct Share {
  double seconds = 0;
  std::size_t rows = 0;
  Blamed longest, second;

  void add(const Blamed& one) {
    if (rows < 2) (rows == 0 ? longest : second) = one;
    ++rows;
    seconds += one.segment.seconds;
  }
};

/// The links by name: two that are alone and much alike, one with half of the time, or one with
/// more than twice the mean of all.
std::string links_clause(const Share& share) {
  const PathSegment &segment = share.longest.segment, &other = share.second.segment;
  if (share.rows == 2 && other.seconds > 0.5 * segment.seconds)
    return fmt::format("{} and {}", segment.resource.name(), other.resource.name());
  if (segment.seconds > 0.5 * share.seconds) return segment.resource.name();
  const bool outstanding = segment.seconds * static_cast<double>(share.rows) > 2 * share.seconds;
  return fmt::format("{} links{}", share.rows,
                     outstanding ? ", most of all " + segment.resource.name() : "");
}

std::string pace_clause(const Report& report, const Share& share) {
  const PathSegment& segment = share.longest.segment;
  const bool one_place = segment.seconds > 0.5 * share.seconds;
  switch (share.longest.blame) {
    case Cause::copy:
      if (one_place && !segment.resource.empty()) return core_clause(report, segment);
      return fmt::format("CPUs that move bytes set the pace, {} of them", share.rows);
    case Cause::wire:
      return "the wire sets the pace, at " + links_clause(share);
    case Cause::memory:
      return "memory sets the pace, most of all " + segment.resource.name();
    case Cause::lock:
      return "threads wait for each other at a lock, " + segment.resource.name();
    case Cause::latency:
    case Cause::protocol:
      return "latencies and handshakes set the pace, not bytes";
    case Cause::overhead:
      return "the CPU time of each message sets the pace, not bytes";
    case Cause::pinning:
      return "a core pins the buffers of each large message before the NIC may reach them, which a "
             "cache of registrations would save";
    case Cause::progress:
    case Cause::partner:
      return fmt::format("messages wait for rank {}, which is not in MPI: it is {}", segment.rank,
                         segment_text(segment));
    case Cause::sleep:
      return (one_place ? "" : "most of it ") + segment_text(segment) +
             (report.algorithm == "horovod" ? ", Horovod's next cycle: lower 'cycle'" : "");
    default:
      return (one_place ? "" : "most of it ") + segment_text(segment);
  }
}

Share largest_share(const Report& report) {
  Array<Share, cause_names.size()> shares;
  for (const Blamed& one : blames(report)) shares[one.blame].add(one);
  return *std::max_element(shares.begin(), shares.end(),
                           [](const Share& a, const Share& b) { return a.seconds < b.seconds; });
}

/// The blame that makes the slower of two runs the slower one, as that run knows it.
Share largest_growth(const Report& faster, const Report& slower) {
  CauseSeconds growth{};
  for (const BlameDifference& one : blame_differences(faster, slower))
    growth[one.blamed.blame] += one.seconds();
  const auto most = std::max_element(growth.begin(), growth.end());
  Share share;
  for (const Blamed& one : blames(slower))
    if (one.blame == Cause(most - growth.begin())) share.add(one);
  return share;
}

}  // namespace

std::string reason(const Report& report) {
  if (report.path.empty()) return "nothing took time";
  const Share share = largest_share(report);
  const ResourceId& resource = share.longest.segment.resource;
  return fmt::format(
      "{} ({} of the critical path{})", pace_clause(report, share),
      percent(share.seconds, report.time_s),
      share.longest.segment.seconds > 0.5 * share.seconds ? busy(report, resource) : "");
}

std::string difference_reason(const Report& first, const Report& other,
                              std::span<const std::string> names) {
  const bool slower = other.time_s > first.time_s;
  const Report &fast = slower ? first : other, &slow = slower ? other : first;
  const std::string &fast_name = names[slower ? 0 : 1], &slow_name = names[slower ? 1 : 0];
  if (fast.time_s <= 0 || slow.time_s / fast.time_s < 1.01)
    return fmt::format("{} takes as long as {}: in both, {}", names[1], names[0], reason(slow));
  const Share share = largest_growth(fast, slow);
  return fmt::format("{} takes {} longer than {} ({:.2f} x): {}", slow_name,
                     to_short_text(Seconds(slow.time_s - fast.time_s)), fast_name,
                     slow.time_s / fast.time_s, pace_clause(slow, share));
}

}  // namespace ringscope
