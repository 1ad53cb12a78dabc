// SPDX-License-Identifier: LGPL-2.1-or-later
// A message on its way, and the two postings, a send and a receive, that it joins.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/table.hpp"
#include "scenarios/answer/report.hpp"
#include "sim/machine/machine.hpp"
#include "sim/paths/path.hpp"

namespace ringscope::sim {

// Causes that held a message up, one after the other.

/// A stage of a message: `cause` held it up until `end`, from the end of the stage before.
struct Stage {
  Cause cause{};
  double end = 0;  ///< s, as the kernel counts
};

/// The stages of a message, in order. Nearly all messages have few, which stand in it, causes apart
/// from dates: millions may be in flight.
class Stages {
 public:
  std::size_t size() const { return size_; }
  Stage operator[](std::size_t i) const { return {cause_of(i), end_of(i)}; }
  Stage back() const { return (*this)[size_ - 1]; }
  double end_of(std::size_t i) const { return i < few ? ends_[i] : (*more_)[i - few].second; }
  double& end_of(std::size_t i) { return i < few ? ends_[i] : (*more_)[i - few].second; }
  void add(Cause cause, double end) {
    if (size_ < few) {
      causes_[size_] = static_cast<std::uint8_t>(cause);
      ends_[size_] = end;
    } else {
      if (!more_) more_ = std::make_unique<std::vector<std::pair<Cause, double>>>();
      more_->emplace_back(cause, end);
    }
    ++size_;
  }
  void clear() {
    size_ = 0;
    more_.reset();
  }

 private:
  static constexpr std::size_t few = 8;

  Cause cause_of(std::size_t i) const {
    return i < few ? static_cast<Cause>(causes_[i]) : (*more_)[i - few].first;
  }

  std::array<double, few> ends_{};
  std::array<std::uint8_t, few> causes_{};
  std::unique_ptr<std::vector<std::pair<Cause, double>>> more_;  ///< those beyond
  std::uint32_t size_ = 0;
};

/// A thread of a rank, as the MPI model sees it.
class Caller {
 public:
  virtual ~Caller() = default;
  /// A request that it posted is complete. Called from deep inside; it only takes note.
  virtual void completed(int request) = 0;

  int rank = 0;
  int endpoint = 0;  ///< index among the rank's endpoints
  Uses cpu;
  PathCursor path;        ///< reaches up to now whenever the thread calls into the model
  bool inside = false;    ///< an MPI call
  int open_requests = 0;  ///< that it has not waited for
  int last_destination = -1;
  Block last_block;
  Channel* last_channel = nullptr;  ///< to it: most threads send to the same one again

  static void visit(auto& self, auto& fields) {  // state_fields.hpp
    auto& [rank, endpoint, cpu, path, inside, open_requests, last_destination, last_block,
           last_channel] = self;
    fields.exact(inside);
  }
};

/// The data phase of a rendezvous message; see Streams.
struct DataPhase {
  struct End {
    bool here = true;   ///< its engine ran, or was not needed, when the activity was started
    double credit = 0;  ///< bytes that may still move while this end is away
    double owed = 0;    ///< bytes that moved while it was away: their CPU cost is still to be paid
    int paying = 0;     ///< work items in progress that pay it
    bool done = false;  ///< everything has moved and is paid
  };
  End sender, receiver;
  double remaining = 0;  ///< bytes, while no activity is in flight
  double started = 0;    ///< amount of the activity in flight
  int activity = -1;     ///< of the ledger
  bool paused = false;

  static void visit(auto& self, auto& fields) {  // state_fields.hpp
    auto& [sender, receiver, remaining, started, activity, paused] = self;
    for (auto* end : {&sender, &receiver}) {
      auto& [here, credit, owed, paying, done] = *end;
      fields.exact(here);
      fields.amount(credit);
      fields.amount(owed);
      fields.exact(paying, done);
    }
    fields.amount(remaining);
    fields.amount(started);
    fields.exact(activity >= 0, paused);
  }
};

class Mpi;
using ProtocolStep = bool (Mpi::*)(int message);
using ProtocolSteps = std::vector<ProtocolStep>;

/// The protocols of one transport; see eager.cpp, rendezvous.cpp, multicast.cpp.
struct Protocols {
  ProtocolSteps eager, rendezvous, multicast;
};

struct Message {
  /// As the destination sees it, which is simulated; see orbits.hpp.
  int source = 0;
  int destination = 0;
  Tag tag{};
  std::uint64_t bytes = 0;
  std::uint64_t sequence = 0;  ///< among the messages from source to destination
  Channel* channel = nullptr;
  Caller* sender = nullptr;
  Caller* receiver = nullptr;               ///< once matched; of an unexpected one, who found it
  const ProtocolStep* next_step = nullptr;  ///< once it has been launched
  double begun = 0;                         ///< s, as the kernel counts
  // The next members of the path and of the stages stand in bytes that these leave.
  [[no_unique_address]] PathCursor path;
  int next_on_wire = -1;  ///< the message whose bytes follow this one's, or wait behind it
  int send_request = -1, recv_request = -1;
  int next_copy = -1;  ///< of a multicast: the message to its next receiver
  int flow = -1;       ///< its DataPhase while it is on its way, by Streams; -1: none
  [[no_unique_address]] Stages stages;
  bool eager = false;
  bool multicast = false;             ///< without a request of its sender's
  bool in_unexpected_buffer = false;  ///< eager, arrived before its receive was posted
  bool taken = false;                 ///< the engine has copied it to where it is now
  std::uint8_t users = 2;             ///< requests that still refer to it; 0: free
  bool in_pieces = false;             ///< its bytes go so; see pieces.hpp
  bool asks = false;                  ///< its sender waits for a word of its receiver

