// SPDX-License-Identifier: LGPL-2.1-or-later
// Proof that the GPUs of each host may move to the next one of their host, all hosts at once.
//
// Of an allreduce by switches GPU h of each host sums chunk h for all: the trees between hosts are
// as many, and equal. Ranks are numbered GPU by GPU, so that a move is one by as many ranks as
// there are hosts. Whatever a rank, or a message, uses of the whole machine has to come to what the
// moved one uses: each resource to one that is as fast, which no other comes to, and back to itself
// after all the GPUs of a host and no sooner.
#pragma once

#include <optional>

#include "scenarios/question/scenario.hpp"
#include "sim/machine/orbits.hpp"

namespace ringscope::sim {

/// Orbits of the GPUs of a host; nothing where they are not equal, or the job is another.
std::optional<Orbits> equal_gpus(const Scenario& asked);

}  // namespace ringscope::sim
