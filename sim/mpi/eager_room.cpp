// SPDX-License-Identifier: LGPL-2.1-or-later
// Eager messages that wait until their receiver has taken others.
#include <utility>

#include "sim/mpi/mpi.hpp"

namespace ringscope::sim {

// Whether there is room for the eager message at its receiver; if not, it waits for it. A message
// longer than the whole room goes when nothing else is there.
bool Mpi::has_room(int id) {
  Channel& channel = *messages_[id].channel;
  const std::uint64_t room = channel.transport->eager_room.count, bytes = messages_[id].bytes;
  if (room == 0) return true;
  if (channel.first_waiting < 0 && (channel.held == 0 || channel.held + bytes <= room)) {
    channel.held += bytes;
    return true;
  }
  const int before = std::exchange(channel.last_waiting, id);
  (before >= 0 ? messages_[before].next_on_wire : channel.first_waiting) = id;
  return false;
}

// The receiver has taken an eager message: those that now have room learn of it as of a CTS.
void Mpi::make_room(const Message& taken) {
  Channel& channel = *taken.channel;
  const std::uint64_t room = channel.transport->eager_room.count;
  if (room == 0) return;
  channel.held -= taken.bytes;
  while (channel.first_waiting >= 0) {
    const int id = channel.first_waiting;
    Message& m = messages_[id];
    if (channel.held > 0 && channel.held + m.bytes > room) return;
    channel.held += m.bytes;
    channel.first_waiting = std::exchange(m.next_on_wire, -1);
    if (channel.first_waiting < 0) channel.last_waiting = -1;
    m.settle(Cause::partner, ledger_->now());
    m.path = taken.path;
    ledger_->kernel().after(control_delay(machine_->channel(m.destination, m.source)),
                            Callback::to<&Mpi::grant>(this, static_cast<std::uint64_t>(id)));
  }
}

}  // namespace ringscope::sim
