#include "sim/rank_thread.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace ringscope::sim {

void ReadyQueue::add(RankThread& thread) {
  if (std::exchange(thread.queued_, true)) return;
  if (ready_.empty()) kernel_->after(0, Callback::to<&ReadyQueue::drain>(this));
  ready_.push_back(&thread);
}

void ReadyQueue::drain(std::uint64_t) {
  running_.swap(ready_);
  for (RankThread* thread : running_) {
    thread->queued_ = false;
    thread->go_on();
  }
  running_.clear();
}

RankThread::RankThread(Run& run, int rank, int index) : run_(&run), index_(index), first_(this) {
  Caller::rank = rank;
  endpoint = index % run.machine->scenario().library.endpoints;
  cpu = index == 0 ? run.machine->cpu(rank)
                   : run.machine->thread_cpu(rank, "thread" + std::to_string(index));
  run.mpi->join(*this);
  // All at the start, with their cores and locks: the accounts of a repetition know every resource.
  const int threads = run.machine->scenario().job.algorithm->threads;
  for (int i = 1; index == 0 && i < threads; ++i) {
    others_.push_back(std::make_unique<RankThread>(run, rank, i));
    others_.back()->first_ = this;
  }
}

Executor& RankThread::thread(int index) {
  if (index == 0) return *first_;
  const auto other = static_cast<std::size_t>(index) - 1;
  assert(other < first_->others_.size() && "an algorithm declares how many threads it uses");
  return *first_->others_[other];
}

Thread RankThread::start(Task body) {
  int index = 1;
  while (static_cast<RankThread&>(thread(index)).in_use_) ++index;
  RankThread& started = static_cast<RankThread&>(thread(index));
  started.in_use_ = true;
  started.path = path;
  started.begin(std::move(body), 0);
  return {index};
}

void RankThread::begin(Task body, double delay) {
  assert(finished_ && verbs_.empty());
  finished_ = false;
  body_.clear();
  body_.push_back(std::move(body));
  mark_ = {};
  phase_ = -1;
  set_activity(Activity::idle, now());
  if (delay == 0) return run_->ready->add(*this);
  cpu_cause_ = Cause::skew;
  on_cpu_ = true;
  run_->ledger->kernel().after(delay, Callback::to<&RankThread::cpu_done>(this));
}

void RankThread::reset() {
  seconds_ = {};
  waited_for_ = {};
  activity_since_ = now();
  path = {};
}

Request RankThread::post(const Operation& operation) {
  Pending verb{.operation = operation};
  const bool receive = operation.verb == Verb::irecv;
  verb.request =
      run_->mpi->open_request(*this, receive, operation.peer, operation.tag, operation.range.size);
  verbs_.push_back(verb);
  return {verb.request};
}

bool RankThread::perform(Operation& operation, std::coroutine_handle<> waiter) {
  Pending verb{.operation = operation, .asked = &operation, .waiter = waiter};
  const auto open = [&](bool receive, int peer, Range range) {
    return run_->mpi->open_request(*this, receive, peer, operation.tag, range.size);
  };
  if (operation.verb == Verb::send || operation.verb == Verb::sendrecv)
    verb.request = open(false, operation.peer, operation.range);
  if (operation.verb == Verb::recv) verb.request = open(true, operation.peer, operation.range);
  if (operation.verb == Verb::sendrecv)
    verb.other_request = open(true, operation.other_peer, operation.other);
  verbs_.push_back(verb);
  return true;
}

void RankThread::mark(Mark mark) {
  if (phase_ < 0 || mark.phase != mark_.phase) {
    auto& phases = run_->phases;
    end_phase();
    const auto found = std::find_if(phases.begin(), phases.end(), [&](const PhaseTimes& phase) {
      return phase.name == mark.phase;
    });
    phase_ = static_cast<int>(found - phases.begin());
    if (found == phases.end()) phases.push_back({mark.phase, now(), now()});
  }
  mark_ = mark;
}

void RankThread::end_phase() {
  if (phase_ < 0) return;
  double& end = run_->phases[static_cast<std::size_t>(phase_)].end;
  end = std::max(end, now());
}

void RankThread::go_on() {
  if (finished_ || on_cpu_) return;
  if (verbs_.empty()) body_.front().start();
  while (next_ < verbs_.size()) {
    // advance() never adds verbs: only the text does, when it is resumed below.
    if (advance(verbs_[next_]) == Progress::blocked) return;
    const auto waiter = verbs_[next_].waiter;
    if (++next_ == verbs_.size()) {
      verbs_.clear();
      next_ = 0;
    }
    if (waiter) waiter.resume();
  }
  finish();
}

void RankThread::finish() {
  assert(body_.front().done());
  const Task body = std::move(body_.front());
  body_.clear();
  body.rethrow();
  finished_ = true;
  finish_time_ = now();
  set_activity(Activity::idle, now());
  end_phase();
  // MPI_Finalize makes progress; a thread that ends does not.
  if (index_ == 0) {
    enter_mpi();
    --run_->unfinished;
  } else {
    leave_mpi();
  }
  if (joiner_ != nullptr) run_->ready->add(*std::exchange(joiner_, nullptr));
}

void RankThread::completed(int) {
  if (next_ < verbs_.size()) run_->ready->add(*this);
}

void RankThread::enter_mpi() {
  if (!inside) run_->mpi->enter(*this);
}

void RankThread::leave_mpi() {
  if (inside) run_->mpi->leave(*this);
}

void RankThread::set_activity(Activity activity, double at) {
  if (at > activity_since_) {
    seconds_[static_cast<std::size_t>(activity_)] += at - activity_since_;
    if (run_->spans != nullptr && index_ == 0 && activity_ != Activity::idle)
      run_->spans->push_back(
          {rank(), activity_, std::string(mark_.phase), mark_.step, peer(), activity_since_, at});
  }
  activity_ = activity;
  activity_since_ = at;
}

// Of the verb under way: whom it sends to or receives from; -1 where that is nobody, or several.
int RankThread::peer() const {
  if (next_ >= verbs_.size()) return -1;
  const Pending& verb = verbs_[next_];
  const auto& requests = verb.operation.requests;
  const int request = requests.size() == 1 ? requests.front().slot : verb.request;
  return request < 0 || verb.other_request >= 0 ? -1 : run_->mpi->request(request).peer;
}

}  // namespace ringscope::sim
