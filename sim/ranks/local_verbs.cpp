// The verbs that need no other rank: work on a core or GPU, files, clocks, flags, other threads.
#include <utility>

#include "sim/ranks/rank_thread.hpp"

namespace ringscope::sim {

RankThread::Advance RankThread::local_part(Pending& verb) {
  if (verb.state == State::working) return Advance::done;
  const Operation& operation = *verb.asked;
  if (operation.verb == Verb::compute) {
    verb.state = State::working;
    const double time = operation.time.count();
    const double stretched = run_->noises->stretch(rank(), time);
    if (stretched > time) {
      tail_share_ = (stretched - time) / stretched;
      tail_cause_ = Cause::noise;
    }
    return run_time(stretched, false, RankActivity::compute, Cause::compute);
  }
  const bool reduces = operation.verb == Verb::reduce;
  const RankActivity activity = reduces ? RankActivity::reduce : RankActivity::copy;
  const Cause cause = reduces ? Cause::reduce : Cause::copy;
  const Machine& machine = *run_->machine;
  const Library& library = machine.scenario().library;
  const bool gpu = machine.on_gpu(rank());
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
  add_uses(uses, worker(), machine.scale(rank()).weight(cost));
  add_uses(uses, memory);
  return run_on_cpu(static_cast<double>(bytes.count), uses, activity, cause);
}

const Uses& RankThread::worker() const {
  return run_->machine->on_gpu(rank()) ? run_->machine->gpu(rank()) : cpu;
}

RankThread::Advance RankThread::join_part(Pending& verb) {
  RankThread& other = static_cast<RankThread&>(thread(verb.asked->thread.index));
  // To wait for a non-blocking collective is a call of MPI, to join a thread is not.
  if (other.is_nonblocking())
    enter_mpi();
  else
    leave_mpi();
  if (!other.finished_) {
    other.joiner_ = this;
    return block(verb, RankActivity::in_wait);
  }
  if (verb.since >= 0) {
    waited_for_[static_cast<std::size_t>(Cause::partner)] += now() - verb.since;
    path = other.path;
  }
  other.in_use_ = false;
  return Advance::done;
}

RankThread::Advance RankThread::sleep_part(Pending& verb) {
  if (std::exchange(verb.state, State::working) == State::working) return Advance::done;
  leave_mpi();
  return pass(verb.asked->time.count(), Cause::sleep);
}

// Time passes without work of this thread.
RankThread::Advance RankThread::pass(double seconds, Cause cause) {
  if (seconds <= 0) return Advance::done;
  set_activity(RankActivity::in_wait, now());
  cpu_cause_ = blocked_by_ = cause;
  on_cpu_ = true;
  waited_for_[static_cast<std::size_t>(cause)] += seconds;
  run_->ledger->kernel().after(seconds, Callback::to<&RankThread::cpu_done>(this));
  return Advance::blocked;
}

// Reading and writing files takes the core that calls for it, at the cost of a copy.
RankThread::Advance RankThread::storage_part(Pending& verb) {
  if (verb.state == State::working) {
    waited_for_[static_cast<std::size_t>(Cause::storage)] += now() - verb.since;
    return Advance::done;
  }
  verb.state = State::working;
  verb.since = now();
  const auto bytes = static_cast<double>(verb.asked->count);
  const Machine& machine = *run_->machine;
  leave_mpi();
  Uses& uses = run_->ledger->fresh_uses();
  uses = machine.storage(rank(), verb.verb == Verb::store);
  const ByteCost cost = machine.scenario().library.copy_cost;
  if (bytes == 0) return Advance::done;
  set_activity(activity_, now());
  blocked_by_ = Cause::storage;
  if (uses.empty())
    return run_time(bytes * cost.seconds_per_byte, false, RankActivity::in_wait, Cause::storage);
  add_uses(uses, cpu, machine.scale(rank()).weight(cost));
  return run_on_cpu(bytes, uses, RankActivity::in_wait, Cause::storage);
}

RankThread::Advance RankThread::reach_part(Pending& verb) {
  const FlagState& state = flag(verb.asked->flag);
  if (verb.since < 0) leave_mpi();
  if (state.raised < verb.asked->count) return block(verb, RankActivity::in_wait);
  if (verb.since >= 0) {
    waited_for_[static_cast<std::size_t>(Cause::partner)] += now() - verb.since;
    path = state.path;
  }
  return Advance::done;
}

}  // namespace ringscope::sim
