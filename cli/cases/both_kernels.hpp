// SPDX-License-Identifier: LGPL-2.1-or-later
// One question asked of two kernels: by how much do their answers differ?
#pragma once

#include <span>
#include <string>

#include "scenarios/answer/report.hpp"

namespace ringscope {

/// By how much the times of two kernels' reports differ at most.
struct KernelDifference {
  static constexpr double tolerance = 1e-9;

  std::size_t cases = 0, times = 0;  ///< that were compared
  double share = 0;                  ///< of the case's time
  std::string name, what;  ///< which differ most: the case, the time as JSON has it; or ""
  double fluid_s = 0, simgrid_s = 0;

  bool is_defect() const { return share > tolerance; }
  std::string text() const;  ///< a sentence
  void merge(const KernelDifference& other);
};

/// Compares cases in their order. One that is stuck on one kernel alone differs without bound.
KernelDifference kernel_difference(std::span<const Report> fluid, std::span<const Report> simgrid);

}  // namespace ringscope
