// SPDX-License-Identifier: LGPL-2.1-or-later
// Messages among the ranks of a group: as the library sends any, or, where its communicator of the
// group is known, by the blocks of a kernel (KnownGroup::exchange).
#pragma once

#include <optional>
#include <vector>

#include "algorithms/catalogue.hpp"

namespace ringscope {

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

}  // namespace ringscope
