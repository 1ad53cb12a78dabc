// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/insight/chain_report.hpp"

#include <algorithm>
#include <map>

namespace ringscope::sim {
namespace {

/// Flags mark.rank's segments after mark.since as waited-for. A segment that began before is cut in
/// two.
void apply(const Paths::Chain::Mark& mark, double start, std::vector<ChainSegment>& segments) {
  const double since = mark.since - start, until = mark.until - start;
  const auto ends_before = [](const ChainSegment& one, double at) { return one.end_s() <= at; };
  auto segment = std::lower_bound(segments.begin(), segments.end(), since, ends_before);
  if (segment == segments.end()) return;
  if (segment->start_s < since && segment->segment.rank == mark.rank && !segment->waited) {
    ChainSegment before = *segment;
    before.segment.seconds = since - before.start_s;
    segment->segment.seconds -= before.segment.seconds;
    segment->start_s = since;
    segment = segments.insert(segment, before) + 1;
  }
  for (; segment != segments.end() && segment->start_s < until; ++segment)
    if (segment->segment.rank == mark.rank && !segment->waited) segment->waited = mark.cause;
}

}  // namespace

std::vector<ChainSegment> ChainOf::segments(const Paths::Chain& chain) const {
  std::vector<ChainSegment> list;
  double at = chain.begin - start;
  for (const Paths::Segment& segment : chain.segments) {
    const ResourceId resource =
        segment.resource < 0 ? ResourceId() : run.ledger->resource(segment.resource).id;
    list.push_back({{segment.cause, segment.rank, resource, segment.seconds}, at, std::nullopt});
    at += segment.seconds;
  }
  for (const Paths::Chain::Mark& mark : chain.marks) apply(mark, start, list);
  return list;
}

ResourceReport ChainOf::resource(int id) const {
  const Resource& resource = run.ledger->resource(id);
  const double used = run.ledger->carried(id) - used_before[id];
  const double possible = resource.capacity * elapsed;
  return {resource.id, resource.kind, possible > 0 ? used / possible : 0};
}

PathChain ChainOf::chain(const PathCursor& end) const {
  PathChain result;
  const Paths::Chain chain = run.paths->chain(end);
  result.begin_s = chain.begin - start;
  result.segments = segments(chain);
  std::map<int, int> places;  // on the path, by the ledger's id
  for (const Paths::Segment& segment : run.paths->merged(end))
    if (segment.resource >= 0) places[segment.resource] = -1;
  for (auto& [id, place] : places) {
    place = static_cast<int>(result.resources.size());
    result.resources.push_back(resource(id));
  }
  const auto place_of = [&](int id) {
    const auto found = places.find(id);
    return found == places.end() ? -1 : found->second;
  };
  for (MessageSpan message : *run.mpi->received) {
    message.start_s -= start;
    message.end_s -= start;
    message.sender_core = place_of(message.sender_core);
    message.receiver_core = place_of(message.receiver_core);
    result.messages.push_back(message);
  }
  return result;
}

}  // namespace ringscope::sim
