// SPDX-License-Identifier: LGPL-2.1-or-later
// Parameters of an MPI library's message transport, for the model in sim/mpi.
#pragma once

#include <algorithm>
#include <climits>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/table.hpp"
#include "nccl/choice/tuning.hpp"
#include "topologies/input/input.hpp"
#include "topologies/input/units.hpp"

namespace ringscope {

// A time that depends on a message's size, in segments: as measurements of real libraries show it.

class SizedTime {
 public:
  struct Segment {
    std::uint64_t up_to = UINT64_MAX;  ///< bytes, inclusive
    Seconds time{};
    ByteCost cost{};  ///< beside `time`, per byte of the whole message
    bool operator==(const Segment&) const = default;
  };

  /// The same for every size.
  SizedTime(Seconds time = {}) : segments_{{.time = time}} {}
  /// Requires at least one segment, by rising `up_to`; the last one takes all sizes that are left.
  explicit SizedTime(std::vector<Segment> segments) : segments_(std::move(segments)) {}

  /// Seconds for a message of `bytes`.
  double at(std::uint64_t bytes) const {
    std::size_t i = 0;
    while (bytes > segments_[i].up_to && i + 1 < segments_.size()) ++i;
    return segments_[i].time.count() +
           static_cast<double>(bytes) * segments_[i].cost.seconds_per_byte;
  }
  bool is_zero() const {
    const Segment& first = segments_.front();
    return segments_.size() == 1 && first.time.count() == 0 && first.cost.seconds_per_byte == 0;
  }
  /// Adds to the time of every size.
  SizedTime plus(Seconds more) const {
    SizedTime result = *this;
    for (Segment& segment : result.segments_) segment.time += more;
    return result;
  }
  /// Scales the time of every size by the factor.
  SizedTime times(double factor) const {
    SizedTime result = *this;
    for (Segment& segment : result.segments_) {
      segment.time *= factor;
      segment.cost.seconds_per_byte *= factor;
    }
    return result;
  }
  bool operator==(const SizedTime&) const = default;

 private:
  std::vector<Segment> segments_;
};

/// "5 us", or [{up_to: 1 KiB, time: 5 us, cost: 0.1 ns/B}, ..., {time: 20 us}]. Throws InputError.
SizedTime read_sized_time(const Value& value, std::string_view what);

// Parameters of the transport.

/// Mover of a message's bytes: the processes at both ends (TCP), the receiver alone (shared memory
/// by single copy: its get needs nobody at the other end), or the NIC.
enum class Driver { caller, receiver, nic };

/// How messages of one pair of processes are on their way that are above the eager limit: sharing
/// it, or in order, the data of one after those of the other. Eager ones always go in order.
enum class Order { shared, fifo };

/// Runner of the progress engine, which matches messages and answers handshakes: the calling
/// process (only while it is inside an MPI call), a thread beside it, or the NIC.
enum class Progress { caller, thread, nic };

/// Core of a progress thread: one of its own, or its rank's.
enum class ProgressCore { spare, shared };

/// Transport of messages over one kind of way. Symbols in brackets are LogGP's and LogGOPS's.
struct Transport {
  SizedTime latency;        ///< beyond the links' own [L]; of control messages: at size 0
  SizedTime send_overhead;  ///< CPU per message sent [o]
  SizedTime recv_overhead;  ///< CPU per message received [o]
  /// Mean of an exponentially distributed time that each message takes longer: what a rank waits
  /// for interrupts, switches and its system, which chains of messages amplify.
  SizedTime jitter;
  ByteCost send_cost{};  ///< CPU per byte at the sender: copies, checksums, system calls [O]
  ByteCost recv_cost{};  ///< CPU per byte at the receiver [O]
  ByteCost
      unexpected_cost{};  ///< CPU per byte of the extra copy of an eager message that came early
  Bytes eager_limit{};    ///< up to it a message is sent at once; above it RTS, CTS, data
  /// Eager bytes of one pair that are held until the receiver takes them; more wait at the sender.
  Bytes eager_room{};  ///< 0: there is room for all
  /// Piece in which bytes ahead of a handshake are copied, sent and copied, all at once but for the
  /// first and the last one.
  Bytes eager_piece{};  ///< 0: one after the other, each the whole message
  Bytes rts_data{};     ///< bytes of a message above it that travel with the RTS
  Bytes buffer{};       ///< bytes that the OS moves by itself when an end leaves MPI
  /// CPU at each end of a message above the eager limit, before the NIC may reach its buffer.
  SizedTime registration;
  Bytes gap{};  ///< by which a message above the eager limit is longer on its way [g]
  /// Time that a message keeps a host's NIC busy in its direction before its bytes leave [g]: what
  /// the ranks of a host share.
  SizedTime message_gap;
  /// Least time between two interrupts of a host's NIC: what comes before waits for the next.
  Seconds interrupt_interval{};
  /// CPU of a poll for each connection that the receiver has open beyond one.
  Seconds connection_cost{};
  Driver driver = Driver::caller;
  Order order = Order::shared;
  double goodput = 1;  ///< of a network: the share of a cable's bandwidth that is not headers

