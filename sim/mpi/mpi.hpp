// SPDX-License-Identifier: LGPL-2.1-or-later
// The messages of one run: eager and rendezvous protocols over matching, engines and streams.
//
//   eager.cpp        sender: overhead, copy; then the send is complete. The bytes travel. The
//                    receiver's engine takes them when it runs: overhead, copy (one copy more when
//                    unexpected).
//   rendezvous.cpp   sender: overhead, RTS, which may carry the first bytes. The receiver's engine
//                    matches it when it runs and answers with CTS; the sender's engine sees that
//                    when it runs; then the data (stream.hpp). With a receiver-driven transport
//                    there is no CTS: the receiver copies and says so.
//   multicast.cpp    one message to several receivers.
//
// What they have in common: wire.cpp the way, receiving.cpp matching and the receiver's work.
// The eager bytes from one process to another follow each other on the wire. Control messages queue
// behind socket-buffered bytes on saturated links.
#pragma once

#include <boost/container/flat_set.hpp>
#include <functional>
#include <initializer_list>
#include <map>

#include "base/table.hpp"
#include "scenarios/answer/path_chain.hpp"
#include "sim/machine/state_record.hpp"
#include "sim/mpi/matching.hpp"
#include "sim/mpi/pieces.hpp"
#include "sim/mpi/stream.hpp"

namespace ringscope::sim {

struct Traffic {
  std::uint64_t messages = 0, bytes = 0, bytes_between_hosts = 0;
  std::uint64_t file_bytes = 0;  ///< of files that lie on another host
  std::uint64_t received = 0;    ///< of the messages, those that have; counted for `watch` alone

  /// Adds what has come since `before`, `times` times over.
  void repeat(std::uint64_t times, const Traffic& before) {
    auto& [sent, data, data_between, files, taken] = *this;
    const auto& [sent_before, data_before, between_before, files_before, taken_before] = before;
    sent += times * (sent - sent_before);
    data += times * (data - data_before);
    data_between += times * (data_between - between_before);
    files += times * (files - files_before);
    taken += times * (taken - taken_before);
  }
};

class Mpi {
 public:
  Mpi(Machine& machine, Ledger& ledger, Paths& paths);

  /// A thread of its rank makes itself known; it must outlive the model.
  void join(Caller& caller);

  /// A request slot of the caller's; `bytes` to send, or room for a receive.
  int open_request(Caller& caller, bool receive, int peer, Tag tag, std::uint64_t bytes,
                   Block block = {});
  const Posting& request(int id) const { return requests_[id]; }
  /// The request is used up, and with both its requests the message.
  void close_request(int id);
  /// Notes that the request's owner waits for it and for others, until all are complete.
  void await(int id) { requests_[id].awaited = true; }
  /// Drops the critical path of a completed request that is not the last awaited: it explains
  /// nothing, and thousands cost memory. A received message stays, for its size; where paths are
  /// many it takes its owner's.
  void forget_cause(int id) {
    Posting& done = requests_[id];
    if (!done.receive)
      let_go(std::exchange(done.message, -1), id);
    else if (received == nullptr && paths_->are_many())
      messages_[done.message].path = done.owner->path;
  }

  /// A send: first the caller spends `overhead` and `copy` seconds of CPU; then, where the copy of
  /// an eager message uses memory too, it copies the bytes with copy_uses(); then launch().
  int begin_send(int request);
  WorkItem preparation(int message) const;        ///< of a multicast: on its dearest way
  bool copy_uses(int message, Uses& uses) const;  ///< false: there is no such copy
  /// The caller has spent the time up to `until` on its send, for `cause`.
  void prepared(int request, Cause cause, double until) {
    const Posting& sent = requests_[request];
    messages_[sent.message].settle(cause, until);
    messages_[sent.message].path = sent.owner->path;
  }
  void launch(int message);
  /// Seconds of CPU that the caller spends after launch() on the copy of what has not left yet;
  /// then copied().
  double copy_beside_wire(int message);
  void copied(int message);
  /// One message to each receiver, of which begin_multicast() yields the first. They are sent at
  /// once whatever their size, cost their sender once, and pass each link that they share once.
  int begin_multicast(Caller& caller, std::span<const int> receivers, Tag tag, std::uint64_t bytes);
  void prepared_multicast(int first, Cause cause, double until);
  void launch_multicast(int first);
  void post_receive(int request);
  /// CPU time that completing the request costs its caller: only where a NIC did all the rest.
  double completion_time(int request) const;

