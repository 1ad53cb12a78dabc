// SPDX-License-Identifier: LGPL-2.1-or-later

#include "sim/mpi/mpi.hpp"

namespace ringscope::sim {
namespace {

constexpr Array<Cause, resource_kind_names.size()> causes = {
    Cause::copy, Cause::wire, Cause::memory, Cause::lock, Cause::storage, Cause::input};

/// Less of a byte is what rounding leaves: nothing is left to move.
constexpr double crumb = 1e-6;

double less(double bytes, double moved) {
  const double left = bytes - moved;
  return left > crumb ? left : 0;
}

bool same_endpoint(const Caller& a, const Caller& b) {
  return a.rank == b.rank && a.endpoint == b.endpoint;
}

// Each end has an entry of its own, also where both are at one endpoint.
void forget(std::vector<int>& flows, int id) {
  const auto found = std::ranges::find(flows, id);
  if (found != flows.end()) flows.erase(found);
}

}  // namespace

bool Streams::sender_here(const Message& m) { return mpi_->engine_of(*m.sender).running(); }

bool Streams::receiver_here(const Message& m) { return mpi_->engine_of(*m.receiver).running(); }

void Streams::start(int id) {
  const Message& m = (*messages_)[id];
  if (int* last = last_in_queue(m); last != nullptr && amount(m) > 0) {
    const int before = std::exchange(*last, id);
    if (before >= 0) {
      (*messages_)[before].next_on_wire = id;
      return;
    }
  }
  begin_phase(id);
  take_turn(id);
}

double Streams::amount(const Message& m) {
  return static_cast<double>(m.bytes - m.ahead()) + static_cast<double>(m.transport().gap.count);
}

// Where thousands of messages wait for their turn, only those that move have a phase.
void Streams::begin_phase(int id) {
  Message& m = (*messages_)[id];
  m.flow = phases_.take();
  DataPhase& begun = phase(m);
  begun = {};
  begun.remaining = amount(m);
  // A receiver that answered and left: what its OS takes in may come.
  begun.sender.credit = begun.receiver.credit = static_cast<double>(m.transport().buffer.count);
}

void Streams::take_turn(int id) {
  const Message& m = (*messages_)[id];
  if (needs_sender(m)) mpi_->flows_of(*m.sender).push_back(id);
  if (needs_receiver(m)) mpi_->flows_of(*m.receiver).push_back(id);
  go(id);
}

void Streams::follow(int id, int before) {
  mpi_->stream_followed(id, before);
  begin_phase(id);
  const Message& m = (*messages_)[id];
  const DataPhase& ahead = phase((*messages_)[before]);
  if (needs_sender(m) && !sender_here(m)) phase(m).sender.credit = ahead.sender.credit;
  if (needs_receiver(m) && !receiver_here(m)) phase(m).receiver.credit = ahead.receiver.credit;
  take_turn(id);
}

// Copies inside a GPU, which use its memory alone, share that.
bool Streams::is_copied(const Message& m) const {
  return m.transport().moves_by_nic() && m.transport().gap.count > 0 &&
         m.channel->wire().size() > 1;
}

/// Place of the last message in the queue that this one's data go through; nullptr for none.
int* Streams::last_in_queue(const Message& m) {
  if (is_copied(m))
    return &last_copies_.try_emplace(m.channel->wire().front().resource, -1).first->second;
  if (m.channel->last_data.empty()) return nullptr;
  // As many endpoints at either end.
  const int sender = m.sender->endpoint, receiver = m.receiver->endpoint;
  return &m.channel->last_data[sender * machine_->scenario().library.endpoints + receiver];
}

/// Message whose turn it is when this one has moved; -1 for none, and when that is taken.
int Streams::take_next(int id) {
  Message& m = (*messages_)[id];
  if (int* last = last_in_queue(m); last != nullptr && *last == id) *last = -1;
  return std::exchange(m.next_on_wire, -1);
}

// Starts to move what can move now: everything, or what the OS holds of an end that is away.
void Streams::go(int id) {
  Message& m = (*messages_)[id];
  const bool sender = !needs_sender(m) || sender_here(m);
  const bool receiver = !needs_receiver(m) || receiver_here(m);
  DataPhase& flow = phase(m);
  double amount = flow.remaining;
  if (!sender) amount = std::min(amount, flow.sender.credit);
  if (!receiver) amount = std::min(amount, flow.receiver.credit);
  if (amount <= 0) return check_done(id);
  const Transport& transport = m.transport();
  machine_->steer(*m.channel);
  uses_.clear();
  if (sender && needs_sender(m)) add_cpu(*m.sender, transport.send_cost);
  const std::size_t before_wire = uses_.size();
  add_uses(uses_, m.channel->wire());
  if (receiver && needs_receiver(m)) add_cpu(*m.receiver, transport.recv_cost);
  add_uses(uses_, m.route().copy_out);
  flow.started = amount;
  flow.sender.here = sender;
  flow.receiver.here = receiver;
  flow.activity = ledger_->start(
      amount, uses_, Callback::to<&Streams::activity_done>(this, static_cast<std::uint64_t>(id)));
  ledger_->passes_again(flow.activity, m.route().again, before_wire);
}

void Streams::add_cpu(const Caller& caller, ByteCost cost) {
  mpi_->engine_of(caller).add_cpu(uses_, caller, machine_->scale(caller.rank).weight(cost));
}

void Streams::settle(const Message& m, double moved) {
  DataPhase& flow = phase(m);
  flow.remaining = less(flow.remaining, moved);
  const Transport& transport = m.transport();
  const auto settle_end = [&](DataPhase::End& end, ByteCost cost) {
    if (end.here) return;
    end.credit = less(end.credit, moved);
    if (cost.seconds_per_byte > 0) end.owed += moved;
  };
  settle_end(flow.sender, transport.send_cost);
  settle_end(flow.receiver, transport.recv_cost);
}

void Streams::blame(int id) {
  const int resource = ledger_->bottleneck();
  if (resource < 0) return;
  const Resource& bottleneck = ledger_->resource(resource);
  mpi_->stage(id, causes[bottleneck.kind], bottleneck.rank, resource, ledger_->now());
}

void Streams::halt(int id) {
  const Message& m = (*messages_)[id];
  DataPhase& flow = phase(m);
  if (flow.activity < 0) return;
  const double moved = ledger_->stop(flow.activity);
  flow.activity = -1;
  flow.paused = false;
  blame(id);
  settle(m, moved);
}

void Streams::left(Caller& caller) {
  const std::vector<int> flows = mpi_->flows_of(caller);  // a flow that ends leaves the list
  for (const int id : flows) {
    const Message& m = (*messages_)[id];
    if (m.flow < 0) continue;
    DataPhase& flow = phase(m);
    const auto buffer = static_cast<double>(m.transport().buffer.count);
    if (buffer == 0 && flow.activity >= 0) {
      if (flow.paused) continue;
      ledger_->pause(flow.activity);
      flow.paused = true;
      blame(id);
    } else {
      halt(id);
      if (same_endpoint(*m.sender, caller)) flow.sender.credit = buffer;
      if (same_endpoint(*m.receiver, caller)) flow.receiver.credit = buffer;
      go(id);
    }
  }
}

void Streams::entered(Caller& caller) {
  const std::vector<int> flows = mpi_->flows_of(caller);  // a flow that ends leaves the list
  for (const int id : flows) {
    const Message& m = (*messages_)[id];
    if (m.flow < 0) continue;
    DataPhase& flow = phase(m);
    if (flow.paused) {
      if ((needs_sender(m) && !sender_here(m)) || (needs_receiver(m) && !receiver_here(m)))
        continue;
      mpi_->resumed(id, caller);
      flow.paused = false;
      ledger_->resume(flow.activity);
      continue;
    }
    if (flow.activity < 0) mpi_->resumed(id, caller);
    halt(id);
    if (pay(id, caller, true) && pay(id, caller, false)) go(id);
  }
}

template <auto end>
void Streams::paid(std::uint64_t value) {
  const int id = static_cast<int>(value);
  --(phase((*messages_)[id]).*end).paying;
  check_done(id);
}

// Bytes that moved while an end was away still have to be copied by its CPU. False: that took no
// time, and the flow has ended.
bool Streams::pay(int id, const Caller& at, bool sender_side) {
  const Message& m = (*messages_)[id];
  DataPhase::End& end = sender_side ? phase(m).sender : phase(m).receiver;
  Caller& caller = sender_side ? *m.sender : *m.receiver;
  if (end.owed <= 0 || !same_endpoint(caller, at)) return true;
  const Transport& transport = m.transport();
  const auto argument = static_cast<std::uint64_t>(id);
  const WorkItem item{
      .message = id,
      .caller = &caller,
      .bytes = end.owed,
      .cost = sender_side ? transport.send_cost : transport.recv_cost,
      .done = sender_side ? Callback::to<&Streams::paid<&DataPhase::sender>>(this, argument)
                          : Callback::to<&Streams::paid<&DataPhase::receiver>>(this, argument)};
  end.owed = 0;
  ++end.paying;
  mpi_->engine_of(caller).submit(item);
  return m.flow >= 0;
}

void Streams::activity_done(std::uint64_t value) {
  const int id = static_cast<int>(value);
  const Message& m = (*messages_)[id];
  phase(m).activity = -1;
  blame(id);
  settle(m, phase(m).started);
  check_done(id);
}

void Streams::check_done(int id) {
  Message& m = (*messages_)[id];
  const DataPhase& flow = phase(m);
  if (flow.remaining > 0 || flow.activity >= 0) return;
  const int next = take_next(id);
  if (end_is_done(id, true)) mpi_->stream_sent(id);
  if (end_is_done(id, false)) mpi_->stream_received(id);
  if (next >= 0) follow(next, id);
  if (flow.sender.done && flow.receiver.done) phases_.release(std::exchange(m.flow, -1));
}

// True once: the end has just become done.
bool Streams::end_is_done(int id, bool sender_side) {
  Message& m = (*messages_)[id];
  DataPhase::End& end = sender_side ? phase(m).sender : phase(m).receiver;
  if (end.done || end.owed > 0 || end.paying > 0) return false;
  end.done = true;
  if (sender_side ? needs_sender(m) : needs_receiver(m))
    forget(mpi_->flows_of(sender_side ? *m.sender : *m.receiver), id);
  return true;
}

}  // namespace ringscope::sim
