// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/answer/explain/explain.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "scenarios/answer/text/report_text.hpp"

namespace ringscope {
namespace {

/// Causes that keep a rank outside MPI: meanwhile its messages make no progress.
bool outside_mpi(Cause cause) {
  return cause == Cause::compute || cause == Cause::reduce || cause == Cause::noise ||
         cause == Cause::skew || cause == Cause::storage || cause == Cause::sleep ||
         cause == Cause::input;
}

/// Six digits of it: rounding must not choose between two that are equal on paper.
float digits(double seconds) { return static_cast<float>(seconds); }

void sort_longest_first(std::vector<Blamed>& rows) {
  std::ranges::stable_sort(rows, [](const Blamed& a, const Blamed& b) {
    return digits(a.segment.seconds) > digits(b.segment.seconds);
  });
}

}  // namespace

Blamed blamed(const ChainSegment& one) {
  const bool waited = one.waited && outside_mpi(one.segment.cause);
  return {waited ? *one.waited : one.segment.cause, one.segment};
}

std::vector<Blamed> blames(const Report& report) {
  using Key = std::tuple<Cause, Cause, int, ResourceId>;
  std::map<Key, double> waited;
  if (report.chain)
    for (const ChainSegment& one : report.chain->segments)
      if (const Blamed row = blamed(one); row.waited())
        waited[{row.blame, one.segment.cause, one.segment.rank, one.segment.resource}] +=
            one.segment.seconds;
  std::vector<Blamed> rows;
  for (PathSegment segment : report.path) {
    const double whole = segment.seconds;
    double left = whole;
    for (const Cause blame : {Cause::partner, Cause::progress}) {
      const auto found = waited.find({blame, segment.cause, segment.rank, segment.resource});
      if (found == waited.end()) continue;
      left -= found->second;
      segment.seconds = found->second;
      rows.push_back({blame, segment});
    }
    segment.seconds = left;
    // Drop a remainder that is only rounding: the row has gone into others.
    if (left > 1e-12 * whole) rows.push_back({segment.cause, segment});
  }
  sort_longest_first(rows);
  return rows;
}

std::string blame_text(const Blamed& one) {
  const std::string work = segment_text(one.segment);
  if (!one.waited()) return work;
  const char* what = one.blame == Cause::progress ? "progress" : "the call";
  return "waiting for " + std::string(what) + " of rank " + std::to_string(one.segment.rank) +
         " (" + work + ")";
}

bool Directions::both() const {
  constexpr double least = 0.25;  // of the other direction: less is an aside
  return sent > 0 && received > 0 && std::min(sent, received) >= least * std::max(sent, received);
}

Directions directions(const Report& report, const ResourceId& core) {
  Directions bytes;
  if (!report.chain) return bytes;
  const auto is_core = [&](int place) {
    return place >= 0 && report.chain->resources[place].id == core;
  };
  for (const MessageSpan& message : report.chain->messages) {
    if (!message.between_hosts) continue;
    if (is_core(message.sender_core)) bytes.sent += static_cast<double>(message.bytes);
    if (is_core(message.receiver_core)) bytes.received += static_cast<double>(message.bytes);
  }
  return bytes;
}

std::vector<BlameDifference> blame_differences(const Report& first, const Report& other) {
  using Key = std::tuple<Cause, Cause, int, std::string>;
  std::map<Key, BlameDifference> rows;
  const auto row = [&](const Blamed& one) -> BlameDifference& {
    const bool has_place = !one.segment.resource.empty();
    const Key key{one.blame, one.segment.cause, has_place ? -1 : one.segment.rank,
                  one.segment.resource.place};
    return rows.try_emplace(key, BlameDifference{one}).first->second;
  };
  for (const Blamed& one : blames(other)) row(one).other_s += one.segment.seconds;
  for (const Blamed& one : blames(first)) row(one).first_s += one.segment.seconds;
  std::vector<BlameDifference> list;
  for (const auto& [key, one] : rows) list.push_back(one);
  std::ranges::stable_sort(list, [](const auto& a, const auto& b) {
    return digits(std::abs(a.seconds())) > digits(std::abs(b.seconds()));
  });
  return list;
}

}  // namespace ringscope
