// SPDX-License-Identifier: LGPL-2.1-or-later
// Events of a message between its launch and the completion of its two requests.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "sim/mpi/mpi.hpp"
#include "topologies/graph/splitmix.hpp"

namespace ringscope::sim {

// Background traffic is not counted.
void Mpi::count(int source, std::uint64_t bytes, bool between_hosts, int times) {
  if (source >= machine_->jobs().own()) return;
  const auto messages = static_cast<std::uint64_t>(times);
  traffic.messages += messages;
  traffic.bytes += messages * bytes;
  if (between_hosts) traffic.bytes_between_hosts += messages * bytes;
}

void Mpi::launch(int id) {
  Message& m = messages_[id];
  count(m.source, m.bytes, m.channel->between_hosts(), m.channel->stands_for);
  if (!m.eager && m.ahead() == 0) {
    const auto argument = static_cast<std::uint64_t>(id);
    if (m.channel->nic.empty()) return announce(argument);
    ledger_->start(m.channel->transport->message_gap.count(), m.channel->nic,
                   Callback::to<&Mpi::announce>(this, argument));
    return;
  }
  if (m.eager && !has_room(id)) return;
  leave_sender(id);
}

// All that goes ahead of a handshake, or needs none, leaves in the order of the sends.
void Mpi::leave_sender(int id) {
  Message& m = messages_[id];
  if (m.eager && pieces_.on(id) && pieces_[id].copying)
    pieces_[id].completes = true;
  else if (m.eager)
    complete(m.send_request);
  const int before = std::exchange(m.channel->last_on_wire, id);
  if (before >= 0)
    messages_[before].next_on_wire = id;
  else
    put_on_wire(id);
}

// An RTS without bytes leaves.
void Mpi::announce(std::uint64_t id) {
  const Message& m = messages_[static_cast<int>(id)];
  if (!m.channel->nic.empty())
    stage(static_cast<int>(id), Cause::wire, -1, ledger_->bottleneck(), ledger_->now());
  ledger_->kernel().after(control_delay(*m.channel) + draw_jitter(m),
                          Callback::to<&Mpi::arrived>(this, id));
}

// The NICs' time, which all messages of a host share, comes before the bytes.
void Mpi::put_on_wire(int id) {
  const Message& m = messages_[id];
  const auto argument = static_cast<std::uint64_t>(id);
  if (m.channel->nic.empty()) return transmit(argument);
  ledger_->start(m.channel->transport->message_gap.count(), m.channel->nic,
                 Callback::to<&Mpi::transmit>(this, argument));
}

void Mpi::transmit(std::uint64_t argument) {
  const int id = static_cast<int>(argument);
  const Message& m = messages_[id];
  if (!m.channel->nic.empty()) stage(id, Cause::wire, -1, ledger_->bottleneck(), ledger_->now());
  machine_->steer(*m.channel);
  if (pieces_.on(id)) return transmit_in_pieces(id);
  send(m, static_cast<double>(m.ahead()), Callback::to<&Mpi::travelled>(this, argument));
}

// Puts so many bytes of the message's data on the wire.
void Mpi::send(const Message& m, double bytes, Callback done) {
  const int flight = ledger_->start(bytes * m.channel->wire_per_byte, m.channel->wire, done);
  ledger_->passes_again(flight, m.channel->again);
}

void Mpi::travelled(std::uint64_t id) {
  const int resource = ledger_->bottleneck();
  stage(static_cast<int>(id), Cause::wire, -1, resource, ledger_->now());
  Message& m = messages_[static_cast<int>(id)];
  ledger_->kernel().after(m.channel->latency(m.eager ? m.bytes : 0) + draw_jitter(m),
                          Callback::to<&Mpi::arrived>(this, id));
  if (const int next = std::exchange(m.next_on_wire, -1); next >= 0) return put_on_wire(next);
  m.channel->last_on_wire = -1;
}

// Seconds until a control message is at the other process: through each cable behind the bytes
// that the systems of its senders hold, up to `buffer` of each message in flight.
double Mpi::control_delay(const Channel& channel) const {
  const auto buffer = static_cast<double>(channel.transport->buffer.count);
  double delay = channel.latency();
  if (buffer == 0 || channel.transport->driver != Driver::caller) return delay;
  for (const Use& use : channel.wire)
    delay += ledger_->queued(use.resource, buffer) / ledger_->resource(use.resource).capacity;
  for (const Again& again : channel.again)
    delay += ledger_->queued(again.use.resource, buffer) /
             ledger_->resource(again.use.resource).capacity;
  return delay;
}

// Inverse transform of 53 random bits: the same numbers on every machine. They hang on the message
// alone: where many are sent at one instant, the last digit of a date changes nobody's jitter.
double Mpi::draw_jitter(const Message& m) const {
  const SizedTime& jitter = m.channel->transport->jitter;
  if (jitter.is_zero()) return 0;
  const std::uint64_t bits = random_of({seed_, static_cast<std::uint64_t>(m.source),
                                        static_cast<std::uint64_t>(m.destination), m.sequence});
  return -std::log1p(-static_cast<double>(bits >> 11) * 0x1p-53) * jitter.at(m.bytes);
}

void Mpi::arrived(std::uint64_t id) {
  const Message& m = messages_[static_cast<int>(id)];
  const double wait = until_interrupt(m.destination, *m.channel->transport);
  if (wait == 0) return noticed(id);
  ledger_->kernel().after(wait, Callback::to<&Mpi::noticed>(this, id));
}

// The envelope is at the receiver: with its bytes (eager), or without (RTS).
void Mpi::noticed(std::uint64_t value) {
  const int id = static_cast<int>(value);
  const Message& m = messages_[id];
  stage(id, m.eager ? Cause::latency : Cause::protocol, -1, -1, ledger_->now());
  if (connections_.counted() && m.channel->way == Way::network)
    connections_.open(m.destination, m.source);
  Process& receiver = process(m.destination);
  Caller* caller = running_caller(receiver);
  if (m.channel->in_order) {
    if (caller != nullptr) return look_at(id, *caller);
    return receiver.arrivals.push_back(id);
  }
  if (caller == nullptr)
    return receiver.matching.arrive(id, m.source, m.sequence, receiver.arrivals);
  visible_.clear();
  receiver.matching.arrive(id, m.source, m.sequence, visible_);
  for (const int message : visible_) look_at(message, *caller);
}

// Some thread of the process whose engine runs; nullptr when none does.
Caller* Mpi::running_caller(Process& receiver) {
  for (Caller* caller : receiver.callers)
    if (endpoint_of(*caller).engine.running()) return caller;
  return nullptr;
}

void Mpi::look_at(int id, Caller& by) {
  Message& m = messages_[id];
  Process& receiver = process(m.destination);
  const int request = receiver.matching.match_message(m.source, m.tag);
  const std::uint64_t passed = receiver.matching.passed();
  if (request >= 0) {
    match(id, request);
    return submit(m.eager ? WorkItem::Kind::take : WorkItem::Kind::handshake, id, *m.receiver,
                  passed);
  }
  receiver.matching.keep_message(id, m.source, m.tag);
  if (!m.eager) return;
  m.in_unexpected_buffer = true;
  submit(WorkItem::Kind::take, id, by, passed);
}

void Mpi::match(int id, int request) {
  Message& m = messages_[id];
  Posting& receive = requests_[request];
  assert(m.bytes <= receive.bytes && "a receive has room for its message");
  m.receiver = receive.owner;
  m.recv_request = request;
  receive.message = id;
}

void Mpi::post_receive(int request) {
  const Posting& receive = requests_[request];
  Process& mine = process(receive.owner->rank);
  const int id = mine.matching.match_receive(receive.peer, receive.tag);
  if (id < 0) {
    mine.matching.post_receive(request, receive.peer, receive.tag);
    return;
  }
  match(id, request);
  if (messages_[id].eager && !messages_[id].taken) return;  // its first copy is still being made
  released(id, Cause::partner, *receive.owner);
  submit(messages_[id].eager ? WorkItem::Kind::take_again : WorkItem::Kind::handshake, id,
         *receive.owner, mine.matching.passed());
}

// CPU time of a message at its receiver before its bytes are copied, the second time `again`.
// Kernels, whose messages come in their order, match nothing.
double Mpi::overhead_of(const Message& m, bool again, std::uint64_t passed) const {
  const Transport& transport = *m.channel->transport;
  const double matching =
      m.channel->in_order ? 0 : static_cast<double>(passed) * library_->match_cost.count();
  return again ? matching : transport.recv_overhead.at(m.bytes) + matching;
}

void Mpi::submit(WorkItem::Kind kind, int id, Caller& caller, std::uint64_t passed) {
  const Message& m = messages_[id];
  const Transport& transport = *m.channel->transport;
  const bool again = kind == WorkItem::Kind::take_again;
  WorkItem item{.kind = kind, .message = id, .caller = &caller};
  item.seconds = overhead_of(m, again, passed);
  if (kind == WorkItem::Kind::handshake) item.registration = transport.registration.at(m.bytes);
  if (connections_.counted() && m.channel->way == Way::network && !again)
    item.poll = connections_.further(m.destination) * transport.connection_cost.count();
  if (m.ahead() > 0) {
    item.bytes = static_cast<double>(m.ahead());
    if (!again) item.bytes -= copied_on_the_way(id, engine_of(caller));
    item.memory = &m.channel->copy_out;
    item.cost = again ? transport.unexpected_cost : transport.recv_cost;
  }
  engine_of(caller).submit(item);
}

void Mpi::finished(const WorkItem& item) {
  Message& m = messages_[item.message];
  const auto argument = static_cast<std::uint64_t>(item.message);
  switch (item.kind) {
    case WorkItem::Kind::take:
      m.taken = true;
      make_room(m);
      if (m.recv_request < 0) return;
      if (m.in_unexpected_buffer)
        return submit(WorkItem::Kind::take_again, item.message, *m.receiver);
      return complete(m.recv_request);
    case WorkItem::Kind::take_again:
      return complete(m.recv_request);
    case WorkItem::Kind::handshake:
      if (m.channel->transport->driver == Driver::receiver) return streams_.start(item.message);
      return ledger_->kernel().after(control_delay(machine_->channel(m.destination, m.source)),
                                     Callback::to<&Mpi::grant>(this, argument));
    case WorkItem::Kind::pay_sender:
    case WorkItem::Kind::pay_receiver:
      return streams_.paid(item);
  }
}

void Mpi::grant(std::uint64_t id) {
  const Message& m = messages_[static_cast<int>(id)];
  const double wait = until_interrupt(m.sender->rank, *m.channel->transport);
  if (wait == 0) return granted(id);
  ledger_->kernel().after(wait, Callback::to<&Mpi::granted>(this, id));
}

// CTS, or the word that there is room, is at the sender.
void Mpi::granted(std::uint64_t value) {
  const int id = static_cast<int>(value);
  stage(id, Cause::protocol, -1, -1, ledger_->now());
  Endpoint& endpoint = endpoint_of(*messages_[id].sender);
  if (endpoint.engine.running()) return go_on(id);
  endpoint.granted.push_back(id);
}

// The sender knows that its message may go.
void Mpi::go_on(int id) {
  if (messages_[id].eager)
    leave_sender(id);
  else
    streams_.start(id);
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
  if (m.channel->transport->driver != Driver::receiver) complete(m.send_request);
}

void Mpi::stream_received(int id) {
  const Message& m = messages_[id];
  const auto argument = static_cast<std::uint64_t>(id);
  if (m.channel->transport->driver != Driver::receiver)
    return ledger_->kernel().after(m.channel->latency(m.bytes),
                                   Callback::to<&Mpi::delivered>(this, argument));
  complete(m.recv_request);
  ledger_->kernel().after(m.channel->latency(), Callback::to<&Mpi::sender_told>(this, argument));
}

void Mpi::delivered(std::uint64_t id) {
  stage(static_cast<int>(id), Cause::latency, -1, -1, ledger_->now());
  complete(messages_[static_cast<int>(id)].recv_request);
}

void Mpi::sender_told(std::uint64_t id) {
  stage(static_cast<int>(id), Cause::protocol, -1, -1, ledger_->now());
  complete(messages_[static_cast<int>(id)].send_request);
}

void Mpi::record(const Message& m) {
  const auto core = [&](Caller& caller) {
    const Uses& own = engine_of(caller).own_cpu();
    const Uses& cpu = own.empty() ? caller.cpu : own;
    return m.channel->transport->driver == Driver::nic ? -1 : cpu.back().resource;
  };
  received->push_back({m.source, m.destination, m.bytes, m.channel->between_hosts(), m.begun,
                       ledger_->now(), core(*m.sender), core(*m.receiver)});
}

void Mpi::complete(int request) {
  Posting& done = requests_[request];
  done.complete = true;
  done.order = completions_++;
  done.owner->completed(request);
  if (received != nullptr && done.receive) record(messages_[done.message]);
  if (watch && done.receive && messages_[done.message].source < machine_->jobs().own() &&
      ++traffic.received % 256 == 0)
    watch(traffic.received);
}

}  // namespace ringscope::sim
