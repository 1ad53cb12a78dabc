// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/kernel/kernel.hpp"

#include "sim/kernel/max_min.hpp"
#include "sim/kernel/timed_kernel.hpp"

namespace ringscope::sim {
namespace {

class FluidKernel final : public TimedKernel<MaxMin> {
 public:
  explicit FluidKernel(double tolerance) { set_tolerance(tolerance); }
  std::string_view name() const override { return "fluid"; }
};

}  // namespace

std::unique_ptr<Kernel> make_fluid_kernel(double tolerance) {
  return std::make_unique<FluidKernel>(tolerance);
}

}  // namespace ringscope::sim
