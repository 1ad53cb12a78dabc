// SPDX-License-Identifier: LGPL-2.1-or-later
// Checks that schedules of all formats have to pass, with errors in the words of their files.
#pragma once

#include <functional>
#include <string>

#include "algorithms/schedules/schedule.hpp"
#include "algorithms/traces/trace.hpp"
#include "topologies/input/input.hpp"

namespace ringscope {

/// Words of a file for a step, and where it stands.
struct Told {
  Place whole;  ///< where errors about no step stand
  std::function<Place(const schedules::StepId&)> place;
  std::function<std::string(const schedules::StepId&)> text;
};

/// Same schedule for one buffer of input and output, and for two.
struct Layouts {
  schedules::Schedule in_place, apart;
  bool for_one = true, for_two = false;  ///< buffers, as the file says
};

/// The schedule to run: in place where that is right, else with its result apart; with sends that
/// take a copy where they have to. Throws InputError where the order of steps is not sound, or a
/// result that the file promises is wrong.
schedules::Schedule checked(Layouts layouts, const Told& told);

/// Chunks of a rank's buffers, as files number them, in the buffers of a schedule.
struct Placing {
  std::string collective;
  int chunks = 1, ranks = 1;
  bool apart = false;

  /// The result stands in scratch space, from its front on.
  bool output_is_apart() const { return apart || collective == "alltoall"; }
  /// First chunk of scratch space that the file may use.
  int first_of_scratch() const { return output_is_apart() ? chunks : 0; }
  /// Chunks that a rank's input has, and its output.
  int input_chunks() const { return collective == "allgather" ? chunks / ranks : chunks; }
  int output_chunks() const { return collective == "reduce_scatter" ? chunks / ranks : chunks; }

  schedules::Chunks input(int rank, int first, int count) const;
  schedules::Chunks output(int rank, int first, int count) const;
  schedules::Chunks scratch(int first, int count) const;
};

// Checks of a trace that need no clock.

/// Throws InputError, at a node's place, where nodes wait for each other in a circle, a message has
/// no partner or does not fit its receive, or ranks of a group begin different collectives. `words`
/// says in errors which node it is; a file of GOAL needs none, as each node has a line.
void require_sound(const traces::Trace& trace, const std::function<Place(traces::NodeId)>& place,
                   const std::function<std::string(traces::NodeId)>& words = {});

}  // namespace ringscope
