// SPDX-License-Identifier: LGPL-2.1-or-later
// Executors that note what passes through them: which data each rank holds, and from when on.
//
// A rank holds what it has received from the instant on at which its program knows: at the end of
// the wait (or receive) that completes the request.
#pragma once

#include <map>
#include <memory>
#include <tuple>

#include "sim/insight/chunk_states.hpp"
#include "sim/kernel/kernel.hpp"

namespace ringscope::sim {

class ChunkRecord {
 public:
  /// `kernel` tells the time and outlives the record.
  explicit ChunkRecord(const Kernel& kernel);
  ~ChunkRecord();
  ChunkRecord& operator=(ChunkRecord&&) = delete;  ///< neither copied nor moved

  /// Starts before the programs of a repetition. Requires no_chunks_of(...) == "".
  void restart(const Collective& collective, int ranks, std::size_t items, int root);
  /// Executor for a rank's program in place of `inner`.
  Executor& in_front_of(Executor& inner);
  ChunkHistory take() { return states_->take(); }

 private:
  class Tracer;
  struct Message {  ///< its place in the order of those from one rank to another with one tag
    int from = 0, to = 0;
    Tag tag;
    int number = 0;
    auto operator<=>(const Message&) const = default;
  };
  Message next(std::map<std::tuple<int, int, Tag>, int>& numbers, int from, int to, Tag tag);
  void send(int from, int to, Tag tag, const Range& range);
  void receive(const Message& message, const Range& range);

  const Kernel* kernel_;
  std::unique_ptr<ChunkStates> states_;
  std::map<Executor*, std::unique_ptr<Tracer>> witnesses_;
  std::map<std::tuple<int, int, Tag>, int> sent_, posted_;
  std::map<Message, ChunkStates::Contents> in_flight_;
};

}  // namespace ringscope::sim
