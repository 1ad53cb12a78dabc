// SPDX-License-Identifier: LGPL-2.1-or-later
// NCCL's choice for an allreduce, beside what it might have taken instead.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "scenarios/answer/report.hpp"

namespace ringscope {

/// Call for NCCL to choose a kernel for. The job's algorithm is a collective of NCCL's.
nccl::KernelCall kernel_call_of(const Scenario& scenario);

/// An algorithm and a protocol that are forced.
struct NcclAlternative {
  Scenario scenario;
  std::string algorithm, protocol;  ///< as the options name them
  double expected_s = 0;            ///< by NCCL's own tables
};

/// All that NCCL may take for this job; none where it is not NCCL's, or the library does not say
/// what its protocols cost.
std::vector<NcclAlternative> nccl_alternatives(const Scenario& scenario);

struct NcclOutcome {
  NcclAlternative alternative;
  Report report;

  /// Whether that is what the job did by itself.
  bool is(const Report& chosen) const { return report.chosen == chosen.chosen; }
};

/// A sentence with the choice and what would have been faster, and a table.
std::string print_nccl_choice(const Report& report, std::span<const NcclOutcome> outcomes);
nlohmann::ordered_json nccl_choice_json(const Report& report,
                                        std::span<const NcclOutcome> outcomes);

}  // namespace ringscope
