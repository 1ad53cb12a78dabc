// SPDX-License-Identifier: LGPL-2.1-or-later
// State that all threads of a run share, and the queue of those that go on at this instant.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/verbs/communicator.hpp"
#include "algorithms/verbs/group.hpp"
#include "base/table.hpp"
#include "sim/mpi/mpi.hpp"
#include "sim/ranks/noise.hpp"

namespace ringscope::sim {

// Time that a thread spends in calls on communicators of some ranks, by what is done in them.

/// Names of what is done in the communicators of a run. Contexts tell those apart that a split
/// made; tags, those of a program that knows its groups from the start.
class GroupNames {
 public:
  void name(int context, std::string_view part) {
    int& index = index_.grown(context, -1);
    if (index < 0) index = place_of(part);
  }
  /// The next `tags` tags of the communicator of all ranks, from 0 on, are of messages there.
  void name_tags(int tags, std::string_view part) {
    tags_ = tags;
    by_tag_.push_back(place_of(part));
  }
  /// Index of the communicator's name; -1: that of all ranks, or one without a name.
  int index_of(const Tag& tag) const {
    if (tag.context == 0 && tags_ > 0 && tag.number >= 0) return at(by_tag_, tag.number / tags_);
    return at(index_, tag.context);
  }
  const std::vector<std::string_view>& names() const { return names_; }

 private:
  static int at(const Table<int>& list, int number) { return list.has(number) ? list[number] : -1; }
  int place_of(std::string_view part) {
    const auto found = std::ranges::find(names_, part);
    if (found == names_.end()) names_.push_back(part);
    return static_cast<int>(std::ranges::find(names_, part) - names_.begin());
  }

  Table<int> index_;   ///< by context
  Table<int> by_tag_;  ///< by tag, `tags_` at a time
  int tags_ = 0;
  std::vector<std::string_view> names_;
};

/// Seconds in one communicator's calls, and in the work that they cause: reductions, copies.
struct CallTime {
  double all = 0;
  double partner = 0;  ///< the part in which the other side had not posted its call yet
};

/// A thread's, by index of the communicator's name.
class GroupTimes {
 public:
  /// From now on the thread is in calls on that communicator; -1: on none of them.
  void enter(int index) { now_ = index; }
  int now() const { return now_; }
  void spend(double seconds) {
    if (CallTime* time = current()) time->all += seconds;
  }
  void wait_for_partner(double seconds) {
    if (CallTime* time = current()) time->partner += seconds;
  }
  /// The time since `before` comes `times` times over.
  void repeat(int times, const GroupTimes& before) {
    for (std::size_t i = 0; i < times_.size(); ++i) {
      const CallTime was = before.of(i);
      times_[i].all += times * (times_[i].all - was.all);
      times_[i].partner += times * (times_[i].partner - was.partner);
    }
  }
  CallTime of(Index auto index) const { return times_.has(index) ? times_[index] : CallTime(); }
  void reset() { times_.clear(); }

 private:
  CallTime* current() { return now_ < 0 ? nullptr : &times_.grown(now_); }

  Table<CallTime> times_;
  int now_ = -1;
};

class Detours;
class KnownCollectives;
class RankThread;

/// The threads that have something to do at this instant; they run once everything that is
/// happening has happened, in the order in which they were called.
class ReadyQueue {
 public:
  explicit ReadyQueue(Kernel& kernel) : kernel_(&kernel) {}
  void add(RankThread& thread);

 private:
  void drain(std::uint64_t);

  Kernel* kernel_;
  std::vector<RankThread*> ready_, running_;
};

/// "allgather"; "inside hosts: allgather" where an algorithm is made of others.
std::string phase_text(const Mark& mark);

/// First in and last out of each phase, over all ranks.
struct PhaseTimes {
  std::string_view name, part;
  double start = 0, end = 0;  ///< s, as the kernel counts
};

/// One value that the program of a rank wanted reported.
struct Observed {
  std::string_view what;
  int rank = 0;
  double value = 0, at = 0;
};

/// A batch that the input prepares: from when to when, and the time of cores that it takes.
struct Prepared {
  int rank = 0;
  double start = 0, end = 0;  ///< s, as the kernel counts; no end while it does
  double core_seconds = 0;
};

/// A flag of a rank.
struct FlagState {
  std::size_t raised = 0;
  double since = 0;  ///< s, as the kernel counts: raised last
  PathCursor path;   ///< of who raised it last
  int group = -1;    ///< that this one's calls were on; -1: none. A wait for the flag counts there
};

/// Told when rank 0 begins a step of its phase.
class StepObserver {
 public:
  virtual void step_begun(int step) = 0;

 protected:
  ~StepObserver() = default;
};

/// State shared by all threads of a run.
struct Run {
  Machine* machine = nullptr;
  Ledger* ledger = nullptr;
  Paths* paths = nullptr;
  Mpi* mpi = nullptr;
  ReadyQueue* ready = nullptr;
  Noises* noises = nullptr;
  Noises* inputs = nullptr;    ///< of the time of a batch
  Detours* detours = nullptr;  ///< null: none
  std::vector<PhaseTimes> phases;
  std::vector<Observed> observed;
  std::vector<Span>* spans = nullptr;  ///< null: not recorded
  std::vector<Prepared> prepared;      ///< none where spans are not recorded
  /// Threads of each rank whose spans are recorded, and of those behind them the ones that are
  /// shown while they do not wait for another thread.
  int shown_threads = 1, shown_at_work = 0;
  StepObserver* steps = nullptr;  ///< null: nobody asks
  std::vector<int> requests{};    ///< of the verb in progress
  Splits<RankThread> splits{};
  GroupNames groups{};
  std::vector<Stage> waited{};  ///< causes of the wait that ends; else empty
  /// Channels of a kernel that do the same are performed once.
  bool alike_once = false;
  KnownCollectives* known = nullptr;  ///< null: all are simulated
  int unfinished = 0;                 ///< ranks whose first thread still has something to do
};

}  // namespace ringscope::sim
