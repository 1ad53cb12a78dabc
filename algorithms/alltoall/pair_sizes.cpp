// SPDX-License-Identifier: LGPL-2.1-or-later
#include "algorithms/alltoall/pair_sizes.hpp"

#include <cmath>

namespace ringscope {
namespace {

Table<double> ends_of(const std::vector<double>& sizes, double vector) {
  Table<double> ends = {0};
  double sum = 0;
  for (const double size : sizes) ends.push_back((sum += size) / vector);
  return ends;
}

double sum_of(const std::vector<double>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), 0.0);
}

}  // namespace

PairSizes::PairSizes(const std::vector<double>& weights)
    : ends_{ends_of(weights, sum_of(weights))} {}

PairSizes::PairSizes(const std::vector<std::vector<double>>& rows) {
  double most = 0;
  for (const std::vector<double>& row : rows) most = std::max(most, sum_of(row));
  assert(most > 0 && "somebody sends something");
  for (const std::vector<double>& row : rows) ends_.push_back(ends_of(row, most));
}

Range PairSizes::chunk(int from, int to, Range vector) const {
  const Table<double>& ends = ends_[all_cut_alike() ? 0 : from];
  const auto at = [&](int index) {
    const double part = std::min(1.0, ends[index]);
    return static_cast<std::size_t>(std::llround(part * static_cast<double>(vector.size)));
  };
  return {vector.buffer, vector.offset + at(to), at(to + 1) - at(to)};
}

PiecesByPair::PiecesByPair(Range scratch, std::size_t items, int self, int ranks,
                           const Options& options)
    : scratch_(scratch), ranks_(ranks) {
  const auto size = [&](int from) {
    return ChunksByPair({.size = items}, from, ranks, options)[self].size;
  };
  if (options.sizes == nullptr || options.sizes->all_cut_alike()) {
    each_ = size(0);
    return;
  }
  std::size_t end = 0;
  for (int from = 0; from < ranks; ++from) ends_.push_back(end += size(from));
}

Range PiecesByPair::operator[](int from) const {
  if (ends_.empty()) return {scratch_.buffer, scratch_.offset + times(from, each_), each_};
  const std::size_t begin = from == 0 ? 0 : ends_[from - 1];
  return {scratch_.buffer, scratch_.offset + begin, ends_[from] - begin};
}

Cost pairs_by_size_cost(int ranks, std::size_t items, const Options& options, bool empty_too) {
  Cost cost;
  Table<std::int64_t> received(ranks);
  for (int from = 0; from < ranks; ++from) {
    const ChunksByPair chunk({.size = items}, from, ranks, options);
    std::int64_t sent = 0;
    for (int to = 0; to < ranks; ++to) {
      if (to == from || (chunk[to].size == 0 && !empty_too)) continue;
      cost.items += chunk[to].size;
      ++sent;
      ++received[to];
    }
    cost.messages += sent;
    cost.steps = std::max(cost.steps, sent);
  }
  cost.steps = std::max(cost.steps, *std::ranges::max_element(received));
  return cost;
}

std::size_t pieces_by_pair_items(int ranks, std::size_t items, Options options) {
  std::size_t most = 0;
  for (int rank = 0; rank < ranks; ++rank)
    most = std::max(most, PiecesByPair({}, items, rank, ranks, options).items());
  return most;
}

}  // namespace ringscope
