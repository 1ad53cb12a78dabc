// SPDX-License-Identifier: LGPL-2.1-or-later
// Rule 2: when do RTS, CTS and data of a large message go, and which events do they wait for?
#include <array>

#include "sim/tests/rules/rules_for_test.hpp"

namespace ringscope::rules {
namespace {

class Rendezvous : public SimulationTest {};

// Both ends inside MPI all the time.
constexpr double rts = send_overhead + latency;        ///< is at the receiver
constexpr double cts = rts + recv_overhead + latency;  ///< is at the sender
constexpr double late = 10 * ms;

Task exchange(Communicator comm, Workspace work, Options options) {
  if (comm.rank() == 0) co_await comm.send(work.data, 1);
  if (comm.rank() == 1) {
    if (options.compute.count() > 0) co_await comm.compute(options.compute);
    co_await comm.recv(work.data, 0);
  }
}

Task receiver_computes(Communicator comm, Workspace work, Options options) {
  if (comm.rank() == 0) co_await comm.send(work.data, 1);
  if (comm.rank() == 1) {
    const Request incoming = comm.irecv(work.data, 0);
    co_await comm.compute(options.compute);
    co_await comm.wait(incoming);
  }
}

Task sender_computes(Communicator comm, Workspace work, Options options) {
  if (comm.rank() == 0) {
    const Request outgoing = comm.isend(work.data, 1);
    co_await comm.compute(options.compute);
    co_await comm.wait(outgoing);
  }
  if (comm.rank() == 1) co_await comm.recv(work.data, 0);
}

TEST_F(Rendezvous, takes_three_latencies_and_the_wire) {
  const Report report = run(rendezvous(), exchange);
  expect_seconds(finish(report, 0), cts + wire);
  expect_seconds(finish(report, 1), cts + wire + latency);
}

TEST_F(Rendezvous, the_slower_core_is_the_bottleneck_of_its_data) {
  Scenario scenario = rendezvous();
  network(scenario).send_cost = {2e-9};
  network(scenario).recv_cost = {4e-9};
  const Report report = run(scenario, exchange);
  expect_seconds(finish(report, 0), cts + bytes * 4e-9);
}

TEST_F(Rendezvous, the_rts_waits_for_the_receive) {
  const Report report = run(rendezvous(), exchange, compute(late));
  expect_seconds(finish(report, 0), late + recv_overhead + latency + wire);
  expect_seconds(finish(report, 1), late + recv_overhead + latency + wire + latency);
}

TEST_F(Rendezvous, the_rts_waits_for_a_receiver_that_computes_though_it_has_posted) {
  const Report report = run(rendezvous(), receiver_computes, compute(late));
  expect_seconds(finish(report, 1), late + recv_overhead + latency + wire + latency);
}

TEST_F(Rendezvous, the_cts_waits_for_a_sender_that_computes) {
  const Report report = run(rendezvous(), sender_computes, compute(late));
  expect_seconds(finish(report, 0), send_overhead + late + wire);
  expect_seconds(finish(report, 1), send_overhead + late + wire + latency);
}

TEST_F(Rendezvous, a_sender_back_before_the_cts_waits_for_it) {
  const Report report = run(rendezvous(), sender_computes, compute(latency));
  expect_seconds(finish(report, 0), cts + wire);
}

// RDMA with the handshake in the caller: only matching and CTS wait for it.
TEST_F(Rendezvous, data_that_a_nic_moves_need_the_caller_for_the_handshake_alone) {
  const Report report =
      run(with_nic(rendezvous(), Progress::caller), receiver_computes, compute(late));
  expect_seconds(finish(report, 1), late + recv_overhead + latency + wire + latency);
}

TEST_F(Rendezvous, the_same_for_the_sender) {
  const Report report =
      run(with_nic(rendezvous(), Progress::caller), sender_computes, compute(late));
  expect_seconds(finish(report, 0), send_overhead + late + wire);
}

// The NIC answers, and the receiver pays its overhead when it completes the receive.
TEST_F(Rendezvous, a_nic_that_makes_progress_waits_for_nobody) {
  const Report report =
      run(with_nic(rendezvous(), Progress::nic), receiver_computes, compute(late));
  expect_seconds(finish(report, 0), send_overhead + 2 * latency + wire);
  expect_seconds(finish(report, 1), late + recv_overhead);
}

TEST_F(Rendezvous, with_a_nic_the_sender_may_compute) {
  const Report report = run(with_nic(rendezvous(), Progress::nic), sender_computes, compute(late));
  expect_seconds(finish(report, 0), send_overhead + late);
  expect_seconds(finish(report, 1), send_overhead + 3 * latency + wire + recv_overhead);
}

TEST_F(Rendezvous, a_nic_still_waits_for_the_receive_to_be_posted) {
  const Report report = run(with_nic(rendezvous(), Progress::nic), exchange, compute(late));
  expect_seconds(finish(report, 1), late + 2 * latency + wire + recv_overhead);
}

TEST_F(Rendezvous, a_progress_thread_answers_while_the_receiver_computes) {
  const Report report =
      run(with_thread(rendezvous(), ProgressCore::spare), receiver_computes, compute(late));
  expect_seconds(finish(report, 0), cts + wire);
  expect_seconds(finish(report, 1), late);
}

// One core for three handshakes, whose callers are all there.
TEST_F(Rendezvous, handshakes_of_one_engine_queue) {
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    if (comm.rank() == 3) {
      const std::array all = {comm.irecv(work.data, 0), comm.irecv(work.data, 1),
                              comm.irecv(work.data, 2)};
      co_await comm.wait_all(all);
    } else {
      co_await comm.send(work.data.first(1), 3);
    }
  };
  Scenario scenario = rendezvous();
  network(scenario).recv_cost = {};  // or the first data would share the core with the last answer
  const double last = send_overhead + latency + 3 * recv_overhead + latency;
  expect_seconds(finish(run(scenario, text), 2), last + 1 / bandwidth);
}

}  // namespace
}  // namespace ringscope::rules
