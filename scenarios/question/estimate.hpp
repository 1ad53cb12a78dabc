// SPDX-License-Identifier: LGPL-2.1-or-later
// Size of a simulation, told before it is begun.
#pragma once

#include <string>

#include "scenarios/question/scenario.hpp"

namespace ringscope {

/// Part of the foreground job that is simulated; the rest is told by it.
struct Simulated {
  std::size_t ranks = 0;
  int repetitions = 1;
};

struct Estimate {
  std::size_t ranks = 0;  ///< of all jobs
  /// Messages of all repetitions of the foreground job that are simulated; of an algorithm whose
  /// number depends on timing, the least.
  double messages = 0;
  double memory_bytes = 0;
  double seconds = 0;  ///< on one core as of 2026, where every message is simulated
  /// Many messages in flight share links, which a tolerance makes cheaper.
  bool contended = false;
  int repetitions = 1;  ///< that are simulated
};

/// Cost of one repetition of the foreground job; an item is a byte.
Cost cost_of(const Scenario& scenario);

/// Cost of a simulation of all ranks and repetitions; of the `simulated` ones.
Estimate estimate_of(const Scenario& scenario, bool on_simgrid);
Estimate estimate_of(const Scenario& scenario, bool on_simgrid, Simulated simulated);

/// "400000 ranks that send 3.2e+11 messages"
std::string in_words(const Estimate& estimate);

/// The keys that make it large, the strongest first: "'job.repetitions' or the ranks of
/// 'placement'".
std::string what_to_lower(const Scenario& scenario, int simulated_repetitions);

/// Memory that the system will still give, under this process's limits too; infinity: it does not
/// say.
double free_memory_bytes();

/// Throws InputError, at the scenario, where the memory will not be there.
void require_memory(const Scenario& scenario, const Estimate& estimate, double free_bytes);

}  // namespace ringscope
