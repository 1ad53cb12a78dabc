// SPDX-License-Identifier: LGPL-2.1-or-later
// One thread of one simulated rank: performs the verbs of its coroutine one after the other, and
// keeps account of where its time goes.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/table.hpp"
#include "sim/ranks/thread_state.hpp"

namespace ringscope::sim {

class RankThread final : public Executor, private Caller, private ThreadState {
 public:
  /// Thread 0 makes the others of its rank, `first` being itself.
  RankThread(Run& run, int rank, int index = 0, RankThread* first = nullptr);
  ~RankThread() override = default;
  RankThread& operator=(RankThread&&) = delete;  ///< neither copied nor moved

  // Executor: called by the algorithm's program.
  int rank() const override { return Caller::rank; }
  int size() const override { return run_->machine->jobs().own(); }
  Request post(const Operation& operation) override;
  bool perform(Operation& operation, std::coroutine_handle<> waiter) override;
  Thread start(Task body, Beside how) override;
  int next_free(Beside how) override;
  Executor& thread(int index) override;
  void mark(Mark mark) override;
  int next_step(int step, AlikeSteps all) override;
  void raise(Flag flag) override;
  bool performs_alike() const override { return !run_->alike_once; }
  void end_block() override;
  void observe(std::string_view what, double value) override;
  bool may_know(const GroupCall& call) override;
  void has_ended(const GroupCall& call) override;

  /// Begins the program, `delay` seconds from now. Requires that no earlier one is unfinished.
  void begin(Task body, double delay);
  /// Seconds, as the kernel counts; of the last program that has ended.
  double finish_time() const { return finish_time_; }
  PathCursor end_of_path() const { return path; }

  /// Date at which the block of this thread ended, in the same time; and what that thread runs on.
  double block_end(int thread) const { return of_rank(thread).block_ended_; }
  const Uses& cpu_of(int thread) const { return of_rank(thread).cpu; }

  /// Since reset().
  const Array<double, activity_names.size()>& seconds() const { return seconds_; }
  const CauseSeconds& waited_for() const { return waited_for_; }
  const GroupTimes& in_groups() const { return in_groups_; }
  /// Further threads of this first one's rank, from its thread 1 on.
  std::span<const std::unique_ptr<RankThread>> others() const { return others_; }
  /// No other thread of the rank has anything to do, until this one raises its flag, and no message
  /// of the rank is on its way.
  bool is_alone() const;
  /// Another thread of the rank has not ended.
  bool has_others() const;
  int phase() const { return phase_; }
  /// The ranks of its group have met, the last one `late` seconds ago: it goes on with that chain
  /// where their collective is known, with its end, else at once.
  void have_met(bool known, const PathCursor& from, double late);
  /// Accounts and the path start anew, at this instant.
  void reset();
  /// Counts the time since it finished as idle, up to now.
  void settle_idle() { set_activity(RankActivity::idle, now()); }

  /// Ends the account of a rank that can never go on, as one that waited for a partner.
  void abandon();

  /// State of a blocked thread, for deadlock reports.
  struct Blocked {
    int rank = 0;
    std::string text;  ///< "waits for 4 MiB from rank 0 (allreduce/ring, reduce-scatter, step 2)"
    std::vector<int> peers;
    bool sends = false;  ///< waits for a receiver, perhaps among others
  };
  /// Verbs in which the threads of this rank are blocked; only its first thread knows them.
  std::vector<Blocked> all_blocked();

  // Questions of steady_state.hpp to each thread.
  struct TimeAccount {
    Array<double, activity_names.size()> seconds{};
    CauseSeconds waited_for{};
    GroupTimes in_groups{};
  };
  TimeAccount account() const { return {seconds_, waited_for_, in_groups_}; }
  /// Appends this first thread of a rank and the others.
  void list_threads(std::vector<RankThread*>& threads);
  /// Appends where the thread's chain ends, and those of the flags that it keeps.
  void list_cursors(std::vector<PathCursor*>& cursors);
  /// Position of the thread in its program: the step number is relative to `step` in periodic
  /// phases, absolute otherwise.
  void describe(StateRecord& record, int step) const;
  void describe(StateRecord& record, const Agenda& agenda) const;
  /// It is in such a step, and not in the first one.
  bool in_alike_steps() const { return step_ > 0; }
  int steps_left() const { return steps_ - 1 - step_ - skipped_; }
  /// One in such a step goes on `steps` later, and at a later time: what it did since `before`,
  /// `times` times over.
  void skip(int steps, double seconds, int times, const TimeAccount& before);