  void enter(Caller& caller);
  void leave(Caller& caller);
  /// Nothing is left for the engine of the caller's endpoint to do at this instant.
  bool engine_idle(const Caller& caller) { return engine_of(caller).idle(); }
  /// Calls caller.completed(-1) when that is so.
  void call_when_idle(Caller& caller) { engine_of(caller).call_when_idle(caller); }

  /// CPU of the progress engine of the rank's first endpoint when no thread of the rank is the
  /// reason: a progress thread's core, or the rank's.
  const Uses& progress_cpu(int rank) const;
  /// `weight` units of the caller's own CPU, for work of its own inside MPI.
  void add_caller_cpu(Uses& uses, const Caller& caller, int weight) const;
  /// The chain that ends in the completion of the request, at this instant.
  const PathCursor& path(int request) const { return messages_[requests_[request].message].path; }
  /// Appends what [begin, end] was spent on, seen from a thread that waited for the request.
  void explain_wait(int request, double begin, double end, std::vector<Stage>& stages) const;

  const Message& message(int id) const { return messages_[id]; }

  /// State of the messages in flight for steady_state.hpp, and which these are, in the order of the
  /// description.
  void describe(StateRecord& record, const Agenda& agenda, std::vector<int>& in_flight);
  PathCursor& path_cursor(int message) { return messages_[message].path; }
  /// Time has moved by `seconds`.
  void skip(double seconds, std::span<const int> in_flight);

  /// A run begins: its random numbers, and engines with nothing to spare. Each host's NIC has just
  /// interrupted, for a run follows other messages, those of a barrier at least.
  void seed(std::uint64_t seed);

  /// Bytes of a file that the rank reads from another host, or writes there.
  void count_file(int rank, std::uint64_t bytes) {
    if (rank < machine_->jobs().own()) traffic.file_bytes += bytes;
  }
  // Told by engines and streams:
  /// Work on the message, or a wait of it for one, ends at `until`.
  void stage(int message, Cause cause, int rank, int resource, double until);
  /// Work on the message goes on because its caller came back into MPI.
  void resumed(int message, Caller& by) { released(message, Cause::progress, by); }
  Engine& engine_of(const Caller& caller) { return endpoint_of(caller).engine; }
  /// The streams that have an end at the caller's endpoint and depend on its engine.
  std::vector<int>& flows_of(const Caller& caller) { return endpoint_of(caller).flows; }
  /// `message` waited until now for its turn behind `before`.
  void stream_followed(int message, int before);
  /// All bytes have moved, and what this end owed is paid.
  void stream_sent(int message);
  void stream_received(int message) { go_on(message); }

  Traffic traffic;  ///< since it was last reset; of the foreground job
  /// Record of received messages if set, in times of the kernel; chains are marked, too.
  std::vector<MessageSpan>* received = nullptr;
  /// Called with traffic.received now and then, if set.
  std::function<void(std::uint64_t)> watch;

 private:
  struct Endpoint {
    Engine engine;
    std::vector<int> flows, granted;  ///< granted: a CTS has come in that nobody has looked at
  };
  struct Process {
    Matching matching;
    Table<Endpoint> endpoints;
    std::vector<int> arrivals;  ///< visible messages that nobody has looked at
    boost::container::small_vector<Caller*, 1> callers;
    int least_connections = 1;  ///< see connections.cpp
    boost::container::flat_set<int> peers;
  };

  Process& process(int rank) { return processes_[rank]; }
  Endpoint& endpoint_of(const Caller& caller) {
    return process(caller.rank).endpoints[caller.endpoint];
  }
  Endpoint make_endpoint(int rank, int index);
  void let_go(int message, int request);
  void add_locks(int rank);
  Caller* running_caller(Process& process);
  void released(int message, Cause cause, Caller& by);

