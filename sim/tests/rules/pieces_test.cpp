// SPDX-License-Identifier: LGPL-2.1-or-later
// Rule 16: how long does an eager message take whose copies overlap its wire?
#include <algorithm>
#include <array>
#include <string>

#include "sim/tests/rules/rules_for_test.hpp"

namespace ringscope::rules {
namespace {

constexpr double piece = 1e5;              ///< a tenth of a message
constexpr double per_byte = wire / bytes;  ///< 1 ns

/// s/B to copy at the sender and at the receiver; nothing else takes time, but for the wire.
struct Costs {
  std::string name;
  double send = 0, receive = 0;
  double all() const { return send + per_byte + receive; }
  double slowest() const { return std::max({send, per_byte, receive}); }
};
const Costs cheap{"the_wire", 0.5e-9, 0.25e-9};
const Costs dear_receiver{"the_receiver", 0.5e-9, 3e-9};

Scenario in_pieces(const Costs& costs = cheap) {
  Scenario scenario = only_bytes(costs.send, costs.receive);
  network(scenario).eager_limit = *parse_bytes("unlimited");
  network(scenario).eager_piece = {static_cast<std::uint64_t>(piece)};
  return scenario;
}

class PieceByPiece : public SimulationTest {};
class Slowest : public SimulationTest, public testing::WithParamInterface<Costs> {};
INSTANTIATE_TEST_SUITE_P(Is, Slowest,
                         testing::Values(Costs{"the_sender", 2e-9, 0.5e-9}, cheap, dear_receiver,
                                         Costs{"none", per_byte, per_byte}),
                         [](const auto& costs) { return costs.param.name; });

/// Rank 1 computes before it receives.
Task one_message(Communicator comm, Workspace work, Options options) {
  if (comm.rank() == 0) co_await comm.send(work.data, 1);
  if (comm.rank() == 1) {
    co_await comm.compute(options.compute);
    co_await comm.recv(work.data, 0);
  }
}

TEST_P(Slowest, counts_for_all_but_a_piece_of_the_others) {
  const Costs costs = GetParam();
  const Report report = run(in_pieces(costs), one_message);
  expect_seconds(finish(report, 0), bytes * costs.send);
  expect_seconds(finish(report, 1), piece * costs.all() + (bytes - piece) * costs.slowest());
}

TEST_F(PieceByPiece, a_piece_is_all_of_a_message_that_is_no_longer) {
  Scenario scenario = in_pieces();
  network(scenario).eager_piece = {static_cast<std::uint64_t>(bytes)};
  expect_seconds(finish(run(scenario, one_message), 1), bytes * cheap.all());
}

TEST_F(PieceByPiece, nothing_is_copied_for_a_receiver_that_computes) {
  constexpr double late = 2 * wire;
  const Report report = run(in_pieces(), one_message, compute(late));
  expect_seconds(finish(report, 1), late + bytes * cheap.receive);
}

TEST_F(PieceByPiece, is_copied_what_has_come_since_the_receiver_has) {
  // It comes a tenth of a copy before the last byte.
  const double copy = bytes * dear_receiver.receive;
  const double arrival = piece * dear_receiver.send + wire, late = arrival - copy / 10;
  const Report report = run(in_pieces(dear_receiver), one_message, compute(late));
  expect_seconds(finish(report, 1), late + copy);
}

/// Two ranks send to the third at once, whose cable they share.
Task two_into_one(Communicator comm, Workspace work, Options) {
  if (comm.rank() < 2) co_await comm.send(work.data, 2);
  if (comm.rank() != 2) co_return;
  const Request first = comm.irecv(work.data, 0), second = comm.irecv(work.data, 1);
  co_await comm.wait(first);
  co_await comm.wait(second);
}

TEST_F(PieceByPiece, two_messages_share_the_wire_and_leave_a_piece_each) {
  const Report report = run(in_pieces(), two_into_one);
  expect_seconds(finish(report, 2), piece * cheap.send + 2 * wire + 2 * piece * cheap.receive);
}

TEST_F(PieceByPiece, one_core_copies_two_messages_in_turn) {
  const Report report = run(in_pieces(dear_receiver), two_into_one);
  expect_seconds(finish(report, 2),
                 piece * (dear_receiver.send + per_byte) + 2 * bytes * dear_receiver.receive);
}

/// A message in pieces, and long after it one to several, which is copied whole, in its place.
Task then_a_multicast(Communicator comm, Workspace work, Options options) {
  const std::array<int, 1> receivers{1};
  if (comm.rank() == 0) {
    co_await comm.send(work.data, 1);
    co_await comm.compute(options.compute);
    co_await comm.multicast(work.data, receivers);
  }
  if (comm.rank() != 1) co_return;
  co_await comm.recv(work.data, 0);
  co_await comm.recv(work.data, 0);
}

TEST_F(PieceByPiece, no_multicast_is_copied) {
  constexpr double later = 4 * wire;
  const Report report = run(in_pieces(), then_a_multicast, compute(later));
  expect_seconds(finish(report, 1), bytes * cheap.send + later + bytes * cheap.all());
}

TEST_F(PieceByPiece, goes_what_comes_with_a_handshake_too) {
  constexpr double ahead = 4 * piece;
  Scenario scenario = in_pieces();
  network(scenario).eager_limit = {};
  network(scenario).rts_data = {static_cast<std::uint64_t>(ahead)};
  const Report report = run(scenario, one_message);
  expect_seconds(finish(report, 1), piece * cheap.all() + (ahead - piece) * cheap.slowest() +
                                        (bytes - ahead) * cheap.slowest());
}

}  // namespace
}  // namespace ringscope::rules
