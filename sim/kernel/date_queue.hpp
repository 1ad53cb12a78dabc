// SPDX-License-Identifier: LGPL-2.1-or-later
// Things to happen at dates, those of one date in the order in which they were added.
//
// Ranks in lockstep have many things happen at one date: these share a bucket, found again through
// a small table, so that the heap holds dates and not things.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/pool.hpp"
#include "base/table.hpp"

namespace ringscope::sim {

template <class Item>
class DateQueue {
 public:
  /// Infinity when there is nothing.
  double next_date() {
    while (!heap_.empty() && bucket(heap_.front().bucket).wanted == 0) pop();
    return heap_.empty() ? std::numeric_limits<double>::infinity() : heap_.front().date;
  }

  /// Requires date >= 0. Returns what forget() takes.
  int add(double date, const Item& item) {
    int& known = recent_[std::bit_cast<std::uint64_t>(date) * 0x9e3779b97f4a7c15u >> 56];
    if (known < 0 || bucket(known).date != date) known = open(date);
    Bucket& held = bucket(known);
    held.items.push_back(item);
    ++held.wanted;
    ++wanted_;
    return known;
  }
  /// One thing less is to happen; the caller knows it when take() yields it all the same.
  void forget(int id) {
    --wanted_;
    if (--bucket(id).wanted == 0) bucket(id).items.clear();
    if (heap_.size() > 64 + 4 * wanted_) drop_unwanted();
  }

  /// Requires that next_date() is one. Adds all things of that date to `into`.
  void take(std::vector<Item>& into) {
    Bucket& earliest = bucket(heap_.front().bucket);
    into.insert(into.end(), earliest.items.begin(), earliest.items.end());
    wanted_ -= earliest.wanted;
    pop();
  }

  /// Moves every date by `seconds`.
  void shift(double seconds) {
    for (Entry& entry : heap_) bucket(entry.bucket).date = entry.date += seconds;
    recent_.fill(-1);
  }
  /// Calls visit(date, item), by date.
  template <class Visit>
  void visit(Visit visit) const {
    std::vector<Entry> sorted = heap_;
    std::ranges::sort(sorted, [](const Entry& a, const Entry& b) { return later(b, a); });
    for (const Entry& entry : sorted)
      for (const Item& item : buckets_[entry.bucket].items) visit(entry.date, item);
  }

 private:
  struct Bucket {
    double date = -1;  ///< -1: not in use
    std::size_t wanted = 0;
    boost::container::small_vector<Item, 1> items;  ///< out of lockstep each date has one
  };
  struct Entry {
    double date = 0;
    std::uint64_t order = 0;  ///< of buckets of one date: the table may have forgotten the first
    int bucket = 0;
  };
  static bool later(const Entry& a, const Entry& b) {
    return static_cast<int>(a.date > b.date) |
           (static_cast<int>(a.date == b.date) & static_cast<int>(a.order > b.order));
  }
  Bucket& bucket(int id) { return buckets_[id]; }

  int open(double date) {
    const int id = buckets_.take();
    bucket(id).date = date;
    heap_.push_back({date, opened_++, id});
    std::push_heap(heap_.begin(), heap_.end(), later);
    return id;
  }
  void close(int id) {
    bucket(id).items.clear();
    bucket(id).date = -1;
    bucket(id).wanted = 0;
    buckets_.release(id);
  }
  // A heap of its own: which of two children comes first is a matter of chance, which the processor
  // is not to guess.
  void pop() {
    close(heap_.front().bucket);
    const Entry last = heap_.back();
    heap_.pop_back();
    if (heap_.empty()) return;
    std::size_t gap = 0;
    for (std::size_t child = 1; child < heap_.size(); child = 2 * gap + 1) {
      if (child + 1 < heap_.size()) child += later(heap_[child], heap_[child + 1]);
      heap_[gap] = heap_[child];
      gap = child;
    }
    for (; gap > 0 && later(heap_[(gap - 1) / 2], last); gap = (gap - 1) / 2)
      heap_[gap] = heap_[(gap - 1) / 2];
    heap_[gap] = last;
  }
  void drop_unwanted() {
    const auto unwanted = [this](const Entry& entry) {
      if (bucket(entry.bucket).wanted > 0) return false;
      close(entry.bucket);
      return true;
    };
    heap_.erase(std::remove_if(heap_.begin(), heap_.end(), unwanted), heap_.end());
    std::make_heap(heap_.begin(), heap_.end(), later);
  }

  Pool<Bucket> buckets_;
  std::vector<Entry> heap_;
  std::array<int, 256> recent_ = [] {
    std::array<int, 256> none{};
    none.fill(-1);
    return none;
  }();
  std::size_t wanted_ = 0;
  std::uint64_t opened_ = 0;
};

}  // namespace ringscope::sim
