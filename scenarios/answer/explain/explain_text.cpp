// SPDX-License-Identifier: LGPL-2.1-or-later
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "scenarios/answer/explain/explain.hpp"
#include "scenarios/answer/text/report_text.hpp"
#include "scenarios/answer/text/table.hpp"
#include "topologies/input/characters.hpp"

namespace ringscope {
namespace {

constexpr std::size_t most_causes = 12;
constexpr std::size_t most_at_each_end = 8;
/// Text in lines of at most 100 columns.
std::string wrapped(const std::string& text) {
  constexpr std::size_t width = 100;
  std::string lines;
  std::size_t column = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find(' ', at), text.size());
    if (text.compare(end, 2, " %") == 0) end = std::min(text.find(' ', end + 1), text.size());
    if (column > 0 && column + 1 + end - at > width) {
      lines += '\n';
      column = 0;
    } else if (column > 0) {
      lines += ' ';
      ++column;
    }
    lines.append(text, at, end - at);
    column += end - at;
    at = end + 1;
  }
  return lines + '\n';
}

std::string blame_table(const Report& report, bool all) {
  const std::vector<Blamed> rows = blames(report);
  const TimeScale scale(report.time_s);
  TextTable table({"time", "share", text_column("cause")});
  const auto add = [&](double seconds, const std::string& what) {
    table.add({scale.text(seconds), fmt::format("{:.1f} %", 100 * seconds / report.time_s), what});
  };
  const auto first_small = std::ranges::find_if(
      rows, [&](const Blamed& one) { return scale.rounded(one.segment.seconds) == 0; });
  const std::size_t shown =
      all ? rows.size()
          : std::min(most_causes, static_cast<std::size_t>(first_small - rows.begin()));
  for (std::size_t i = 0; i < shown; ++i) add(rows[i].segment.seconds, blame_text(rows[i]));
  double rest = 0;
  for (std::size_t i = shown; i < rows.size(); ++i) rest += rows[i].segment.seconds;
  if (shown < rows.size()) add(rest, plural(rows.size() - shown, "smaller cause"));
  std::string text = table.text(2);
  if (report.path_reduced)
    text += "  The path is long: its smaller segments are sums by cause, without their places.\n";
  return text;
}

std::string chain_table(const Report& report, bool all) {
  const PathChain& chain = *report.chain;
  const TimeScale scale(report.time_s);
  TextTable table({"start", "duration", text_column("cause")});
  const std::size_t count = chain.segments.size();
  const bool whole = all || count <= 2 * most_at_each_end + 1;
  for (std::size_t i = 0; i < count; ++i) {
    if (!whole && i == most_at_each_end) {
      const std::size_t left_out = count - 2 * most_at_each_end;
      table.add({"...", "", fmt::format("{} segments; --all shows them", left_out)});
      i += left_out;
    }
    const ChainSegment& one = chain.segments[i];
    table.add({one.start_s == 0 ? "0 s" : scale.text(one.start_s), scale.text(one.segment.seconds),
               blame_text(blamed(one))});
  }
  std::string text = "\n  The chain from the start to the last rank's end, in order\n";
  if (chain.begin_s > 0)
    text += fmt::format("  It is long: in order from {} on, before that its sums are known.\n",
                        to_short_text(Seconds(chain.begin_s)));
  return text + table.text(2);
}

std::string one_explanation(const Report& report, const std::string& name, bool all) {
  if (report.time_s == 0) return name + ": it took no time\n";
  std::string text = wrapped(fmt::format("{} takes {}: {}.", name,
                                         to_short_text(Seconds(report.time_s)), reason(report))) +
                     "\n  Where the time of the critical path went\n" + blame_table(report, all);
  if (report.chain) text += chain_table(report, all);
  return text;
}

std::vector<Difference> rows_of(const std::vector<BlameDifference>& list) {
  return each_of(list, [](const BlameDifference& one) {
    return Difference{blame_text(one.blamed), {}, one.first_s, one.other_s};
  });
}

// The pace-setter of a run, as a person would say it.

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
  std::map<std::string, std::ptrdiff_t> ranks;
  for (const RankReport& one : report.rank_reports) {
    ++ranks[one.host];
    if (one.rank == rank) found.host = one.host;
  }
  found.ranks = ranks[found.host];
  found.lone_hosts = std::ranges::count(ranks, 1, &decltype(ranks)::value_type::second);
  return found;
}

