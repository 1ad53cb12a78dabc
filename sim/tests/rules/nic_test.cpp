// SPDX-License-Identifier: LGPL-2.1-or-later
// Rules 11 and 12: what do a NIC's time per message, and the time between its interrupts, cost?
#include <algorithm>
#include <array>
#include <vector>

#include "sim/tests/rules/rules_for_test.hpp"

namespace ringscope::rules::nic_test {
namespace {

class Nic : public SimulationTest {};

constexpr double gap = 7 * us;

Scenario with_gap(Scenario scenario) {
  network(scenario).message_gap = Seconds(gap);
  return scenario;
}

/// Eager messages of which nothing but bytes and the NICs' times take time.
Scenario only_nics(const std::string& placement) {
  Scenario scenario = with_gap(only_bytes(0, 0, placement));
  network(scenario).eager_limit = *parse_bytes("unlimited");
  return scenario;
}

Task send_and_receive(Communicator comm, Workspace work, Options) {
  if (comm.rank() == 0) co_await comm.send(work.data, 1);
  if (comm.rank() == 1) co_await comm.recv(work.data, 0);
}

/// The lower half of the ranks sends to the upper half; `both`: and the upper to the lower.
template <bool both>
Task halves(Communicator comm, Workspace work, Options) {
  const int half = comm.size() / 2;
  const bool lower = comm.rank() < half;
  const int partner = lower ? comm.rank() + half : comm.rank() - half;
  if constexpr (both) {
    co_await comm.sendrecv(work.data, partner, work.scratch, partner);
  } else {
    if (lower) co_await comm.send(work.data, partner);
    if (!lower) co_await comm.recv(work.scratch, partner);
  }
}

Task all_to_the_last(Communicator comm, Workspace work, Options) {
  const int last = comm.size() - 1;
  if (comm.rank() < last) co_await comm.send(work.data.first(1), last);
  for (int from = 0; comm.rank() == last && from < last; ++from)
    co_await comm.recv(work.scratch, from);
}

TEST_F(Nic, a_message_alone_takes_its_gap_before_its_bytes) {
  const Report report = run(with_gap(eager()), send_and_receive);
  expect_seconds(finish(report, 1),
                 send_overhead + send_copy + gap + wire + latency + recv_overhead + recv_copy);
}

TEST_F(Nic, an_rts_takes_it_too) {
  const Report report = run(with_gap(rendezvous()), send_and_receive);
  const double handshake = send_overhead + gap + latency + recv_overhead + latency;
  expect_seconds(finish(report, 1), handshake + wire + latency);
}

/// A NIC moves the bytes of a rendezvous, and both ends pin their buffer: 10 us and 0.06 ns/B.
Scenario with_registration(Scenario scenario) {
  network(scenario).driver = Driver::nic;
  network(scenario).send_cost = network(scenario).recv_cost = {0};
  network(scenario).registration = SizedTime(
      std::vector<SizedTime::Segment>{{.time = Seconds(10 * us), .cost = ByteCost{0.06e-9}}});
  return scenario;
}

constexpr double pinned = 10 * us + bytes * 0.06e-9;

TEST_F(Nic, both_ends_of_a_rendezvous_pin_their_buffers_first) {
  const Report report = run(with_registration(rendezvous()), send_and_receive);
  const double handshake = send_overhead + pinned + latency + recv_overhead + pinned + latency;
  expect_seconds(finish(report, 1), handshake + wire + latency);
  double spent = 0;
  for (const PathSegment& segment : report.path)
    if (segment.cause == Cause::pinning) spent += segment.seconds;
  expect_seconds(spent, 2 * pinned);
}

TEST_F(Nic, an_eager_message_is_copied_and_pins_nothing) {
  const Report report = run(with_registration(eager()), send_and_receive);
  expect_seconds(finish(report, 1), send_overhead + wire + latency + recv_overhead);
}

TEST_F(Nic, a_rank_pins_the_buffers_of_its_messages_one_after_the_other) {
  const auto two_sends = [](Communicator comm, Workspace work, Options) -> Task {
    const int partner = comm.rank() ^ 1;
    if (comm.rank() == 0) {
      const Request first = comm.isend(work.data, partner);
      const Request second = comm.isend(work.data, partner);
      co_await comm.wait(first);
      co_await comm.wait(second);
    } else if (comm.rank() == 1) {
      co_await comm.recv(work.scratch, partner);
      co_await comm.recv(work.scratch, partner);
    }
  };
  Scenario scenario = with_registration(rendezvous());
  const double pins = run(scenario, two_sends)
                          .rank_reports[0]
                          .seconds[static_cast<std::size_t>(RankActivity::overhead)];
  expect_seconds(pins, 2 * (send_overhead + pinned));
}

TEST_F(Nic, the_messages_of_a_host_share_it) {
  const Report report = run(only_nics("4-4"), halves<false>);
  for (int rank = 4; rank < 8; ++rank) expect_seconds(finish(report, rank), 4 * gap + 4 * wire);
}

TEST_F(Nic, receives_do_not_wait_for_sends) {
  const Report report = run(only_nics("4-4"), halves<true>);
  for (int rank = 0; rank < 8; ++rank) expect_seconds(finish(report, rank), 4 * gap + 4 * wire);
}

TEST_F(Nic, messages_from_several_hosts_share_the_receivers) {
  const Report report = run(only_nics("1-1-1-1"), all_to_the_last);
  expect_seconds(finish(report, 3), 3 * gap + 3 * 1 / bandwidth);
}

TEST_F(Nic, inside_a_host_there_is_none) {
  EXPECT_EQ(finish(run(only_nics("2"), send_and_receive), 1), 0);
}

constexpr double interval = 100 * us;

/// Messages without bytes, which take 5 us.
Scenario interrupting() {
  Scenario scenario = eager();
  network(scenario).send_overhead = network(scenario).recv_overhead = Seconds(0);
  network(scenario).interrupt_interval = Seconds(interval);
  return scenario;
}

Task exchange_thrice(Communicator comm, Workspace, Options) {
  if (comm.rank() > 1) co_return;
  for (int i = 0; i < 3; ++i)
    co_await comm.sendrecv(nothing, 1 - comm.rank(), nothing, 1 - comm.rank());
}

TEST_F(Nic, each_round_of_an_exchange_waits_for_an_interrupt) {
  const Report report = run(interrupting(), exchange_thrice);
  expect_seconds(finish(report, 0), 3 * interval);
  expect_seconds(finish(report, 1), 3 * interval);
}

Task send_later(Communicator comm, Workspace, Options options) {
  if (comm.rank() == 0) {
    co_await comm.compute(options.compute);
    co_await comm.send(nothing, 1);
  }
  if (comm.rank() == 1) co_await comm.recv(nothing, 0);
}

TEST_F(Nic, after_a_pause_an_interrupt_comes_at_once) {
  const Report report = run(interrupting(), send_later, compute(2 * interval));
  expect_seconds(finish(report, 1), 2 * interval + latency);
}

Task two_senders(Communicator comm, Workspace, Options options) {
  if (comm.rank() == 0) {
    co_await comm.compute(options.compute);
    co_await comm.send(nothing, 3);
  }
  if (comm.rank() == 1) {
    co_await comm.compute(options.compute * 1.25);
    co_await comm.send(nothing, 3);
  }
  if (comm.rank() != 3) co_return;
  co_await comm.recv(nothing, 0);
  co_await comm.send(nothing, 2);
  co_await comm.recv(nothing, 1);
}

TEST_F(Nic, message_soon_after_another_waits_for_the_next_interrupt) {
  const double first = 2 * interval;
  const Report report = run(interrupting(), two_senders, compute(first));
  expect_seconds(finish(report, 3), first + latency + interval);
}

TEST_F(Nic, an_answer_to_an_rts_waits_as_well) {
  Scenario scenario = rendezvous();
  network(scenario).interrupt_interval = Seconds(interval);
  const Report report = run(scenario, send_and_receive);
  // The RTS at rank 1 and the CTS at rank 0: neither has been interrupted since the start, and the
  // second comes when an interval has not passed yet.
  const double rts = std::max(send_overhead + latency, interval);
  const double cts = rts + recv_overhead + latency;
  expect_seconds(finish(report, 1), cts + wire + latency);
}

}  // namespace
}  // namespace ringscope::rules::nic_test
