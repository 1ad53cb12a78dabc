// SPDX-License-Identifier: LGPL-2.1-or-later
// The script of a rank: every verb that its program performs, in order, told without a clock.
//
// Its threads take turns where they wait for each other. With
// wait_any the control flow depends on time: there is no script.
#pragma once

#include <optional>
#include <stdexcept>
#include <vector>

#include "algorithms/verbs/communicator.hpp"
#include "scenarios/question/scenario.hpp"
#include "sim/machine/orbits.hpp"

namespace ringscope::sim {

/// A verb as its rank sees it: peers are offsets in ranks, modulo their number. Or the end of
/// a step that is told for all of its loop's, which are equal. Or, as Verb::meet, a call of a group
/// whose verbs were told before: `tag` says for which call, `size` and `other_size` are the number
/// of its messages, and of their items.
struct ScriptLine {
  Verb verb{};
  int thread = 0;
  int peer = -1, other_peer = -1;  ///< -1: none
  int tag = 0, context = 0;
  std::size_t size = 0, other_size = 0;  ///< items; or a count
  double seconds = 0;
  Block block{};        ///< of a kernel
  int equal_steps = 0;  ///< of such a loop; 0: a verb
  bool operator==(const ScriptLine&) const = default;
};

/// The program decides by what is known only when it runs.
class NoScript : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One rank of `size`, whose program has `threads` threads beside non-blocking collectives.
struct ScriptPart {
  int rank = 0, size = 1, threads = 1;
  /// A program that waits for any of several gets the first: one of the scripts that it has.
  bool first_of_any = false;
  /// Calls of a group by a thread that differ in their data alone are told once. Requires that all
  /// have the options of the job.
  bool calls_once = false;
};

/// Groups that programs have split their ranks into, each found once for all ranks.
using ScriptGroups = Splits<const ScriptPart>;

/// Script of a rank as orbits number them. `options`: the job's, with its hosts. Ranks are split
/// where any of them can tell the groups. It is written into `room`: fresh memory for each of
/// thousands of long scripts takes longer than to write them. Throws NoScript.
void write_script(const Job& job, const Options& options, const Orbits& orbits, int rank,
                  ScriptGroups& groups, bool first_of_any, std::vector<ScriptLine>& room);

// Scripts of ranks whose chunks differ by an item.

/// Chunks may differ by one item only where that is less of them than this.
inline constexpr double most_uneven = 1e-3;

/// Share of all messages' bytes that an item of each message is; nothing where anything else
/// differs than sizes by an item, or it is too much.
std::optional<double> unevenness(const Scenario& scenario, const std::vector<ScriptLine>& ours,
                                 const std::vector<ScriptLine>& theirs);

}  // namespace ringscope::sim
