// SPDX-License-Identifier: LGPL-2.1-or-later
// Time that a thread spends on its core or GPU, or waits: how it is begun, and what it counts as.

#include "sim/ranks/detours.hpp"

namespace ringscope::sim {

void RankThread::add_worker(Uses& uses, int weight) const {
  if (run_->machine->on_gpu(rank()))
    run_->machine->add_work(uses, rank(), weight);
  else
    add_uses(uses, cpu, weight);
}

const CpuScale& RankThread::worker_scale() const {
  const Machine& machine = *run_->machine;
  return machine.on_gpu(rank()) ? machine.gpu_scale(rank()) : machine.scale(rank());
}

RankThread::Advance RankThread::block(Pending& verb, RankActivity activity) {
  if (verb.since < 0) {
    verb.since = now();
    set_activity(activity, now());
    blocked_by_ = Cause::partner;
  }
  return Advance::blocked;
}

bool RankThread::is_shown() const {
  if (index_ < run_->shown_threads) return true;
  const bool waits = !verbs_.empty() && verbs_.front().verb == Verb::reach;
  return index_ < run_->shown_threads + run_->shown_at_work && !waits;
}

void RankThread::add_spans(double until) {
  const bool blocked = activity_ == RankActivity::in_send || activity_ == RankActivity::in_wait;
  const Stage whole{blocked_by_, until};
  const std::span<const Stage> parts =
      run_->waited.empty() ? std::span(&whole, 1) : std::span<const Stage>(run_->waited);
  Span span{rank(), activity_, phase_, mark_.step, peer(), activity_since_, until};
  span.stream = index_;
  span.where = mark_.where;
  if (span.where.line == 0 && !verbs_.empty()) span.where = verbs_.front().where;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool goes_on = i + 1 < parts.size() && parts[i + 1].cause == parts[i].cause;
    if (goes_on || parts[i].end <= span.start_s) continue;
    span.end_s = parts[i].end;
    if (blocked) span.cause = parts[i].cause;
    run_->spans->push_back(span);
    span.start_s = parts[i].end;
  }
}

// Time passes without work of this thread.
RankThread::Advance RankThread::pass(double seconds, Cause cause) {
  if (seconds <= 0) return Advance::done;
  set_activity(RankActivity::in_wait, now());
  cpu_cause_ = blocked_by_ = cause;
  on_cpu_ = true;
  waited_for_[cause] += seconds;
  run_->ledger->kernel().after(seconds, Callback::to<&RankThread::cpu_done>(this));
  return Advance::blocked;
}

RankThread::Advance RankThread::run_time(double seconds, bool inside_mpi, RankActivity activity,
                                         Cause cause) {
  if (seconds <= 0) return Advance::done;
  const CpuScale& scale = inside_mpi ? run_->machine->scale(rank()) : worker_scale();
  if (!inside_mpi) leave_mpi();  // may start activities of its own
  Uses& uses = run_->ledger->fresh_uses();
  if (inside_mpi)
    run_->mpi->add_caller_cpu(uses, *this, scale.compute_weight());
  else
    add_worker(uses, scale.compute_weight());
  return run_on_cpu(scale.compute_amount(seconds), uses, activity, cause);
}

// A block of a kernel has threads of the GPU to itself: its clock is this thread's, and takes none
// of the cores that the host's threads share.
RankThread::Advance RankThread::run_block(double seconds, RankActivity activity, Cause cause,
                                          Block copies) {
  if (seconds <= 0) return Advance::done;
  leave_mpi();
  const CpuScale& scale = run_->machine->scale(rank());
  Uses& uses = run_->ledger->fresh_uses();
  add_use(uses, cpu.back().resource, scale.compute_weight());
  const int accesses = activity == RankActivity::reduce ? 3 : 2;
  if (copies.is_any()) run_->machine->add_block_copy(uses, rank(), copies, accesses);
  return run_on_cpu(scale.compute_amount(seconds), uses, activity, cause);
}

void RankThread::begin_block(Block block) {
  if (!run_->machine->shares_gpus() || in_blocks_ > 0) return;
  in_blocks_ = block.alike;
  run_->machine->count_blocks(rank(), in_blocks_);
}

void RankThread::end_block() {
  block_ended_ = now();
  if (const int blocks = std::exchange(in_blocks_, 0); blocks > 0)
    run_->machine->count_blocks(rank(), -blocks);
}

/// A block of a channel begins for which another is simulated.
bool RankThread::another_stands_for_it() const {
  const ChannelFold& fold = run_->machine->channel_fold();
  if (!fold.folded()) return false;
  const Pending& verb = verbs_.front();
  return verb.asked != nullptr && verb.asked->block.is_any() &&
         !fold.is_simulated(verb.asked->block.channel);
}

