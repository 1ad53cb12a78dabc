// The activities under way by the date at which they will be done, as things stand.
#pragma once

#include <limits>
#include <utility>
#include <vector>

namespace ringscope::sim {

/// A heap of small numbers, each with a date that can change.
class FinishHeap {
 public:
  bool empty() const { return heap_.empty(); }
  /// Infinity when there is none.
  double first_date() const {
    return heap_.empty() ? std::numeric_limits<double>::infinity() : heap_.front().date;
  }
  int first() const { return heap_.front().item; }

  /// Adds the item, or moves it to another date.
  void set(int item, double date) {
    if (static_cast<std::size_t>(item) >= places_.size())
      places_.resize(static_cast<std::size_t>(item) + 1, nowhere);
    std::size_t place = places_[static_cast<std::size_t>(item)];
    if (place == nowhere) {
      place = heap_.size();
      heap_.push_back({date, item});
      places_[static_cast<std::size_t>(item)] = place;
    } else {
      heap_[place].date = date;
    }
    settle(place);
  }
  /// Nothing where the item is not in.
  void remove(int item) {
    if (static_cast<std::size_t>(item) >= places_.size()) return;
    const std::size_t place = std::exchange(places_[static_cast<std::size_t>(item)], nowhere);
    if (place == nowhere) return;
    const Entry last = heap_.back();
    heap_.pop_back();
    if (place == heap_.size()) return;
    put(last, place);
    settle(place);
  }

 private:
  struct Entry {
    double date = 0;
    int item = 0;
  };
  static constexpr std::size_t arity = 4;  // fewer cache misses than two
  static constexpr std::size_t nowhere = ~std::size_t{0};

  void put(const Entry& entry, std::size_t place) {
    heap_[place] = entry;
    places_[static_cast<std::size_t>(entry.item)] = place;
  }
  void settle(std::size_t place) {
    const Entry entry = heap_[place];
    while (place > 0 && entry.date < heap_[(place - 1) / arity].date) {
      put(heap_[(place - 1) / arity], place);
      place = (place - 1) / arity;
    }
    for (;;) {
      const std::size_t begin = place * arity + 1;
      const std::size_t end = begin + arity < heap_.size() ? begin + arity : heap_.size();
      std::size_t least = place;
      double date = entry.date;
      for (std::size_t child = begin; child < end; ++child)
        if (heap_[child].date < date) date = heap_[least = child].date;
      if (least == place) break;
      put(heap_[least], place);
      place = least;
    }
    put(entry, place);
  }

  std::vector<Entry> heap_;
  std::vector<std::size_t> places_;  ///< by item
};

}  // namespace ringscope::sim
