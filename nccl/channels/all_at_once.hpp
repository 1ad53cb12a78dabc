// SPDX-License-Identifier: LGPL-2.1-or-later
// Channels of a kernel at once: each, or all that one SM takes, on a thread of its own.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "algorithms/verbs/communicator.hpp"
#include "base/table.hpp"

namespace ringscope {

/// Starts run(communicator, item) of all items but the first.
template <class Item, class Run>
std::vector<Thread> start_others(Communicator comm, std::vector<Item>& items, Run run) {
  std::vector<Thread> others;
  for (std::size_t i = 1; i < items.size(); ++i)
    others.push_back(
        comm.start(run(comm.beside(Beside::thread), std::move(items[i])), Beside::thread));
  return others;
}

/// Runs run(communicator, item) of all items.
template <class Item, class Run>
Task all_at_once(Communicator comm, std::vector<Item> items, Run run) {
  const std::vector<Thread> others = start_others(comm, items, run);
  if (!items.empty()) co_await run(comm, std::move(items.front()));
  for (const Thread other : others) co_await comm.join(other);
}

/// Runs run(block, channel) in the block of each channel, one after the other in one kernel.
template <class Channel, class Run>
Task channels_in_turn(Communicator comm, std::vector<Channel> channels, Run run) {
  bool launched = true;
  for (Channel& channel : channels) {
    const Communicator block = comm.inside(channel.block);
    co_await block.begin_block(std::exchange(launched, false));
    co_await run(block, std::move(channel));
    block.end_block();
  }
}

/// Runs run(block, channel) of all channels. With fewer SMs than channels an SM takes one after the
/// other; 0: all.
template <class Channel, class Run>
Task on_sms(Communicator comm, std::vector<Channel> channels, int sms, Run run) {
  const int all = static_cast<int>(channels.size()), rows = sms > 0 ? std::min(all, sms) : all;
  Table<std::vector<Channel>> by_sm(rows);
  for (int i = 0; Channel & channel : channels) by_sm[i++ % rows].push_back(std::move(channel));
  return all_at_once(comm, std::move(by_sm), [run](Communicator thread, std::vector<Channel> row) {
    return channels_in_turn(thread, std::move(row), run);
  });
}

}  // namespace ringscope
