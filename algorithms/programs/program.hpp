// SPDX-License-Identifier: LGPL-2.1-or-later
// A program on groups of ranks: steps that ranks do, in an order of their own. It is read from a
// scenario, and runs as any algorithm does.
//
// All ranks have one list of steps; each rank does those whose conditions hold for it. A step is
// done on a stream, of which a rank has several: a stream does its steps one after the other, in
// the order of the list, and streams run beside each other. A step may wait for steps of other
// streams: for the last one of that name that stands before it, in the order in which the rank
// comes to them, loops unrolled. So what waits never waits for what comes behind it, and no
// rank can wait for itself.
//
// Source of these rules: CUDA's streams and events (cudaStreamWaitEvent).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "algorithms/programs/expression.hpp"

namespace ringscope::schedules {
struct Schedule;  // algorithms/schedules/schedule.hpp
}

namespace ringscope::programs {

/// Ranks whose place in their group of a kind is one of these.
struct Condition {
  int kind = 0;
  enum class Which : std::uint8_t { any, even, odd, listed } which = Which::any;
  std::vector<int> places{};  ///< sorted; below 0: from the end of the group
};

/// The last step that raised the flag, or one `back` turns before it.
struct After {
  int flag = 0, back = 0;
};

/// Partner of a message, in the group of the step.
struct Partner {
  enum class Rule : std::uint8_t { next, previous, place } rule = Rule::next;
  bool around = false;  ///< next, previous: the last one's next is the first
  Expression place{};   ///< in the group
};

struct Step {
  enum class Kind : std::uint8_t {
    compute,  ///< of the rank's GPU, where it has one
    delay,
    load,
    store,
    wait,  ///< nothing: what comes behind it on its stream waits
    send,
    receive,
    together,  ///< messages that begin at once; it ends with the last of them
    collective,
    block  ///< steps, a number of times
  };
  Kind kind{};
  int id = 0;          ///< its number in the program, inner ones counted
  std::string name;    ///< in reports
  SourceLine where{};  ///< none: no line of a file says it
  int stream = 0;
  int raises = -1;  ///< flag, when it has ended
  std::vector<After> after{};
  std::vector<Condition> on{};
  Expression when{};    ///< empty: always
  Expression amount{};  ///< seconds, bytes, or turns of a block
  Expression memory{};  ///< compute: bytes that it moves in memory; empty: nobody says
  int group = 0;        ///< kind of groups of a message or a collective
  Partner partner{};
  int tag = 0;
  int communicator = 0;             ///< of a message or a collective: index in Program
  const Algorithm* algorithm = {};  ///< collective: of the catalogue, on one thread
  Options options{};                ///< collective
  int slot = 0;                     ///< block: where its turn stands
  bool turns_differ = false;        ///< block: a step in it asks for its turn
  std::vector<Step> steps{};        ///< block, together
};

/// Messages of one communicator never match those of another.
struct CommunicatorKind {
  int kind = 0;     ///< of groups
  int stream = -1;  ///< whose collectives it has; -1: it has all messages of the kind
};

/// Items of scratch space of a rank that a stream needs.
struct Room {
  std::uint64_t vector = 0;   ///< that it works on; stream 0 has the job's own
  std::uint64_t scratch = 0;  ///< of collectives
  std::uint64_t received = 0;
};

struct Program {
  Table<GroupKind> kinds;  ///< the first is of all ranks
  Grid grid;               ///< of the kinds by a rule; without dimensions: none are
  Table<std::string> streams;
  std::vector<Step> steps;
  Table<CommunicatorKind> communicators;
  int slots = 0, flags = 0, ids = 0;
  bool knows_memory = false;  ///< computations say the bytes that they move

  // Sums, of all ranks (survey()).
  Table<Room> rooms{};        ///< by stream: the most of any rank
  std::uint64_t longest = 1;  ///< message or vector
  std::uint64_t messages = 0, items = 0;
  double done = 0;            ///< steps
  std::vector<int> undone{};  ///< steps that come up, and whose conditions hold for no rank

  int ranks() const { return static_cast<int>(kinds.front().group_of.size()); }
};

/// The highest tag that a message may have in its communicator.
inline constexpr int most_tag = 32'767;
/// Tags of a communicator: those of messages, which are more than any algorithm uses.
inline constexpr int tags_of_communicator = most_tag + 1;
inline constexpr int most_communicators = 500, most_streams = 64;

/// The program of a job that has these options; null: none.
const Program* program_of(const Options& options);

/// The algorithm of a schedule that has a program (schedule.hpp).
Algorithm algorithm_of_program(const schedules::Schedule& schedule);

}  // namespace ringscope::programs
