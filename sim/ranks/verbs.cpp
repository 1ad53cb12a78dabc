// Each verb as a simulated thread performs it. A verb is a small state machine: advance() is called
// again whenever something that it waited for has happened.
#include <fmt/core.h>

#include <algorithm>
#include <climits>
#include <utility>

#include "sim/ranks/detours.hpp"
#include "sim/ranks/rank_thread.hpp"

namespace ringscope::sim {

RankThread::Advance RankThread::advance(Pending& verb) {
  if (verb.starts) return start_part(verb);
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
      return test_part(verb);
    case Verb::reduce:
    case Verb::copy:
    case Verb::compute:
      return local_part(verb);
    case Verb::join:
      return join_part(verb);
    case Verb::sleep:
      return sleep_part(verb);
    case Verb::load:
    case Verb::store:
      return storage_part(verb);
    case Verb::reach:
      return reach_part(verb);
    case Verb::multicast:
      return multicast_part(verb);
  }
  return Advance::done;
}

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
    const Mpi::Preparation work = mpi.preparation(mpi.begin_send(verb.request));
    const double time = work.overhead + work.copy;
    if (time > 0) {
      tail_share_ = work.copy / time;
      return run_time(time, true, RankActivity::overhead, Cause::overhead);
    }
  }
  const int message = mpi.request(verb.request).message;
  if (verb.state == State::preparing) {
    verb.state = State::copying;
    Uses& uses = run_->ledger->fresh_uses();
    if (mpi.copy_uses(message, uses))
      return run_on_cpu(static_cast<double>(mpi.message(message).ahead), uses, RankActivity::copy,
                        Cause::copy);
  }
  if (verb.state == State::copying) {
    verb.state = State::launched;
    mpi.launch(message);
  }
  return Advance::done;
}

// Who waits for many is asked at each completion: those that were complete stay so.
bool RankThread::is_over(Pending& verb, bool all) const {
  const auto complete = [this](Request request) { return is_complete(request.slot); };
  const auto& asked = verb.asked->requests;
  if (!all) return std::any_of(asked.begin(), asked.end(), complete);
  while (verb.complete < asked.size() && complete(asked[verb.complete])) ++verb.complete;
  return verb.complete == asked.size() && (verb.request < 0 || is_complete(verb.request)) &&
         (verb.other_request < 0 || is_complete(verb.other_request));
}

RankThread::Advance RankThread::wait_part(Pending& verb, bool all) {
  enter_mpi();
  if (verb.state == State::completing) return finish_wait(verb, requests_of(verb));
  if (!is_over(verb, all))
    return block(verb, verb.verb == Verb::send ? RankActivity::in_send : RankActivity::in_wait);
  const std::span<const int> requests = requests_of(verb);
  const auto complete = [this](int request) { return is_complete(request); };
  // The request that ended the wait: the last of all to complete, or the first that is complete.
  const auto decisive = all ? std::max_element(requests.begin(), requests.end(),
                                               [this](int a, int b) { return order(a) < order(b); })
                            : std::find_if(requests.begin(), requests.end(), complete);
  if (verb.since >= 0) {
    const double ended = held_from_ < 0 ? now() : held_from_;
    path = run_->mpi->path(*decisive);
    if (ended < now()) run_->paths->extend(path, Cause::noise, rank(), cpu.front().resource, now());
    account_wait(*decisive, verb.since, ended);  // before the program goes on to its next step
  }
  verb.state = State::completing;
  double after = 0;
  if (!all) verb.asked->result = static_cast<int>(decisive - requests.begin());
  for (const int request : all ? requests : std::span(&*decisive, 1))
    after += run_->mpi->completion_time(request);
  if (after > 0) return run_time(after, true, RankActivity::overhead, Cause::overhead);
  return finish_wait(verb, requests);
}

void RankThread::account_wait(int request, double since, double ended) {
  std::vector<Stage>& stages = run_->waited;
  run_->mpi->explain_wait(request, since, ended, stages);
  if (ended < now()) stages.push_back({Cause::noise, now()});
  for (double from = since; const Stage& stage : stages)
    waited_for_[static_cast<std::size_t>(stage.cause)] +=
        stage.end - std::exchange(from, stage.end);
  set_activity(activity_, now());
  stages.clear();
}

RankThread::Advance RankThread::finish_wait(Pending& verb, std::span<const int> requests) {
  if (verb.verb == Verb::wait_any) {
    run_->mpi->close_request(requests[static_cast<std::size_t>(verb.asked->result)]);
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

// One turn of the progress engine: it does what there is to do, and the answer is what is then.
RankThread::Advance RankThread::test_part(Pending& verb) {
  enter_mpi();
  const int request = requests_of(verb).front();
  if (!run_->mpi->engine_idle(*this) && !is_complete(request)) {
    run_->mpi->call_when_idle(*this);
    return block(verb, RankActivity::in_wait);
  }
  if (!others_idle()) return block(verb, RankActivity::in_wait);
  if (verb.since >= 0) {
    waited_for_[static_cast<std::size_t>(Cause::copy)] += now() - verb.since;
    blocked_by_ = Cause::copy;
    run_->paths->extend(path, Cause::copy, rank(), cpu.front().resource, now());
  }
  verb.asked->result = is_complete(request) ? 1 : 0;
  if (verb.asked->result == 1) run_->mpi->close_request(request);
  return Advance::done;
}

RankThread::Advance RankThread::multicast_part(Pending& verb) {
  const Operation& operation = *verb.asked;
  if (operation.receivers.empty()) return Advance::done;
  if (verb.state == State::queued) {
    enter_mpi();
    verb.state = State::preparing;
    verb.multicast =
        run_->mpi->begin_multicast(*this, operation.receivers, operation.tag, operation.range.size);
    const Mpi::Preparation work = run_->mpi->preparation(verb.multicast);
    const double time = work.overhead + work.copy;
    if (time > 0) {
      tail_share_ = work.copy / time;
      return run_time(time, true, RankActivity::overhead, Cause::overhead);
    }
  }
  run_->mpi->launch_multicast(verb.multicast);
  return Advance::done;
}

RankThread::Advance RankThread::block(Pending& verb, RankActivity activity) {
  if (verb.since < 0) {
    verb.since = now();
    set_activity(activity, now());
    blocked_by_ = Cause::partner;
  }
  return Advance::blocked;
}

RankThread::Advance RankThread::run_time(double seconds, bool inside_mpi, RankActivity activity,
                                         Cause cause) {
  if (seconds <= 0) return Advance::done;
  const CpuScale& scale = run_->machine->scale(rank());
  if (!inside_mpi) leave_mpi();  // may start activities of its own
  Uses& uses = run_->ledger->fresh_uses();
  if (inside_mpi)
    run_->mpi->add_caller_cpu(uses, *this, scale.compute_weight());
  else
    add_uses(uses, worker(), scale.compute_weight());
  return run_on_cpu(scale.compute_amount(seconds), uses, activity, cause);
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
  const bool passed = cpu_cause_ == Cause::skew || cpu_cause_ == Cause::sleep;
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
  if (next_ >= verbs_.size()) return;
  const Pending& verb = verbs_[next_];
  if (verb.multicast >= 0)
    run_->mpi->prepared_multicast(verb.multicast, cpu_cause_, until);
  else if (verb.request >= 0 && (verb.state == State::preparing || verb.state == State::copying))
    run_->mpi->prepared(verb.request, cpu_cause_, until);
}

}  // namespace ringscope::sim
