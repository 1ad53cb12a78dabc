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
#include "sim/machine/machine.hpp"
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

// Channels of a kernel that are alike, so that one may be simulated for all of them.
//
// Found by colour refinement: blocks begin with the colour of their program (where it waits for any
// of several, that of one order), resources with that of their capacity. A block's next colour adds
// those of its peers and of what its messages use; a resource's those of the messages that use it.
// When no more colours come, blocks of one colour have peers of the same colours over resources of
// the same colours, each used alike: an equitable partition, by which max-min rates, being unique,
// are equal. Channels with as many blocks of each colour are alike. (A colour is a hash of 64 bits;
// that two differ and have the same is ruled out by their number.)

/// True where channels of a kernel that carry as much along one order over one way have the same
/// times, whatever else the ranks do: nothing is drawn, or chosen, for one of them alone.
bool may_change_places(const Scenario& scenario);

/// Times that depend on more than what blocks send and on what way.
bool depends_on_more(const Scenario& scenario);

/// Nothing where no two are alike, or something beside the channels has a part in the times.
/// `options`: the job's, with its hosts. Adds the resources that stand for several to the ledger.
std::optional<ChannelFold> alike_channels(const Scenario& scenario, const Options& options,
                                          Machine& machine, Ledger& ledger);

}  // namespace ringscope::sim