  bool moves_by_nic() const { return driver == Driver::nic; }
};

/// Ways of a message: from a rank to itself; inside a host through its memory; between hosts. Where
/// a rank's buffers lie in a GPU: by peer access inside a host; through host memory inside a host;
/// straight between a NIC and a GPU. Between hosts without GPUDirect the way is network.
enum class Way { self, shm, network, p2p, staged, gdr };
inline constexpr Array<std::string_view, 6> way_names = {"self", "shm",    "network",
                                                         "p2p",  "staged", "gdr"};

/// Local work on a GPU.
struct GpuCosts {
  bool always_staged = false;  ///< messages inside a host go through its memory, peers or not
  Seconds launch{};            ///< before a reduction or a copy runs
  ByteCost reduce_cost{};      ///< of a reduction, beyond its memory traffic
  ByteCost copy_cost{};        ///< of a copy, beyond its memory traffic
};

/// Costs of one protocol of kernels that exchange data themselves: of a block of threads, the
/// channel, that sends, reduces and passes on.
struct ProtocolCosts {
  Seconds start{};        ///< until a block has begun, once
  Transport inside_host;  ///< of it `latency`: a hop, beyond the links' own
  Transport between_hosts;
  double carries = 1;            ///< bytes of data in each byte on a link of a host
  double carries_over_pcie = 1;  ///< in place of `carries`, where no NVLink leads from GPU to GPU
  double carries_between_hosts = 1;
  Bandwidth block;  ///< of data that one block passes on
  Bandwidth copy;   ///< of data that one block copies to their place at the end
  Bandwidth gpu;    ///< of data that all blocks of a GPU pass on
};

struct BlockCosts {
  Seconds launch{};                       ///< of a kernel, once
  Seconds issue{};                        ///< of the host's thread for one
  std::optional<Seconds> exchange_start;  ///< start of a block that sends for a group; none: as any
  Array<ProtocolCosts, protocol_names.size()> protocols;  ///< indexed by Protocol
  nccl::Generation generation = nccl::Generation::ampere;
  int version = 231;      ///< of NCCL, 2.31, for its choice
  Seconds nic_latency{};  ///< of a NIC, for NCCL's choice, as its plug-in states it
  /// Bytes of data in each byte on a link to a switch that adds up or copies them; 0: the library
  /// makes no use of such switches.
  double in_switch = 0;
  /// Rate of a channel's sends between hosts, and of its receives. NCCL counts on 14 GB/s
  /// (2.29.2, src/graph/paths.cc, NCCL_P2P_PER_CHANNEL_NET_BW).
  Bandwidth exchange_between_hosts{14e9};

  const ProtocolCosts& costs(Protocol protocol) const { return protocols[protocol]; }

  /// Launch of a kernel that a CUDA graph holds or not. In a graph kernels of 2.9 us take 3.4 us
  /// each: developer.nvidia.com/blog/cuda-graphs (V100, CUDA 10.1).
  Seconds launch_from(bool cuda_graph) const {
    return cuda_graph ? std::min(launch, Seconds(0.5e-6)) : launch;
  }
};

/// Share of the measured times that a band of a library's `spread` holds, in percent.
inline constexpr int spread_percent = 90;

/// Factors of predicted times between which that share of the measured ones was, on machines that
/// the library was fitted to nothing of.
struct SpreadBand {
  std::uint64_t up_to = UINT64_MAX;  ///< bytes, inclusive
  double low = 1, high = 1;
};

/// Bands by rising size; none where nothing is known.
struct SpreadBands {
  std::vector<SpreadBand> one_host, several_hosts;
  int hosts = INT_MAX;  ///< most of a measured machine; none said: any number