  const PairRoute& route() const { return channel->route(); }
  const Transport& transport() const { return *route().transport; }
  /// Bytes that travel with the envelope: all of an eager message, what an RTS carries of another.
  std::uint64_t ahead() const {
    return eager ? bytes : std::min(bytes, transport().rts_data.count);
  }
  /// Date up to which the stages account for the message.
  double settled() const { return stages.size() == 0 ? begun : stages.end_of(stages.size() - 1); }
  void settle(Cause cause, double until) {
    if (until > settled()) stages.add(cause, until);
  }

  static void visit(auto& self, auto& fields) {  // state_fields.hpp; `path` is repeated by itself
    auto& [source, destination, tag, bytes, sequence, channel, sender, receiver, next_step, begun,
           path, next_on_wire, send_request, recv_request, next_copy, flow, stages, eager,
           multicast, in_unexpected_buffer, taken, users, in_pieces, asks] = self;
    fields.exact(source, destination, bytes, self.ahead(), channel->next_sequence - sequence, eager,
                 in_unexpected_buffer, taken, users, asks, flow >= 0,
                 std::bit_cast<std::uintptr_t>(next_step));
    fields.tag(tag);
    fields.request(send_request);
    fields.request(recv_request);
    fields.exact(sender->endpoint, receiver == nullptr ? -1 : receiver->endpoint);
    fields.message(next_on_wire);
    fields.message(next_copy);
    fields.date(begun);
    fields.exact(stages.size());
    for (std::size_t i = 0; i < stages.size(); ++i) {
      fields.exact(static_cast<int>(stages[i].cause));
      fields.date(stages.end_of(i));
    }
  }
};

/// A request as the model sees it.
struct Posting {
  Caller* owner = nullptr;
  bool receive = false;
  bool complete = false;
  bool awaited = false;  ///< with others: see Mpi::await()
  int peer = 0;
  Tag tag{};
  std::uint64_t bytes = 0;  ///< sent, or room for
  std::uint64_t order = 0;  ///< of its completion, among all
  int message = -1;         ///< of a receive: once matched; of a send: until it is forgotten
  int block = -1;           ///< of a kernel, that sends: its number among all; -1: none

  /// Visits the envelope. Whether it is complete is asked of it as a request.
  static void visit(auto& self, auto& fields) {  // state_fields.hpp
    auto& [owner, receive, complete, awaited, peer, tag, bytes, order, message, block] = self;
    fields.exact(peer, bytes);
    fields.tag(tag);
  }
};

/// Blocks by number: few make all postings, each of which would be a quarter larger with one.
class BlockNumbers {
 public:
  /// -1: no block.
  int of(const Block& block) {
    if (!block.is_any()) return -1;
    int& last = last_.grown(block.channel, -1);
    if (last >= 0 && blocks_[last] == block) return last;
    const auto found = std::ranges::find(blocks_, block);
    last = static_cast<int>(found - blocks_.begin());
    if (found == blocks_.end()) blocks_.push_back(block);
    return last;
  }
  Block operator[](int number) const { return number < 0 ? Block{} : blocks_[number]; }

 private:
  Table<Block> blocks_;
  Table<int> last_;  ///< by channel: the number asked for last; -1: none
};

/// Objects by index, reused: nothing is allocated per message in the steady state. They stand in
/// blocks: a vector of millions would move them all whenever it grows.
template <class Item>
class BlockPool {
 public:
  int size() const { return size_; }
  int take() {
    if (!free_.empty()) {
      const int id = free_.back();
      free_.pop_back();
      return id;
    }
    if (size_ == std::ssize(blocks_) * block) blocks_.push_back(std::make_unique<Item[]>(block));
    return size_++;
  }
  void release(int id) { free_.push_back(id); }
  Item& operator[](int id) { return at(id); }
  const Item& operator[](int id) const { return at(id); }

 private:
  static constexpr int block = 64;

  Item& at(int id) const {
    const auto index = static_cast<unsigned>(id);  // its division is a shift
    return blocks_[index / block][index % block];
  }

  Table<std::unique_ptr<Item[]>> blocks_;
  int size_ = 0;
  std::vector<int> free_;
};

}  // namespace ringscope::sim
