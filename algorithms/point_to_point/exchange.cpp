// SPDX-License-Identifier: LGPL-2.1-or-later
// Exchange in pairs (pairs.hpp).
//
// Cost of R rounds: R steps, 2R messages per pair, 2RS items on the wire per pair.

#include "algorithms/catalogue.hpp"
#include "algorithms/steps/pairs.hpp"

namespace ringscope {
namespace {

// Both ranks of a pair post a receive and a send and wait for both. Uses both directions of a link
// at once.
//
// Source: the OSU micro-benchmarks, osu_bibw; Intel MPI Benchmarks, Exchange.
Task bidirectional_exchange(Communicator comm, Range data, Range scratch, int rounds) {
  const int partner = partner_of(comm.rank());
  if (!has_partner(comm.rank(), comm.size())) co_return;
  for ([[maybe_unused]] int step : comm.phase("exchange", rounds)) {
    const std::array both = {comm.irecv(scratch, partner), comm.isend(data, partner)};
    co_await comm.wait_all(both);
  }
}

// The classic mistake: both ranks of a pair send first and receive afterwards. Right as long as the
// library buffers the messages, and a deadlock above its eager limit.
//
// Source: the MPI standard, example "An exchange of messages" that "relies on buffering" (MPI 4.0,
// section 3.5).
Task head_to_head_exchange(Communicator comm, Range data, Range scratch, int rounds) {
  const int partner = partner_of(comm.rank());
  if (!has_partner(comm.rank(), comm.size())) co_return;
  for ([[maybe_unused]] int step : comm.phase("exchange", rounds)) {
    co_await comm.send(data, partner);
    co_await comm.recv(scratch, partner);
  }
}

template <auto program>
Algorithm exchange_in_pairs(std::string_view name, std::string_view summary) {
  return {
      .collective = "exchange",
      .name = name,
      .summary = summary,
      .options = {"rounds"},
      .least_ranks = 2,
      .run = on_vector_and_scratch<program, &Options::rounds>,
      .cost =
          [](int ranks, std::size_t items, Options options) {
            const std::int64_t messages = std::int64_t{2} * options.rounds * (ranks / 2);
            return Cost{options.rounds, messages, static_cast<std::uint64_t>(messages) * items};
          },
      .scratch_items = [](int, std::size_t items, Options) { return items; },
  };
}

}  // namespace

Algorithm describe_bidirectional_exchange() {
  return exchange_in_pairs<bidirectional_exchange>(
      "bidirectional", "ranks 2i and 2i+1 swap buffers: irecv, isend, wait_all");
}

Algorithm describe_head_to_head_exchange() {
  return exchange_in_pairs<head_to_head_exchange>(
      "head_to_head", "ranks 2i and 2i+1 both send, then receive: deadlocks above the eager limit");
}

}  // namespace ringscope
