// SPDX-License-Identifier: LGPL-2.1-or-later
// Communicators of groups of ranks, as NCCL builds one for each: data from a scenario.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/channels/nccl_tuning.hpp"

namespace ringscope::nccl {

struct GroupChannels {
  std::string name;        ///< of the group
  std::vector<int> ranks;  ///< as the executor numbers them
  std::vector<int> hosts;  ///< of each of these, by its number among the group's hosts
  const Machine* machine = nullptr;
  const std::vector<std::vector<int>>* orders =
      nullptr;                             ///< of the channels, by place in the group
  const std::vector<int>* like = nullptr;  ///< Options::like
};

class Groups {
 public:
  /// Each list of ranks once: those that come later are left out.
  void add(GroupChannels group);
  /// Null where it is not known.
  const GroupChannels* find(const std::vector<int>& ranks) const;
  /// The first of that name; null likewise.
  const GroupChannels* named(std::string_view name) const;
  /// Number of its communicator, above 0: another one for each stream of a rank.
  int number(const GroupChannels& group, int stream) const;
  const GroupChannels& of_number(int number) const { return all_[index(number)]; }
  std::size_t index(int number) const { return static_cast<std::size_t>(number - 1) % all_.size(); }
  const std::vector<GroupChannels>& all() const { return all_; }
  /// The most threads of a rank that any collective of any of them takes.
  int threads() const { return threads_; }
  /// The most channels that a message between two ranks of any of them takes.
  int channels_of_message() const { return channels_of_message_; }
  /// The same groups, rank i being `places[i]`.
  Groups renumbered(const std::vector<int>& places) const;

 private:
  std::vector<GroupChannels> all_;
  std::map<std::vector<int>, std::size_t> by_ranks_;
  int threads_ = 1, channels_of_message_ = 1;
};

}  // namespace ringscope::nccl
