// SPDX-License-Identifier: LGPL-2.1-or-later
// Proof that the ranks of a scenario do the same at the same time, host by host.
//
// They do where moving every rank to the next host changes nothing: not the machine, not where the
// ranks are on it, not what their programs say. What a rank does follows from these alone, since a
// run has one answer; so rank r + n has the times of rank r, n being the ranks of each host. The
// first two are proven, part by part; where hosts hang on several switches those of a leaf or a pod
// move as one (equal_hosts.hpp). Of the programs the algorithm declares it (Algorithm::alike),
// and some hosts' are compared verb by verb (script.hpp); a test compares all of them. Of a large
// model the stages differ, and what moves is a replica, with all of its hosts
// (Algorithm::alike_order).
#pragma once

#include <optional>
#include <string>

#include "scenarios/question/scenario.hpp"
#include "sim/machine/orbits.hpp"

namespace ringscope::sim {

// Proof that the GPUs of each host may move to the next one of their host, all hosts at once.
//
// Of an allreduce by switches GPU h of each host sums chunk h for all: the trees between hosts are
// as many, and equal. Ranks are numbered GPU by GPU, so that a move is one by as many ranks as
// there are hosts. Whatever a rank, or a message, uses of the whole machine has to come to what the
// moved one uses: each resource to one that is as fast, which no other comes to, and back to itself
// after all the GPUs of a host and no sooner.

/// Orbits of the GPUs of a host; nothing where they are not equal, or the job is another.
std::optional<Orbits> equal_gpus(const Scenario& asked);

// The proof for ranks.

struct Alike {
  std::optional<Orbits> orbits;  ///< nothing where they are not, or where nobody asked
  std::string reason;            ///< why not
  /// Share of all messages' sizes by which another host's differ, at most; 0: they are equal.
  double uneven = 0;
};

/// With `uneven` chunks of a ring may differ by one item. The ranks are then alike up to that: a
/// message's size counts as its simulated sender has it.
Alike alike_ranks(const Scenario& scenario, bool uneven = false);

/// Reason that ranks differ by numbers drawn at random, or set for single ones; "" where they do
/// not.
std::string unlike_by_chance(const Scenario& scenario);

/// Reason that the programs of the first host's ranks, or the first replica's, moved on to each of
/// the others, are not theirs; "" where they are. Requires as many ranks on each.
std::string unlike_programs(const Scenario& scenario);

/// The scenario with the ranks as orbits number them.
Scenario in_order(const Scenario& scenario, const Orbits& orbits);

}  // namespace ringscope::sim
