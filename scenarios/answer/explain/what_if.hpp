// SPDX-License-Identifier: LGPL-2.1-or-later
// Gain of a run from twice as much of one thing.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "scenarios/answer/report.hpp"

namespace ringscope {

/// Something that stands on the critical path, and that could run at 2x speed.
struct Candidate {
  enum class Kind { resource, latency, overhead };
  Kind kind{};
  ResourceId resource{};  ///< only of that kind
  double on_path_s = 0;   ///< seconds of the critical path
  /// Name of the resource; else "latency", "overhead per message".
  std::string name() const;
};

/// Candidates that the path spends most on, the longest first.
std::vector<Candidate> candidates(const Report& report, std::size_t most);

/// The scenario with that at 2x speed: a resource with twice its capacity; half of all latencies,
/// of links and of the library; half of the CPU time per message.
Scenario improved(const Scenario& scenario, const Candidate& candidate);

struct Gain {
  Candidate candidate;
  Report with;  ///< with it
};

/// The largest gain first; last, what is stuck.
void sort_gains(std::vector<Gain>& gains);
std::string print_gains(const Report& report, const std::vector<Gain>& gains);
nlohmann::ordered_json gains_json(const Report& report, const std::vector<Gain>& gains);

}  // namespace ringscope