/// One core that moves bytes: which way?
std::string core_clause(const Report& report, const PathSegment& segment) {
  const Directions bytes = directions(report, segment.resource);
  const Company with = company(report, segment.rank);
  const std::string who = with.ranks == 1
                              ? fmt::format("on {}, {} host with one process, rank {}", with.host,
                                            with.lone_hosts == 1 ? "the" : "a", segment.rank)
                              : fmt::format("rank {} on {}", segment.rank, with.host);
  if (bytes.both())
    return who + " receives from the network and sends to the network, and one CPU has to push" +
           " both";
  const char* does = bytes.sent > bytes.received ? ", that sends to the network"
                     : bytes.received > 0        ? ", that receives from the network"
                                                 : "";
  return "one CPU sets the pace, " + segment.resource.name() + does;
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

/// The places of the longest rows: "a", "a and b", "a, b and 3 more"; "" where they have none.
std::string places_text(const Share& share) {
  const std::string first = share.longest.segment.resource.name();
  const std::string second = share.second.segment.resource.name();
  if (first.empty() || second.empty()) return first;
  return share.rows == 2 ? first + " and " + second
                         : fmt::format("{}, {} and {} more", first, second, share.rows - 2);
}

/// The links by name: two that are alone and much alike, one with half of the time, or one with
/// more than twice the mean of all.
std::string links_clause(const Share& share) {
  const PathSegment &segment = share.longest.segment, &other = share.second.segment;
  if (share.rows == 2 && other.seconds > 0.5 * segment.seconds) return places_text(share);
  if (segment.seconds > 0.5 * share.seconds) return segment.resource.name();
  const bool outstanding = segment.seconds * static_cast<double>(share.rows) > 2 * share.seconds;
  return fmt::format("{} links{}", share.rows,
                     outstanding ? ", most of all " + segment.resource.name() : "");
}

std::string pace_clause(const Report& report, const Share& share) {
  const PathSegment& segment = share.longest.segment;
  const bool one_place = segment.seconds > 0.5 * share.seconds;
  switch (share.longest.blame) {
    case Cause::copy: {
      const bool on_cpu = segment_words(segment)[0] == "CPU copy";
      if (one_place && on_cpu && !segment.resource.empty()) return core_clause(report, segment);
      const std::string place = one_place ? segment.resource.name() : places_text(share);
      return (on_cpu ? "CPUs that move bytes set the pace" : "copies by GPUs set the pace") +
             (place.empty() ? "" : ", on " + place);
    }
    case Cause::wire:
      return "link bandwidth sets the pace, at " + links_clause(share);
    case Cause::memory:
      return "memory sets the pace, most of all " + segment.resource.name();
    case Cause::lock:
      return "threads wait for each other at a lock, " + segment.resource.name();
    case Cause::latency:
    case Cause::protocol:
      return "latencies and handshakes set the pace, not bytes";
    case Cause::overhead:
      return "the overhead of each message sets the pace, not bytes";
    case Cause::pinning:
      return "a core pins the buffers of each large message before the NIC may reach them, which a "
             "cache of registrations would save";
    case Cause::progress:
    case Cause::partner:
      return fmt::format("messages wait for rank {}, which is not in MPI: it is {}", segment.rank,
                         segment_text(segment));
    default:
      return (one_place ? "" : "most of it ") + segment_text(segment) +
             (share.longest.blame == Cause::sleep && report.algorithm == "horovod"
                  ? ", Horovod's next cycle: lower 'cycle'"
                  : "");
  }
}

Share largest_share(const Report& report) {
  Array<Share, cause_names.size()> shares;
  for (const Blamed& one : blames(report)) shares[one.blame].add(one);
  return *std::ranges::max_element(shares, {}, &Share::seconds);
}

/// The blame that makes the slower of two runs the slower one, as that run knows it.
Share largest_growth(const Report& faster, const Report& slower) {
  CauseSeconds growth{};
  for (const BlameDifference& one : blame_differences(faster, slower))
    growth[one.blamed.blame] += one.seconds();
  const auto most = std::ranges::max_element(growth);
  Share share;
  for (const Blamed& one : blames(slower))
    if (one.blame == Cause(most - growth.begin())) share.add(one);
  return share;
}

}  // namespace

std::string print_explanation(std::span<const Report> reports, bool all) {
  const std::vector<std::string> names = short_names(reports);
  std::vector<std::size_t> ended;
  std::string stuck;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    if (!reports[i].deadlock)
      ended.push_back(i);
    else
      stuck += '\n' + names[i] + " deadlocks.\n";
  }
  if (ended.empty()) return "";
  const std::size_t first = ended[0];
  std::string text;
  for (const std::size_t i : std::span(ended).subspan(1)) {
    const std::vector<std::string> pair = {names[first], names[i]};
    if (!text.empty()) text += '\n';
    text += wrapped(difference_reason(reports[first], reports[i], pair) + '.');
    const std::vector<Difference> rows = rows_of(blame_differences(reports[first], reports[i]));
    text += '\n' + difference_table(reports[first], reports[i], pair, rows,
                                    all ? std::nullopt : std::optional(most_causes));
  }
  const bool alone = ended.size() == 1;
  for (const std::size_t i : ended)
    if (all || alone) text += (alone ? "" : "\n") + one_explanation(reports[i], names[i], all);
  return text + stuck;
}

std::string reason(const Report& report) {
  if (report.path.empty()) return "nothing took time";
  const Share share = largest_share(report);
  const ResourceId& resource = share.longest.segment.resource;
  return fmt::format(
      "{} ({:.0f} % of the critical path{})", pace_clause(report, share),
      100 * share.seconds / report.time_s,
      share.longest.segment.seconds > 0.5 * share.seconds ? busy(report, resource) : "");
}

std::string difference_reason(const Report& first, const Report& other,
                              std::span<const std::string> names) {
  const bool slower = other.time_s > first.time_s;
  const Report &fast = slower ? first : other, &slow = slower ? other : first;
  const std::string &fast_name = names[slower ? 0 : 1], &slow_name = names[slower ? 1 : 0];
  if (fast.time_s <= 0 || slow.time_s / fast.time_s < 1.01)
    return fmt::format("{} takes as long as {}: in {}, {}", names[1], names[0],
                       reason(fast) == reason(slow) ? "both" : slow_name, reason(slow));
  const Share share = largest_growth(fast, slow);
  return fmt::format("{} takes {} longer than {} ({:.2f} x): {}", slow_name,
                     to_short_text(Seconds(slow.time_s - fast.time_s)), fast_name,
                     slow.time_s / fast.time_s, pace_clause(slow, share));
}

}  // namespace ringscope
