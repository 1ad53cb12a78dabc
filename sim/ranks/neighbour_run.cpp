// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/ranks/neighbour_run.hpp"

namespace ringscope::sim {
namespace {

// Any collective as MPI-3's non-blocking ones: posted, then a computation, then waited for.

/// `collective` is the program of `comm.beside(Beside::nonblocking)`.
Task overlapped(Communicator comm, Task collective, Duration compute) {
  const Thread posted = comm.start(std::move(collective), Beside::nonblocking);
  co_await comm.compute(compute);
  co_await comm.join(posted);
}

}  // namespace

Task job_program(const Job& job, const Options& options, Communicator comm, Workspace work) {
  if (!job.overlap) return job.algorithm->run(comm, work, options);
  return overlapped(comm, job.algorithm->run(comm.beside(Beside::nonblocking), work, options),
                    *job.overlap);
}

Workspace workspace(const Job& job, const Options& options, int ranks) {
  const auto items = static_cast<std::size_t>(job.bytes.count);
  return {{Buffer::data, 0, items},
          {Buffer::scratch, 0, job.algorithm->scratch_items(ranks, items, options)}};
}

/// A thread of one of the ranks, which the program numbers from 0 on.
class NeighbourRun::JobRank final : public Executor {
 public:
  JobRank(NeighbourRun& job, Executor& inner, int first, int size)
      : job_(&job), inner_(&inner), first_(first), size_(size) {}

  // The inner one counts all ranks.
  int rank() const override { return inner_->rank() - first_; }
  int size() const override { return size_; }
  Request post(const Operation& operation) override {
    Operation shifted = operation;
    shifted.peer = whole(operation.peer);
    return inner_->post(shifted);
  }
  bool perform(Operation& operation, std::coroutine_handle<> waiter) override {
    operation.peer = whole(operation.peer);
    operation.other_peer = whole(operation.other_peer);
    if (operation.verb == Verb::multicast) {
      receivers_.clear();
      for (const int receiver : operation.receivers) receivers_.push_back(whole(receiver));
      operation.receivers = receivers_;
    }
    return inner_->perform(operation, waiter);
  }
  Thread start(Task body, Beside how) override { return inner_->start(std::move(body), how); }
  int next_free(Beside how) override { return inner_->next_free(how); }
  Executor& thread(int index) override { return job_->in_front_of(inner_->thread(index)); }
  void mark(Mark) override {}
  void raise(Flag flag) override { inner_->raise(flag); }
  void end_block() override { inner_->end_block(); }

 private:
  int whole(int peer) const { return peer == any_source ? peer : peer + first_; }

  NeighbourRun* job_;
  Executor* inner_;
  int first_, size_;
  std::vector<int> receivers_;  ///< of the multicast in flight
};

NeighbourRun::NeighbourRun(const Neighbour& neighbour, Run& run, Ranks ranks,
                           std::function<bool()> again)
    : neighbour_(&neighbour),
      run_(&run),
      ranks_(ranks),
      again_(std::move(again)),
      options_(neighbour.job, neighbour.placement) {}

NeighbourRun::~NeighbourRun() = default;

Executor& NeighbourRun::in_front_of(Executor& inner) {
  auto& member = members_[&inner];
  if (!member)
    member = std::make_unique<JobRank>(*this, inner, ranks_.front()->rank(),
                                       static_cast<int>(ranks_.size()));
  return *member;
}

void NeighbourRun::begin(std::uint64_t seed) {
  std::mt19937_64 random(neighbour_->job.seed ^ seed);
  delays_.clear();
  for (std::size_t i = 0; i < ranks_.size(); ++i)
    delays_.push_back(neighbour_->start.count() + start_delay(neighbour_->job, random));
  rounds_ = 0;
  begin_round();
}

void NeighbourRun::begin_round() {
  const Job& job = neighbour_->job;
  const auto size = static_cast<int>(ranks_.size());
  const Workspace work = workspace(job, *options_, size);
  began_ = run_->ledger->now();
  left_ = size;
  run_->unfinished += size;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    RankThread& rank = *ranks_[i];
    rank.reset();
    rank.begin(one_round(Communicator(in_front_of(rank)), work), rounds_ == 0 ? delays_[i] : 0);
  }
  ++rounds_;
}

Task NeighbourRun::one_round(Communicator comm, Workspace work) {
  co_await job_program(neighbour_->job, *options_, comm, work);
  // Not from here: this program is still running.
  if (--left_ == 0) run_->ledger->kernel().after(0, Callback::to<&NeighbourRun::round_ended>(this));
}

void NeighbourRun::round_ended(std::uint64_t) {
  const bool takes_time = run_->ledger->now() > began_;
  if (neighbour_->rounds > 0 ? rounds_ < neighbour_->rounds : takes_time && again_()) begin_round();
}

NeighbourReport NeighbourRun::report(double start) const {
  double end = start;
  for (const auto& rank : ranks_) end = std::max(end, rank->finish_time());
  const Job& job = neighbour_->job;
  NeighbourReport report;
  report.name = neighbour_->name;
  report.collective = job.algorithm->collective;
  report.algorithm = job.algorithm->name;
  report.placement = neighbour_->placement.text;
  report.ranks = static_cast<int>(ranks_.size());
  report.bytes = job.bytes.count;
  report.rounds = rounds_;
  report.end_s = end - start;
  report.time_s = std::max(0.0, report.end_s - neighbour_->start.count()) / rounds_;
  return report;
}

}  // namespace ringscope::sim
