// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/ranks/rank_thread.hpp"

#include "sim/ranks/detours.hpp"
#include "sim/ranks/known_collectives.hpp"

namespace ringscope::sim {

std::string phase_text(const Mark& mark) {
  std::string text(mark.part);
  if (!text.empty()) text += ": ";
  return text.append(mark.phase);
}

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

RankThread::RankThread(Run& run, int rank, int index, RankThread* first)
    : ThreadState(run, index, first == nullptr ? *this : *first) {
  const Job& job = run.machine->jobs().job(rank);
  const Library& library = run.machine->scenario().library;
  Caller::rank = rank;
  if (index == 0) threads_ = threads_of(*job.algorithm, job.options);
  endpoint = is_nonblocking() ? 0 : index % library.endpoints;
  if (is_nonblocking())
    cpu = run.mpi->progress_cpu(rank);
  else
    cpu = index == 0 ? run.machine->cpu(rank)
                     : run.machine->thread_cpu(rank, "thread" + std::to_string(index));
  if (!is_nonblocking()) run.mpi->join(*this);
  // All at the start, with their cores and locks: the accounts of a repetition know every resource.
  const int nonblocking = job.algorithm->nonblocking + (job.overlap ? 1 : 0);
  for (int i = 1; index == 0 && i < threads_ + nonblocking; ++i)
    others_.push_back(std::make_unique<RankThread>(run, rank, i, this));
}

Executor& RankThread::thread(int index) {
  if (index == 0) return *first_;
  assert(first_->others_.has(index - 1) && "an algorithm declares how many threads it uses");
  return *first_->others_[index - 1];
}

int RankThread::next_free(Beside how) {
  int index = how == Beside::thread ? 1 : first_->threads_;
  while (static_cast<RankThread&>(thread(index)).in_use_) ++index;
  return index;
}

Thread RankThread::start(Task body, Beside how) {
  const int index = next_free(how);
  RankThread& started = static_cast<RankThread&>(thread(index));
  started.in_use_ = true;
  started.path = path;
  started.begin(std::move(body), 0);
  if (how == Beside::nonblocking && by_the_caller()) {
    verbs_.post_start();
  }
  return {index};
}

// A library posts the first messages of a non-blocking collective in the call that starts it.
RankThread::Advance RankThread::start_part(Pending& verb) {
  enter_mpi();
  if (!others_idle()) return block(verb, RankActivity::in_wait);
  if (verb.since >= 0) {
    waited_for_[Cause::overhead] += now() - verb.since;
    blocked_by_ = Cause::overhead;
    run_->paths->extend(path, Cause::overhead, rank(), cpu.front().resource, now());
  }
  return Advance::done;
}

FlagState& RankThread::flag(Flag flag) const { return first_->flags_.grown(flag.index); }

void RankThread::raise(Flag flag) {
  FlagState& state = this->flag(flag);
  ++state.raised;
  state.since = now();
  state.path = path;
  state.group = in_groups_.now();
  first_->completed(-1);
  for (const auto& other : first_->others_)
    if (other->in_use_) other->completed(-1);
}

void RankThread::observe(std::string_view what, double value) {
  run_->observed.push_back({what, rank(), value, now()});
}

bool RankThread::is_alone() const {
  return open_requests == 0 && (this == first_ || first_->is_quiet()) &&
         std::ranges::all_of(first_->others_, [this](const auto& other) {
           return other.get() == this || other->is_quiet();
         });
}

bool RankThread::has_others() const {
  return (this != first_ && !first_->finished_) ||
         std::ranges::any_of(first_->others_, [this](const auto& other) {
           return other.get() != this && !other->finished_;
         });
}

// A flag keeps blocks waiting. Messages that come meanwhile for a thread of another library make
// progress in the calls of this one.
bool RankThread::is_quiet() const {
  if (finished_) return true;
  return run_->machine->scenario().library.blocks && open_requests == 0 && !queued_ && !inside &&
         !verbs_.empty() && verbs_.front().since >= 0 && verbs_.front().verb == Verb::reach;
}

bool RankThread::may_know(const GroupCall& call) {
  return run_->known != nullptr && run_->known->begins(call, *this);
}

void RankThread::has_ended(const GroupCall& call) {
  if (run_->known != nullptr) run_->known->ended(call, *this, mark_);
}

void RankThread::begin(Task body, double delay) {
  assert(finished_ && verbs_.empty());
  finished_ = false;
  began_ = now() + delay;
  body_.clear();
  body_.push_back(std::move(body));
  mark_ = {};
  phase_ = -1;
  step_ = 0;
  set_activity(RankActivity::idle, now());
  if (delay == 0) return run_->ready->add(*this);
  cpu_cause_ = Cause::skew;
  on_cpu_ = true;
  run_->ledger->kernel().after(delay, Callback::to<&RankThread::cpu_done>(this));
}

void RankThread::reset() {
  leave_mpi();
  seconds_ = {};
  waited_for_ = {};
  in_groups_.reset();
  flags_.clear();
  reached_ = {};
  reached_at_ = -1;
  activity_since_ = now();
  path = {};
}

int RankThread::next_step(int step, AlikeSteps all) {
  if (step == 0) loop_ = performed_;
  const int next = step + 1 + std::exchange(skipped_, 0);
  step_ = next < all.count ? next : 0;
  steps_ = all.count;
  step_began_ = performed_;
  if (rank() == 0 && run_->steps != nullptr && step_ > 0) run_->steps->step_begun(step_);
  return next;
}

Request RankThread::post(const Operation& operation) {
  ++performed_;
  const bool receive = operation.verb == Verb::irecv;
  const int request = run_->mpi->open_request(*this, receive, operation.peer, operation.tag,
                                              operation.range.size, operation.block);
  verbs_.post(operation.verb, request, operation.where);
  return {request};
}

bool RankThread::perform(Operation& operation, std::coroutine_handle<> waiter) {
  ++performed_;
  Pending verb{
      .asked = &operation, .waiter = waiter, .verb = operation.verb, .where = operation.where};
  const auto open = [&](bool receive, int peer, Range range) {
    return run_->mpi->open_request(*this, receive, peer, operation.tag, range.size);
  };
  if (operation.verb == Verb::send || operation.verb == Verb::sendrecv)
    verb.request = open(false, operation.peer, operation.range);
  if (operation.verb == Verb::recv) verb.request = open(true, operation.peer, operation.range);
  if (operation.verb == Verb::sendrecv)
    verb.other_request = open(true, operation.other_peer, operation.other);
  verbs_.ask(verb);
  return true;
}

void RankThread::mark(Mark mark) {
  if (phase_ < 0 || mark.phase != mark_.phase || mark.part != mark_.part) {
    auto& phases = run_->phases;
    end_phase();
    step_ = steps_ = 0;
    const auto found = std::ranges::find_if(phases, [&](const PhaseTimes& phase) {
      return phase.name == mark.phase && phase.part == mark.part;
    });
    phase_ = static_cast<int>(found - phases.begin());
    if (found == phases.end()) phases.push_back({mark.phase, mark.part, now(), now()});
  }
  mark_ = mark;
  if (run_->known != nullptr) run_->known->marked(rank());
}

void RankThread::end_phase(double later) {
  if (phase_ < 0) return;
  if (run_->known != nullptr) run_->known->phase_ended(rank(), phase_);
  double& end = run_->phases.begin()[phase_].end;
  end = std::max(end, now() + later);
}

void RankThread::go_on() {
  if (finished_ || on_cpu_ || !may_run() || held_by_detour()) return;
  if (verbs_.empty()) body_.front().start();
  while (!verbs_.empty()) {
    if (another_stands_for_it()) return leave_to_another();
    // advance() never adds verbs: only the program does, when it is resumed below.
    if (advance(verbs_.front()) == Advance::blocked) {
      // A test of the first thread's may have waited for this turn to end.
      if (is_nonblocking() && !on_cpu_) first_->completed(-1);
      return;
    }
    const auto waiter = verbs_.front().waiter;
    verbs_.pop();
    if (waiter) waiter.resume();
  }
  finish();
}

bool RankThread::held_by_detour() {
  if (run_->detours == nullptr) return false;
  if (on_ranks_core() && run_->detours->hold(rank())) {
    held_since_ = now();
    return true;
  }
  run_->detours->stir();
  held_from_ = std::exchange(held_since_, -1);
  // A waiting rank has come no further, or takes over the path of what ended the wait.
  if (held_from_ >= 0 && (verbs_.empty() || verbs_.front().since < 0))
    run_->paths->extend(path, Cause::noise, rank(), cpu.front().resource, now());
  return false;
}

void RankThread::let_go() {
  if (held_since_ >= 0) run_->ready->add(*this);
  for (const auto& other : others_)
    if (other->held_since_ >= 0) run_->ready->add(*other);
}

void RankThread::finish() {
  assert(body_.front().done());
  const Task body = std::move(body_.front());
  body_.clear();
  body.rethrow();
  finished_ = true;
  finish_time_ = now();
  set_activity(RankActivity::idle, now());
  end_phase();
  if (is_nonblocking()) first_->completed(-1);
  // MPI_Finalize makes progress; a thread that ends does not.
  if (index_ == 0) {
    enter_mpi();
    --run_->unfinished;
  } else {
    leave_mpi();
  }
  if (joiner_ != nullptr) run_->ready->add(*std::exchange(joiner_, nullptr));
}

// Calls of a non-blocking collective are the progress engine's: they are no way into MPI.
void RankThread::enter_mpi() {
  if (inside || is_nonblocking()) return;
  run_->mpi->enter(*this);
  if (index_ > 0) return;
  for (const auto& other : others_)
    if (other->is_nonblocking() && !other->finished_) run_->ready->add(*other);
}

bool RankThread::by_the_caller() const {
  return run_->machine->scenario().library.progress == Progress::caller;
}

bool RankThread::may_run() const { return !is_nonblocking() || !by_the_caller() || first_->inside; }

// Nothing is left to do at this instant for the non-blocking collectives of the rank.
bool RankThread::others_idle() const {
  return std::ranges::none_of(others_, [](const auto& other) {
    return other->is_nonblocking() && !other->finished_ && (other->on_cpu_ || other->queued_);
  });
}

void RankThread::set_activity(RankActivity activity, double at) {
  if (at > activity_since_) {
    seconds_[activity_] += at - activity_since_;
    if (activity_ != RankActivity::compute && activity_ != RankActivity::idle)
      in_groups_.spend(at - activity_since_);
    if (run_->spans != nullptr && activity_ != RankActivity::idle && is_shown()) add_spans(at);
  }
  activity_ = activity;
  activity_since_ = at;
}

// The requests of one verb are all on one communicator. A block begins without any.
void RankThread::enter_group(const Pending& verb) {
  if (verb.verb == Verb::copy && verb.asked->block.is_any() && verb.asked->range.size == 0)
    return in_groups_.enter(run_->groups.index_of(verb.asked->tag));
  int request = verb.request;
  if (request < 0 && verb.asked != nullptr && !verb.asked->requests.empty())
    request = verb.asked->requests.front().slot;
  if (request < 0) return;
  in_groups_.enter(run_->groups.index_of(run_->mpi->request(request).tag));
}

// Peer of the verb in progress, sent to or received from; the rank itself where it waits for one of
// its other threads, -1 where that is nobody, or several.
int RankThread::peer() const {
  if (verbs_.empty()) return -1;
  const Pending& verb = verbs_.front();
  if (verb.verb == Verb::join || verb.verb == Verb::reach) return rank();
  const bool waits = verb.asked != nullptr && verb.asked->requests.size() == 1;
  const int request = waits ? verb.asked->requests.front().slot : verb.request;
  return request < 0 || verb.other_request >= 0 ? -1 : run_->mpi->request(request).peer;
}

}  // namespace ringscope::sim
