// SPDX-License-Identifier: LGPL-2.1-or-later
// CPU costs as small integer weights.
//
// A kernel takes integer weights only (SimGrid expresses a weight by naming a link several times),
// so all costs per byte of a core are expressed in one unit: the largest that divides the least of
// them and in which each other one is a whole number of units to within 0.5 %, or as near as small
// weights come. Equal costs become 1. Computation is counted in the same kind of work, as bytes of
// the costliest kind: max-min shares rates, so a computation counted in seconds would starve a
// copy, or the other way round.
#pragma once

#include <span>

#include "topologies/input/units.hpp"

namespace ringscope::sim {

class CpuScale {
 public:
  /// Costs of 0 need no weight and are ignored.
  explicit CpuScale(std::span<const ByteCost> costs);
  /// So many units a second, of which a computation weighs `compute_weight`.
  CpuScale(double capacity, int compute_weight)
      : unit_(1 / capacity), compute_weight_(compute_weight) {}

  /// Units that a core can do in a second.
  double capacity() const { return 1.0 / unit_; }
  /// Units of a core per byte; 0 for a cost of 0.
  int weight(ByteCost cost) const;
  /// Pure CPU time is run with this weight, and with this amount for `seconds`.
  int compute_weight() const { return compute_weight_; }
  double compute_amount(double seconds) const { return seconds / (unit_ * compute_weight_); }

 private:
  double unit_ = 1e-9;  ///< seconds
  int compute_weight_ = 1;
};

}  // namespace ringscope::sim
