// SPDX-License-Identifier: LGPL-2.1-or-later
#include "algorithms/groups/group_messages.hpp"

#include "algorithms/groups/on_group.hpp"

namespace ringscope {
namespace {

Task exchange_in_turn(Communicator group, GroupMessage message, Options options,
                      std::optional<MessageTurn> turn) {
  if (turn && turn->before > 0) co_await group.reach(turn->flag, turn->before);
  std::vector<GroupMessage> alone(1, message);
  co_await communicator_of(group, options)->exchange(group, std::move(alone), options);
  if (turn) group.raise(turn->flag);
}

}  // namespace

Request post_message(Communicator group, const GroupMessage& message) {
  return message.sends ? group.isend(message.range, message.peer, message.tag)
                       : group.irecv(message.range, message.peer, message.tag);
}

bool goes_by_blocks(Communicator group, const Options& options) {
  return communicator_of(group, options) != nullptr;
}

Task exchange_messages(Communicator group, std::vector<GroupMessage> messages, Options options) {
  if (messages.empty()) co_return;
  if (const KnownGroup* known = communicator_of(group, options)) {
    co_await known->exchange(group, std::move(messages), options);
    co_return;
  }
  std::vector<Request> requests;
  for (const GroupMessage& one : messages) requests.push_back(post_message(group, one));
  co_await group.wait_all(requests);
}

MessageUnderWay begin_message(Communicator group, GroupMessage message, const Options& options,
                              std::optional<MessageTurn> turn) {
  if (!goes_by_blocks(group, options)) return {.request = post_message(group, message)};
  return {.thread =
              group.start(exchange_in_turn(group.beside(Beside::thread), message, options, turn),
                          Beside::thread)};
}

Task end_message(Communicator group, MessageUnderWay message) {
  if (message.thread.index >= 0)
    co_await group.join(message.thread);
  else
    co_await group.wait(message.request);
}

int threads_of_messages(const Options& options, int at_once) {
  return options.given.groups != nullptr ? at_once * options.given.groups->channels_of_message()
                                         : 0;
}

}  // namespace ringscope
