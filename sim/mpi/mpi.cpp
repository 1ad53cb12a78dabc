#include "sim/mpi/mpi.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>

namespace ringscope::sim {

Mpi::Mpi(Machine& machine, Ledger& ledger, Paths& paths)
    : machine_(&machine),
      ledger_(&ledger),
      paths_(&paths),
      library_(&machine.scenario().library),
      streams_(ledger, machine, messages_, *this) {
  processes_.resize(static_cast<std::size_t>(machine.ranks()));
  for (int rank = 0; rank < machine.ranks(); ++rank) {
    for (int i = 0; i < library_->endpoints; ++i)
      process(rank).endpoints.push_back(make_endpoint(rank, i));
    if (library_->progress == Progress::thread) add_locks(rank);
  }
}

Mpi::Endpoint Mpi::make_endpoint(int rank, int index) {
  Engine::Settings settings;
  settings.always_on = library_->progress != Progress::caller;
  settings.free = library_->progress == Progress::nic;
  if (library_->progress == Progress::thread)
    settings.cpu = library_->progress_core == ProgressCore::shared
                       ? machine_->cpu(rank)
                       : machine_->spare_cpu(rank, fmt::format("progress{}", index));
  return {Engine(*ledger_, machine_->scale(rank), *this, std::move(settings)), -1, {}, {}};
}

// A lock is a resource only where two threads can want it.
void Mpi::add_locks(int rank) {
  int index = 0;
  for (Endpoint& endpoint : process(rank).endpoints) {
    if (endpoint.lock >= 0) return;
    endpoint.lock = machine_->add_lock(rank, index++);
    endpoint.engine.set_lock(endpoint.lock);
  }
}

void Mpi::join(Caller& caller) {
  Process& mine = process(caller.rank);
  mine.callers.push_back(&caller);
  if (mine.callers.size() > 1) add_locks(caller.rank);
}

int Mpi::open_request(Caller& caller, bool receive, int peer, int tag, std::uint64_t bytes) {
  const int id = requests_.take();
  requests_[id] = {&caller, receive, false, peer, tag, bytes, -1, 0};
  return id;
}

void Mpi::close_request(int id) {
  const int message = requests_[id].message;
  requests_.release(id);
  if (--messages_[message].users == 0) messages_.release(message);
}

void Mpi::add_caller_cpu(Uses& uses, const Caller& caller, int weight) const {
  if (weight == 0) return;
  for (const Use& use : caller.cpu) add_use(uses, use.resource, use.weight * weight);
  const Process& mine = processes_[static_cast<std::size_t>(caller.rank)];
  add_use(uses, mine.endpoints[static_cast<std::size_t>(caller.endpoint)].lock, weight);
}

// Work on the message, or a wait of it, that ends at `until`.
void Mpi::stage(int id, Cause cause, int rank, int resource, double until) {
  Message& m = messages_[id];
  if (until > m.settled()) m.stages.push_back({cause, until});
  m.path = paths_->extend(m.path, cause, rank, resource, until);
}

// What `by` did at this instant lets the message go on: `cause` is what it waited for until now.
void Mpi::released(int id, Cause cause, Caller& by) {
  Message& m = messages_[id];
  const double now = ledger_->now();
  if (now <= m.settled()) return;
  m.stages.push_back({cause, now});
  m.path = by.path;
}

int Mpi::begin_send(int request) {
  Posting& sent = requests_[request];
  const int id = messages_.take();
  Message& m = messages_[id];
  const int source = sent.owner->rank;
  m.source = source;
  m.destination = sent.peer;
  m.tag = sent.tag;
  m.bytes = sent.bytes;
  m.sequence = process(source).next_sequence[sent.peer]++;
  m.channel = &machine_->channel(source, sent.peer);
  m.eager = m.bytes <= m.channel->transport->eager_limit.count;
  m.sender = sent.owner;
  m.receiver = nullptr;
  m.send_request = request;
  m.recv_request = -1;
  m.in_unexpected_buffer = m.taken = false;
  m.users = 2;
  m.begun = ledger_->now();
  m.stages.clear();
  m.path = sent.owner->path;
  sent.message = id;
  return id;
}

Mpi::Preparation Mpi::preparation(int id) const {
  const Message& m = messages_[id];
  const Transport& transport = *m.channel->transport;
  const bool copies = m.eager && m.channel->copy_in.empty();
  return {transport.send_overhead.count(),
          copies ? static_cast<double>(m.bytes) * transport.send_cost.seconds_per_byte : 0};
}

bool Mpi::copy_uses(int id, Uses& uses) const {
  const Message& m = messages_[id];
  const ByteCost cost = m.channel->transport->send_cost;
  // What costs the sender nothing is not copied in: the receiver copies it from where it is.
  if (!m.eager || m.bytes == 0 || m.channel->copy_in.empty() || cost.seconds_per_byte == 0)
    return false;
  add_caller_cpu(uses, *m.sender, machine_->scale(m.source).weight(cost));
  for (const Use& use : m.channel->copy_in) add_use(uses, use.resource, use.weight);
  return true;
}

void Mpi::prepared(int request, Cause cause, double until) {
  const Posting& sent = requests_[request];
  Message& m = messages_[sent.message];
  if (until > m.settled()) m.stages.push_back({cause, until});
  m.path = sent.owner->path;
}

void Mpi::launch(int id) {
  Message& m = messages_[id];
  ++traffic.messages;
  traffic.bytes += m.bytes;
  if (m.channel->way == Way::network) traffic.bytes_between_hosts += m.bytes;
  const auto argument = static_cast<std::uint64_t>(id);
  if (!m.eager) {
    ledger_->kernel().after(m.channel->latency, Callback::to<&Mpi::arrived>(this, argument));
    return;
  }
  complete(m.send_request);
  ledger_->start(static_cast<double>(m.bytes), m.channel->wire,
                 Callback::to<&Mpi::travelled>(this, argument));
}

void Mpi::travelled(std::uint64_t id) {
  const int resource = ledger_->bottleneck();
  stage(static_cast<int>(id), Cause::wire, -1, resource, ledger_->now());
  ledger_->kernel().after(messages_[static_cast<int>(id)].channel->latency,
                          Callback::to<&Mpi::arrived>(this, id));
}

// The envelope is at the receiver: with its bytes (eager), or without (RTS).
void Mpi::arrived(std::uint64_t value) {
  const int id = static_cast<int>(value);
  const Message& m = messages_[id];
  stage(id, m.eager ? Cause::latency : Cause::protocol, -1, -1, ledger_->now());
  Process& receiver = process(m.destination);
  const std::size_t before = receiver.arrivals.size();
  receiver.matching.arrive(id, m.source, m.sequence, receiver.arrivals);
  Caller* caller = running_caller(receiver);
  if (caller == nullptr) return;
  const std::vector<int> visible(receiver.arrivals.begin() + static_cast<std::ptrdiff_t>(before),
                                 receiver.arrivals.end());
  receiver.arrivals.resize(before);
  for (const int message : visible) look_at(message, *caller);
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
  if (request >= 0) {
    match(id, request);
    submit(m.eager ? Chore::Kind::take : Chore::Kind::handshake, id, *m.receiver);
    return;
  }
  receiver.matching.keep_message(id, m.source, m.tag);
  if (!m.eager) return;
  m.in_unexpected_buffer = true;
  submit(Chore::Kind::take, id, by);
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
  submit(messages_[id].eager ? Chore::Kind::take_again : Chore::Kind::handshake, id,
         *receive.owner);
}

void Mpi::submit(Chore::Kind kind, int id, Caller& caller) {
  const Message& m = messages_[id];
  const Transport& transport = *m.channel->transport;
  Chore chore{.kind = kind, .message = id, .caller = &caller};
  if (kind != Chore::Kind::take_again) chore.seconds = transport.recv_overhead.count();
  if (kind != Chore::Kind::handshake) {
    chore.bytes = static_cast<double>(m.bytes);
    chore.memory = &m.channel->copy_out;
    chore.cost = kind == Chore::Kind::take ? transport.recv_cost : transport.unexpected_cost;
  }
  engine_of(caller).submit(chore);
}

void Mpi::finished(const Chore& chore) {
  Message& m = messages_[chore.message];
  const auto argument = static_cast<std::uint64_t>(chore.message);
  switch (chore.kind) {
    case Chore::Kind::take:
      m.taken = true;
      if (m.recv_request < 0) return;
      if (m.in_unexpected_buffer)
        return submit(Chore::Kind::take_again, chore.message, *m.receiver);
      return complete(m.recv_request);
    case Chore::Kind::take_again:
      return complete(m.recv_request);
    case Chore::Kind::handshake:
      if (m.channel->transport->driver == Driver::receiver) return streams_.start(chore.message);
      return ledger_->kernel().after(m.channel->latency, Callback::to<&Mpi::grant>(this, argument));
    case Chore::Kind::pay_sender:
    case Chore::Kind::pay_receiver:
      return streams_.paid(chore);
  }
}

// CTS is at the sender.
void Mpi::grant(std::uint64_t value) {
  const int id = static_cast<int>(value);
  stage(id, Cause::protocol, -1, -1, ledger_->now());
  Endpoint& endpoint = endpoint_of(*messages_[id].sender);
  if (endpoint.engine.running()) return streams_.start(id);
  endpoint.granted.push_back(id);
}

void Mpi::stream_done(int id) {
  Message& m = messages_[id];
  const auto argument = static_cast<std::uint64_t>(id);
  if (m.channel->transport->driver == Driver::receiver) {
    complete(m.recv_request);
    ledger_->kernel().after(m.channel->latency, Callback::to<&Mpi::sender_told>(this, argument));
    return;
  }
  complete(m.send_request);
  ledger_->kernel().after(m.channel->latency, Callback::to<&Mpi::delivered>(this, argument));
}

void Mpi::delivered(std::uint64_t id) {
  stage(static_cast<int>(id), Cause::latency, -1, -1, ledger_->now());
  complete(messages_[static_cast<int>(id)].recv_request);
}

void Mpi::sender_told(std::uint64_t id) {
  stage(static_cast<int>(id), Cause::protocol, -1, -1, ledger_->now());
  complete(messages_[static_cast<int>(id)].send_request);
}

void Mpi::complete(int request) {
  Posting& done = requests_[request];
  done.complete = true;
  done.order = completions_++;
  done.owner->completed(request);
}

double Mpi::completion_time(int id) const {
  const Posting& done = requests_[id];
  if (!done.receive || library_->progress != Progress::nic) return 0;
  return messages_[done.message].channel->transport->recv_overhead.count();
}

void Mpi::enter(Caller& caller) {
  caller.inside = true;
  Endpoint& endpoint = endpoint_of(caller);
  const bool ran = endpoint.engine.running();
  endpoint.engine.enter(caller);
  if (ran) return;
  streams_.entered(caller);
  for (const int id : std::exchange(endpoint.granted, {})) {
    released(id, Cause::progress, caller);
    streams_.start(id);
  }
  for (const int id : std::exchange(process(caller.rank).arrivals, {})) {
    released(id, Cause::progress, caller);
    look_at(id, caller);
  }
}

void Mpi::leave(Caller& caller) {
  caller.inside = false;
  Endpoint& endpoint = endpoint_of(caller);
  endpoint.engine.leave();
  if (!endpoint.engine.running()) streams_.left(caller);
}

void Mpi::explain_wait(int id, double begin, double end, CauseSeconds& seconds) const {
  const Posting& waited = requests_[id];
  double from = begin;
  const auto spend = [&](Cause cause, double until) {
    if (until <= from) return;
    seconds[static_cast<std::size_t>(cause)] += std::min(until, end) - from;
    from = std::min(until, end);
  };
  if (waited.message >= 0) {
    const Message& m = messages_[waited.message];
    spend(Cause::partner, m.begun);
    for (const Stage& stage : m.stages) spend(stage.cause, stage.end);
  }
  spend(Cause::partner, end);
}

}  // namespace ringscope::sim
