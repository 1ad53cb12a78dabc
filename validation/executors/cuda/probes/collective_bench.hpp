// SPDX-License-Identifier: LGPL-2.1-or-later
// Times the collectives of a library and checks what they compute.
#pragma once

#include "validation/executors/batches.hpp"
#include "validation/executors/cuda/gpus/collectives.hpp"

namespace ringscope::cuda {

struct CollectiveOptions {
  std::vector<Collective> what;
  std::vector<std::uint64_t> sizes;  ///< bytes of the whole vector
  std::vector<int> ranks;            ///< rank counts, on GPUs 0, 1, ..., and round again
  RepetitionRule repetitions{.warmups = 5, .stop = {.budget_s = 5}};
  /// Called before ranks join and before each point, with its name; for a watchdog.
  std::function<void(const std::string& point)> begin = [](const std::string&) {};
};

/// Entries of a replay's document, and what the library refused: {"ranks", "gpus", "why"} each.
struct CollectiveResults {
  nlohmann::ordered_json measurements = nlohmann::ordered_json::array();
  nlohmann::ordered_json refused = nlohmann::ordered_json::array();
};

/// Throws WrongResult for a vector that is not the sum, and GpuError for what fails once the ranks
/// have joined.
CollectiveResults measure_collectives(Gpus& gpus, CollectiveLibrary& library,
                                      const CollectiveOptions& options);

}  // namespace ringscope::cuda
