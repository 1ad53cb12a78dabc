// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/mpi/mpi.hpp"

#include "sim/mpi/state_fields.hpp"

namespace ringscope::sim {

Mpi::Mpi(Machine& machine, Ledger& ledger, Paths& paths)
    : machine_(&machine),
      ledger_(&ledger),
      paths_(&paths),
      library_(&machine.scenario().library),
      streams_(ledger, machine, messages_, *this),
      processes_(machine.orbits().simulated),
      counts_connections_(library_->transport(Way::network).connection_cost > Seconds(0)) {
  for (int rank = 0; rank < machine.orbits().simulated; ++rank) {
    for (int i = 0; i < library_->endpoints; ++i)
      process(rank).endpoints.push_back(make_endpoint(rank, i));
    if (library_->progress == Progress::thread) add_locks(rank);
    if (library_->match_cost != Seconds(0)) process(rank).matching.count_passed();
  }
  if (counts_connections_) count_connections();
}

Mpi::Endpoint Mpi::make_endpoint(int rank, int index) {
  Uses cpu;
  if (library_->progress == Progress::thread)
    cpu = library_->progress_core == ProgressCore::shared
              ? machine_->cpu(rank)
              : machine_->spare_cpu(rank, fmt::format("progress{}", index));
  return {Engine(*ledger_, machine_->scale(rank), *this, library_->progress != Progress::caller,
                 library_->progress == Progress::nic, cpu),
          {},
          {}};
}

// A lock is a resource only where two threads can want it.
void Mpi::add_locks(int rank) {
  int index = 0;
  for (Endpoint& endpoint : process(rank).endpoints) {
    if (endpoint.engine.lock() >= 0) return;
    endpoint.engine.set_lock(machine_->add_lock(rank, index++));
  }
}

void Mpi::join(Caller& caller) {
  Process& mine = process(caller.rank);
  mine.callers.push_back(&caller);
  if (mine.callers.size() > 1) add_locks(caller.rank);
}

int Mpi::open_request(Caller& caller, bool receive, int peer, Tag tag, std::uint64_t bytes,
                      Block block) {
  const int id = requests_.take();
  ++caller.open_requests;
  // A simulated sender's chunk may be an item longer than that of the rank for which it stands.
  if (receive && machine_->orbits().folded()) ++bytes;
  requests_[id] = {.owner = &caller,
                   .receive = receive,
                   .peer = peer,
                   .tag = tag,
                   .bytes = bytes,
                   .block = blocks_.of(block)};
  return id;
}

void Mpi::close_request(int id) {
  const int message = requests_[id].message;
  --requests_[id].owner->open_requests;
  requests_.release(id);
  if (message >= 0) let_go(message, id);
}

void Mpi::let_go(int message, int request) {
  Message& m = messages_[message];
  (m.send_request == request ? m.send_request : m.recv_request) = -1;
  if (--m.users > 0) return;
  m.path = {};  // or it would keep its chain until the slot is used again
  messages_.release(message);
}

void Mpi::seed(std::uint64_t seed) {
  seed_ = seed;
  for (Process& process : processes_) {
    process.peers.clear();
    for (Endpoint& endpoint : process.endpoints) endpoint.engine.rewind();
  }
  interrupts_.clear();
  if (library_->transport(Way::network).interrupt_interval == Seconds(0) &&
      (!library_->knows_gpus || library_->transport(Way::gdr).interrupt_interval == Seconds(0)))
    return;
  interrupts_.assign(machine_->scenario().cluster.topology.hosts().size(), ledger_->now());
}

// Seconds until the NIC of the rank's host says what is there: an interrupt tells of all that comes
// in its instant.
double Mpi::until_interrupt(int rank, const Transport& transport) {
  const double least = transport.interrupt_interval.count();
  if (least == 0) return 0;
  double& date = interrupts_[machine_->hosts()[rank]];
  const double now = ledger_->now();
  constexpr double instant = 1e-12;
  if (date < now * (1 - instant)) date = std::max(now, date + least);
  return date > now * (1 + instant) ? date - now : 0;
}

void Mpi::add_caller_cpu(Uses& uses, const Caller& caller, int weight) const {
  if (weight == 0) return;
  add_uses(uses, caller.cpu, weight);
  const Process& mine = processes_[caller.rank];
  add_use(uses, mine.endpoints[caller.endpoint].engine.lock(), weight);
}

// Work on the message, or a wait of it, that ends at `until`.
void Mpi::stage(int id, Cause cause, int rank, int resource, double until) {
  Message& m = messages_[id];
  m.settle(cause, until);
  paths_->extend(m.path, cause, rank, resource, until);
}

// Releases the message by what `by` did at this instant: `cause` is what it waited for until now.
void Mpi::released(int id, Cause cause, Caller& by) {
  Message& m = messages_[id];
  const double now = ledger_->now();
  if (now <= m.settled()) return;
  const double since = m.settled();
  m.settle(cause, now);
  m.path = by.path;
  if (received != nullptr) paths_->mark(m.path, cause, by.rank, since);
}

Channel& Mpi::channel_to(Caller& caller, int to, Block block) {
  if (caller.last_destination != to || caller.last_block != block) {
    caller.last_destination = to;
    caller.last_block = block;
    caller.last_channel = &machine_->channel(caller.rank, to, block);
  }
  return *caller.last_channel;
}

int Mpi::begin_message(Caller& caller, int to, Tag tag, std::uint64_t bytes, Block block) {
  const int id = messages_.take();
  Message& m = messages_[id];
  m.tag = tag;
  m.bytes = bytes;
  m.channel = &channel_to(caller, to, block);
  m.source = m.route().source;
  m.destination = m.route().destination;
  connect(caller.rank, to, *m.channel);
  m.sequence = m.channel->next_sequence++;
  m.eager = bytes <= m.transport().eager_limit.count;
  m.sender = &caller;
  m.receiver = nullptr;
  m.send_request = m.recv_request = -1;
  m.multicast = m.in_unexpected_buffer = m.taken = m.in_pieces = m.asks = false;
  m.next_step = nullptr;
  m.next_on_wire = m.next_copy = m.flow = -1;
  m.users = 2;
  m.begun = ledger_->now();
  m.stages.clear();
  m.path = caller.path;
  return id;
}

int Mpi::begin_send(int request) {
  Posting& sent = requests_[request];
  const int id = begin_message(*sent.owner, sent.peer, sent.tag, sent.bytes, blocks_[sent.block]);
  messages_[id].send_request = request;
  sent.message = id;
  return id;
}

const Uses& Mpi::progress_cpu(int rank) const {
  const Process& mine = processes_[rank];
  const Uses& own = mine.endpoints.front().engine.own_cpu();
  return own.empty() ? machine_->cpu(rank) : own;
}

WorkItem Mpi::preparation(int id) const {
  WorkItem dearest{.message = id};
  for (; id >= 0; id = messages_[id].next_copy) {
    const Message& m = messages_[id];
    const Transport& transport = m.transport();
    dearest.seconds = std::max(dearest.seconds, transport.send_overhead.at(m.bytes));
    if (!m.eager) dearest.registration = transport.registration.at(m.bytes);
    // A multicast has no copy_uses() of its own.
    WorkItem copy{.bytes = static_cast<double>(copied_before(m)), .cost = transport.send_cost};
    if ((m.multicast || m.route().copy_in.empty()) && copy.copy() > dearest.copy()) {
      dearest.bytes = copy.bytes;
      dearest.cost = copy.cost;
    }
  }
  return dearest;
}

bool Mpi::copy_uses(int id, Uses& uses) const {
  const Message& m = messages_[id];
  const ByteCost cost = m.transport().send_cost;
  // Bytes that cost the sender nothing are not copied in: the receiver copies them from their
  // place.
  if (m.ahead() == 0 || m.route().copy_in.empty() || cost.seconds_per_byte == 0) return false;
  add_caller_cpu(uses, *m.sender, machine_->scale(m.sender->rank).weight(cost));
  add_uses(uses, m.route().copy_in);
  return true;
}

double Mpi::completion_time(int id) const {
  const Posting& done = requests_[id];
  if (!done.receive || library_->progress != Progress::nic) return 0;
  const Message& m = messages_[done.message];
  return m.transport().recv_overhead.at(m.bytes);
}

void Mpi::enter(Caller& caller) {
  caller.inside = true;
  Endpoint& endpoint = endpoint_of(caller);
  const bool ran = endpoint.engine.running();
  endpoint.engine.enter(caller);
  if (ran) return;
  streams_.entered(caller);
  waiting_.swap(endpoint.granted);
  for (const int id : waiting_) {
    released(id, Cause::progress, caller);
    go_on(id);
  }
  waiting_.clear();
  waiting_.swap(process(caller.rank).arrivals);
  for (const int id : waiting_) {
    released(id, Cause::progress, caller);
    look_at(id, caller);
  }
  waiting_.clear();
}

void Mpi::leave(Caller& caller) {
  caller.inside = false;
  Endpoint& endpoint = endpoint_of(caller);
  endpoint.engine.leave();
  if (!endpoint.engine.running()) streams_.left(caller);
}

void Mpi::explain_wait(int id, double begin, double end, std::vector<Stage>& stages) const {
  const Posting& waited = requests_[id];
  double from = begin;
  const auto spend = [&](Cause cause, double until) {
    if (until <= from) return;
    from = std::min(until, end);
    stages.push_back({cause, from});
  };
  if (waited.message >= 0) {
    const Message& m = messages_[waited.message];
    spend(Cause::partner, m.begun);
    for (std::size_t i = 0; i < m.stages.size(); ++i) spend(m.stages[i].cause, m.stages[i].end);
  }
  spend(Cause::partner, end);
}

// A message's name is its place among those in flight, in an order that its pair and its turn among
// those of the pair give.
void Mpi::name_messages(std::vector<int>& in_flight) {
  in_flight.clear();
  for (int id = 0; id < messages_.size(); ++id)
    if (messages_[id].users > 0) in_flight.push_back(id);
  const auto key = [this](int id) {
    const Message& m = messages_[id];
    return std::tuple(m.source, m.destination, m.sequence, m.tag);
  };
  std::ranges::sort(in_flight, [&](int a, int b) { return key(a) < key(b); });
  names_ = Table<int>(messages_.size(), -1);
  for (std::size_t place = 0; place < in_flight.size(); ++place)
    names_[in_flight[place]] = static_cast<int>(place);
}

void Mpi::describe(StateRecord& record, const Agenda& agenda, std::vector<int>& in_flight) {
  name_messages(in_flight);
  StateFields fields(record, *this, ledger_->now(), names_);
  for (const int id : in_flight) {
    if (!record.same()) return;
    const Message& m = messages_[id];
    Message::visit(m, fields);
    if (m.in_pieces) {
      const auto& [copying, completes, waits, came, spare] = pieces_of(id);
      fields.exact(copying, completes, waits, came);
      fields.amount(came ? receiving_engine(m).spare() - spare : 0);
    }
    if (m.flow >= 0) DataPhase::visit(streams_.state_of(m), fields);
    const auto argument = static_cast<std::uint64_t>(id);
    for (const Agenda::Entry& entry : agenda.of(this, argument)) record.add(entry);
    for (const Agenda::Entry& entry : agenda.of(&streams_, argument)) record.add(entry);
  }
  const auto add_all = [&](const std::vector<int>& messages) {
    fields.exact(messages.size());
    for (const int id : messages) fields.message(id);
  };
  for (auto& [matching, endpoints, arrivals, callers, least_connections, peers] : processes_) {
    if (!record.same()) return;
    fields.exact(std::max(least_connections, static_cast<int>(peers.size())));
    Matching::visit(matching, fields);
    add_all(arrivals);
    for (auto& [engine, flows, to_be_granted] : endpoints) {
      add_all(flows);
      add_all(to_be_granted);
      Engine::visit(engine, fields);
      for (const Agenda::Entry& entry : agenda.of(&engine, 0)) record.add(entry);
    }
  }
  for (const double& date : interrupts_) fields.date(date);
}

void Mpi::skip(double seconds, std::span<const int> in_flight) {
  const DateShift shift(seconds);
  for (const int id : in_flight) Message::visit(messages_[id], shift);
  for (double& date : interrupts_) shift.date(date);
  for (Process& process : processes_)
    for (Endpoint& endpoint : process.endpoints) endpoint.engine.skip(seconds);
}

}  // namespace ringscope::sim
