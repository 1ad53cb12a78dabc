// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/insight/chunk_states.hpp"

#include <fmt/format.h>

#include <bit>

namespace ringscope::sim {
namespace {

/// A matrix of more can be neither seen nor kept.
constexpr int most_ranks = 256;

/// FNV-1a over words in place of bytes.
std::uint64_t hashed(std::uint64_t seed, std::uint64_t word) {
  const std::uint64_t mixed = (seed ^ word) * 0x100000001b3u;
  return mixed ^ mixed >> 32;
}

}  // namespace

std::size_t RankSets::Hash::operator()(const Bits& bits) const {
  std::uint64_t hash = 0;
  for (const std::uint64_t block : bits) hash = hashed(hash, block);
  return std::hash<std::uint64_t>()(hash);
}

std::size_t ChunkStates::StateHash::operator()(const State& state) const {
  std::uint64_t hash = hashed(0, std::bit_cast<std::uint64_t>(state.contributions));
  hash = hashed(hash, static_cast<std::uint64_t>(state.set));
  return std::hash<std::uint64_t>()(hashed(hash, static_cast<std::uint64_t>(state.waiting)));
}

int RankSets::intern(Bits bits) {
  const auto [place, is_new] =
      numbers_.try_emplace(std::move(bits), static_cast<int>(sets_.size()));
  if (is_new) {
    sets_.push_back(&place->first);
    int count = 0;
    for (const std::uint64_t block : place->first) count += std::popcount(block);
    sizes_.push_back(count);
  }
  return place->second;
}

int RankSets::of(int rank) {
  Bits bits(blocks_);
  bits[rank / 64] |= std::uint64_t{1} << (rank % 64);
  return intern(std::move(bits));
}

int RankSets::joined(int a, int b) {
  if (a == b || b == 0) return a;
  if (a == 0) return b;
  const auto [small, large] = std::minmax(a, b);
  const std::uint64_t both = static_cast<std::uint64_t>(small) << 32 | static_cast<unsigned>(large);
  const auto [place, is_new] = joined_.try_emplace(both, 0);
  if (is_new) {
    Bits sum = bits(a);
    for (int i = 0; i < blocks_; ++i) sum[i] |= bits(b)[i];
    place->second = intern(std::move(sum));
  }
  return place->second;
}

bool RankSets::contains(int whole, int part) const {
  for (int i = 0; i < blocks_; ++i)
    if ((bits(part)[i] & ~bits(whole)[i]) != 0) return false;
  return true;
}

std::vector<int> RankSets::ranks(int set) const {
  std::vector<int> ranks;
  for (int i = 0; i < blocks_; ++i)
    for (std::uint64_t rest = bits(set)[i]; rest != 0; rest &= rest - 1)
      ranks.push_back(64 * i + std::countr_zero(rest));
  return ranks;
}

std::string no_chunks_of(const Collective& collective, int ranks) {
  if (!is_of_one_vector(collective))
    return fmt::format("the ranks of {} do not share out one buffer in chunks", collective.name);
  if (ranks > most_ranks)
    return fmt::format("the chunks of {} ranks are too many to show (at most {})", ranks,
                       most_ranks);
  return "";
}

ChunkStates::ChunkStates(const Collective& collective, int ranks, std::size_t items, int root,
                         double start)
    : sets_(ranks),
      chunks_({Buffer::data, 0, items}, ranks),
      items_(items),
      start_(start),
      buffers_(ranks) {
  history_.ranks = history_.chunks = ranks;
  history_.holdings.emplace_back();
  known_[{.items = 1}] = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    if (collective.before == Held::root && rank != root) continue;
    const Range own =
        collective.before == Held::chunks ? chunks_[rank] : Range{Buffer::data, 0, items};
    if (own.size > 0)
      buffer(rank, Buffer::data)[own.offset] = {own.offset + own.size, 0, sets_.of(rank)};
  }
  for (int chunk = 0; chunk < ranks; ++chunk) history_.chunk_items.push_back(chunks_[chunk].size);
  for (int rank = 0; rank < ranks; ++rank)
    for (int chunk = 0; chunk < ranks; ++chunk) now_.push_back(holding(state(rank, chunk)));
  history_.at_start = now_;
  last_change_.resize(now_.size());
}

ChunkStates::Intervals& ChunkStates::buffer(int rank, Buffer which) {
  return buffers_[rank][which];
}
const ChunkStates::Intervals& ChunkStates::buffer(int rank, Buffer which) const {
  return buffers_[rank][which];
}

/// Splits, so that no part lies on both sides of `at`.
void ChunkStates::split(Intervals& intervals, std::size_t at) {
  auto after = intervals.upper_bound(at);
  if (after == intervals.begin()) return;
  auto before = std::prev(after);
  if (before->first == at || before->second.end <= at) return;
  Interval rest = before->second;
  before->second.end = at;
  intervals.emplace_hint(after, at, rest);
}

template <class See>
void ChunkStates::each_content(int rank, const Range& range, See see) const {
  const Intervals& intervals = buffer(rank, range.buffer);
  const std::size_t end = range.offset + range.size;
  std::size_t at = range.offset;
  const auto nothing_up_to = [&](std::size_t to) {
    if (to > at) see(Content{to - at, 0, 0});
    at = std::max(at, to);
  };
  auto next = intervals.upper_bound(at);
  if (next != intervals.begin() && std::prev(next)->second.end > at) --next;
  for (; next != intervals.end() && next->first < end; ++next) {
    nothing_up_to(next->first);
    const std::size_t to = std::min(end, next->second.end);
    see(Content{to - at, static_cast<std::int64_t>(at) + next->second.shift, next->second.set});
    at = to;
  }
  nothing_up_to(end);
}

