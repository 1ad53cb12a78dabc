// SPDX-License-Identifier: LGPL-2.1-or-later
// The classic mistake: both ranks of a pair send first and receive afterwards. Right as long as the
// library buffers the messages, and a deadlock above its eager limit.
//
// Source: the MPI standard, example "An exchange of messages" that "relies on buffering" (MPI 4.0,
// section 3.5).
// Cost of R rounds: R steps, 2R messages per pair, 2RS items on the wire per pair.
#include "algorithms/catalogue.hpp"
#include "algorithms/steps/pairs.hpp"

namespace ringscope {
namespace {

Task head_to_head_exchange(Communicator comm, Range data, Range scratch, int rounds) {
  const int partner = partner_of(comm.rank());
  if (!has_partner(comm.rank(), comm.size())) co_return;
  for ([[maybe_unused]] int step : comm.phase("exchange", rounds)) {
    co_await comm.send(data, partner);
    co_await comm.recv(scratch, partner);
  }
}

}  // namespace

Algorithm describe_head_to_head_exchange() {
  return {
      .collective = "exchange",
      .name = "head_to_head",
      .summary = "ranks 2i and 2i+1 both send, then receive: deadlocks above the eager limit",
      .options = {"rounds"},
      .least_ranks = 2,
      .run = on_vector_and_scratch<head_to_head_exchange, &Options::rounds>,
      .cost = exchange_cost,
      .scratch_items = [](int, std::size_t items, Options) { return items; },
  };
}

}  // namespace ringscope
