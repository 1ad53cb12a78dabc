// SPDX-License-Identifier: LGPL-2.1-or-later
// Reasons why a run took as long as it did, and another longer: from the critical path alone.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <string>
#include <vector>

#include "scenarios/answer/path_chain.hpp"
#include "scenarios/answer/report.hpp"

namespace ringscope {

// NCCL's choice for an allreduce, beside what it might have taken instead.

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

// The reasons.

/// Segments of the critical path of one blame at one place.
struct Blamed {
  /// The cause; but for work outside MPI while a message waited for that rank: partner or progress.
  Cause blame{};
  PathSegment segment;  ///< merged; its cause is what its rank did
  bool waited() const { return blame != segment.cause; }
};

Blamed blamed(const ChainSegment& one);

/// The whole path, the longest first; adds up to the time of the run. Waits of messages for ranks
/// are known for reports with a chain, as far as that goes back.
std::vector<Blamed> blames(const Report& report);

/// "CPU copy on host2/core0 (rank 7)", "waiting for progress of rank 3 (computing on ...)".
std::string blame_text(const Blamed& one);

/// Bytes that a core moved for messages between hosts.
struct Directions {
  double sent = 0, received = 0;  ///< bytes
  bool both() const;
};
Directions directions(const Report& report, const ResourceId& core);

/// A clause that says what sets the pace of the run, derived from its path, its messages and its
/// placement.
std::string reason(const Report& report);

/// Seconds on the paths of two runs for one blame at one place. Places go by the names of
/// resources, whoever's rank stands there, and by ranks where there is none.
struct BlameDifference {
  Blamed blamed;  ///< of the other run, or of the first where that has none
  double first_s = 0, other_s = 0;
  double seconds() const { return other_s - first_s; }
};
/// The largest difference first; all add up to the difference of the times.
std::vector<BlameDifference> blame_differences(const Report& first, const Report& other);

/// One sentence: how much longer the slower of the two takes, and why.
std::string difference_reason(const Report& first, const Report& other,
                              std::span<const std::string> names);

/// Screens: a sentence, the table, and the chain; of several reports how each differs from the
/// first that has ended, and the names of those that are stuck. With `all` nothing is left out.
/// Where all are stuck, "".
std::string print_explanation(std::span<const Report> reports, bool all);
/// The document of `explain --json`; schema.md says which keys.
nlohmann::ordered_json explanation(std::span<const Report> reports);

// Gain of a run from twice as much of one thing.

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
