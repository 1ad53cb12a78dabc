// Callbacks at dates, those of one date in the order in which they were set.
//
// Ranks in lockstep set many timers for one date: these share a bucket, found again through a small
// table, so that the heap holds dates and not timers.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "sim/kernel/kernel.hpp"

namespace ringscope::sim {

class Timers {
 public:
  bool empty() const { return heap_.empty(); }
  /// Infinity when there are none.
  double next_date() const {
    return heap_.empty() ? std::numeric_limits<double>::infinity() : heap_.front().date;
  }

  void add(double date, Callback callback) {
    int& known = recent_[std::bit_cast<std::uint64_t>(date) * 0x9e3779b97f4a7c15u >> 56];
    if (known < 0 || bucket(known).date != date) known = open(date);
    bucket(known).callbacks.push_back(callback);
  }

  /// Requires that there are some. Takes all of the earliest date out, in `into`.
  void take(std::vector<Callback>& into) {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    Bucket& earliest = bucket(heap_.back().bucket);
    into.insert(into.end(), earliest.callbacks.begin(), earliest.callbacks.end());
    earliest.callbacks.clear();
    earliest.date = -1;  // no timer's date
    free_.push_back(heap_.back().bucket);
    heap_.pop_back();
  }

 private:
  struct Bucket {
    double date = -1;
    std::vector<Callback> callbacks;
  };
  struct Entry {
    double date = 0;
    std::uint64_t order = 0;  ///< two buckets of one date: when the table had forgotten the first
    int bucket = 0;
  };
  static bool later(const Entry& a, const Entry& b) {
    return a.date != b.date ? a.date > b.date : a.order > b.order;
  }
  Bucket& bucket(int id) { return buckets_[static_cast<std::size_t>(id)]; }

  int open(double date) {
    if (free_.empty()) {
      free_.push_back(static_cast<int>(buckets_.size()));
      buckets_.emplace_back();
    }
    const int id = free_.back();
    free_.pop_back();
    bucket(id).date = date;
    heap_.push_back({date, opened_++, id});
    std::push_heap(heap_.begin(), heap_.end(), later);
    return id;
  }

  std::vector<Bucket> buckets_;
  std::vector<int> free_;
  std::vector<Entry> heap_;
  std::array<int, 256> recent_ = [] {
    std::array<int, 256> none{};
    none.fill(-1);
    return none;
  }();
  std::uint64_t opened_ = 0;
};

}  // namespace ringscope::sim
