// SPDX-License-Identifier: LGPL-2.1-or-later
// The table of pinned ranks that Intel MPI prints with I_MPI_DEBUG=5, as a placement.
#include <algorithm>

#include "topologies/placement/places.hpp"

namespace ringscope {
namespace {

struct Interval {
  int first = 0, last = 0;
};

/// CPUs of "{0,1,4-7}", which the host has.
std::vector<Interval> cpus_of(const Value& set, int cpus, const std::string& host) {
  const std::string& text = set.scalar();
  const auto refuse = [&](const Value& at) {
    at.fail("expected a set of CPUs such as {{0,1}} or {{0-3}}, got \"{}\"", text.substr(0, 60));
  };
  if (text.size() < 3 || text.front() != '{' || text.back() != '}') refuse(set);
  std::vector<Interval> intervals;
  for (const Value& part : divided(part_of(set, 1, text.size() - 2))) {
    const std::string& range = part.scalar();
    const auto dash = range.find('-');
    const auto first = whole_number(range.substr(0, dash));
    const auto last = dash == std::string::npos ? first : whole_number(range.substr(dash + 1));
    if (!first || !last || *last < *first) refuse(part);
    if (*last >= cpus)
      part.fail("CPU {} of '{}', which has {} with two for each core", *last, host, cpus);
    intervals.push_back({*first, *last});
  }
  return intervals;
}

/// The place of a rank that may run on these CPUs. They are numbered as the cores are, one domain
/// after the other, and then each core's second one.
Location pinned_to(const std::vector<Interval>& cpus, int host, const Topology& topology) {
  Location rank{.host = host, .binding = Binding::host};
  const auto& domains = topology.hosts()[host].numa_domains;
  const int all = cores_of(topology, host);
  const auto meets = [&](int begin, int end) {
    return std::ranges::any_of(cpus, [&](const Interval& one) {
      return (one.first < end && one.last >= begin) ||
             (one.first < end + all && one.last >= begin + all);
    });
  };
  int begin = 0, touched = 0;
  for (std::size_t i = 0; i < domains.size(); ++i) {
    const int end = begin + topology.graph()[domains[i]].cores;
    if (meets(begin, end) && touched++ == 0) {
      rank.numa = static_cast<int>(i);
      rank.core = cpus.front().first % all - begin;
    }
    begin = end;
  }
  const int core = cpus.front().first % all;
  const bool single = std::ranges::all_of(
      cpus, [&](const Interval& one) { return one.first == one.last && one.first % all == core; });
  if (single) rank.binding = Binding::core;
  if (!single && touched == 1) rank.binding = Binding::numa;
  if (rank.binding != Binding::core) rank.core = 0;
  if (rank.binding == Binding::host) rank.numa = 0;
  return rank;
}

/// The words of a line behind "MPI startup():"; empty where it is none of Intel MPI's.
std::vector<Value> startup_words(const Value& line) {
  constexpr std::string_view mark = "MPI startup():";
  const auto found = line.scalar().find(mark);
  if (found == std::string::npos) return {};
  return words_of(part_of(line, found + mark.size()));
}

/// Rank, process, host and CPUs.
bool is_row(std::span<const Value> words) {
  return words.size() >= 4 && whole_number(words[0].scalar()) && whole_number(words[1].scalar());
}

}  // namespace

std::vector<Location> read_pinning(const Value& path, const Topology& topology) {
  Table<std::optional<Location>> ranks;
  const HostNames hosts(topology);
  bool in_table = false;
  const Place log = each_line(path, "log", [&](const Value& line) {
    const std::vector<Value> words = startup_words(line);
    if (!in_table || !is_row(words)) {
      in_table = words.size() >= 3 && words[0].scalar() == "Rank" && words[1].scalar() == "Pid";
      return;
    }
    const std::int64_t rank = words[0].integer(0, most_ranks - 1);
    std::optional<Location>& location = ranks.grown(rank);
    if (location) words[0].fail("rank {} has two lines in the table", rank);
    const std::string& name = words[2].scalar();
    const int host = hosts.index(name, words[2].place());
    // Without pinning there is a word in place of the set.
    location =
        words[3].scalar().starts_with('{')
            ? pinned_to(cpus_of(words[3], 2 * cores_of(topology, host), name), host, topology)
            : Location{.host = host, .binding = Binding::host};
  });
  if (ranks.empty())
    throw InputError(log, "has no table 'Rank Pid Node name Pin cpu', as I_MPI_DEBUG=5 prints it");
  Table<Location> places;
  for (const auto& rank : ranks) {
    if (!rank) throw InputError(log, "the table has no rank {}", places.size());
    places.push_back(*rank);
  }
  return places;
}

}  // namespace ringscope
