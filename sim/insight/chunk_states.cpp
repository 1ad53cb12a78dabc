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

RankSets::RankSets(int ranks)
    : words_((ranks + 63) / 64), bits_(words_), known_(0, ByBits{this}, ByBits{this}) {
  keep_last();
}

std::size_t RankSets::ByBits::operator()(int set) const {
  std::uint64_t hash = 0;
  for (int i = 0; i < sets->words_; ++i) hash = hashed(hash, sets->first(set)[i]);
  return std::hash<std::uint64_t>()(hash);
}

std::size_t ChunkStates::StateHash::operator()(const State& state) const {
  std::uint64_t hash = hashed(0, std::bit_cast<std::uint64_t>(state.contributions));
  hash = hashed(hash, static_cast<std::uint64_t>(state.set));
  return std::hash<std::uint64_t>()(hashed(hash, static_cast<std::uint64_t>(state.waiting)));
}

int RankSets::keep_last() {
  const auto [place, is_new] = known_.insert(static_cast<int>(sizes_.size()));
  if (is_new) {
    int count = 0;
    for (int i = 0; i < words_; ++i) count += std::popcount(first(*place)[i]);
    sizes_.push_back(count);
  }
  bits_.resize(std::ssize(sizes_) * words_);
  return *place;
}

int RankSets::of(int rank) {
  const auto begin = std::ssize(bits_);
  bits_.resize(begin + words_);
  bits_[begin + rank / 64] = std::uint64_t{1} << (rank % 64);
  return keep_last();
}

int RankSets::joined(int a, int b) {
  if (a == b || a == 0 || b == 0) return std::max(a, b);
  for (int i = 0; i < words_; ++i) bits_.push_back(first(a)[i] | first(b)[i]);
  return keep_last();
}

std::vector<int> RankSets::ranks(int set) const {
  std::vector<int> ranks;
  for (int i = 0; i < words_; ++i)
    for (std::uint64_t rest = first(set)[i]; rest != 0; rest &= rest - 1)
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
      tells_who_(ranks < many_ranks),
      buffers_(ranks) {
  history_.ranks = history_.chunks = ranks;
  history_.holdings.emplace_back();
  known_[{.items = 1}] = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    if (collective.before == Held::root && rank != root) continue;
    const Range own =
        collective.before == Held::chunks ? chunks_[rank] : Range{Buffer::data, 0, items};
    if (own.size > 0)
      buffers_[rank][Buffer::data].push_back(
          {own.offset, own.offset + own.size, 0, sets_.of(rank)});
  }
  for (int chunk = 0; chunk < ranks; ++chunk) history_.chunk_items.push_back(chunks_[chunk].size);
  for (int rank = 0; rank < ranks; ++rank)
    for (int chunk = 0; chunk < ranks; ++chunk) now_.push_back(holding(state(rank, chunk)));
  history_.at_start = now_;
  last_change_.resize(now_.size());
}

auto ChunkStates::first_at(auto& intervals, std::size_t at) {
  return std::ranges::upper_bound(intervals, at, {}, &Interval::end);
}

// Afterwards none lies on both sides of `at`; returns the first behind it.
ChunkStates::Intervals::iterator ChunkStates::split(Intervals& intervals, std::size_t at) {
  const auto first = first_at(intervals, at);
  if (first == intervals.end() || first->begin >= at) return first;
  Interval before = *first;
  before.end = first->begin = at;
  return intervals.insert(first, before) + 1;
}

void ChunkStates::replace(Intervals& intervals, const Interval& piece) {
  split(intervals, piece.end);
  auto first = split(intervals, piece.begin);
  const auto end = std::find_if(first, intervals.end(),
                                [&](const Interval& one) { return one.begin >= piece.end; });
  if (piece.set != 0 && piece.end > piece.begin) {
    if (first == end) {
      intervals.insert(first, piece);
      return;
    }
    *first++ = piece;
  }
  intervals.erase(first, end);
}

template <class See>
void ChunkStates::each_content(int rank, const Range& range, See see) const {
  const Intervals& intervals = buffers_[rank][range.buffer];
  const std::size_t end = range.offset + range.size;
  std::size_t at = range.offset;
  const auto nothing_up_to = [&](std::size_t to) {
    if (to > at) see(Content{to - at, 0, 0});
    at = std::max(at, to);
  };
  for (auto next = first_at(intervals, at); next != intervals.end() && next->begin < end; ++next) {
    nothing_up_to(next->begin);
    const std::size_t to = std::min(end, next->end);
    see(Content{to - at, static_cast<std::int64_t>(at) + next->shift, next->set});
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

void ChunkStates::touch(std::int64_t begin, std::size_t size) {
  if (size == 0 || begin < 0 ||
      begin + static_cast<std::int64_t>(size) > static_cast<std::int64_t>(items_))
    return;
  const auto first = static_cast<std::size_t>(begin);
  const int last = chunk_at(first + size - 1);
  for (int c = chunk_at(first); c <= last; ++c) {
    const auto place = std::lower_bound(touched_.begin(), touched_.end(), c);
    if (place == touched_.end() || *place != c) touched_.insert(place, c);
  }
}

// Touched are the chunks of the range and, where it is told who contributed, those that the range
// held or holds something of.
void ChunkStates::put(int rank, const Range& range, const Contents& contents, double now) {
  touched_.clear();
  if (range.buffer == Buffer::data) touch(static_cast<std::int64_t>(range.offset), range.size);
  const auto touch_origin = [this](const Content& piece) {
    if (tells_who_ && piece.set != 0) touch(piece.origin, piece.size);
  };
  if (tells_who_) each_content(rank, range, touch_origin);
  Intervals& intervals = buffers_[rank][range.buffer];
  std::size_t at = range.offset;
  for (const Content& piece : contents) {
    touch_origin(piece);
    const std::size_t end = std::min(at + piece.size, range.offset + range.size);
    replace(intervals, {at, end, piece.origin - static_cast<std::int64_t>(at), piece.set});
    at = end;
  }
  changed(rank, now);
}

void ChunkStates::copy(int rank, const Range& into, const Range& from, double now) {
  keep(old_, rank, from);
  put(rank, into, old_, now);
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
    state.contributions += static_cast<double>(piece.size) * sets_.size(piece.set);
    if (tells_who_) state.set = sets_.joined(state.set, piece.set);
  });
  if (!tells_who_) return state;
  const auto begin = static_cast<std::int64_t>(range.offset);
  const auto end = begin + static_cast<std::int64_t>(range.size);
  for (const Interval& interval : buffers_[rank][Buffer::scratch]) {
    const std::int64_t first = static_cast<std::int64_t>(interval.begin) + interval.shift;
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
