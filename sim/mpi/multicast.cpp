// SPDX-License-Identifier: LGPL-2.1-or-later
// A message to several receivers, of which each link of the way carries one copy.

#include "sim/mpi/mpi.hpp"

namespace ringscope::sim {

// Each copy, from the end of the tree on.
ProtocolSteps Mpi::multicast(const Transport& transport) {
  return needed({
      {always, &Mpi::propagate},
      {transport.interrupt_interval > Seconds(0), &Mpi::interrupt_receiver},
      {always, &Mpi::match_in_order},
      {always, &Mpi::copy_at_receiver},
      {transport.eager_room.count > 0, &Mpi::free_room},
      {always, &Mpi::complete_expected},
      {always, &Mpi::wait_for_receive},
      {always, &Mpi::copy_unexpected},
      {always, &Mpi::complete_receive},
  });
}

int Mpi::begin_multicast(Caller& caller, std::span<const int> receivers, Tag tag,
                         std::uint64_t bytes) {
  int first = -1;
  for (auto to = receivers.rbegin(); to != receivers.rend(); ++to) {
    const int id = begin_message(caller, *to, tag, bytes, {});
    Message& m = messages_[id];
    m.eager = m.multicast = true;
    m.users = 1;  // no request of the sender's
    if (m.transport().eager_room.count > 0) m.channel->held += bytes;
    m.next_copy = std::exchange(first, id);
  }
  return first;
}

void Mpi::prepared_multicast(int first, Cause cause, double until) {
  for (int id = first; id >= 0; id = messages_[id].next_copy) {
    messages_[id].settle(cause, until);
    messages_[id].path = messages_[id].sender->path;
  }
}

// Each link of the tree that the routes make carries the bytes once. Copies that need no link are
// on their way at once, and may be used up before the others have left.
void Mpi::launch_multicast(int first) {
  const std::uint64_t bytes = messages_[first].bytes;
  Channel& channel = *messages_[first].channel;
  Uses tree;
  bool between_hosts = false;
  int travelling = -1;
  int* last = &travelling;
  for (int id = first; id >= 0;) {
    Message& m = messages_[id];
    const int copy = std::exchange(id, m.next_copy);
    if (m.channel->wire().empty()) {
      set_off(copy);
      continue;
    }
    *last = copy;
    last = &m.next_copy;
    between_hosts = between_hosts || m.route().between_hosts();
    for (const Use& use : m.channel->wire())
      if (std::ranges::find(tree, use) == tree.end()) tree.push_back(use);
  }
  *last = -1;
  count(channel, bytes, between_hosts);
  if (travelling < 0) return;
  const auto argument = static_cast<std::uint64_t>(travelling);
  ledger_->start(static_cast<double>(bytes), tree,
                 Callback::to<&Mpi::multicast_travelled>(this, argument));
}

void Mpi::multicast_travelled(std::uint64_t first) {
  const int resource = ledger_->bottleneck();
  for (int id = static_cast<int>(first); id >= 0;) {
    stage(id, Cause::wire, -1, resource, ledger_->now());
    set_off(std::exchange(id, messages_[id].next_copy));
  }
}

}  // namespace ringscope::sim
