// SPDX-License-Identifier: LGPL-2.1-or-later
// The eager protocol: a message from its launch to the completion of its receive. Its sender has
// spent overhead and copy on it before.

#include "sim/mpi/mpi.hpp"

namespace ringscope::sim {

ProtocolSteps Mpi::eager(const Transport& transport) {
  const bool limits_room = transport.eager_room.count > 0;
  const bool interrupts = transport.interrupt_interval > Seconds(0);
  const bool has_gap = !transport.message_gap.is_zero();
  return needed({
      {limits_room, &Mpi::wait_for_room},                   // at its receiver
      {limits_room && interrupts, &Mpi::interrupt_sender},  // the news of room comes as a CTS does
      {limits_room, &Mpi::wait_for_sender},
      {always, &Mpi::release_sender},  // all is copied, or as good as: the send is complete
      {always, &Mpi::wait_for_turn},   // behind the bytes that its pair sent before
      {has_gap, &Mpi::occupy_nics},
      {always, &Mpi::transfer},  // its bytes, on all links of its route at once
      {always, &Mpi::propagate},
      {interrupts, &Mpi::interrupt_receiver},
      {always, &Mpi::match_in_order},    // when an engine of the receiver runs
      {always, &Mpi::copy_at_receiver},  // to its receive, or to the unexpected buffer
      {limits_room, &Mpi::free_room},
      {always, &Mpi::complete_expected},  // the last step, but for an unexpected message
      {always, &Mpi::wait_for_receive},
      {always, &Mpi::copy_unexpected},
      {always, &Mpi::complete_receive},
  });
}

bool Mpi::release_sender(int id) {
  const Message& m = messages_[id];
  if (m.in_pieces && pieces_of(id).copying)
    pieces_of(id).completes = true;
  else
    complete(m.send_request);
  return false;
}

// A message longer than the whole room goes when nothing else is there.
bool Mpi::wait_for_room(int id) {
  Message& m = messages_[id];
  Channel& channel = *m.channel;
  const std::uint64_t room = channel.route().transport->eager_room.count;
  if (channel.first_waiting < 0 && (channel.held == 0 || channel.held + m.bytes <= room)) {
    channel.held += m.bytes;
    return false;
  }
  m.asks = true;
  const int before = std::exchange(channel.last_waiting, id);
  (before >= 0 ? messages_[before].next_on_wire : channel.first_waiting) = id;
  return true;
}

// Those that now have room learn of it as of a CTS.
bool Mpi::free_room(int taken) {
  const Message& gone = messages_[taken];
  Channel& channel = *gone.channel;
  const std::uint64_t room = channel.route().transport->eager_room.count;
  channel.held -= gone.bytes;
  while (channel.first_waiting >= 0) {
    const int id = channel.first_waiting;
    Message& m = messages_[id];
    if (channel.held > 0 && channel.held + m.bytes > room) return false;
    channel.held += m.bytes;
    channel.first_waiting = std::exchange(m.next_on_wire, -1);
    if (channel.first_waiting < 0) channel.last_waiting = -1;
    m.settle(Cause::partner, ledger_->now());
    m.path = gone.path;
    wait(control_delay(machine_->channel(m.destination, m.source)), id);
  }
  return false;
}

}  // namespace ringscope::sim
