// SPDX-License-Identifier: LGPL-2.1-or-later
// Groups of ranks, and the splits that make them: MPI_Comm_split's rule, for any executor.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/table.hpp"

namespace ringscope {

// The block of threads of a GPU's kernel that does an operation, and how it makes its partner see
// the data. Executors that know no such blocks perform the operation as any other.

/// Ways to tell data that have come from data that have not: a flag with every four bytes of eight
/// (LL), with every 120 bytes of 128 (LL128), or a counter after each slice, behind a fence
/// (Simple). Source: NCCL 2.30, src/device/prims_ll.h, prims_ll128.h, prims_simple.h.
enum class Protocol : std::uint8_t { ll, ll128, simple };
/// Names by Protocol.
inline constexpr Array<std::string_view, 3> protocol_names = {"LL", "LL128", "Simple"};

/// Ways in which a switch of the GPUs treats a block's messages: it passes them on; it adds up
/// those for one GPU and sends it the sum; or it copies what one GPU sends once to all that it is
/// for.
enum class Switch : std::uint8_t { passes_on, adds_up, copies };

struct Block {
  int channel = -1;  ///< the block's number in its kernel; -1: no block
  Protocol protocol = Protocol::simple;
  Switch by = Switch::passes_on;
  int together = 1;      ///< messages that it adds up, or copies of one
  int communicator = 0;  ///< of a group, whose kernel it is of; 0: the job's own
  /// Channels of its kernel that do the same, itself counted, where it is performed for all.
  int alike = 1;
  /// In which it sends each message, telling its partner of each as soon as it is there.
  int slices = 1;
  /// It sends and receives for a group of them, each way by threads that do nothing else.
  bool exchanges = false;

  bool is_any() const { return channel >= 0; }
  bool operator==(const Block&) const = default;
};

// Protocols of a kernel's blocks by name, and what their buffers take.

/// The protocol of that name; "auto" is Simple.
Protocol protocol_named(std::string_view name);

/// Items of a channel's chunk in one round: as many as the protocol's buffers take; with Simple
/// that many of the eight steps of its buffer. Source: NCCL 2.30.7, src/init.cc,
/// src/include/collectives.h, src/enqueue.cc, calcCollChunking: four steps of rings, one of a
/// broadcast or a reduce.
std::size_t chunk_items(Protocol protocol, std::size_t item_bytes, std::size_t steps = 4);

// The groups.

/// Label of a message: a receive takes those of its own only. The context tells communicators
/// apart, as MPI's does: 0 of all ranks, and a new one with every split.
struct Tag {
  Tag(int of_message = 0, int of_communicator = 0)  // NOLINT: a number is a tag
      : number(of_message), context(of_communicator) {}

  int number, context;
  /// A kernel's blocks: each protocol has its own buffers, whose messages pass the other ones.
  Protocol protocol = Protocol::simple;
  auto operator<=>(const Tag&) const = default;
};

/// A list of ranks that many have in common.
using SharedRanks = std::shared_ptr<const Table<int>>;

/// A group: some of the ranks, in an order of their own.
struct Group {
  SharedRanks ranks;      ///< as the executor numbers them
  int self = 0;           ///< index of this rank
  std::string_view part;  ///< the algorithm's work among them, for reports
  Tag tag;                ///< its number is added to that of every message

  /// Some of this group's ranks as the executor numbers them.
  SharedRanks numbers_of(const std::vector<int>& some) const;
};

/// A rank's call of a collective of its group.
struct GroupCall {
  const void* algorithm = nullptr;
  std::size_t items = 0;
  Tag tag{};
  const std::vector<int>* ranks = nullptr;  ///< as the executor numbers them
  int self = 0;                             ///< index of this rank among them
};

/// Arguments of a rank that splits a communicator.
struct Side {
  int colour = 0, key = 0;
};
/// The side of each rank of a communicator, for splits whose groups any rank can tell.
using Sides = std::function<Side(int rank)>;

/// Lists of ranks into which a split by these sides cuts a communicator of those ranks.
std::vector<SharedRanks> parts_of(const Table<int>& ranks, const Sides& sides);

/// A rank's call of split, and what comes of it.
struct SplitCall {
  int colour = 0, key = 0;
  int self = 0, size = 0;                ///< in the communicator that is split
  std::shared_ptr<const Group> parent;   ///< null: all ranks
  std::string_view part{};               ///< the caller's word for what its group does
  std::shared_ptr<const Group> group{};  ///< null until all have called
  const Sides* sides = nullptr;          ///< null: each rank knows its own
};

/// Gives each caller its group: the callers of one colour, by key and then by their rank in the
/// communicator that is split. A group's list of ranks is kept once. Requires a call of each rank.
void form_groups(std::span<SplitCall* const> calls, int context);

/// Groups of splits whose sides are known: found with the first call, for all who call after.
class KnownSplits {
 public:
  /// The caller's group. A new split of a communicator has the context `next`, which then counts
  /// on.
  std::shared_ptr<const Group> group_of(const SplitCall& asked, int base, int& next);
  void clear() { splits_.clear(); }

 private:
  struct Split {
    Table<std::shared_ptr<const Group>> groups;  ///< by rank; null: it has called
    int left = 0;                                ///< ranks that have not
  };
  std::map<std::tuple<Tag, int, int, int>, std::list<Split>> splits_;
};

/// Tells apart communicators that are split at the same time: groups of one tag that are at work at
/// the same time share at most one rank. `base` tells jobs apart that number their ranks alike.
inline std::tuple<Tag, int, int, int> splitting(const SplitCall& asked, int base) {
  const Group* group = asked.parent.get();
  if (group == nullptr) return {Tag(), base, 0, asked.size - 1};
  return {group->tag, base, group->ranks->front(), group->ranks->back()};
}

/// Calls of split for which others have not called yet, of an executor that sees all ranks.
template <class Caller>
class Splits {
 public:
  /// Everybody who may go on now: all callers, in the order in which they came, with the last one;
  /// nobody before. Where the sides are known, the caller alone, at once.
  std::vector<Caller*> call(SplitCall& asked, int base, Caller& caller) {
    if (asked.sides != nullptr) {
      asked.group = known_.group_of(asked, base, contexts_);
      return {&caller};
    }
    Meeting& meeting = meetings_[splitting(asked, base)];
    meeting.calls.push_back(&asked);
    meeting.callers.push_back(&caller);
    if (static_cast<int>(meeting.calls.size()) < asked.size) return {};
    form_groups(meeting.calls, ++contexts_);
    std::vector<Caller*> callers = std::move(meeting.callers);
    meetings_.erase(splitting(asked, base));
    return callers;
  }
  /// Forgets those who wait.
  void clear() {
    meetings_.clear();
    known_.clear();
  }

 private:
  struct Meeting {
    std::vector<SplitCall*> calls;
    std::vector<Caller*> callers;
  };
  std::map<std::tuple<Tag, int, int, int>, Meeting> meetings_;
  KnownSplits known_;
  int contexts_ = 0;
};

}  // namespace ringscope
