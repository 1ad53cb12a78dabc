// SPDX-License-Identifier: LGPL-2.1-or-later
// Content of an MSCCL++ execution plan, checked word by word, before it is a schedule.
#pragma once

#include <compare>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/verbs/group.hpp"
#include "base/table.hpp"
#include "topologies/input/input.hpp"

namespace ringscope::mscclpp {

// Operations of MSCCL++'s plans, by name.

/// Operations that are understood, by what they do. Packets are data with a flag beside them: who
/// reads them waits for them. Source: microsoft/mscclpp, src/core/include/execution_kernel.hpp.
struct Kind {
  using Deeds = std::initializer_list<bool Kind::*>;
  constexpr Kind(std::string_view called, std::string_view said, Deeds deeds)
      : name(called), words(said) {
    for (const auto deed : deeds) this->*deed = true;
  }

  std::string_view name;
  std::string_view words;       ///< in reports
  bool reads_packets = false;   ///< from scratch space: all sources, or those behind the first
  bool writes_packets = false;  ///< into the rank's own scratch space: the last local destination
  bool reduces = false;
  bool sends = false;  ///< to its remote destinations
  // By channels: data into a buffer of another GPU, or from one, and signals that say so.
  bool puts = false, gets = false, signals = false, waits = false;

  bool uses_channels() const { return puts || gets || signals || waits; }
};

/// Null where it is not understood, or a barrier.
const Kind* find_kind(std::string_view name);

inline constexpr std::string_view barrier_name = "barrier";

/// It changes nothing here: each thread block goes step by step as it is.
bool is_idle(std::string_view name);

/// All of the format, understood or not.
const std::vector<std::string>& operation_names();

// The content of a plan.

enum class Space : std::uint8_t { input, output, scratch };

/// Chunks of a buffer of the rank or, where `rank` says so, of another one.
struct Buffer {
  Space space{};
  int rank = -1;  ///< -1: the rank's own
  int first = 0, count = 1;
};

/// One end of a connection with another GPU.
struct Channel {
  std::string type;
  int peer = 0;
};

struct Operation {
  Place place;
  int number = 0;              ///< in its thread block
  const Kind* kind = nullptr;  ///< null: a barrier
  std::vector<Buffer> from{}, into{};
  int barrier = -1;
  std::vector<int> channels{};  ///< of the GPU's; one for each buffer of the other GPU
};

struct Gpu {
  Array<int, 3> chunks{};  ///< by Space
  Table<Channel> channels{};
  Table<Table<Operation>> blocks{};
};

struct Plan {
  Place place;
  std::string name;
  std::string collective;  ///< a row of collectives.def
  Protocol protocol{};
  bool in_place = true;
  int chunks = 1;  ///< of the whole vector
  std::uint64_t least_bytes = 0, most_bytes = 0;
  Table<Gpu> gpus{};
};

/// Throws InputError.
Plan read_plan(const Value& file);

// Channels of MSCCL++'s plans: which of them an operation uses, and what each of their signals
// tells.
//
// A channel is one end of a connection; the n-th one of a kind from a GPU to its peer belongs to
// the n-th one of that kind back. What is put through it may be read by the peer behind the wait
// that takes the next signal: the n-th wait of an end takes the n-th signal of the other. Source:
// microsoft/mscclpp, include/mscclpp/{memory,port}_channel_device.hpp.

/// Reads the lists of channels of a GPU and of a threadblock, and an operation's numbers in these.
class ChannelReader {
 public:
  /// Fills in the GPU's channels. Throws InputError, as the others do.
  void read_gpu(const Value* list, int rank, int ranks, Gpu& gpu);
  void read_block(const Value* list);
  std::vector<int> read_operation(const Value* ids, const Value* type,
                                  const Value& operation) const;

 private:
  std::map<std::string, Table<int>> of_gpu_, of_block_;  ///< by kind: index in the GPU's
};

/// Throws InputError where a put or a get has not a buffer of its own GPU and one of another's for
/// each of its channels.
void require_moves(const Operation& operation, const Value& value);

struct End {
  int rank = 0, channel = 0;
  auto operator<=>(const End&) const = default;
};

/// Data from a buffer of one GPU into one of another.
struct Move {
  Buffer from, into;
  int count() const { return from.count; }
};

/// Data that are there when a wait has taken the signal, and those that its waiter then gets.
struct Signal {
  std::vector<Move> puts, gets;
};

class Signals {
 public:
  /// Throws InputError where a wait or a get has no signal, or a put none behind it.
  explicit Signals(const Plan& plan);

  End other_end(const End& end) const { return others_.at(end); }
  /// Signals that this end gives, in their order.
  const std::vector<Signal>& of(const End& end) const { return signals_.at(end); }

 private:
  void pair_ends(const Plan& plan);
  void note(const Plan& plan, int rank, int block, const Operation& operation);
  void note_gets(const Plan& plan);
  void require_waits() const;

  struct Use {
    int block = -1;
    int waits = 0;
    std::vector<Move> put{};  ///< since the last signal
    const Operation* last_put = nullptr;
    const Operation* last_wait = nullptr;
  };
  std::map<End, End> others_;
  std::map<End, Use> uses_;
  std::map<End, std::vector<Signal>> signals_;
};

}  // namespace ringscope::mscclpp
