// SPDX-License-Identifier: LGPL-2.1-or-later
// A ring allreduce as a kernel alone sees it: a timer and an activity per message, nothing else.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "sim/kernel/kernel.hpp"

namespace ringscope::benchmarks {

/// Rank r's message of a step starts when its last one and the one that it receives have ended.
class BareRing {
 public:
  BareRing(std::size_t ranks, std::string_view kernel)
      : kernel_(sim::make_kernel(kernel)), ranks_(ranks), step_(ranks), ended_(ranks) {
    for (std::size_t r = 0; r < ranks; ++r) {
      up_.push_back(kernel_->add_resource("up", 1.25e9));
      down_.push_back(kernel_->add_resource("down", 1.25e9));
    }
  }
  std::uint64_t messages() const { return 2 * ranks_ * (ranks_ - 1); }
  /// Simulated, s.
  double time() const { return kernel_->now(); }
  void run() {
    for (std::size_t r = 0; r < ranks_; ++r) send(r);
    kernel_->run();
  }

 private:
  void send(std::uint64_t r) {
    kernel_->after(2e-6, sim::Callback::to<&BareRing::travel>(this, r));
  }
  void travel(std::uint64_t r) {
    const sim::Use route[] = {{up_[r], 1}, {down_[(r + 1) % ranks_], 1}};
    kernel_->start(1024, route, sim::Callback::to<&BareRing::arrive>(this, r));
  }
  void arrive(std::uint64_t r) {
    for (const std::size_t rank : {r, (r + 1) % ranks_})
      if (++ended_[rank] == 2) {
        ended_[rank] = 0;
        if (++step_[rank] < 2 * (ranks_ - 1)) send(rank);
      }
  }

  std::unique_ptr<sim::Kernel> kernel_;
  std::size_t ranks_;
  std::vector<int> up_, down_;
  std::vector<std::size_t> step_;
  std::vector<int> ended_;
};

}  // namespace ringscope::benchmarks
