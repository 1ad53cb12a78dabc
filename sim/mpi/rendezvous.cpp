// SPDX-License-Identifier: LGPL-2.1-or-later
// The rendezvous protocol: a message from its launch to the completion of both its requests. Its
// sender has spent overhead on it, and on the copy of what the RTS carries, before.
#include "sim/mpi/mpi.hpp"

namespace ringscope::sim {

ProtocolSteps Mpi::rendezvous(const Transport& transport) {
  const bool carries = transport.rts_data.count > 0;
  const bool interrupts = transport.interrupt_interval > Seconds(0);
  const bool has_gap = !transport.message_gap.is_zero();
  // The receiver then copies from the sender's buffer, and says so when it is done.
  const bool single_copy = transport.driver == Driver::receiver;
  return needed({
      {carries, &Mpi::wait_for_turn},
      {has_gap, &Mpi::occupy_nics},
      {carries, &Mpi::transfer},
      {carries, &Mpi::propagate},
      {!carries, &Mpi::propagate_control},  // RTS
      {interrupts, &Mpi::interrupt_receiver},
      {always, &Mpi::match_in_order},  // when an engine of the receiver runs
      {always, &Mpi::wait_for_receive},
      {always, &Mpi::copy_at_receiver},  // overhead, pinning, the copy of what the RTS carried
      {!single_copy, &Mpi::send_cts},
      {!single_copy && interrupts, &Mpi::interrupt_sender},
      {!single_copy, &Mpi::wait_for_sender},  // when its engine runs
      {always, &Mpi::transfer_data},          // stream.cpp; the send is complete when all is sent
      {!single_copy, &Mpi::propagate_last_byte},
      {!single_copy, &Mpi::deliver},
      {single_copy, &Mpi::notify_sender},
      {single_copy, &Mpi::complete_send},
  });
}

// Seconds until a control message is at the other process: through each cable behind the bytes
// that the systems of its senders hold, up to `buffer` of each message in flight.
double Mpi::control_delay(const Channel& channel) const {
  const PairRoute& route = channel.route();
  const auto buffer = static_cast<double>(route.transport->buffer.count);
  double delay = channel.latency();
  if (buffer == 0 || route.transport->driver != Driver::caller) return delay;
  for (const Use& use : channel.wire())
    delay += ledger_->queued(use.resource, buffer) / ledger_->capacity(use.resource);
  for (const SecondUse& again : route.again)
    delay += ledger_->queued(again.use.resource, buffer) / ledger_->capacity(again.use.resource);
  return delay;
}

// The stages that held up the one before held up this one; its chain is that one's.
void Mpi::stream_followed(int id, int before) {
  Message& m = messages_[id];
  const Message& first = messages_[before];
  if (first.settled() <= m.settled()) return;
  bool follows = false;  // stages of one cause become one: a queue's last would have one for each
  for (std::size_t i = 0; i < first.stages.size(); ++i) {
    const Stage stage = first.stages[i];
    if (stage.end <= m.settled()) continue;
    if (follows && m.stages.back().cause == stage.cause)
      m.stages.end_of(m.stages.size() - 1) = stage.end;
    else
      m.settle(stage.cause, stage.end);
    follows = true;
  }
  m.path = first.path;
}

void Mpi::stream_sent(int id) {
  const Message& m = messages_[id];
  if (m.transport().driver != Driver::receiver) complete(m.send_request);
}

bool Mpi::send_cts(int id) {
  Message& m = messages_[id];
  m.asks = true;
  return wait(control_delay(machine_->channel(m.destination, m.source)), id);
}

bool Mpi::transfer_data(int id) {
  streams_.start(id);
  return true;
}

bool Mpi::propagate_last_byte(int id) {
  const Message& m = messages_[id];
  return wait(m.channel->latency(m.bytes, ledger_->now()), id);
}

bool Mpi::notify_sender(int id) {
  const Message& m = messages_[id];
  complete(m.recv_request);
  return wait(m.channel->latency(), id);
}

bool Mpi::deliver(int id) {
  stage(id, Cause::latency, -1, -1, ledger_->now());
  return complete_receive(id);
}

bool Mpi::complete_send(int id) {
  stage(id, Cause::protocol, -1, -1, ledger_->now());
  complete(messages_[id].send_request);
  return true;
}

}  // namespace ringscope::sim