// Its thread is over at once: whoever reports knows which one has its times.
void RankThread::leave_to_another() {
  assert(index_ > 0 && "a rank's first thread ends with the rank");
  verbs_.clear();
  body_.clear();
  finished_ = true;
  finish_time_ = now();
  leave_mpi();
  if (joiner_ != nullptr) run_->ready->add(*std::exchange(joiner_, nullptr));
}

// Computation that takes its time, or longer, with its noise as its last part.
RankThread::Advance RankThread::run_computation(const Operation& operation) {
  const double time = operation.time.count();
  const double stretched = run_->noises->stretch(rank(), time);
  if (stretched > time) {
    tail_share_ = (stretched - time) / stretched;
    tail_cause_ = Cause::noise;
  }
  const Machine& machine = *run_->machine;
  if (stretched <= 0 || !machine.shares_gpus() || !machine.on_gpu(rank()))
    return run_time(stretched, false, RankActivity::compute, Cause::compute);
  leave_mpi();
  Uses& uses = run_->ledger->fresh_uses();
  machine.add_computation(uses, rank(), stretched, operation.count);
  return run_on_cpu(worker_scale().compute_amount(stretched), uses, RankActivity::compute,
                    Cause::compute);
}

// Records are prepared by threads of the host.
RankThread::Advance RankThread::input_part(Pending& verb) {
  if (std::exchange(verb.state, State::working) == State::working) {
    waited_for_[Cause::input] += now() - verb.since;
    const auto mine = std::find_if(run_->prepared.rbegin(), run_->prepared.rend(),
                                   [&](const Prepared& one) { return one.rank == rank(); });
    if (mine != run_->prepared.rend()) mine->end = now();
    return Advance::done;
  }
  leave_mpi();
  verb.since = now();
  set_activity(activity_, now());
  blocked_by_ = Cause::input;
  const Machine& machine = *run_->machine;
  const double time = verb.asked->time.count();
  const double longer = time > 0 ? run_->inputs->stretch(rank(), time) / time : 1;
  const double records = static_cast<double>(verb.asked->count) * longer;
  if (run_->spans != nullptr)
    run_->prepared.push_back({rank(), now(), 0, records * machine.input_cpu(rank())});
  return run_on_cpu(records * machine.input_units(rank()), machine.input(rank()),
                    RankActivity::in_wait, Cause::input);
}

RankThread::Advance RankThread::run_on_cpu(double amount, std::span<const Use> uses,
                                           RankActivity activity, Cause cause) {
  set_activity(activity, now());
  cpu_cause_ = cause;
  on_cpu_ = true;
  if (run_->detours != nullptr) taken_before_ = run_->detours->taken(rank());
  run_->ledger->start(amount, uses, Callback::to<&RankThread::cpu_done>(this));
  return Advance::blocked;
}

// Ends CPU time, and a late start, which used no CPU.
void RankThread::cpu_done(std::uint64_t) {
  on_cpu_ = false;
  blame_detour();
  if (const double share = std::exchange(tail_share_, 0); share > 0) {
    const double from = now() - share * (now() - run_->ledger->window_start());
    account_cpu(from);
    cpu_cause_ = std::exchange(tail_cause_, Cause::copy);
    if (cpu_cause_ == Cause::copy) set_activity(RankActivity::copy, from);
  }
  account_cpu(now());
  set_activity(activity_, now());  // it ends before the program goes on to its next step
  go_on();
}

// A detour's share of the CPU time that has just ended counts as its last part.
void RankThread::blame_detour() {
  const bool passed =
      cpu_cause_ == Cause::skew || cpu_cause_ == Cause::sleep || cpu_cause_ == Cause::input;
  if (run_->detours == nullptr || passed || tail_share_ > 0 || !on_ranks_core()) return;
  const double all = now() - run_->ledger->window_start();
  const double taken = run_->detours->taken(rank()) - taken_before_;
  if (taken <= 0 || all <= 0) return;
  tail_share_ = std::min(1.0, taken / all);
  tail_cause_ = Cause::noise;
}

void RankThread::account_cpu(double until) {
  const bool passed = cpu_cause_ == Cause::skew || cpu_cause_ == Cause::sleep;
  const int resource = passed ? -1 : run_->ledger->bottleneck();
  run_->paths->extend(path, cpu_cause_, rank(), resource, until);
  if (verbs_.empty()) return;
  const Pending& verb = verbs_.front();
  if (verb.multicast >= 0)
    run_->mpi->prepared_multicast(verb.multicast, cpu_cause_, until);
  else if (verb.request >= 0 && (verb.state == State::preparing || verb.state == State::copying))
    run_->mpi->prepared(verb.request, cpu_cause_, until);
}

}  // namespace ringscope::sim
