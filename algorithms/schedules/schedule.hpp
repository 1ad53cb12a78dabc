// SPDX-License-Identifier: LGPL-2.1-or-later
// A schedule that another tool wrote: for each rank its thread blocks, for each of these its steps,
// which move and reduce chunks of the vector. It runs as any algorithm does.
//
// The vector is cut into chunks of one size. A thread block is a thread of its rank; its steps go
// one after the other, and wait for steps of the rank's other blocks. Large chunks go in rounds of
// as much as the protocol's buffers hold: a block does all its steps on the first pieces, then on
// the second ones.
// Source of these rules: microsoft/msccl, src/collectives/device/msccl_interpreter.h.
#pragma once

#include <compare>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "base/table.hpp"

namespace ringscope::traces {
struct Trace;  // algorithms/traces/trace.hpp
}

namespace ringscope::programs {
struct Program;  // algorithms/programs/program.hpp
}

namespace ringscope::schedules {

/// `count` chunks of a buffer from `chunk` on; 0 of a message: it has no data.
struct Chunks {
  Buffer buffer = Buffer::data;
  int chunk = 0;
  int count = 1;

  bool operator==(const Chunks&) const = default;
};

enum class Kind : std::uint8_t { send, receive, reduce, copy };

/// Work of a step on data, one act after the other.
struct Act {
  Kind kind{};
  Chunks into{};  ///< receive, reduce, copy; send: what is sent
  Chunks from{};  ///< reduce, copy
  int peer = -1;  ///< send, receive
  int tag = 0;    ///< send, receive; messages of one pair and tag keep their order
};

/// The steps of another block that have to be done before.
struct After {
  int block = 0;
  int signals = 0;  ///< that many of its steps that signal, in each round
};

struct Step {
  std::string_view kind;  ///< in reports, as its phase
  std::vector<After> after{};
  std::vector<Act> acts{};
  int count = 1;         ///< chunks of each act
  bool signals = false;  ///< blocks of the rank wait for it
  int written = 0;       ///< its number in the file
};

struct ThreadBlock {
  Table<Step> steps;
};

struct RankProgram {
  Table<ThreadBlock> blocks;
};

/// One step of the schedule. Of a block that waits at its end, or before it begins, `step` is that.
struct StepId {
  int rank = 0, block = 0, step = 0;

  auto operator<=>(const StepId&) const = default;
};

struct Schedule {
  std::string name;
  std::string collective;  ///< a row of collectives.def
  Protocol protocol = Protocol::simple;
  int root = 0;    ///< where the collective has one
  int chunks = 1;  ///< of the whole vector
  /// Buffer of the result: scratch space, from its front on, where input and output must not be
  /// one.
  Buffer output = Buffer::data;
  int scratch_chunks = 0;  ///< of each rank, with the places that messages come to
  /// Each send takes a copy first: what it sent may change at once (staged()).
  bool staged = false;
  bool whole = false;  ///< chunks go in one round, however large
  Table<RankProgram> ranks{};
  std::int64_t longest_chain = 0;  ///< messages, one after the other (order.hpp)
  /// In place of chunks and blocks: messages of any sizes, of which no data are promised.
  std::shared_ptr<const traces::Trace> trace{};
  std::shared_ptr<const programs::Program> program{};  ///< the same, in loops
};

/// The same with sends that leave from a place of their own, as those through a connection's
/// buffers do. Elsewhere a send is over when its message was received, or buffered by the network:
/// blocks that both send first would then wait for each other.
Schedule staged(const Schedule& schedule);

/// Threads of a rank: as many as the rank with most blocks has.
int most_blocks(const Schedule& schedule);

/// `schedule` as an algorithm, which names it: it must not outlive it. The options that it runs
/// with must have `schedule`, too, and items that are a multiple of its chunks.
Algorithm algorithm_of(const Schedule& schedule);

}  // namespace ringscope::schedules
