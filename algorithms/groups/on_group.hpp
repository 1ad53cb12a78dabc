// SPDX-License-Identifier: LGPL-2.1-or-later
// Any algorithm of the catalogue among the ranks of a group, and what is known of its communicator.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "base/table.hpp"

namespace ringscope {

// Messages among the ranks of a group: as the library sends any, or, where its communicator of the
// group is known, by the blocks of a kernel (KnownGroup::exchange).

struct GroupMessage {
  bool sends = false;
  int peer = 0;  ///< in the group
  Range range{};
  int tag = 0;
};

/// Tags of messages, with those of their groups, are fewer: each channel has as many of its own.
inline constexpr int tags_of_channel = 16'384'000;

/// True where blocks send its messages.
bool goes_by_blocks(Communicator group, const Options& options);

/// Sends and receives all of them, as one call of the library, and ends with the last.
Task exchange_messages(Communicator group, std::vector<GroupMessage> messages, Options options);

/// Begins a message that goes as the library sends any.
Request post_message(Communicator group, const GroupMessage& message);

/// A message on its way beside what the rank does: a request, or a thread that has the blocks.
struct MessageUnderWay {
  Request request{};
  Thread thread{};
};

/// Place of a message among those to one rank with one tag: by blocks it begins when those `before`
/// it have ended, each of which raises the flag.
struct MessageTurn {
  Flag flag{};
  std::size_t before = 0;
};
MessageUnderWay begin_message(Communicator group, GroupMessage message, const Options& options,
                              std::optional<MessageTurn> turn = {});
Task end_message(Communicator group, MessageUnderWay message);

/// Threads of a rank for `at_once` outstanding messages.
int threads_of_messages(const Options& options, int at_once);

// Communicators of groups of ranks, as a library builds one for each: data from a scenario.

struct KnownGroup {
  std::string name;
  std::vector<int> ranks;  ///< as the executor numbers them
  std::vector<int> hosts;  ///< of each of these, by its number among the group's hosts
  const nccl::Platform* machine = nullptr;
  const Table<Table<int>>* orders = nullptr;  ///< of the channels, by place in the group
  const std::vector<int>* like = nullptr;     ///< Options::like
  int threads = 1;                            ///< the most of a rank that any collective takes
  int channels_of_message = 1;                ///< the most that one between two ranks takes
  /// Sends and receives all messages, and ends with the last.
  Task (*exchange)(Communicator group, std::vector<GroupMessage> messages,
                   Options options) = nullptr;
};

class KnownGroups {
 public:
  /// Each list of ranks once: those that come later are left out.
  void add(KnownGroup group);
  /// Null where it is not known.
  const KnownGroup* find(const std::vector<int>& ranks) const;
  /// The first of that name; null where there is none.
  const KnownGroup* named(std::string_view name) const;
  /// Number of its communicator, above 0: another one for each stream of a rank.
  int number(const KnownGroup& group, int stream) const;
  const KnownGroup& of_number(int number) const { return all_[index(number)]; }
  int index(int number) const { return (number - 1) % static_cast<int>(all_.size()); }
  const std::vector<KnownGroup>& all() const { return all_; }
  /// The most of any group.
  int threads() const { return threads_; }
  int channels_of_message() const { return channels_of_message_; }
  /// The same groups, rank i being `places[i]`.
  KnownGroups renumbered(const Table<int>& places) const;

 private:
  Table<KnownGroup> all_;
  std::map<std::vector<int>, int> by_ranks_;
  int threads_ = 1, channels_of_message_ = 1;
};

/// Options without what is known of all ranks: their hosts, the orders of rings, NCCL's machine. On
/// a group these are others.
Options without_hosts(Options options);

/// The same with what is known of the first group of that name (Algorithm::groups), if anything.
Options options_of_group(Options options, std::string_view name);

/// The library's communicator of the group's ranks; null where none is known.
const KnownGroup* communicator_of(Communicator group, const Options& options);

/// The options with what that knows.
Options options_of(const KnownGroup& known, Options options);

/// Threads of a rank besides its `streams`, which run collectives on groups concurrently.
int threads_of_groups(const Options& options, int streams);

/// Runs it with the hosts of the group's ranks, numbered as the group does, and as much of the
/// scratch space as it declares; where the options know its communicator, with its machine and
/// its channels. `options.given.hosts`: of all ranks. The algorithm is kept by its owner
/// while it runs.
Task on_group(Communicator group, const Algorithm& algorithm, Workspace work, Options options);

/// Scratch space that is enough for it on a group of `ranks` ranks, whichever hosts these are on,
/// without NCCL's channels.
std::size_t scratch_on_group(const Algorithm& algorithm, int ranks, std::size_t items,
                             Options options);

}  // namespace ringscope
