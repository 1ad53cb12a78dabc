// SPDX-License-Identifier: LGPL-2.1-or-later
// A placed scenario as resources: the cores that ranks run on, the links between them, memory.
#pragma once

#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/small_table.hpp"
#include "base/table.hpp"
#include "scenarios/question/scenario.hpp"
#include "sim/machine/fabric.hpp"
#include "sim/machine/jobs.hpp"
#include "sim/machine/orbits.hpp"
#include "sim/machine/weights.hpp"

namespace ringscope {
struct Input;  // algorithms/training/training.hpp
}

namespace ringscope::nccl {
struct ChannelNics;  // nccl/search/job_channels.hpp
}

namespace ringscope::sim {

/// One of the routes by which the switches may send a message.
struct ChosenRoute {
  Uses wire;             ///< each link direction, once per byte
  double latency = 0;    ///< s: of the links
  std::vector<int> own;  ///< resources of `wire` that not all choices of the pair use
  bool operator==(const ChosenRoute& other) const { return wire == other.wire; }
};

struct Protocols;  // sim/mpi/message.hpp

/// Route of messages from one rank to another, and their costs on it, apart from the CPUs at both
/// ends. Made once by the machine.
struct PairRoute {
  /// Ranks at both ends, as the destination sees them, which is simulated; see orbits.hpp.
  int source = 0, destination = 0;
  bool counted = true;  ///< in the report: not of background jobs
  Way way{};
  const Transport* transport = nullptr;
  /// Choices of the switches for each message, the hash's first; at least one.
  using Choices = SmallTable<ChosenRoute, 1>;
  Choices choices;
  std::vector<SecondUse> again;  ///< of the wire, where the sender's host stands for the receiver's
  bool in_order = false;         ///< of a block: its messages come in their order by themselves
  int stands_for = 1;        ///< channels of a kernel whose messages are not simulated but these
  double wire_per_byte = 1;  ///< bytes that are on the wire for each of the data: flags, headers
  /// Slices of a block's chunk, the first of which is told while those behind it move; 1: nothing
  /// hides the latency.
  int slices = 1;
  Uses nic;       ///< NICs at both ends, by the time of a message; none: not counted
  Uses copy_in;   ///< memory that a copy into a shared segment uses
  Uses copy_out;  ///< memory and links of a copy to the receiver's buffer

  bool between_hosts() const { return way == Way::network || way == Way::gdr; }
};

/// Messages from one rank to another: their route, and what changes as they pass it.
class Channel {
  friend class Machine;
  PairRoute route_;
  const Uses* wire_ = &route_.choices.front().wire;  ///< of the choice made last
  double route_latency_ = route_.choices.front().latency;
  std::size_t turn_ = 0;  ///< choices made
  double left_at_ = 0;    ///< when the data in slices that are on the wire left
  void choose(const ChosenRoute& chosen) {
    wire_ = &chosen.wire;
    route_latency_ = chosen.latency;
  }

 public:
  explicit Channel(PairRoute route) : route_(std::move(route)) {}
  Channel(const Channel&) = delete;

  const PairRoute& route() const { return route_; }
  /// Uses of the route that the switches chose last.
  const Uses& wire() const { return *wire_; }
  /// Seconds on the way for `bytes` of data that have all left just now, at `now`; a control
  /// message has none.
  double latency(std::uint64_t bytes = 0, double now = 0) const {
    const double whole = route_latency_ + route_.transport->latency.at(bytes);
    return route_.slices == 1 ? whole : latency_behind_slices(whole, bytes, now);
  }

  const Protocols* protocols = nullptr;  ///< of the transport, once there was a message
  /// The eager message that was put on the wire last, if it is not over it yet: the bytes between
  /// two processes arrive in the order in which they were sent. -1: none.
  int last_on_wire = -1;
  /// Bytes of eager messages that have left their sender and that the receiver has not taken; of
  /// those that wait for room the first and the last. Counted where the room is limited.
  std::uint64_t held = 0;
  int first_waiting = -1, last_waiting = -1;
  /// Where data go in order, of each pair of endpoints: the last message that is on its way after a
  /// handshake, or waits for its turn. -1: none.
  SmallTable<int, 1> last_data;
  std::uint64_t next_sequence = 0;  ///< of the messages from one to the other
  std::uint64_t sent = 0,
                sent_bytes = 0;  ///< messages, those of the channels that it stands for, too

  /// Calls fields(left_at, whether data are on the wire): of what changes in a run, the only thing
  /// that the messages in flight do not describe; see steady_state.hpp, which skips nothing where
  /// switches choose in turn. A new member does not compile until it is bound here.
  static void visit(auto& self, auto&& fields) {
    auto& [route, wire, latency, turn, left_at, protocols, last_on_wire, held, first_waiting,
           last_waiting, last_data, next_sequence, sent, sent_bytes] = self;
    fields(left_at, last_on_wire >= 0);
  }