  /// Goes on with the program as far as it can; called by the ready queue.
  void go_on();

  // Interface of detours.hpp to a rank's first thread.
  bool computes() const { return on_cpu_ && activity_ == RankActivity::compute; }
  /// The core is the rank's again.
  void let_go();

 private:
  using Pending = PendingVerb;
  using State = PendingVerb::State;
  enum class Advance { done, blocked };

  const RankThread& of_rank(int thread) const { return thread == 0 ? *this : *others_[thread - 1]; }
  void completed(int request) override;
  void cpu_done(std::uint64_t);
  void met(std::uint64_t);
  Advance advance(Pending& verb);
  void enter_group(const Pending& verb);
  template <Verb one>
  Advance part(Pending& verb);  ///< a verb that shares nothing with others, in verbs.cpp
  void receive_part(Pending& verb, int request);
  Advance send_part(Pending& verb);
  Advance wait_part(Pending& verb, bool all);
  bool is_over(Pending& verb, bool all) const;
  bool is_quiet() const;
  void await_all(const Pending& verb);
  /// `ended`: what came after that is noise.
  void account_wait(int request, double since, double ended);
  /// `from` and `stage.end`: of a part of a wait.
  void account_stage(const Stage& stage, double from);
  /// The wait of `verb` for another thread has ended. It counts as the other's waits for partners
  /// where these are the reason, and in the other's group.
  void account_join(const Pending& verb, const RankThread& other);
  void come_from_sender(const Message& message);
  /// It has done nothing since it slept.
  bool has_slept(std::uint64_t verbs_ago = 0) const {
    return slept_ > 0 && slept_ + verbs_ago == performed_;
  }
  Advance finish_wait(Pending& verb, std::span<const int> requests);
  Advance start_part(Pending& verb);
  Advance local_part(Pending& verb);
  Advance storage_part(Pending& verb);
  Advance input_part(Pending& verb);
  Advance pass(double seconds, Cause cause);
  void begin_block(Block block);
  Advance run_block(double seconds, RankActivity activity, Cause cause, Block copies = {});
  Advance run_computation(const Operation& operation);
  bool is_nonblocking() const { return index_ >= first_->threads_; }
  bool by_the_caller() const;
  bool may_run() const;
  bool on_ranks_core() const { return cpu == run_->machine->cpu(rank()); }
  bool held_by_detour();
  void blame_detour();
  /// The processor on which this thread computes and reduces, and its scale.
  void add_worker(Uses& uses, int weight) const;
  const CpuScale& worker_scale() const;
  bool others_idle() const;
  FlagState& flag(Flag flag) const;
  Advance block(Pending& verb, RankActivity activity);
  Advance run_on_cpu(double amount, std::span<const Use> uses, RankActivity activity, Cause cause);
  Advance run_time(double seconds, bool inside_mpi, RankActivity activity, Cause cause);
  void enter_mpi();
  void leave_mpi() {
    if (inside) run_->mpi->leave(*this);
  }
  void account_cpu(double until);
  bool is_shown() const;
  void add_spans(double until);
  void set_activity(RankActivity activity, double at);
  int peer() const;
  double now() const { return run_->ledger->now(); }
  void finish();
  bool another_stands_for_it() const;
  void leave_to_another();
  void end_phase(double later = 0);
  std::optional<Blocked> blocked();
  std::string name_of(int index) const;
  std::span<const int> requests_of(const Pending& verb);
  bool is_complete(int request) const { return run_->mpi->request(request).complete; }
  std::uint64_t order(int request) const { return run_->mpi->request(request).order; }

  friend class ReadyQueue;
};

// Diagnosis of a run in which nothing can happen any more.

/// Its message: "deadlock at 41.2 us: rank 1 waits for 4 MiB from rank 0 (allreduce/ring,
/// reduce-scatter, step 2); ...". Then, each on a line of its own where there is such a thing: a
/// cycle of ranks that wait for each other; the eager limits that made a send wait. `now` in
/// seconds.
Deadlock describe_deadlock(const Scenario& scenario, const Jobs& jobs, double now,
                           const std::vector<std::unique_ptr<RankThread>>& ranks);

}  // namespace ringscope::sim
