// SPDX-License-Identifier: LGPL-2.1-or-later
// The way of a message: turns, NICs, wire, latency.

#include "sim/mpi/mpi.hpp"
#include "topologies/graph/splitmix.hpp"

namespace ringscope::sim {

void Mpi::count(Channel& channel, std::uint64_t bytes, bool between_hosts, int times) {
  if (!channel.route().counted) return;
  const auto messages = static_cast<std::uint64_t>(times);
  channel.sent += messages;
  channel.sent_bytes += messages * bytes;
  traffic.messages += messages;
  traffic.bytes += messages * bytes;
  if (between_hosts) traffic.bytes_between_hosts += messages * bytes;
}

void Mpi::launch(int id) {
  const Message& m = messages_[id];
  count(*m.channel, m.bytes, m.route().between_hosts(), m.route().stands_for);
  set_off(id);
}

void Mpi::set_off(int id) {
  Message& m = messages_[id];
  const Protocols& protocols = protocols_of(*m.channel);
  m.next_step = (m.multicast ? protocols.multicast
                 : m.eager   ? protocols.eager
                             : protocols.rendezvous)
                    .data();
  go_on(id);
}

const Protocols& Mpi::protocols_of(Channel& channel) {
  if (channel.protocols == nullptr) {
    const Transport& transport = *channel.route().transport;
    const auto [place, is_new] = protocols_.try_emplace(&transport);
    if (is_new) place->second = {eager(transport), rendezvous(transport), multicast(transport)};
    channel.protocols = &place->second;
  }
  return *channel.protocols;
}

ProtocolSteps Mpi::needed(std::initializer_list<std::pair<bool, ProtocolStep>> steps) {
  ProtocolSteps found;
  for (const auto& [is_needed, step] : steps)
    if (is_needed) found.push_back(step);
  return found;
}

void Mpi::go_on(int id) {
  const ProtocolStep*& next = messages_[id].next_step;
  while (!(this->*(*next++))(id)) {
  }
}

// The bytes, or the NICs' time, have taken up to now.
void Mpi::carried(std::uint64_t id) {
  stage(static_cast<int>(id), Cause::wire, -1, ledger_->bottleneck(), ledger_->now());
  go_on(static_cast<int>(id));
}

bool Mpi::wait(double seconds, int id) {
  ledger_->kernel().after(seconds, waited(id));
  return true;
}

// All that goes ahead of a handshake, or needs none, leaves in the order of the sends.
bool Mpi::wait_for_turn(int id) {
  const Message& m = messages_[id];
  const int before = std::exchange(m.channel->last_on_wire, id);
  if (before >= 0) messages_[before].next_on_wire = id;
  return before >= 0;
}

// All messages of a host share its NIC's time.
bool Mpi::occupy_nics(int id) {
  const Message& m = messages_[id];
  const PairRoute& route = m.route();
  const double gap = route.nic.empty() ? 0 : route.transport->message_gap.at(m.bytes);
  if (gap == 0) return false;
  ledger_->start(gap, route.nic, Callback::to<&Mpi::carried>(this, static_cast<std::uint64_t>(id)));
  return true;
}

bool Mpi::transfer(int id) {
  const Message& m = messages_[id];
  machine_->steer(*m.channel);
  if (m.in_pieces)
    transmit_in_pieces(id);
  else
    send(id, static_cast<double>(m.ahead()));
  return true;
}

// Sends `bytes` of the message's data over the network, the last of them.
void Mpi::send(int id, double bytes) {
  send(messages_[id], bytes, Callback::to<&Mpi::carried>(this, static_cast<std::uint64_t>(id)));
}

// Likewise, with more to follow.
void Mpi::send(const Message& m, double bytes, Callback done) {
  const int activity = ledger_->start(bytes * m.route().wire_per_byte, m.channel->wire(), done);
  ledger_->passes_again(activity, m.route().again);
}

// As the bytes are on their way, those of the next message go.
bool Mpi::propagate(int id) {
  Message& m = messages_[id];
  wait(m.channel->latency(m.eager ? m.bytes : 0, ledger_->now()) + draw_jitter(m), id);
  if (m.multicast) return true;
  if (const int next = std::exchange(m.next_on_wire, -1); next >= 0)
    go_on(next);
  else
    m.channel->last_on_wire = -1;
  return true;
}

// Inverse transform of 53 random bits: the same numbers on every machine. They hang on the message
// alone: where many are sent at one instant, the last digit of a date changes nobody's jitter.
double Mpi::draw_jitter(const Message& m) const {
  const SizedTime& jitter = m.transport().jitter;
  if (jitter.is_zero()) return 0;
  const std::uint64_t bits = random_of({seed_, static_cast<std::uint64_t>(m.source),
                                        static_cast<std::uint64_t>(m.destination), m.sequence});
  return -std::log1p(-static_cast<double>(bits >> 11) * 0x1p-53) * jitter.at(m.bytes);
}

bool Mpi::propagate_control(int id) {
  const Message& m = messages_[id];
  return wait(control_delay(*m.channel) + draw_jitter(m), id);
}

bool Mpi::interrupt_receiver(int id) {
  const Message& m = messages_[id];
  const double left = until_interrupt(m.destination, m.transport());
  return left > 0 && wait(left, id);
}

bool Mpi::interrupt_sender(int id) {
  const Message& m = messages_[id];
  if (!m.asks) return false;
  const double left = until_interrupt(m.sender->rank, m.transport());
  return left > 0 && wait(left, id);
}

// CTS, or the word that there is room, is at the sender.
bool Mpi::wait_for_sender(int id) {
  const Message& m = messages_[id];
  if (!m.asks) return false;
  stage(id, Cause::protocol, -1, -1, ledger_->now());
  Endpoint& endpoint = endpoint_of(*m.sender);
  if (endpoint.engine.running()) return false;
  endpoint.granted.push_back(id);
  return true;
}

}  // namespace ringscope::sim