  /// Band of jobs of that size; null: nothing is known.
  const SpreadBand* band(bool between_hosts, std::uint64_t bytes) const {
    const std::vector<SpreadBand>& bands = between_hosts ? several_hosts : one_host;
    const auto found =
        std::ranges::find_if(bands, [&](const SpreadBand& one) { return bytes <= one.up_to; });
    return found == bands.end() ? nullptr : &*found;
  }
};

/// Sizes of messages and vectors, hosts, ranks on one host and collectives that a fit has seen:
/// beyond them the model extrapolates.
struct FittedRange {
  Bytes least{}, most{};
  int hosts = 1;
  int ranks_per_host = 1;
  std::set<std::string> collectives;   ///< of NCCL; empty: any
  std::optional<SpreadBand> errors{};  ///< of measured times that a fit without their size omits

  bool holds(Bytes bytes) const { return bytes <= most && (bytes.count == 0 || bytes >= least); }
};

/// Detours of the operating system: at random times it takes a core for a while.
struct DetourTimes {
  Seconds every{};  ///< mean time between two; 0: none
  Seconds takes{};  ///< mean time of one, exponentially distributed
  bool any() const { return every.count() > 0 && takes.count() > 0; }
};

/// Reads `{every: 10 ms, takes: 100 us}` of a key such as "detours" or "stalls". Both stay as they
/// are where the key is not.
void read_interruptions(Fields& fields, std::string_view key, Seconds& every, Seconds& takes);

struct Library {
  std::string name;
  std::string about;
  std::string transport_name;  ///< of blocks between hosts; "": nobody says
  SpreadBands spread;
  std::optional<FittedRange> fitted;
  Array<Transport, way_names.size()> transports;  ///< indexed by Way
  bool knows_gpus = false;                        ///< p2p, staged and gdr are there
  GpuCosts gpu;
  std::optional<BlockCosts> blocks;  ///< of kernels that exchange data themselves
  Progress progress = Progress::caller;
  ProgressCore progress_core = ProgressCore::spare;
  ProgressCore thread_core = ProgressCore::spare;  ///< the same, of a rank's further threads
  /// CPU for each posted receive, or early message, that matching looks at before it finds one.
  Seconds match_cost{};
  int endpoints = 1;         ///< locks (and engines) per process; thread t uses t mod endpoints
  int wanted_endpoints = 1;  ///< as configured
  std::optional<int> most_endpoints{};  ///< that the network's provider offers; empty: any number
  /// CPU of a call's lock, where ranks have several threads; their messages' overheads then have
  /// it.
  Seconds thread_multiple{};
  ByteCost reduce_cost{};  ///< CPU per byte of the local reduction
  ByteCost copy_cost{};    ///< CPU per byte of a local copy
  DetourTimes detours;     ///< of a host's cores with ranks, where the job states none
  Value resolved;          ///< all defaults filled in

  const Transport& transport(Way way) const { return transports[way]; }
  /// Whether messages of any way take a random time.
  bool has_jitter() const {
    return std::ranges::any_of(transports,
                               [](const Transport& one) { return !one.jitter.is_zero(); });
  }
};

/// `value` is a name from scenarios/libraries, a path, or a map. A map may say `base: NAME` and
/// override single values of it. Throws InputError, also for combinations that cannot be: a NIC
/// that runs progress for a caller-driven network.
Library read_library(const Value& value);

/// Adds the locks of MPI_THREAD_MULTIPLE to the overheads of all messages.
void lock_calls(Library& library);

// Parts of a library's file: `blocks`, `spread`, `uncached` and `fitted`.

/// Costs of kernels that exchange data themselves.
/// `resolved` gets the map as it was read, defaults filled in. Throws InputError.
BlockCosts read_blocks(const Value& value, Value& resolved);

/// Key `spread` of a library. Throws InputError.
SpreadBands read_spread(const Value& value);

// Costs that depend on the caches' size: of jobs with longer vectors than a library says.

/// Refuses what is wrong with a library's `uncached`, also where no job has such vectors.
/// `resolved` is the library as it was read. Throws InputError.
void check_uncached(const Value& resolved);

/// Fits `library` to a job whose vectors have `bytes` bytes; a second call forgets the first.
void take_vectors(Library& library, Bytes vector);

/// Key `fitted` of a library; nothing where it has none. `library` is its map. Throws InputError.
std::optional<FittedRange> read_fitted(const Value& library);

}  // namespace ringscope