void ChunkStates::keep(Contents& kept, int rank, const Range& range) const {
  kept.clear();
  each_content(rank, range, [&](const Content& piece) { kept.push_back(piece); });
}

// As Range::part cuts: the first (items mod chunks) chunks hold one item more.
int ChunkStates::chunk_at(std::size_t offset) const {
  const auto count = static_cast<std::size_t>(chunks_.count());
  const std::size_t small = items_ / count, larger = items_ % count;
  const std::size_t in_larger = larger * (small + 1);
  return static_cast<int>(offset < in_larger ? offset / (small + 1)
                                             : larger + (offset - in_larger) / small);
}

// The chunks that the range of a buffer says something about.
void ChunkStates::touch(int rank, const Range& range) {
  const auto all_between = [&](std::int64_t begin, std::size_t size) {
    if (size == 0 || begin < 0 ||
        begin + static_cast<std::int64_t>(size) > static_cast<std::int64_t>(items_))
      return;
    const auto first = static_cast<std::size_t>(begin);
    const int last = chunk_at(first + size - 1);
    for (int c = chunk_at(first); c <= last; ++c) {
      const auto place = std::lower_bound(touched_.begin(), touched_.end(), c);
      if (place == touched_.end() || *place != c) touched_.insert(place, c);
    }
  };
  if (range.buffer == Buffer::data)
    all_between(static_cast<std::int64_t>(range.offset), range.size);
  each_content(rank, range, [&](const Content& piece) {
    if (piece.set != 0) all_between(piece.origin, piece.size);
  });
}

void ChunkStates::put(int rank, const Range& range, const Contents& contents, double now) {
  touched_.clear();
  touch(rank, range);
  Intervals& intervals = buffer(rank, range.buffer);
  std::size_t at = range.offset;
  for (const Content& piece : contents) {
    const std::size_t end = std::min(at + piece.size, range.offset + range.size);
    split(intervals, at);
    split(intervals, end);
    intervals.erase(intervals.lower_bound(at), intervals.lower_bound(end));
    if (piece.set != 0 && end > at)
      intervals[at] = {end, piece.origin - static_cast<std::int64_t>(at), piece.set};
    at = end;
  }
  touch(rank, range);
  changed(rank, now);
}

void ChunkStates::reduce(int rank, const Range& into, const Range& from, double now) {
  keep(old_, rank, into);
  keep(added_, rank, from);
  sums_.clear();
  auto left = old_.begin(), right = added_.begin();
  std::size_t left_done = 0, right_done = 0;
  while (left != old_.end() && right != added_.end()) {
    const std::size_t size = std::min(left->size - left_done, right->size - right_done);
    const bool own = left->set != 0;
    const std::int64_t origin = own ? left->origin + static_cast<std::int64_t>(left_done)
                                    : right->origin + static_cast<std::int64_t>(right_done);
    if (size > 0) sums_.push_back({size, origin, sets_.joined(left->set, right->set)});
    left_done += size;
    right_done += size;
    if (left_done == left->size) ++left, left_done = 0;
    if (right_done == right->size) ++right, right_done = 0;
  }
  put(rank, into, sums_, now);
}

// A chunk's own place counts; what scratch space holds of it waits, unless nothing else is there.
ChunkStates::State ChunkStates::state(int rank, int chunk) {
  const Range range = chunks_[chunk];
  State state{.items = static_cast<double>(std::max<std::size_t>(range.size, 1))};
  each_content(rank, range, [&](const Content& piece) {
    if (piece.set == 0) return;
    state.set = sets_.joined(state.set, piece.set);
    state.contributions += static_cast<double>(piece.size) * sets_.size(piece.set);
  });
  const auto begin = static_cast<std::int64_t>(range.offset);
  const auto end = begin + static_cast<std::int64_t>(range.size);
  for (const auto& [at, interval] : buffer(rank, Buffer::scratch)) {
    const std::int64_t first = static_cast<std::int64_t>(at) + interval.shift;
    const std::int64_t last = static_cast<std::int64_t>(interval.end) + interval.shift;
    if (first < end && last > begin) state.waiting = sets_.joined(state.waiting, interval.set);
  }
  if (sets_.contains(state.set, state.waiting)) state.waiting = 0;
  return state;
}

std::uint32_t ChunkStates::holding(const State& state) {
  State key = state;  // chunks of different sizes that hold alike are one
  key.contributions /= key.items;
  key.items = 1;
  if (history_.ranks >= many_ranks) key.set = key.waiting = 0;
  const auto number = static_cast<std::uint32_t>(history_.holdings.size());
  const auto [place, is_new] = known_.try_emplace(key, number);
  if (is_new)
    history_.holdings.push_back({key.contributions, sets_.ranks(key.set),
                                 static_cast<double>(sets_.size(key.waiting)),
                                 sets_.ranks(key.waiting)});
  return place->second;
}

void ChunkStates::changed(int rank, double now) {
  for (const int chunk : touched_) {
    const int cell = rank * history_.chunks + chunk;
    const std::uint32_t holds = holding(state(rank, chunk));
    if (holds == now_[cell]) continue;
    now_[cell] = holds;
    // Several changes at one instant: only the last can be seen.
    std::size_t& last = last_change_[cell];
    if (last > 0 && history_.changes[last - 1].at == now - start_) {
      history_.changes[last - 1].holding = holds;
      continue;
    }
    history_.changes.push_back({now - start_, rank, chunk, holds});
    last = history_.changes.size();
  }
}

ChunkHistory ChunkStates::take() { return std::move(history_); }

}  // namespace ringscope::sim
