// SPDX-License-Identifier: LGPL-2.1-or-later
// The server's side of a parameter server. Its shard of `work.data` holds the weights; applying a
// push means adding it to them. An update takes `options.update` per item.
#pragma once

#include "algorithms/parameter_server/roles.hpp"

namespace ringscope {

/// Distribution of the weights to all workers.
enum class Pull : std::uint8_t { one_by_one, multicast };

/// Per step: waits for the pushes of all workers, makes one update of their sum, sends the weights
/// to all. Observes "staleness", which is 0.
Task serve_all_at_once(Communicator comm, Roles roles, Workspace work, Options options, Pull pull);

/// Makes an update of each push as it comes, and answers it with the weights as soon as its worker
/// is not more than `bound` pushes ahead of the slowest. Observes "staleness" of each push.
Task serve_as_they_come(Communicator comm, Roles roles, Workspace work, Options options, int bound);

/// Steps are the least, of workers that are served in turn: the largest shard receives n pieces
/// from each of W workers, one a round, and no push begins before its worker has its last pull.
Cost cost_all_at_once(int ranks, std::size_t items, const Options& options, Pull pull);
/// Steps are the least, of a server that is never without a push.
Cost cost_as_they_come(int ranks, std::size_t items, Options options);

/// A worker's weights, or a server's slots for the pushes that arrive.
std::size_t scratch_all_at_once(int ranks, std::size_t items, Options options);
/// Likewise; beside the slots, a server holds the answers that are in flight.
std::size_t scratch_as_they_come(int ranks, std::size_t items, Options options);

// The worker's side of every parameter server, whatever the servers agree on.

/// The options that all parameter servers read, and those that one more of them reads.
std::vector<std::string_view> parameter_server_options(
    std::initializer_list<std::string_view> others = {});

/// Computes a gradient, pushes it, pulls the weights, and so `options.steps` times. The gradient is
/// `work.data`, the weights are pulled into `work.scratch`. Observes "step" at the end of each.
Task work_of_worker(Communicator comm, Roles roles, Workspace work, Options options);

}  // namespace ringscope
