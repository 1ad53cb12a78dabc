// SPDX-License-Identifier: LGPL-2.1-or-later
// A time that depends on a message's size, in segments: as measurements of real libraries show it.
#pragma once

#include <cstdint>
#include <vector>

#include "topologies/input/input.hpp"
#include "topologies/input/units.hpp"

namespace ringscope {

class SizedTime {
 public:
  struct Segment {
    std::uint64_t up_to = UINT64_MAX;  ///< bytes, inclusive
    Seconds time{};
    ByteCost cost{};  ///< beside `time`, per byte of the whole message
    bool operator==(const Segment&) const = default;
  };

  /// The same for every size.
  SizedTime(Seconds time = {}) : segments_{{.time = time}} {}
  /// Requires at least one segment, by rising `up_to`; the last one takes all sizes that are left.
  explicit SizedTime(std::vector<Segment> segments) : segments_(std::move(segments)) {}

  /// Seconds for a message of `bytes`.
  double at(std::uint64_t bytes) const {
    std::size_t i = 0;
    while (bytes > segments_[i].up_to && i + 1 < segments_.size()) ++i;
    return segments_[i].time.count() +
           static_cast<double>(bytes) * segments_[i].cost.seconds_per_byte;
  }
  bool is_zero() const {
    const Segment& first = segments_.front();
    return segments_.size() == 1 && first.time.count() == 0 && first.cost.seconds_per_byte == 0;
  }
  /// Adds to the time of every size.
  SizedTime plus(Seconds more) const {
    SizedTime result = *this;
    for (Segment& segment : result.segments_) segment.time += more;
    return result;
  }
  /// Scales the time of every size by the factor.
  SizedTime times(double factor) const {
    SizedTime result = *this;
    for (Segment& segment : result.segments_) {
      segment.time *= factor;
      segment.cost.seconds_per_byte *= factor;
    }
    return result;
  }
  bool operator==(const SizedTime&) const = default;

 private:
  std::vector<Segment> segments_;
};

/// "5 us", or [{up_to: 1 KiB, time: 5 us, cost: 0.1 ns/B}, ..., {time: 20 us}]. Throws InputError.
SizedTime read_sized_time(const Value& value, std::string_view what);

}  // namespace ringscope
