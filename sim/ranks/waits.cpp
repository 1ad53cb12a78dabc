// SPDX-License-Identifier: LGPL-2.1-or-later
// Waits of a thread for requests: for all of some, or for any.
#include <algorithm>
#include <climits>
#include <utility>

#include "sim/ranks/rank_thread.hpp"

namespace ringscope::sim {

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
  if (!all) return std::any_of(asked.begin(), asked.end(), complete);
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
  const auto decisive = all ? std::max_element(requests.begin(), requests.end(),
                                               [this](int a, int b) { return order(a) < order(b); })
                            : std::find_if(requests.begin(), requests.end(), complete);
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
