// SPDX-License-Identifier: LGPL-2.1-or-later
// Ringscope for other programs: a scenario goes in as text, its answer comes out as text.
//
// The only header that is installed: find_package(ringscope), target ringscope::ringscope.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#define RINGSCOPE_EXPORTED __attribute__((visibility("default")))

namespace ringscope {

/// Simulates each case of `scenario`, YAML or JSON as scenarios/format.md says, and returns the
/// JSON that `ringscope run --json` writes (scenarios/schema.md). Each of `changes` is what `--set`
/// takes: "job.bytes=1 MiB". `name`: what cases and places of errors are called by; files that the
/// scenario names are seen from the working directory. Threads may call it at once.
///
/// Throws std::invalid_argument for input that cannot be, in the program's words: the place, what
/// was expected, what stood there. A case that can never go on is one of `stuck`, no error.
RINGSCOPE_EXPORTED std::string run(const std::string& scenario,
                                   const std::vector<std::string>& changes = {},
                                   const std::string& name = "scenario");

/// Simulates the same, and returns the screen that `ringscope compare` prints.
RINGSCOPE_EXPORTED std::string compare(const std::string& scenario,
                                       const std::vector<std::string>& changes = {},
                                       const std::string& name = "scenario");

/// Time of one call of a collective of NCCL's. `low_s`, `high_s`: between which 90 % of measured
/// times should be, where the library has a `spread`.
struct NcclEstimate {
  double time_s = 0;
  std::optional<double> low_s, high_s;
  std::string algorithm, protocol;
  int channels = 1;
};

class NcclTimes;  // not installed

/// Times of one communicator, for compilers, schedulers and cost models. Construction simulates
/// some hundred sizes; a query then takes about a microsecond, from any thread.
class RINGSCOPE_EXPORTED NcclEstimator {
 public:
  /// `cluster`, `library`, `placement`: names, paths, or maps as in a scenario; by default the GPUs
  /// of host after host, by the profile in the cluster's file or the shipped one for them. Sizes
  /// from `least` to `most` bytes are within `bound` of the simulated times, as far as sizes
  /// between points are looked at: a step of the time between these can be missed by more. Throws
  /// std::invalid_argument as run() does.
  NcclEstimator(const std::string& cluster, const std::string& collective, int ranks,
                const std::string& library = "", const std::string& placement = "",
                std::uint64_t least = 8, std::uint64_t most = std::uint64_t{16} << 30,
                double bound = 0.02);
  NcclEstimate operator()(std::uint64_t bytes) const;

 private:
  std::shared_ptr<const NcclTimes> times_;
};

}  // namespace ringscope
