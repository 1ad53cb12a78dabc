// SPDX-License-Identifier: LGPL-2.1-or-later
// A message at its receiver: matching, the work of the engine, completion.

#include "sim/mpi/mpi.hpp"

namespace ringscope::sim {

// The envelope is at the receiver: with its bytes (eager), or without (RTS).
bool Mpi::match_in_order(int id) {
  const Message& m = messages_[id];
  stage(id, m.eager ? Cause::latency : Cause::protocol, -1, -1, ledger_->now());
  connect(m.destination, m.source, *m.channel);
  Process& receiver = process(m.destination);
  Caller* caller = running_caller(receiver);
  if (m.route().in_order) {
    if (caller != nullptr)
      look_at(id, *caller);
    else
      receiver.arrivals.push_back(id);
    return true;
  }
  if (caller == nullptr) {
    receiver.matching.arrive(id, m.source, m.sequence, receiver.arrivals);
    return true;
  }
  visible_.clear();
  receiver.matching.arrive(id, m.source, m.sequence, visible_);
  for (const int message : visible_) look_at(message, *caller);
  return true;
}

// Some thread of the process whose engine runs; nullptr when none does.
Caller* Mpi::running_caller(Process& receiver) {
  for (Caller* caller : receiver.callers)
    if (endpoint_of(*caller).engine.running()) return caller;
  return nullptr;
}

void Mpi::look_at(int id, Caller& by) {
  Message& m = messages_[id];
  Matching& matching = process(m.destination).matching;
  const int request = matching.match_message(m.source, m.tag);
  if (request >= 0) {
    match(id, request);
  } else {
    matching.keep_message(id, m.source, m.tag);
    m.in_unexpected_buffer = m.eager;
    m.receiver = &by;
  }
  go_on_after(matching.passed(), id);
}

// `passed`: what the search that has just been made for it looked at.
void Mpi::go_on_after(std::uint64_t passed, int id) {
  passed_ = passed;
  go_on(id);
  passed_ = 0;
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
  go_on_after(mine.matching.passed(), id);
}

// CPU time of the search for its receive, or for it, once. Kernels, whose messages come in their
// order, match nothing.
double Mpi::matching_time(const Message& m) {
  const auto passed = static_cast<double>(std::exchange(passed_, 0));
  return m.route().in_order ? 0 : passed * library_->match_cost.count();
}

// The engine answers an RTS, and takes the bytes that have come.
bool Mpi::copy_at_receiver(int id) {
  const Message& m = messages_[id];
  const Transport& transport = m.transport();
  WorkItem item{.message = id, .caller = m.receiver, .done = waited(id)};
  item.seconds = transport.recv_overhead.at(m.bytes) + matching_time(m);
  if (!m.eager) item.registration = transport.registration.at(m.bytes);
  if (counts_connections_ && m.route().way == Way::network)
    item.poll = further_connections(m.destination) * transport.connection_cost.count();
  if (m.ahead() > 0) {
    item.bytes = static_cast<double>(m.ahead()) - copied_on_the_way(id, engine_of(*m.receiver));
    item.memory = &m.route().copy_out;
    item.cost = transport.recv_cost;
  }
  engine_of(*m.receiver).submit(item);
  return true;
}

bool Mpi::complete_expected(int id) {
  Message& m = messages_[id];
  m.taken = true;
  return !m.in_unexpected_buffer && complete_receive(id);
}

bool Mpi::wait_for_receive(int id) { return messages_[id].recv_request < 0; }

// From the unexpected buffer to its receive.
bool Mpi::copy_unexpected(int id) {
  const Message& m = messages_[id];
  WorkItem item{.message = id, .caller = m.receiver, .done = waited(id)};
  item.seconds = matching_time(m);
  item.bytes = static_cast<double>(m.ahead());
  item.memory = &m.route().copy_out;
  item.cost = m.transport().unexpected_cost;
  engine_of(*m.receiver).submit(item);
  return true;
}

bool Mpi::complete_receive(int id) {
  complete(messages_[id].recv_request);
  return true;
}

void Mpi::record(const Message& m) {
  const auto core = [&](Caller& caller) {
    const Uses& own = engine_of(caller).own_cpu();
    const Uses& cpu = own.empty() ? caller.cpu : own;
    return m.transport().moves_by_nic() ? -1 : cpu.back().resource;
  };
  received->push_back({m.source, m.destination, m.bytes, m.route().between_hosts(), m.begun,
                       ledger_->now(), core(*m.sender), core(*m.receiver)});
}

void Mpi::complete(int request) {
  Posting& done = requests_[request];
  done.complete = true;
  done.order = completions_++;
  done.owner->completed(request);
  if (received != nullptr && done.receive) record(messages_[done.message]);
  if (watch && done.receive && messages_[done.message].route().counted &&
      ++traffic.received % 256 == 0)
    watch(traffic.received);
}

}  // namespace ringscope::sim