 private:
  double latency_behind_slices(double whole, std::uint64_t bytes, double now) const;
};

/// By which transport messages go between ranks of two hosts.
Way way_between_hosts(const Topology& topology, const Location& from, const Location& to);

class Machine {
 public:
  /// Adds the resources of `scenario` to `ledger`; both outlive the machine. With `orbits` those of
  /// the ranks that are simulated.
  Machine(const Scenario& scenario, Ledger& ledger, std::optional<Orbits> orbits = {});

  /// Scenario in whose placement the ranks of all jobs stand.
  const Scenario& scenario() const { return *scenario_; }
  const Jobs& jobs() const { return jobs_; }
  const Orbits& orbits() const { return orbits_; }
  /// Scale of the cores that the rank, a simulated one, runs on; so with all that asks for a rank.
  const CpuScale& scale(int rank) const { return scales_[rank]; }
  int ranks() const { return static_cast<int>(scenario_->placement.ranks.size()); }
  /// The host of each rank.
  const Table<int>& hosts() const { return hosts_; }

  /// CPU of a rank's first thread: its core; or the cores that it may use, and itself as one
  /// thread, which cannot use more than one of them.
  const Uses& cpu(int rank) const { return cpus_[rank]; }
  /// A further core for a thread of the rank, called `what` in reports; or a share of those that
  /// the host has left.
  Uses spare_cpu(int rank, const std::string& what);
  /// CPU for a further thread of the rank: one of the cores that the rank may use. A rank that is
  /// bound to one core gets another for each thread.
  Uses thread_cpu(int rank, const std::string& what);
  int add_lock(int rank, int endpoint);
  /// Processor for computations and reductions: its GPU, or its core; a further thread has its own.
  bool on_gpu(int rank) const { return location(rank).gpu >= 0; }
  /// Scale of the GPU's processor.
  const CpuScale& gpu_scale(int rank) const { return shares_gpus() ? gpu_scale_ : scale(rank); }
  /// Work on a GPU with this weight on its processor, of which a computation has the whole.
  void add_work(Uses& uses, int rank, int weight) const;
  /// A job says what its computations need of a GPU's memory and multiprocessors: they share it
  /// with the library's blocks.
  bool shares_gpus() const { return shares_gpus_; }
  /// A computation of the rank that takes `seconds` alone and moves `bytes`, by the scale of
  /// its GPU. Requires shares_gpus().
  void add_computation(Uses& uses, int rank, double seconds, std::size_t bytes) const;
  /// Memory that a block's own copy uses, by the scale of the rank's core: `accesses` to
  /// each byte.
  void add_block_copy(Uses& uses, int rank, Block block, int accesses) const;
  /// Blocks have begun on the rank's GPU, or have ended: each has an SM to itself meanwhile.
  void count_blocks(int rank, int more);
  /// Memory, and links to it, that a byte of a reduction or of a copy uses beside a core; empty
  /// when they never are a bottleneck.
  const Uses& reduction(int rank) const { return reductions_[rank]; }
  const Uses& copy(int rank) const { return copies_[rank]; }
  /// Resources that a byte of the rank's files uses beside its core, read or written.
  Uses storage(int rank, bool writing) const;
  /// The input of the rank's host, which prepares records for the rank's job.
  const Uses& input(int rank) const { return inputs_[rank]; }
  /// Units of these uses for each record, and the time of cores.
  double input_units(int rank) const;
  double input_cpu(int rank) const;
  /// Where the rank's files lie on another host.
  bool reads_from_afar(int rank) const {
    return scenario_->storage.host >= 0 && scenario_->storage.host != location(rank).host;
  }
  /// From a simulated rank to any. Made when first asked for; the reference stays valid.
  Channel& channel(int from, int to, Block block = {});
  /// Messages and bytes that each channel has sent, in the order in which they were made.
  using Sent = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  Sent sent() const;
  /// Adds what has come since `before`, `times` times over.
  void repeat_sent(std::uint64_t times, const Sent& before);
  /// All, in the order in which they were made.
  const std::vector<Channel*>& channels_made() const { return made_; }
  /// The channel's next data leave: chooses their way, as the cluster's routing does.
  void steer(Channel& channel) const {
    if (channel.route_.choices.size() > 1) choose_route(channel);
    if (channel.route_.slices > 1) channel.left_at_ = ledger_->now();
  }
  /// Takes down what the channels' next latencies hang on, beside messages and activities.
  void describe(StateRecord& record) const;
  /// Advances the clock by `seconds` in one step, in which all goes on as it did.
  void skip(double seconds);
  /// Puts all channels back on their first route: each repetition begins as the first one.
  void rewind();
  /// From now on some channels of kernels stand for others: a run's messages are theirs, too.
  void fold_channels(ChannelFold fold);
  const ChannelFold& channel_fold() const { return channel_fold_; }
  /// Seconds that a block of the rank's GPU copies `bytes`, and until it begins.
  double block_copy(Block block, std::uint64_t bytes) const;
  double block_start(int rank, Block block, bool launched) const;

  const std::string& host_name(int rank) const;

