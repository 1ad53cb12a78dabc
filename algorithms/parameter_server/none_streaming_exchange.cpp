// SPDX-License-Identifier: LGPL-2.1-or-later
// Solvers that exchange nothing: what their steps take by themselves, to compare with.
//
// Cost: nothing.
#include "algorithms/catalogue.hpp"

namespace ringscope {
namespace {

Task solve_alone(Communicator comm, Options options) {
  if (comm.rank() == comm.size() - 1) co_return;  // the server's rank in the others
  for ([[maybe_unused]] int step : comm.phase("step", options.steps)) {
    co_await comm.compute(options.compute);
    comm.observe("step", 1);
  }
}

}  // namespace

Algorithm describe_none_streaming_exchange() {
  return {
      .collective = "streaming_exchange",
      .name = "none",
      .summary = "solvers that exchange nothing, to compare with",
      .options = {"steps", "compute"},
      .least_ranks = 2,
      .run = [](Communicator comm, Workspace,
                Options options) { return solve_alone(comm, options); },
      .cost = [](int, std::size_t, Options) { return Cost{}; },
  };
}

}  // namespace ringscope
