// SPDX-License-Identifier: LGPL-2.1-or-later
// Ping-pong: rank 0 sends its vector to rank 1, which sends it back; the other ranks idle. Half the
// time of a round is what the field calls the latency of a message of that size.
//
// Source: the OSU micro-benchmarks, osu_latency; Intel MPI Benchmarks, PingPong.
// Cost of R rounds: 2R steps, 2R messages, 2RS items on the wire.
#include "algorithms/catalogue.hpp"

namespace ringscope {
namespace {

Task blocking_pingpong(Communicator comm, Range data, int rounds) {
  if (comm.rank() > 1) co_return;
  for ([[maybe_unused]] int step : comm.phase("ping-pong", rounds)) {
    if (comm.rank() == 0) {
      co_await comm.send(data, 1);
      co_await comm.recv(data, 1);
    } else {
      co_await comm.recv(data, 0);
      co_await comm.send(data, 0);
    }
  }
}

// Each send and each receive is posted and then waited for: MPI_Isend, MPI_Irecv and MPI_Wait.
Task nonblocking_pingpong(Communicator comm, Range data, int rounds) {
  if (comm.rank() > 1) co_return;
  const int other = 1 - comm.rank();
  for ([[maybe_unused]] int step : comm.phase("ping-pong", rounds)) {
    if (comm.rank() == 0) co_await comm.wait(comm.isend(data, other));
    co_await comm.wait(comm.irecv(data, other));
    if (comm.rank() == 1) co_await comm.wait(comm.isend(data, other));
  }
}

// Rank 0 makes one call a round: it sends its vector and receives the answer into scratch space.
// Its receive is posted before rank 1 answers, so no answer is ever unexpected.
Task sendrecv_pingpong(Communicator comm, Range data, Range scratch, int rounds) {
  if (comm.rank() > 1) co_return;
  for ([[maybe_unused]] int step : comm.phase("ping-pong", rounds)) {
    if (comm.rank() == 0) {
      co_await comm.sendrecv(data, 1, scratch, 1);
    } else {
      co_await comm.recv(data, 0);
      co_await comm.send(data, 0);
    }
  }
}

Algorithm pingpong(std::string_view name, std::string_view summary, decltype(Algorithm::run) run) {
  return {
      .collective = "pingpong",
      .name = name,
      .summary = summary,
      .options = {"rounds"},
      .least_ranks = 2,
      .run = run,
      .cost =
          [](int, std::size_t items, Options options) {
            const std::int64_t messages = std::int64_t{2} * options.rounds;
            return Cost{messages, messages, static_cast<std::uint64_t>(messages) * items};
          },
  };
}

}  // namespace

Algorithm describe_blocking_pingpong() {
  return pingpong("blocking", "rank 0 sends to rank 1 and back, blocking calls",
                  on_vector<blocking_pingpong, &Options::rounds>);
}

Algorithm describe_nonblocking_pingpong() {
  return pingpong("nonblocking", "rank 0 sends to rank 1 and back, each call posted and waited for",
                  on_vector<nonblocking_pingpong, &Options::rounds>);
}

Algorithm describe_sendrecv_pingpong() {
  Algorithm algorithm =
      pingpong("sendrecv", "rank 0 sends to rank 1 and receives the answer in one call",
               on_vector_and_scratch<sendrecv_pingpong, &Options::rounds>);
  algorithm.scratch_items = [](int, std::size_t items, Options) { return items; };
  return algorithm;
}

}  // namespace ringscope