 private:
  /// "host2/core0": where a rank runs, by its binding.
  std::string place_of(int rank) const;
  /// Something as fast as a core of the rank, which it alone has.
  Resource own(const std::string& place, ResourceKind kind, int rank) const;
  void add_scales();
  void add_cpus();
  Resource core_resource(int rank, int sharers) const;
  /// A GPU with ranks; -1: not there, or without a limit.
  struct Gpu {
    int processor = -1;
    int sms = -1, blocks = -1;  ///< its SMs; what the blocks hold of them
    int count = 1;              ///< of SMs; one that stands for all where nobody says
    double memory_rate = 0;     ///< B/s
  };
  struct Kernels {
    int blocks = 0;
    int activity = -1;  ///< that holds their SMs
  };
  static CpuScale shared_gpu_scale();
  void add_gpus();
  void add_shared(Gpu& gpu, const Component& component);
  void add_sms(Uses& uses, int rank, double share) const;
  /// Memory at `rate` while the activity goes on at `speed` units a second.
  void add_memory(Uses& uses, int rank, double rate, double speed) const;
  void never_ends(std::uint64_t) {}
  void add_local_work();
  void add_storage();
  /// Input of a job on a host, of which its devices there have equal parts.
  struct Pipeline {
    const Input* input = nullptr;
    int rank = -1;  ///< the first of these
    int devices = 0;
    int resource = -1;
  };
  /// All cores of a host where an input takes some. A thread weighs `factor`.
  struct SharedCores {
    int factor = 1;
    int taken = 0;
    int resource = -1;
  };
  void count_pipelines();
  void add_shared_cores();
  void add_inputs();
  const Pipeline* pipeline(int rank) const;
  /// None where no input takes cores of the rank's host.
  Uses shared_cores(int rank) const;
  Vertex domain_of(int rank) const { return fabric_.domain_of(rank); }
  Uses local_work(int rank, int reads, int writes) const;
  Way way(int from, int to, const Fabric::RouteUses& route) const;
  Fabric::RouteUses route_uses(int from, int to, bool engines, Block block = {}) const;
  /// NICs of the rank in its communicator's channel; none where no ring says them.
  nccl::ChannelNics channel_nics(int rank, Block block) const;
  /// Those of `ends` from host to host, which are a channel's or what orbits see of one.
  struct Ends;
  Fabric::Waypoints waypoints(const Ends& ends, int from, int to) const;
  std::vector<Fabric::Waypoints> stripes(const Ends& ends, int from, int to) const;
  Fabric::RouteUses striped_uses(const Ends& ends, int from, int to, bool engines,
                                 const RouteChoice& choice = {}) const;
  PairRoute make_route(int from, int to);
  int message_time(ResourceId of, bool out);
  PairRoute::Choices choices(const Ends& ends, bool engines, const Fabric::RouteUses& hashed) const;
  void choose_route(Channel& channel) const;
  Block known_block(int from, int to, Block block) const;
  Channel& add_channel(const Ends& ends);
  PairRoute make_block_route(int from, int to, Block block);
  void add_block(Uses& uses, int rank, Block block, double carries, int times,
                 bool receives = false);
  void add_exchange(Uses& uses, int rank, Block block, double carries, bool out, int times);
  const Location& location(int rank) const { return scenario_->placement.ranks[rank]; }

  const Jobs jobs_;
  const Scenario* scenario_;
  Ledger* ledger_;
  const Orbits orbits_;
  ChannelFold channel_fold_;
  const bool shares_gpus_;
  const CpuScale gpu_scale_ = shared_gpu_scale();
  Table<int> hosts_;
  Table<CpuScale> scales_;  ///< by rank; one for all ranks of a host
  Fabric fabric_;
  Table<Uses> cpus_, reductions_, copies_, inputs_;
  Table<Gpu> gpus_;                                    ///< by rank
  std::map<int, Kernels> kernels_;                     ///< by the resource of a GPU's SMs
  std::map<int, int> storage_resources_;               ///< by host
  std::map<int, SharedCores> shared_cores_;            ///< by host
  std::map<std::pair<int, int>, Pipeline> pipelines_;  ///< by host, and by job
  std::map<int, FurtherThreads> further_;              ///< by host
  std::map<int, int> spare_cores_;  ///< by host: the resource that crowded threads share
  /// By host, or proxy of a rank, and direction.
  std::map<ResourceId, int> message_times_;
  struct Ends {
    int from, to;
    Block block;
    bool operator==(const Ends&) const = default;
  };
  struct EndsHash {
    std::size_t operator()(const Ends& ends) const;
  };
  std::unordered_map<Ends, Channel, EndsHash> channels_;
  std::vector<Channel*> made_;
  std::vector<Channel*> sliced_;  ///< of these those with several slices
  /// Uses of a byte between two ranks of a host, and whether it goes over an NVLink: equal for all
  /// channels of a kernel whose switch does the same to so many messages.
  std::map<std::tuple<int, int, Switch, int>, std::pair<Fabric::RouteUses, bool>> inside_;
  /// By rank, communicator, channel (-1: all of a GPU), protocol, and bytes of data in one on the
  /// wire.
  std::map<std::tuple<int, int, int, Protocol, double>, int> blocks_;
  /// By rank, communicator, channel, bytes of data in one on the wire, and whether it leaves.
  std::map<std::tuple<int, int, int, double, bool>, int> exchanges_;
};

}  // namespace ringscope::sim
