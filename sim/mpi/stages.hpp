// SPDX-License-Identifier: LGPL-2.1-or-later
// Causes that held a message up, one after the other.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "scenarios/answer/report.hpp"

namespace ringscope::sim {

/// A stage of a message: `cause` held it up until `end`, from the end of the stage before.
struct Stage {
  Cause cause{};
  double end = 0;  ///< s, as the kernel counts
};

/// The stages of a message, in order. Nearly all messages have few, which stand in it, causes apart
/// from dates: millions may be in flight.
class Stages {
 public:
  std::size_t size() const { return size_; }
  Stage operator[](std::size_t i) const { return {cause_of(i), end_of(i)}; }
  Stage back() const { return (*this)[size_ - 1]; }
  double end_of(std::size_t i) const { return i < few ? ends_[i] : (*more_)[i - few].second; }
  double& end_of(std::size_t i) { return i < few ? ends_[i] : (*more_)[i - few].second; }
  void add(Cause cause, double end) {
    if (size_ < few) {
      causes_[size_] = static_cast<std::uint8_t>(cause);
      ends_[size_] = end;
    } else {
      if (!more_) more_ = std::make_unique<std::vector<std::pair<Cause, double>>>();
      more_->emplace_back(cause, end);
    }
    ++size_;
  }
  void clear() {
    size_ = 0;
    more_.reset();
  }

 private:
  static constexpr std::size_t few = 8;

  Cause cause_of(std::size_t i) const {
    return i < few ? static_cast<Cause>(causes_[i]) : (*more_)[i - few].first;
  }

  std::array<double, few> ends_{};
  std::array<std::uint8_t, few> causes_{};
  std::unique_ptr<std::vector<std::pair<Cause, double>>> more_;  ///< those beyond
  std::uint32_t size_ = 0;
};

}  // namespace ringscope::sim
