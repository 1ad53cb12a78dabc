// SPDX-License-Identifier: LGPL-2.1-or-later
// Each verb as a simulated thread performs it. A verb is a small state machine: advance(), at the
// end, is called again whenever something that it waited for has happened.
#include <climits>

#include "sim/ranks/known_collectives.hpp"

namespace ringscope::sim {

// The requests that the verb waits for, as the model's ids.
std::span<const int> RankThread::requests_of(const Pending& verb) {
  run_->requests.clear();
  if (verb.asked != nullptr)
    for (const Request request : verb.asked->requests) run_->requests.push_back(request.slot);
  if (verb.request >= 0) run_->requests.push_back(verb.request);
  if (verb.other_request >= 0) run_->requests.push_back(verb.other_request);
  return run_->requests;
}

void RankThread::receive_part(Pending& verb, int request) {
  if (verb.state != State::queued) return;
  enter_mpi();
  run_->mpi->post_receive(request);
  verb.state = State::receive_posted;
}

RankThread::Advance RankThread::send_part(Pending& verb) {
  Mpi& mpi = *run_->mpi;
  if (verb.state < State::preparing) {
    enter_mpi();
    verb.state = State::preparing;
    const WorkItem work = mpi.preparation(mpi.begin_send(verb.request));
    const double time = work.seconds + work.registration + work.copy();
    if (time > 0) {
      tail_share_ = (work.registration + work.copy()) / time;
      if (work.registration > 0) tail_cause_ = Cause::pinning;
      return run_time(time, true, RankActivity::overhead, Cause::overhead);
    }
  }
  const int message = mpi.request(verb.request).message;
  if (verb.state == State::preparing) {
    verb.state = State::copying;
    Uses& uses = run_->ledger->fresh_uses();
    if (mpi.copy_uses(message, uses))
      return run_on_cpu(static_cast<double>(mpi.message(message).ahead()), uses, RankActivity::copy,
                        Cause::copy);
  }
  if (verb.state == State::copying) {
    verb.state = State::following;
    const double rest = mpi.copy_beside_wire(message);
    mpi.launch(message);
    if (rest > 0) return run_time(rest, true, RankActivity::copy, Cause::copy);
  }
  if (verb.state == State::following) {
    verb.state = State::launched;
    mpi.copied(message);
  }
  return Advance::done;
}

// One turn of the progress engine: it does what there is to do, and the answer is what is then.
template <>
RankThread::Advance RankThread::part<Verb::test>(Pending& verb) {
  enter_mpi();
  const int request = requests_of(verb).front();
  if (!run_->mpi->engine_idle(*this) && !is_complete(request)) {
    run_->mpi->call_when_idle(*this);
    return block(verb, RankActivity::in_wait);
  }
  if (!others_idle()) return block(verb, RankActivity::in_wait);
  if (verb.since >= 0) {
    waited_for_[Cause::copy] += now() - verb.since;
    blocked_by_ = Cause::copy;
    run_->paths->extend(path, Cause::copy, rank(), cpu.front().resource, now());
  }
  verb.asked->result = is_complete(request) ? 1 : 0;
  if (verb.asked->result == 1) run_->mpi->close_request(request);
  return Advance::done;
}

template <>
RankThread::Advance RankThread::part<Verb::multicast>(Pending& verb) {
  const Operation& operation = *verb.asked;
  if (operation.receivers.empty()) return Advance::done;
  if (verb.state == State::queued) {
    enter_mpi();
    verb.state = State::preparing;
    verb.multicast =
        run_->mpi->begin_multicast(*this, operation.receivers, operation.tag, operation.range.size);
    const WorkItem work = run_->mpi->preparation(verb.multicast);
    const double time = work.seconds + work.copy();
    if (time > 0) {
      tail_share_ = work.copy() / time;
      return run_time(time, true, RankActivity::overhead, Cause::overhead);
    }
  }
  run_->mpi->launch_multicast(verb.multicast);
  return Advance::done;
}

RankThread::Advance RankThread::local_part(Pending& verb) {
  if (verb.state == State::working) return Advance::done;
  const Operation& operation = *verb.asked;
  if (operation.verb == Verb::compute) {
    if (operation.time.count() > 0) {
      set_activity(activity_, now());
      in_groups_.enter(-1);  // a flag that is raised behind it is no group's
    }
    verb.state = State::working;
    return run_computation(operation);
  }
  const bool outlasts = operation.time.count() > 0;
  if (outlasts) {
    verb.state = State::working;
    return run_block(began_ + operation.time.count() - now(), RankActivity::overhead,
                     Cause::overhead);
  }
  const bool reduces = operation.verb == Verb::reduce;
  const RankActivity activity = reduces ? RankActivity::reduce : RankActivity::copy;
  const Cause cause = reduces ? Cause::reduce : Cause::copy;
  const Machine& machine = *run_->machine;
  const Library& library = machine.scenario().library;
  const bool gpu = machine.on_gpu(rank());
  if (operation.block.is_any() && gpu && library.blocks) {
    // A block reduces what it passes on while it does, at the rate at which it sends. What goes no
    // further takes it as long as a copy: NCCL 2.30.7, src/device/prims_simple.h, recvReduceCopy.
    verb.state = State::working;
    if (reduces && operation.count == 0) return Advance::done;
    if (operation.range.size == 0) {
      begin_block(operation.block);
      return run_block(machine.block_start(rank(), operation.block, operation.count > 0),
                       RankActivity::overhead, Cause::overhead);
    }
    return run_block(machine.block_copy(operation.block, operation.range.size), activity, cause,
                     operation.block);
  }
  if (std::exchange(verb.state, State::working) == State::queued && gpu &&
      library.gpu.launch.count() > 0) {
    verb.state = State::preparing;  // the launch; then the work itself
    return run_time(library.gpu.launch.count(), false, activity, cause);
  }
  const ByteCost host_cost = reduces ? library.reduce_cost : library.copy_cost;
  const ByteCost gpu_cost = reduces ? library.gpu.reduce_cost : library.gpu.copy_cost;
  const ByteCost cost = gpu ? gpu_cost : host_cost;
  const Bytes bytes{operation.range.size};
  const Uses& memory = reduces ? machine.reduction(rank()) : machine.copy(rank());
  if (memory.empty()) return run_time((bytes * cost).count(), false, activity, cause);
  if (bytes.count == 0) return Advance::done;
  leave_mpi();
  Uses& uses = run_->ledger->fresh_uses();
  add_worker(uses, worker_scale().weight(cost));
  add_uses(uses, memory);
  return run_on_cpu(static_cast<double>(bytes.count), uses, activity, cause);
}

template <>
RankThread::Advance RankThread::part<Verb::join>(Pending& verb) {
  RankThread& other = static_cast<RankThread&>(thread(verb.asked->thread.index));
  // To wait for a non-blocking collective is a call of MPI, to join a thread is not.
  other.is_nonblocking() ? enter_mpi() : leave_mpi();
  if (!other.finished_) {
    other.joiner_ = this;
    if (verb.since < 0) verb.partner_before = other.waited_for_[Cause::partner];
    return block(verb, RankActivity::in_wait);
  }
  if (verb.since >= 0) {
    // A clock that ran already has no cause of its own: this thread did what came before the wait.
    if (other.has_slept() && other.slept_since_ <= verb.since)
      run_->paths->extend(path, Cause::sleep, rank(), -1, now());
    else
      path = other.path;
    if (other.has_slept()) {
      slept_since_ = other.slept_since_;
      slept_ = performed_;
      reached_at_ = -1;
    }
    account_join(verb, other);
  }
  other.in_use_ = false;
  return Advance::done;
}

template <>
RankThread::Advance RankThread::part<Verb::sleep>(Pending& verb) {
  if (verb.asked->count > 0) return input_part(verb);
  if (std::exchange(verb.state, State::working) == State::working) {
    slept_ = performed_;
    return Advance::done;
  }
  leave_mpi();
  slept_since_ = now();
  return pass(verb.asked->time.count(), Cause::sleep);
}

// Reading and writing files takes the core that calls for it, at the cost of a copy.
RankThread::Advance RankThread::storage_part(Pending& verb) {
  if (verb.state == State::working) {
    waited_for_[Cause::storage] += now() - verb.since;
    return Advance::done;
  }
  verb.state = State::working;
  verb.since = now();
  const auto bytes = static_cast<double>(verb.asked->count);
  const Machine& machine = *run_->machine;
  leave_mpi();
  if (machine.reads_from_afar(rank()))
    run_->mpi->count_file(rank(), static_cast<std::uint64_t>(verb.asked->count));
  Uses& uses = run_->ledger->fresh_uses();
  uses = machine.storage(rank(), verb.verb == Verb::store);
  const ByteCost cost = machine.scenario().library.copy_cost;
  if (bytes == 0) return Advance::done;
  set_activity(activity_, now());
  in_groups_.enter(-1);
  blocked_by_ = Cause::storage;
  if (uses.empty())
    return run_time(bytes * cost.seconds_per_byte, false, RankActivity::in_wait, Cause::storage);
  add_uses(uses, cpu, machine.scale(rank()).weight(cost));
  return run_on_cpu(bytes, uses, RankActivity::in_wait, Cause::storage);
}

template <>
RankThread::Advance RankThread::part<Verb::reach>(Pending& verb) {
  const FlagState& state = flag(verb.asked->flag);
  if (verb.since < 0) leave_mpi();
  if (state.raised < verb.asked->count) return block(verb, RankActivity::in_wait);
  if (verb.since >= 0) {
    waited_for_[Cause::partner] += now() - verb.since;
    path = state.path;
    partner_until_ = now();
    in_groups_.enter(state.group);
    set_activity(activity_, now());  // before a call of the next step enters its group
  } else if (has_slept(1) && state.since >= slept_since_) {
    // Whoever looks once in a while waited for who raised the flag, and only then for the clock.
    path = state.path;
    run_->paths->extend(path, Cause::sleep, rank(), -1, now());
    reached_ = path;
    reached_at_ = now();
    reached_flag_ = {verb.asked->flag.index, verb.asked->count};
  } else if (reached_at_ >= 0 &&
             reached_flag_ == std::pair(verb.asked->flag.index, verb.asked->count)) {
    // To reach it again says that nothing since then has held the thread up.
    path = reached_;
    run_->paths->extend(path, Cause::latency, -1, -1, now());
  }
  return Advance::done;
}

// The last one who comes lets all others go on.
template <>
RankThread::Advance RankThread::part<Verb::split>(Pending& verb) {
  SplitCall& call = *verb.asked->split;
  enter_mpi();
  if (std::exchange(verb.state, State::working) == State::queued)
    for (RankThread* one : run_->splits.call(call, verb.asked->peer, *this)) {
      if (one == this) continue;
      one->path = path;
      one->completed(-1);
    }
  if (call.group == nullptr) return block(verb, RankActivity::in_wait);
  run_->groups.name(call.group->tag.context, call.group->part);
  if (verb.since >= 0) waited_for_[Cause::partner] += now() - verb.since;
  return Advance::done;
}

template <>
RankThread::Advance RankThread::part<Verb::meet>(Pending& verb) {
  if (verb.state == State::completing) return Advance::done;
  if (std::exchange(verb.state, State::preparing) == State::queued)
    run_->known->meet(*verb.asked->call, *this);
  return block(verb, RankActivity::in_wait);
}

void RankThread::have_met(bool known, const PathCursor& from, double late) {
  Pending& verb = verbs_.front();
  verb.state = State::completing;
  verb.asked->result = known ? 1 : 0;
  if (!known) return completed(-1);
  const GroupCall& call = *verb.asked->call;
  const KnownCollectives::Share& share = run_->known->share(call);
  leave_mpi();
  if (!share.mark.phase.empty()) {
    end_phase(run_->known->phase_before(call));
    mark(share.mark);
  }
  in_groups_.enter(run_->groups.index_of(call.tag));
  path = from;
  on_cpu_ = true;
  const double apart = std::max(0.0, now() - late - activity_since_);
  seconds_[RankActivity::in_wait] += apart;
  waited_for_[Cause::partner] += apart;
  run_->ledger->kernel().after(share.seconds - late, Callback::to<&RankThread::met>(this));
}

// The time of the collective counts as it did when it was simulated.
void RankThread::met(std::uint64_t) {
  on_cpu_ = false;
  const KnownCollectives::Share& share = run_->known->share(*verbs_.front().asked->call);
  activity_since_ = now();
  for (std::size_t i = 0; i < seconds_.size(); ++i) seconds_[i] += share.account.seconds[i];
  for (std::size_t i = 0; i < waited_for_.size(); ++i)
    waited_for_[i] += share.account.waited_for[i];
  in_groups_.spend(share.in_group.all);
  in_groups_.wait_for_partner(share.in_group.partner);
  run_->known->use_own(share, rank());
  double rest = 0;
  for (const Paths::Segment& one : share.path) rest += one.seconds;
  for (const Paths::Segment& one : share.path) {
    rest -= one.seconds;
    run_->paths->extend(path, one.cause, one.rank, one.resource, now() - rest);
  }
  go_on();
}

RankThread::Advance RankThread::advance(Pending& verb) {
  if (verb.starts) return start_part(verb);
  if (!run_->groups.names().empty()) enter_group(verb);
  switch (verb.verb) {
    case Verb::isend:
      return send_part(verb);
    case Verb::irecv:
      enter_mpi();
      run_->mpi->post_receive(verb.request);
      return Advance::done;
    case Verb::recv:
      receive_part(verb, verb.request);
      return wait_part(verb, true);
    case Verb::sendrecv:
      receive_part(verb, verb.other_request);
      [[fallthrough]];
    case Verb::send:
      if (send_part(verb) == Advance::blocked) return Advance::blocked;
      return wait_part(verb, true);
    case Verb::wait:
    case Verb::wait_all:
      return wait_part(verb, true);
    case Verb::wait_any:
      return wait_part(verb, false);
    case Verb::test:
      return part<Verb::test>(verb);
    case Verb::reduce:
    case Verb::copy:
    case Verb::compute:
      return local_part(verb);
    case Verb::join:
      return part<Verb::join>(verb);
    case Verb::sleep:
      return part<Verb::sleep>(verb);
    case Verb::load:
    case Verb::store:
      return storage_part(verb);
    case Verb::reach:
      return part<Verb::reach>(verb);
    case Verb::multicast:
      return part<Verb::multicast>(verb);
    case Verb::split:
      return part<Verb::split>(verb);
    case Verb::meet:
      return part<Verb::meet>(verb);
  }
  return Advance::done;
}

// Waits of a thread for requests: for all of some, or for any.

// The last of many that it waits for wakes it, no other.
void RankThread::completed(int request) {
  if (request >= 0 && run_->mpi->request(request).awaited && --missing_ > 0)
    return run_->mpi->forget_cause(request);
  if (!verbs_.empty()) run_->ready->add(*this);
}

// Asked at each completion of a wait for many: requests that were complete stay so.
bool RankThread::is_over(Pending& verb, bool all) const {
  const auto complete = [this](Request request) { return is_complete(request.slot); };
  const auto& asked = verb.asked->requests;
  if (!all) return std::ranges::any_of(asked, complete);
  while (verb.complete < asked.size() && complete(asked[verb.complete])) ++verb.complete;
  return verb.complete == asked.size() && (verb.request < 0 || is_complete(verb.request)) &&
         (verb.other_request < 0 || is_complete(verb.other_request));
}

// A detour looks at each turn of its rank.
void RankThread::await_all(const Pending& verb) {
  const std::span<const int> requests = requests_of(verb);
  if (requests.size() < 2 || run_->detours != nullptr) return;
  for (const int request : requests) {
    if (is_complete(request)) {
      run_->mpi->forget_cause(request);
    } else {
      run_->mpi->await(request);
      ++missing_;
    }
  }
}

RankThread::Advance RankThread::wait_part(Pending& verb, bool all) {
  enter_mpi();
  if (verb.state == State::completing) return finish_wait(verb, requests_of(verb));
  if (!is_over(verb, all)) {
    if (all && verb.since < 0) await_all(verb);
    return block(verb, verb.verb == Verb::send ? RankActivity::in_send : RankActivity::in_wait);
  }
  const std::span<const int> requests = requests_of(verb);
  const auto complete = [this](int request) { return is_complete(request); };
  // The request that ended the wait: the last of all to complete, or the first that is complete.
  const auto decisive =
      all ? std::ranges::max_element(requests, [this](int a, int b) { return order(a) < order(b); })
          : std::ranges::find_if(requests, complete);
  if (verb.since >= 0) {
    const double ended = held_from_ < 0 ? now() : held_from_;
    path = run_->mpi->path(*decisive);
    if (ended < now()) run_->paths->extend(path, Cause::noise, rank(), cpu.front().resource, now());
    account_wait(*decisive, verb.since, ended);  // before the program goes on to its next step
  }
  if (verb.asked->decides)
    come_from_sender(run_->mpi->message(run_->mpi->request(*decisive).message));
  verb.state = State::completing;
  double after = 0;
  if (!all) verb.asked->result = static_cast<int>(decisive - requests.begin());
  for (const int request : all ? requests : std::span(&*decisive, 1))
    after += run_->mpi->completion_time(request);
  if (after > 0) return run_time(after, true, RankActivity::overhead, Cause::overhead);
  return finish_wait(verb, requests);
}

void RankThread::account_stage(const Stage& stage, double from) {
  const double seconds = stage.end - from;
  waited_for_[stage.cause] += seconds;
  if (stage.cause != Cause::partner) return;
  in_groups_.wait_for_partner(seconds);
  if (seconds > 0) partner_until_ = stage.end;
}

void RankThread::account_join(const Pending& verb, const RankThread& other) {
  const double waited = std::min(other.waited_for_[Cause::partner] - verb.partner_before,
                                 other.partner_until_ - verb.since);
  waited_for_[Cause::partner] += now() - verb.since;
  in_groups_.enter(other.in_groups_.now());
  if (waited > 0) {
    in_groups_.wait_for_partner(waited);
    partner_until_ = other.partner_until_;
  }
  set_activity(activity_, now());  // before a call of the next step enters its group
}

// The sender's call may have waited for this thread: its path is that from before the call.
void RankThread::come_from_sender(const Message& message) {
  const RankThread& sender = static_cast<const RankThread&>(*message.sender);
  if (sender.reached_at_ != message.begun) return;
  path = sender.reached_;
  run_->paths->extend(path, Cause::latency, -1, -1, now());
}

void RankThread::account_wait(int request, double since, double ended) {
  std::vector<Stage>& stages = run_->waited;
  run_->mpi->explain_wait(request, since, ended, stages);
  if (ended < now()) stages.push_back({Cause::noise, now()});
  for (double from = since; const Stage& stage : stages)
    account_stage(stage, std::exchange(from, stage.end));
  set_activity(activity_, now());
  stages.clear();
}

RankThread::Advance RankThread::finish_wait(Pending& verb, std::span<const int> requests) {
  if (verb.verb == Verb::wait_any) {
    run_->mpi->close_request(requests.begin()[verb.asked->result]);
    return Advance::done;
  }
  for (const int request : requests) {
    const Posting& done = run_->mpi->request(request);
    if (done.receive)
      verb.asked->result = static_cast<int>(
          std::min<std::uint64_t>(run_->mpi->message(done.message).bytes, INT_MAX));
    run_->mpi->close_request(request);
  }
  return Advance::done;
}

}  // namespace ringscope::sim
