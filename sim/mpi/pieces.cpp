// SPDX-License-Identifier: LGPL-2.1-or-later
// Copies of eager messages in pieces, and their way on the wire.

#include "sim/mpi/mpi.hpp"

namespace ringscope::sim {
namespace {

// Seconds per byte on a wire that nobody else uses. What a message passes twice, where its sender's
// host stands for its receiver's, are two resources.
double slowest_alone(const Channel& channel, const Ledger& ledger) {
  double slowest = 0;
  for (const Use& use : channel.wire()) {
    int once = use.weight;
    for (const SecondUse& again : channel.route().again)
      if (again.use.resource == use.resource)
        once = std::max(once - again.use.weight, again.use.weight);
    slowest = std::max(slowest, once / ledger.capacity(use.resource));
  }
  return slowest;
}

}  // namespace

// Bytes that the sender copies before the message is launched.
std::uint64_t Mpi::copied_before(const Message& m) const {
  const std::uint64_t piece = m.transport().eager_piece.count;
  return piece == 0 || m.multicast ? m.ahead() : std::min(m.ahead(), piece);
}

// Seconds of CPU that its sender copies while the message is on the wire.
double Mpi::copy_beside_wire(int id) {
  Message& m = messages_[id];
  const std::uint64_t rest = m.ahead() - copied_before(m);
  m.in_pieces = rest > 0;
  if (m.in_pieces) pieces_.grown(id) = {.copying = true};
  return static_cast<double>(rest) * m.transport().send_cost.seconds_per_byte;
}

void Mpi::copied(int id) {
  const Message& m = messages_[id];
  if (!m.in_pieces) return;
  PiecedMessage& way = pieces_of(id);
  way.copying = false;
  if (way.completes) complete(m.send_request);
  if (!std::exchange(way.waits, false)) return;
  stage(id, Cause::copy, m.sender->rank, m.sender->cpu.back().resource, ledger_->now());
  send_last_piece(id);
}

void Mpi::transmit_in_pieces(int id) {
  const Message& m = messages_[id];
  const auto argument = static_cast<std::uint64_t>(id);
  const std::uint64_t piece = m.transport().eager_piece.count;
  const double first =
      static_cast<double>(piece) * m.route().wire_per_byte * slowest_alone(*m.channel, *ledger_);
  ledger_->kernel().after(first + m.channel->latency(m.eager ? m.bytes : 0, ledger_->now()),
                          Callback::to<&Mpi::first_piece_came>(this, argument));
  send(m, static_cast<double>(m.ahead() - piece),
       Callback::to<&Mpi::all_but_last_piece_went>(this, argument));
}

void Mpi::first_piece_came(std::uint64_t id) {
  PiecedMessage& way = pieces_of(static_cast<int>(id));
  way.came = true;
  way.spare = receiving_engine(messages_[static_cast<int>(id)]).spare();
}

void Mpi::all_but_last_piece_went(std::uint64_t argument) {
  const int id = static_cast<int>(argument);
  stage(id, Cause::wire, -1, ledger_->bottleneck(), ledger_->now());
  if (pieces_of(id).copying)
    pieces_of(id).waits = true;
  else
    send_last_piece(id);
}

void Mpi::send_last_piece(int id) {
  send(id, static_cast<double>(messages_[id].transport().eager_piece.count));
}

// Engine of the endpoint that is the sender's, too, for nobody knows yet who will receive.
Engine& Mpi::receiving_engine(const Message& m) {
  auto& endpoints = process(m.destination).endpoints;
  return endpoints[std::min<std::ptrdiff_t>(m.sender->endpoint, std::ssize(endpoints) - 1)].engine;
}

// Bytes that the engine has copied while the others were still coming, in time that it had to
// spare, and which no other message may have again.
double Mpi::copied_on_the_way(int id, Engine& by) {
  const Message& m = messages_[id];
  const double cost = m.transport().recv_cost.seconds_per_byte;
  if (!m.in_pieces || !pieces_of(id).came || cost == 0) return 0;
  if (&receiving_engine(m) != &by) return 0;
  const double most = static_cast<double>(m.ahead() - m.transport().eager_piece.count) * cost;
  const double spent = std::clamp(by.spare() - pieces_of(id).spare, 0.0, most);
  by.spend(spent);
  return spent / cost;
}

}  // namespace ringscope::sim
