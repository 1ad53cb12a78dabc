// SPDX-License-Identifier: LGPL-2.1-or-later
// Recording of a run, for Report::recording: loads from the kernel, chunks from the executors.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/pool.hpp"
#include "base/table.hpp"
#include "scenarios/answer/recording.hpp"
#include "scenarios/question/scenario.hpp"
#include "sim/insight/chunk_states.hpp"
#include "sim/kernel/kernel.hpp"
#include "sim/machine/ledger.hpp"

namespace ringscope::sim {

// Executors that note what passes through them: which data each rank holds, and from when on.
//
// A rank holds what it has received from the instant on at which its program knows: at the end of
// the wait (or receive) that completes the request.

class ChunkRecord {
 public:
  /// `kernel` tells the time and outlives the record.
  explicit ChunkRecord(const Kernel& kernel);
  ~ChunkRecord();
  ChunkRecord& operator=(ChunkRecord&&) = delete;  ///< neither copied nor moved

  /// Starts before the programs of a repetition. Requires no_chunks_of(...) == "".
  void restart(const Collective& collective, int ranks, std::size_t items, int root);
  /// Executor for a rank's program in place of `inner`.
  Executor& in_front_of(Executor& inner);
  ChunkHistory take() { return states_->take(); }

 private:
  class Tracer;
  /// Messages from one rank to another with one tag: how many were sent and asked for, and what is
  /// on its way, by number and contents.
  struct Stream {
    int sent = 0, posted = 0;
    std::vector<std::pair<int, int>> in_flight;
  };
  struct Incoming {
    Stream* stream = nullptr;
    int number = 0;
    Range range;
  };
  Stream& stream(int from, int to, Tag tag) { return streams_[from][{to, tag}]; }
  void send(int from, int to, Tag tag, const Range& range);
  void receive(int rank, const Incoming& message);

  const Kernel* kernel_;
  std::unique_ptr<ChunkStates> states_;
  std::map<Executor*, std::unique_ptr<Tracer>> witnesses_;
  Table<std::map<std::pair<int, Tag>, Stream>> streams_;  ///< by sender
  Pool<ChunkStates::Contents> contents_;
};

// A kernel that notes what passes through it: how much of each resource has been used by when.
//
// Whenever an activity starts, stops or ends, the curves of its resources get a point. Between two
// points rates may change because of activities elsewhere: the curve then shows their mean, so that
// what it adds up to is exact.

class LoadRecord final : public Kernel {
 public:
  explicit LoadRecord(std::unique_ptr<Kernel> inner)
      : Kernel(inner->clock()), inner_(std::move(inner)) {}

  /// Curves begin anew, at this instant.
  void restart();
  /// The points of a resource since restart(), times and units counted from it.
  std::vector<LoadCurve::Point> points(int resource) const;

  std::string_view name() const override { return inner_->name(); }
  int add_resource(const std::string& name, double capacity) override;
  void set_capacity(int resource, double capacity) override;
  ActivityId start(double amount, std::span<const Use> uses, Callback done) override;
  double remaining(ActivityId activity) const override { return inner_->remaining(activity); }
  double used(int resource) const override { return inner_->used(resource); }
  void suspend(ActivityId activity) override {
    note(activity);
    inner_->suspend(activity);
  }
  void resume(ActivityId activity) override {
    note(activity);
    inner_->resume(activity);
  }
  void cancel(ActivityId activity) override;
  void after(double delay, Callback callback) override { inner_->after(delay, callback); }
  void run() override { inner_->run(); }
  void rewind() override { inner_->rewind(); }
  void every_so_often(Callback callback) override { inner_->every_so_often(callback); }

 private:
  struct Activity {
    Callback done;
    std::vector<int> resources;
  };
  struct Curve {
    double before = 0;  ///< units used when it began
    std::vector<LoadCurve::Point> points;
  };

  void note(int resource);
  void note(ActivityId activity);
  void ended(std::uint64_t started);

  std::unique_ptr<Kernel> inner_;
  Table<Curve> curves_;  ///< by resource
  Pool<Activity> activities_;
  Table<int> number_of_;  ///< by the slot of its activity
  double start_ = 0;
};

class Recorder {
 public:
  /// Takes the kernel in, and stands before it.
  explicit Recorder(std::unique_ptr<Kernel> kernel);

  std::unique_ptr<Kernel> take_kernel() { return std::move(kernel_); }
  /// Called before a repetition of the job begins.
  void restart(const Job& job, int ranks);
  /// Executor that a rank's program is to talk to.
  Executor& in_front_of(Executor& rank) {
    return follows_chunks_ ? chunks_.in_front_of(rank) : rank;
  }
  /// Recording of the repetition that has ended.
  std::shared_ptr<const Recording> take(const Ledger& ledger);

 private:
  std::unique_ptr<LoadRecord> kernel_;
  LoadRecord* loads_;
  ChunkRecord chunks_;
  bool follows_chunks_ = false;
  std::string no_chunks_;
};

}  // namespace ringscope::sim