  void count(Channel& channel, std::uint64_t bytes, bool between_hosts, int times = 1);
  void count_connections();
  void connect(int rank, int peer, const Channel& channel);
  int further_connections(int rank);
  int begin_message(Caller& caller, int to, Tag tag, std::uint64_t bytes, Block block);
  // The protocols, as steps that a message takes one after the other; which of them depends on its
  // transport. A step says whether the message waits, until go_on(), or has ended.
  static ProtocolSteps eager(const Transport& transport);
  static ProtocolSteps rendezvous(const Transport& transport);
  static ProtocolSteps multicast(const Transport& transport);
  static constexpr bool always = true;
  static ProtocolSteps needed(std::initializer_list<std::pair<bool, ProtocolStep>> steps);
  const Protocols& protocols_of(Channel& channel);
  bool wait_for_room(int message);
  bool interrupt_sender(int message);
  bool wait_for_sender(int message);
  bool release_sender(int message);
  bool wait_for_turn(int message);
  bool occupy_nics(int message);
  bool transfer(int message);
  bool propagate(int message);
  bool propagate_control(int message);
  bool interrupt_receiver(int message);
  bool match_in_order(int message);
  bool copy_at_receiver(int message);
  bool free_room(int message);
  bool complete_expected(int message);
  bool wait_for_receive(int message);
  bool copy_unexpected(int message);
  bool complete_receive(int message);
  bool send_cts(int message);
  bool transfer_data(int message);
  bool propagate_last_byte(int message);
  bool deliver(int message);
  bool notify_sender(int message);
  bool complete_send(int message);

  void set_off(int message);
  void go_on(int message);
  void go_on_after(std::uint64_t passed, int message);
  void have_waited(std::uint64_t message) { go_on(static_cast<int>(message)); }
  Callback waited(int message) {
    return Callback::to<&Mpi::have_waited>(this, static_cast<std::uint64_t>(message));
  }
  void carried(std::uint64_t message);
  bool wait(double seconds, int message);
  PiecedMessage& pieces_of(int message) { return pieces_[message]; }
  std::uint64_t copied_before(const Message& m) const;
  void transmit_in_pieces(int message);
  void first_piece_came(std::uint64_t message);
  void all_but_last_piece_went(std::uint64_t message);
  void send_last_piece(int message);
  Engine& receiving_engine(const Message& m);
  double copied_on_the_way(int message, Engine& by);
  void send(int message, double bytes);
  void send(const Message& m, double bytes, Callback done);
  double until_interrupt(int rank, const Transport& transport);
  void multicast_travelled(std::uint64_t first);
  void look_at(int message, Caller& by);
  void match(int message, int request);
  double matching_time(const Message& m);
  void complete(int request);
  void record(const Message& m);
  double draw_jitter(const Message& m) const;
  double control_delay(const Channel& channel) const;
  Channel& channel_to(Caller& caller, int to, Block block);
  void name_messages(std::vector<int>& in_flight);

  Machine* machine_;
  Ledger* ledger_;
  Paths* paths_;
  const Library* library_;
  BlockPool<Message> messages_;
  BlockPool<Posting> requests_;
  std::map<const Transport*, Protocols> protocols_;
  Streams streams_;
  Table<Process> processes_;
  bool counts_connections_;      ///< some transport has a cost for them
  Table<PiecedMessage> pieces_;  ///< by message, of those that are in pieces
  BlockNumbers blocks_;          ///< of postings
  std::vector<int> visible_;     ///< by the arrival that is being looked at
  std::vector<int> waiting_;     ///< for the engine that has just been entered
  Table<int> names_;             ///< of the messages in flight, by their ids
  /// By host: date of the NIC's last interrupt, or of the next one if that is set. Empty: any time.
  Table<double> interrupts_;
  std::uint64_t passed_ = 0;  ///< by the search for the message that goes on; 0: none was made
  std::uint64_t completions_ = 0;
  std::uint64_t seed_ = 0;
};

}  // namespace ringscope::sim
