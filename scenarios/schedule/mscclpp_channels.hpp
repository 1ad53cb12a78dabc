// SPDX-License-Identifier: LGPL-2.1-or-later
// Channels of MSCCL++'s plans: which of them an operation uses, and what each of their signals
// tells.
//
// A channel is one end of a connection; the n-th one of a kind from a GPU to its peer belongs to
// the n-th one of that kind back. What is put through it may be read by the peer behind the wait
// that takes the next signal: the n-th wait of an end takes the n-th signal of the other. Source:
// microsoft/mscclpp, include/mscclpp/{memory,port}_channel_device.hpp.
#pragma once

#include <compare>
#include <map>
#include <vector>

#include "scenarios/schedule/mscclpp_plan.hpp"

namespace ringscope::mscclpp {

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
