// SPDX-License-Identifier: LGPL-2.1-or-later
// The state of a run as a list of numbers that is the same whenever the run will go on alike: times
// from now, and names that are given anew each time replaced by what they stand for.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sim/kernel/kernel.hpp"

namespace ringscope::sim {

/// Pending callbacks: timers, and activities in flight.
class Agenda {
 public:
  struct Entry {
    Callback what;
    double measure = 0;      ///< of a timer, seconds from now; of an activity, units that are left
    std::uint64_t kind = 0;  ///< timer, activity, paused activity
  };
  explicit Agenda(std::vector<Entry> entries) : entries_(std::move(entries)) {
    std::ranges::sort(entries_, before);
  }
  /// Entries that will call this object with this argument.
  std::span<const Entry> of(const void* object, std::uint64_t argument) const {
    const auto less = [](const Entry& entry, std::pair<const void*, std::uint64_t> key) {
      return std::pair<const void*, std::uint64_t>(entry.what.object, entry.what.argument) < key;
    };
    const auto first =
        std::lower_bound(entries_.begin(), entries_.end(), std::pair{object, argument}, less);
    auto last = first;
    while (last != entries_.end() && last->what.object == object && last->what.argument == argument)
      ++last;
    const Entry* data = entries_.data();
    return {data + (first - entries_.begin()), data + (last - entries_.begin())};
  }
  std::size_t size() const { return entries_.size(); }

 private:
  static bool before(const Entry& a, const Entry& b) {
    if (a.what.object != b.what.object) return a.what.object < b.what.object;
    if (a.what.argument != b.what.argument) return a.what.argument < b.what.argument;
    return a.kind != b.kind ? a.kind < b.kind : a.measure < b.measure;
  }
  std::vector<Entry> entries_;
};

/// Either takes a state down, or compares one with what was taken down before.
class StateRecord {
 public:
  /// Takes the numbers down anew from now on.
  void take_down() {
    exact_.clear();
    measures_.clear();
    compares_ = false;
  }
  /// Compares the numbers from now on; times may differ by `tolerance` seconds.
  void compare(double tolerance) {
    compares_ = same_ = true;
    tolerance_ = tolerance;
    next_exact_ = next_measure_ = 0;
  }
  /// Nothing has differed so far; what is left may be left out when something has.
  bool same() const { return !compares_ || same_; }
  /// All has been compared and nothing differed.
  bool same_to_the_end() const {
    return same_ && next_exact_ == exact_.size() && next_measure_ == measures_.size();
  }

  void add(std::integral auto number) {
    const auto exact = static_cast<std::uint64_t>(number);
    if (!compares_)
      exact_.push_back(exact);
    else
      same_ = same_ && next_exact_ < exact_.size() && exact_[next_exact_++] == exact;
  }
  /// Seconds from now.
  void add_time(double seconds) { add_measure(seconds, tolerance_); }
  /// Bytes, or other units of work.
  void add_amount(double units) { add_measure(units, 1e-6 + 1e-9 * std::abs(units)); }
  void add(const Agenda::Entry& entry) {
    add(std::bit_cast<std::uintptr_t>(entry.what.function));
    add(entry.kind);
    if (entry.kind == 0)
      add_time(entry.measure);
    else
      add_amount(entry.measure);
    ++entries_;
  }
  /// Entries of the agenda that were added since it was last asked.
  std::size_t take_entries() { return std::exchange(entries_, 0); }

 private:
  void add_measure(double value, double tolerance) {
    if (!compares_)
      measures_.push_back(value);
    else
      same_ = same_ && next_measure_ < measures_.size() &&
              std::abs(measures_[next_measure_++] - value) <= tolerance;
  }

  std::vector<std::uint64_t> exact_;
  std::vector<double> measures_;
  bool compares_ = false, same_ = true;
  double tolerance_ = 0;
  std::size_t next_exact_ = 0, next_measure_ = 0, entries_ = 0;
};

}  // namespace ringscope::sim
