// SPDX-License-Identifier: LGPL-2.1-or-later
// Exchange in pairs: both ranks of a pair post a receive and a send and wait for both. Uses both
// directions of a link at once.
//
// Source: the OSU micro-benchmarks, osu_bibw; Intel MPI Benchmarks, Exchange.
// Cost of R rounds: R steps, 2R messages per pair, 2RS items on the wire per pair.
#include <array>

#include "algorithms/catalogue.hpp"
#include "algorithms/steps/pairs.hpp"

namespace ringscope {
namespace {

Task bidirectional_exchange(Communicator comm, Range data, Range scratch, int rounds) {
  const int partner = partner_of(comm.rank());
  if (!has_partner(comm.rank(), comm.size())) co_return;
  for ([[maybe_unused]] int step : comm.phase("exchange", rounds)) {
    const std::array both = {comm.irecv(scratch, partner), comm.isend(data, partner)};
    co_await comm.wait_all(both);
  }
}

}  // namespace

Algorithm describe_bidirectional_exchange() {
  return {
      .collective = "exchange",
      .name = "bidirectional",
      .summary = "ranks 2i and 2i+1 swap vectors: irecv, isend, wait_all",
      .options = {"rounds"},
      .least_ranks = 2,
      .run = on_vector_and_scratch<bidirectional_exchange, &Options::rounds>,
      .cost = exchange_cost,
      .scratch_items = [](int, std::size_t items, Options) { return items; },
  };
}

}  // namespace ringscope
