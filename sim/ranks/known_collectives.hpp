// SPDX-License-Identifier: LGPL-2.1-or-later
// Collectives inside a host, of which two that are equal tell how long all others take.
//
// A step of a large model sums the activations of its tensor groups thousands of times. A group's
// collectives of one algorithm and size are simulated message by message until two in a row have
// been equal: all ranks began at one instant, with nothing else to do, and time, messages, and the
// use of each resource were the same. One that all ranks then begin at one instant takes as long:
// accounts, and the critical path, get what the last one that was simulated had added to them.
//
// That is the answer of a full simulation, up to rounding, where nothing comes between: no link or
// memory that the group's messages use, but what is never full, carries a message of others (looked
// up among all channels that there are), and its ranks, each on a GPU, do nothing else: further
// threads of a rank have ended, or wait for a flag, which none but the thread in the collective can
// raise.
//
// Ranks that begin one nearly together, within a thousandth of its time, count as if all began it
// with the last. What they are apart by shrinks from one collective to the next, so full simulation
// differs by less than twice that for each time that something, such as a late message of a
// pipeline, has set them apart. Where other threads wait beside it, all begin it at one instant.
#pragma once

#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "sim/ranks/rank_thread.hpp"

namespace ringscope::sim {

/// Others turned out to use what a group's messages use, after one had not been simulated.
struct NotKnown {};

class KnownCollectives {
 public:
  explicit KnownCollectives(Run& run) : run_(&run) {}

  /// Additions of one to the accounts of a rank; or these when it begins.
  struct Share {
    double seconds = 0;
    RankThread::TimeAccount account;
    CallTime in_group;
    std::vector<double> used;  ///< by the rank's own resources
    std::vector<Paths::Segment> path;
    int path_from = -1;        ///< rank of the group whose chain that goes on
    PathCursor before, after;  ///< the chains of the one that was simulated
    Mark mark;                 ///< the phase in which it ended, if it named one
  };

  /// A rank begins one. True where it is to meet the others: then perhaps it is not simulated.
  bool begins(const GroupCall& call, const RankThread& thread);
  /// One that is simulated has ended for a rank, in that phase.
  void ended(const GroupCall& call, const RankThread& thread, const Mark& mark);
  /// A rank has named the phase of its next steps.
  void marked(int rank);
  /// A thread of a rank that simulates one has come to the end of a phase.
  void phase_ended(int rank, int phase);
  /// A rank is there. At the end of the instant all are told whether it is known.
  void meet(const GroupCall& call, RankThread& thread);
  const Share& share(const GroupCall& call) const;
  /// Seconds that the phase in which a rank begins it goes on.
  double phase_before(const GroupCall& call) {
    return kinds_.at(key_of(call)).phases_before[call.self];
  }
  /// Counts what the rank's own resources have done.
  void use_own(const Share& share, int rank);
  /// Number of those of the run that were not simulated.
  std::uint64_t messages() const { return messages_; }
  /// Throws NotKnown, as begins() does.
  void check();
  /// Forgets all, before a repetition.
  void restart();

 private:
  /// All that one comes to.
  struct Total {
    Table<Share> of;  ///< by rank of the group
    std::uint64_t messages = 0, bytes = 0;
    std::vector<double> used;      ///< by resource of the group's channels
    std::map<int, double> phases;  ///< seconds from the beginning to the last end of each
  };
  struct Round {
    bool asked = false;  ///< its ranks meet
    bool clean = true;   ///< its ranks begin at one instant, with nothing else to do
    bool exact = false;  ///< nearly is not enough: other threads wait, perhaps for another rank
    double start = 0;    ///< s, as the kernel counts
    double last = 0;     ///< s, as the kernel counts: the last begin so far
    int ended = 0;       ///< ranks
    Total total;         ///< counted from the beginning of the run, until it has ended
    std::vector<std::pair<GroupCall, RankThread*>> met;
  };
  /// Collectives of a group that differ in what comes between alone.
  struct Kind {
    std::set<int> ranks;  ///< none: its collectives are all simulated
    int equal = 0;        ///< in a row
    Total last;
    Table<int> begun, over;  ///< rounds, by rank of the group
    std::map<int, Round> rounds;
    std::size_t seen = 0;                  ///< channels of the machine
    std::vector<const Channel*> channels;  ///< among its ranks
    std::vector<int> resources;            ///< of these: links and memory
    std::map<int, double> phases_before;  ///< s, by rank of the group: duration of the phase before
    bool spared = false;                  ///< one was not simulated
    bool apart = false;                   ///< from others' messages
    std::size_t apart_of = 0;             ///< channels, when that was looked up
  };
  struct Simulating {
    Round* round = nullptr;
    double* duration = nullptr;  ///< of the phase before
    double begun = 0;            ///< s, as the kernel counts: by this rank
    int phase_before = -1;       ///< that has not ended yet; else -1
    bool marked = false;         ///< has named a phase
  };
  using Key = std::tuple<const void*, std::size_t, Tag, int, int, std::size_t>;
  static Key key_of(const GroupCall& call);
  static bool equal(const Total& a, const Total& b);
  /// Seconds within which ranks begin one nearly together. Requires one that was kept.
  static double window(const Kind& kind);
  Kind made(const GroupCall& call) const;
  void look_at_channels(Kind& kind);
  bool is_apart(Kind& kind);
  bool is_never_full(int id) const;
  void count(const Kind& kind, Total& total) const;
  const std::vector<int>& own_resources(int rank);
  std::vector<double> own_use(int rank);
  void keep(Kind& kind, Total total) const;
  void simulate(Round& round, const GroupCall& call, const RankThread& thread);
  void judge(std::uint64_t again);
  void judge_late(std::uint64_t number);
  void decide(Kind& kind, int number, bool may_wait);
  void close(Kind& kind, Round& round);
  void let_end(Kind& kind, const Round& round);
  void repeat(const Kind& kind, double late);

  Run* run_;
  std::map<Key, Kind> kinds_;
  std::map<int, Simulating> simulating_;                 ///< by rank
  std::vector<std::pair<Kind*, int>> asked_;             ///< rounds, of this instant
  std::map<std::uint64_t, std::pair<Kind*, int>> late_;  ///< rounds that wait for the last ranks
  std::uint64_t waits_ = 0;                              ///< number of those that there were
  std::uint64_t messages_ = 0;
  std::size_t channels_seen_ = 0;                     ///< of the machine
  std::map<int, std::vector<const Channel*>> users_;  ///< by link or memory
  int resources_seen_ = 0;                            ///< of the ledger
  std::map<int, std::vector<int>> own_;               ///< resources, by rank
};

}  // namespace ringscope::sim
