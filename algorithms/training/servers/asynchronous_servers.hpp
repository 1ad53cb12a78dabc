// SPDX-License-Identifier: LGPL-2.1-or-later
// Training whose parameter servers make an update of each push as it comes and answer with the
// weights of that moment: a device computes on weights that miss what others have pushed since.
//
// A device pushes its gradients, summed up, after every `n_push` steps and fetches the weights
// after every `n_fetch`, after its last step both. Only a step that fetches waits, for its weights.
//
// Source: Dean et al., "Large scale distributed deep networks", NIPS 2012 (Downpour SGD, algorithm
// 7.1); who waits for slower ones, Ho et al., NIPS 2013 (algorithms/parameter_server/clocks.hpp).
// The sums of a device over its steps, and its own updates between two fetches, take no time.
#pragma once

#include "algorithms/catalogue.hpp"

namespace ringscope {

/// A server's clocks count the updates of each bucket by itself. Observes "staleness" of each push:
/// updates of others between the fetch of its device and its own.
Task train_with_asynchronous_servers(Communicator comm, Workspace work, Options options, int bound);

/// The strategy without its name, its summary and its run. With `bound` it reads that option.
Algorithm asynchronous_servers(bool bound);

}  // namespace ringscope
