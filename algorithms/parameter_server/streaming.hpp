// SPDX-License-Identifier: LGPL-2.1-or-later
// Streaming exchange, as the early multi-GPU Caffe had it: beside the steps of each solver a thread
// of its own exchanges pieces of the weights with one server (the last rank; Caffe's master, in
// host memory) all the time. A piece of gradients goes there and is added, the same piece of the
// weights comes back. A pull is one such way through the whole vector.
//
// `pause`: the thread sleeps after each pull. `push_share`: a part of each piece's gradients goes,
// short ones or few. `own_copy`: a solver copies each piece that it receives, to keep the weights
// that its own steps began with. `default_stream`: kernels and copies of a GPU run in the order of
// their launches, as on CUDA's default stream (CUDA C++ Programming Guide, "Default Stream"): a
// copy waits for the kernel before it, the next kernel for the copy. A step is N equal kernels.
//
// Source: BVLC/caffe on GitHub, pull request 1148, "Parallel / distributed training" (2014).
#pragma once

#include "algorithms/parameter_server/roles.hpp"

namespace ringscope {

/// Start of a solver's next pull.
enum class Pace : std::uint8_t {
  free_running,  ///< at once
  interlocked    ///< when there has been a step since the last one
};

/// The program of every rank. A solver observes "step" at the end of each, and "pull" with the
/// number of steps since the last one; it makes one pull at least and ends with a whole one.
Task streaming_exchange(Communicator comm, Workspace work, Options options, Pace pace);

/// The least: one pull of n pieces by each of W solvers, then three empty messages that end its
/// stream; on a default stream an empty message more for each piece, whose weights are ready then.
/// Steps: the server receives n + 2 messages from each, a solver's take turns.
Cost streaming_cost(int ranks, std::size_t items, Options options);

/// The weights of a solver, and its copy of them; or the server's slots, one for each.
std::size_t streaming_scratch(int ranks, std::size_t items, Options options);

template <Pace pace>
Algorithm streaming_exchange_at(std::string_view name, std::string_view summary) {
  return {
      .collective = "streaming_exchange",
      .name = name,
      .summary = summary,
      .options = {"segment", "steps", "compute", "pause", "default_stream", "push_share",
                  "own_copy"},
      .least_ranks = 2,
      .threads = 2,
      .run = [](Communicator comm, Workspace work,
                Options options) { return streaming_exchange(comm, work, options, pace); },
      .cost = streaming_cost,
      .scratch_items = streaming_scratch,
      .varies = Varies::all,
  };
}

}  // namespace ringscope
