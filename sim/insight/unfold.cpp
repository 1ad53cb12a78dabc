// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/insight/measurement.hpp"

namespace ringscope::sim {
namespace {

/// The address of the like thing at another host: "host0/core1" is "host7/core1" there, and
/// "switch->host0/nic0" is "switch->host7/nic0".
std::string moved(const std::string& place, const std::string& from, const std::string& to) {
  const auto is_word = [&](std::size_t at) {
    const std::size_t end = at + from.size();
    const bool begins = at == 0 || (at >= 2 && place.compare(at - 2, 2, "->") == 0);
    return begins && (end == place.size() || place[end] == '/' || place[end] == ' ' ||
                      place.compare(end, 2, "->") == 0);
  };
  std::string result;
  for (std::size_t at = 0; at < place.size();) {
    const bool here = place.compare(at, from.size(), from) == 0 && is_word(at);
    result += here ? to : place.substr(at, 1);
    at += here ? from.size() : 1;
  }
  return result;
}

/// Resources as busy as each other: those of one host, then those of the next.
using AsBusy = std::span<const ResourceReport>;

/// The address where the ranks that are simulated come to when they have moved so often.
std::string moved(const std::string& place, const Machine& machine, int times) {
  const Orbits& orbits = machine.orbits();
  if (times > 0 && orbits.links != nullptr)
    for (const auto& [link, names] : orbits.links->names)
      if (names.front() == place) return names.begin()[times];
  for (int rank = 0; times > 0 && rank < orbits.simulated; ++rank) {
    std::string there =
        moved(place, machine.host_name(rank), machine.host_name(times * orbits.simulated + rank));
    if (there != place) return there;
  }
  return place;
}

void append(std::vector<ResourceReport>& all, AsBusy alike, const Machine& machine,
            std::size_t most) {
  const Orbits& orbits = machine.orbits();
  for (int times = 0; times < orbits.size(); ++times) {
    for (ResourceReport one : alike) {
      if (all.size() == most) return;
      one.id.place = moved(one.id.place, machine, times);
      if (one.id.rank >= 0) one.id.rank = orbits.number(times * orbits.simulated + one.id.rank);
      all.push_back(std::move(one));
    }
  }
}

std::vector<ResourceReport> of_all_hosts(std::span<const ResourceReport> here,
                                         const Machine& machine) {
  constexpr double rounding = 1e-12;
  std::vector<ResourceReport> all;
  const std::size_t listed = std::min(busiest, here.size());
  for (std::size_t begin = 0, end = 0; begin < listed; begin = end) {
    while (end < listed &&
           here[begin].utilisation - here[end].utilisation <= rounding * here[begin].utilisation)
      ++end;
    append(all, here.subspan(begin, end - begin), machine, busiest);
  }
  std::vector<ResourceReport> ours(here.begin(), here.end());
  for (ResourceReport& one : ours)
    if (one.id.rank >= 0) one.id.rank = machine.orbits().number(one.id.rank);
  add_busiest_links(all, ours);
  return all;
}

}  // namespace

void unfold(std::vector<Observed>& observed, const Orbits& orbits) {
  if (!orbits.folded()) return;
  const std::size_t here = observed.size();
  for (int times = 1; times < orbits.size(); ++times)
    for (std::size_t i = 0; i < here; ++i) {
      Observed like = observed[i];
      like.rank += times * orbits.simulated;
      observed.push_back(like);
    }
}

void wait_for_likes(std::vector<RankReport>& reports, const ChannelFold& fold,
                    View<const std::unique_ptr<RankThread>> ranks, double start) {
  if (!fold.folded()) return;
  for (RankReport& report : reports) {
    double end = report.finish_s;
    for (const ChannelFold::Like& like : fold.like[report.rank]) {
      const RankThread& other = *ranks[like.rank];
      end = std::max(end, other.block_end(like.other_thread) - start);
    }
    const double more = end - report.finish_s;
    report.finish_s = end;
    report.seconds[RankActivity::in_wait] += more;
    report.waited_for[Cause::partner] += more;
    double& idle = report.seconds[RankActivity::idle];
    idle = std::max(0.0, idle - more);
  }
}

void unfold(Measurement& measured, const Machine& machine) {
  const Orbits& orbits = machine.orbits();
  if (!orbits.folded()) return;
  const auto times = static_cast<std::uint64_t>(orbits.size());
  measured.traffic.messages *= times;
  measured.traffic.bytes *= times;
  measured.traffic.bytes_between_hosts *= times;
  measured.skipped.messages *= times;
  measured.resources = of_all_hosts(measured.resources, machine);
  Table<RankReport>& ranks = measured.ranks;
  for (int rank = orbits.simulated; rank < orbits.ranks; ++rank) {
    RankReport like = ranks[orbits.simulated_for(rank)];
    like.rank = rank;
    like.host = machine.host_name(rank);
    like.numa = machine.scenario().placement.ranks[rank].numa;
    ranks.push_back(std::move(like));
  }
  for (RankReport& rank : ranks) rank.rank = orbits.number(rank.rank);
  std::ranges::sort(ranks, {}, &RankReport::rank);
  for (PathSegment& segment : measured.path) {
    if (segment.rank >= 0) segment.rank = orbits.number(segment.rank);
    if (segment.resource.rank >= 0) segment.resource.rank = orbits.number(segment.resource.rank);
  }
}

}  // namespace ringscope::sim
