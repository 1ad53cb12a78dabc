// Snapshot of the messages in flight, for steady-state detection.
#include <algorithm>
#include <tuple>

#include "sim/mpi/mpi.hpp"

namespace ringscope::sim {

// A message's name is its place among those in flight, in an order that its pair and its turn among
// those of the pair give.
void Mpi::name_messages(std::vector<int>& under_way) {
  under_way.clear();
  for (int id = 0; id < messages_.size(); ++id)
    if (messages_[id].users > 0) under_way.push_back(id);
  const auto key = [this](int id) {
    const Message& m = messages_[id];
    return std::tuple(m.source, m.destination, m.sequence);
  };
  std::sort(under_way.begin(), under_way.end(), [&](int a, int b) { return key(a) < key(b); });
  names_.assign(static_cast<std::size_t>(messages_.size()), -1);
  for (std::size_t place = 0; place < under_way.size(); ++place)
    names_[static_cast<std::size_t>(under_way[place])] = static_cast<int>(place);
}

void Mpi::describe(StateRecord& record, const Agenda& agenda, std::vector<int>& under_way) {
  name_messages(under_way);
  for (const int id : under_way) {
    if (!record.same()) return;
    describe_message(record, agenda, id);
  }
  const auto add_all = [&](const std::vector<int>& messages) {
    record.add(static_cast<int>(messages.size()));
    for (const int id : messages) record.add(name(id));
  };
  for (Process& process : processes_) {
    if (!record.same()) return;
    process.matching.describe(record, names_);
    add_all(process.arrivals);
    for (Endpoint& endpoint : process.endpoints) {
      add_all(endpoint.flows);
      add_all(endpoint.granted);
      endpoint.engine.describe(record, names_);
      for (const Agenda::Entry& entry : agenda.of(&endpoint.engine, 0)) record.add(entry);
    }
  }
}

void Mpi::describe_message(StateRecord& record, const Agenda& agenda, int id) const {
  const Message& m = messages_[id];
  record.add(m.source);
  record.add(m.destination);
  record.add(m.tag);
  record.add(m.bytes);
  record.add(m.ahead);
  record.add(m.channel->next_sequence - m.sequence);
  record.add(m.eager);
  record.add(m.in_unexpected_buffer);
  record.add(m.taken);
  record.add(m.users);
  for (const int request : {m.send_request, m.recv_request})
    record.add(request < 0 ? 2 : requests_[request].complete ? 1 : 0);
  record.add(m.sender->endpoint);
  record.add(m.receiver == nullptr ? -1 : m.receiver->endpoint);
  record.add(name(m.next_on_wire));
  record.add(name(m.next_copy));
  const double now = ledger_->now();
  record.add_time(now - m.begun);
  record.add(static_cast<int>(m.stages.size()));
  for (const Stage& stage : m.stages) {
    record.add(static_cast<int>(stage.cause));
    record.add_time(now - stage.end);
  }
  if (!m.eager) describe_flow(record, m.flow);
  const auto argument = static_cast<std::uint64_t>(id);
  for (const Agenda::Entry& entry : agenda.of(this, argument)) record.add(entry);
  for (const Agenda::Entry& entry : agenda.of(&streams_, argument)) record.add(entry);
}

void Mpi::describe_flow(StateRecord& record, const Flow& flow) {
  for (const Flow::End* end : {&flow.sender, &flow.receiver}) {
    record.add(end->here);
    record.add_amount(end->credit);
    record.add_amount(end->owed);
    record.add(end->paying);
    record.add(end->done);
  }
  record.add_amount(flow.remaining);
  record.add_amount(flow.started);
  record.add(flow.flight >= 0);
  record.add(flow.paused);
}

void Mpi::skip(double seconds, std::span<const int> under_way) {
  for (const int id : under_way) {
    Message& m = messages_[id];
    m.begun += seconds;
    for (Stage& stage : m.stages) stage.end += seconds;
  }
}

void Matching::describe(StateRecord& record, std::span<const int> names) const {
  record.add(static_cast<int>(receives_.size()));
  for (const Item& receive : receives_) {
    record.add(receive.source);
    record.add(receive.tag);
  }
  record.add(static_cast<int>(messages_.size()));
  for (const Item& message : messages_) record.add(names[static_cast<std::size_t>(message.id)]);
}

void Engine::describe(StateRecord& record, std::span<const int> names) const {
  record.add(inside_);
  record.add(parts_left_);
  record.add(flight_ >= 0);
  record.add(paused_);
  record.add(static_cast<int>(idle_callers_.size()));
  record.add(static_cast<int>(chores_.size()));
  for (const Chore& chore : chores_) {
    record.add(static_cast<int>(chore.kind));
    record.add(names[static_cast<std::size_t>(chore.message)]);
    record.add_amount(chore.bytes);
    record.add_amount(chore.seconds);
  }
}

}  // namespace ringscope::sim
