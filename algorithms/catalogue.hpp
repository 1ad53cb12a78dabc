// SPDX-License-Identifier: LGPL-2.1-or-later
// Every algorithm by name, with what it declares about itself.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/verbs/communicator.hpp"
#include "base/table.hpp"

namespace ringscope {

namespace nccl {
struct Platform;  // nccl/choice/tuning.hpp
}

namespace schedules {
struct Schedule;  // algorithms/schedules/schedule.hpp
}

struct HostGroups;  // algorithms/steps/host_order.hpp
struct TreeEnds;    // algorithms/steps/binary_trees.hpp
class PairSizes;    // algorithms/alltoall/pair_sizes.hpp
class KnownGroups;  // algorithms/groups/on_group.hpp
struct Training;    // algorithms/training/training.hpp

/// Knowledge of the executor about the ranks of a program. Owners keep what it points to while the
/// program runs.
struct Environment {
  std::size_t item_bytes = 1;  ///< of an item, for rules that depend on bytes
  /// The host of each rank, as MPI_Comm_split_type finds it out. Null: each has a host of its own.
  const std::vector<int>* hosts = nullptr;
  /// Host groups derived from `hosts`, computed once for all ranks where there are many. Null: each
  /// rank derives them.
  const HostGroups* by_host = nullptr;
  /// Order of the ranks in the ring of each channel. Null: the algorithm's own.
  const Table<Table<int>>* orders = nullptr;
  /// Neighbours of each rank in the tree of each channel. Null: trees are made of the orders.
  const Table<Table<TreeEnds>>* trees = nullptr;
  /// Machine as NCCL sees it. Null: nothing is known of the library's protocols.
  const nccl::Platform* nccl = nullptr;
  /// For each channel the first equivalent one: same ring, same NICs. Null: unknown.
  const std::vector<int>* like = nullptr;
  /// Communicators of groups of ranks as the library builds them. Null: none are known.
  const KnownGroups* groups = nullptr;
  int stream = 0;           ///< of the rank that runs it; kernels of several run at once
  bool cuda_graph = false;  ///< holds the kernels of the job
};

/// Parameters of a job beside the vector. An algorithm names in `Algorithm::options` those that it
/// reads; a scenario that sets another is refused.
struct Options {
  std::size_t segment = 65536;        ///< items in a pipeline segment; at least 1
  Duration compute{};                 ///< computation of a rank while a message is in flight
  int rounds = 1;                     ///< repetitions of a point-to-point pattern; at least 1
  int root = 0;                       ///< of a collective that has one
  int rings = 1;                      ///< parallel rings, each on its part of the vector
  int threads = 1;                    ///< of each rank, each on its part of the vector
  std::string_view inside = "ring";   ///< two-level: the allreduce among the ranks of a host ...
  std::string_view between = "ring";  ///< ... and between the hosts' leaders
  int servers = 1;                    ///< the last ranks; at least 1, and fewer than ranks
  int steps = 1;                      ///< of each worker or solver; at least 1
  Duration update{};                  ///< a server's time per item of an update
  int bound = 0;                      ///< most steps that a worker may be ahead of the slowest
  Duration pause{};                   ///< of a solver's exchanging thread after each pull
  /// Kernels of a step that run in order with the copies, on one stream; 0: each has its own.
  int default_stream = 0;
  double push_share = 1;  ///< of a solver's gradients that goes
  bool own_copy = false;  ///< a solver keeps the weights as they came
  /// Bytes of one number that a program reduces, for rules that depend on their count.
  std::size_t number_bytes = 4;
  std::string_view algorithm = "auto";  ///< of a library's choice: its own, or the one forced
  std::string_view protocol = "auto";   ///< of the choice, or forced; elsewhere Simple
  int channels = 0;                     ///< 0: the choice's, elsewhere one
  int sms = 0;                          ///< of a GPU that channels may take at once; 0: all
  int gpus_per_thread = 1;              ///< of a host, whose kernels it launches one by one
  /// Layers of a training job, kept by their owner. Null: one layer that takes no time.
  const Training* training = nullptr;
  /// Schedule from a file, kept by its owner; null: none.
  const schedules::Schedule* schedule = nullptr;
  /// Sizes of what each pair exchanges in an alltoallv, kept by their owner. Null: equal ones.
  const PairSizes* sizes = nullptr;
  Environment given{};  ///< not by the scenario: by whoever runs the program
};

/// Declared, and counted by a test for every algorithm.
///
/// Steps are rounds of a machine whose ranks have one full-duplex port: in a round a rank sends at
/// most one message and receives at most one. Every thread has a clock, at first 0:
/// - a message is sent in round max(clock of its thread when it is posted, the round of the rank's
///   last send) + 1;
/// - it is received, when a posted receive matches it, in round max(the round it was sent in, the
///   round of the rank's last receive + 1);
/// - completing a receive lifts the clock of the thread that waits for it to that round, completing
///   a send lifts nothing;
/// - a thread starts with its starter's clock, and joining it lifts to its clock;
/// - reaching a flag lifts to the highest clock of those who have raised it;
/// - a multicast is one message, sent in one round.
/// The last round is the number of steps: 2 for a ping-pong, 1 for an exchange.
struct Cost {
  std::int64_t steps = 0;     ///< the longest chain of such rounds
  std::int64_t messages = 0;  ///< over all ranks
  std::uint64_t items = 0;    ///< on the wire, over all ranks

  bool operator==(const Cost&) const = default;
  /// One after the other.
  Cost& operator+=(const Cost& next) {
    steps += next.steps;
    messages += next.messages;
    items += next.items;
    return *this;
  }
  Cost operator*(std::int64_t times) const {
    return {steps * times, messages * times, items * static_cast<std::uint64_t>(times)};
  }
};

/// Cost fields that are lower bounds, because they depend on the order of messages or on timing.
/// The cost declares the least.
enum class Varies : std::uint8_t { nothing, steps, all };

/// Data of one rank: its vector and its scratch space.
struct Workspace {
  Range data;
  Range scratch;
};

/// A property of an algorithm, for a number of ranks, of items, and options.
using Property = bool (*)(int ranks, std::size_t items, const Options&);
inline bool always(int, std::size_t, const Options&) { return true; }

/// Scratch space of an algorithm that needs none, and of one that needs a vector where there are
/// several ranks.
inline std::size_t no_scratch(int, std::size_t, Options) { return 0; }
inline std::size_t scratch_of_several(int ranks, std::size_t items, Options) {
  return ranks == 1 ? 0 : items;
}

/// An order of the ranks in which rank `ranks[i + n]` does with rank `ranks[p + n]`, modulo the
/// ranks, what rank `ranks[i]` does with rank `ranks[p]`: for every multiple n of `step`.
struct AlikeOrder {
  Table<int> ranks;
  int step = 1;
};

/// Ranks among which a program has collectives, and their name in reports.
struct RankGroup {
  std::string name;
  SharedRanks ranks;
};

struct Algorithm {
  std::string_view collective;  ///< "allreduce", "pingpong", ...: a row of collectives.def
  std::string_view name;        ///< unique inside its collective: "ring", "recursive_doubling"
  std::string_view summary;     ///< one line for `ringscope list`
  std::vector<std::string_view> options{};  ///< the names of the Options it reads
  int least_ranks = 1;
  bool one_host = false;  ///< all its ranks have to be on one
  /// Each rank sends to the next one alone, the last to the first, all alike; and to the root,
  /// where its collective has one.
  bool ring = false;
  bool one_channel = false;  ///< stands for a library that opens several, one by each NIC of a host
  int threads = 1;           ///< of each rank at once, its first one counted
  int nonblocking = 0;       ///< non-blocking collectives of each rank at once
  /// Number of threads where it depends on the options; `threads` then does not count.
  int (*threads_for)(const Options&) = nullptr;
  Task (*run)(Communicator, Workspace, Options);
  Cost (*cost)(int ranks, std::size_t items, Options);
  std::size_t (*scratch_items)(int ranks, std::size_t items, Options) = no_scratch;
  /// A selector's choice: the name of the algorithm that it runs.
  std::string_view (*chosen)(int ranks, std::size_t items, Options) = nullptr;
  Varies varies = Varies::nothing;
  /// Rank r + n does with p + n, modulo the ranks, what rank r does with its peer p: for every n
  /// that leads from a rank of one host to that rank of another, where hosts have as many ranks
  /// each and chunks are of one size. Null: never. A test holds every algorithm that says so to it.
  Property alike = nullptr;
  /// The order in which that holds, of programs that ask for hosts on groups alone; null: as the
  /// ranks are numbered.
  AlikeOrder (*alike_order)(int ranks, const Options&) = nullptr;
  /// Groups of ranks on which it runs collectives, each of them once. Null: it has none.
  std::vector<RankGroup> (*groups)(int ranks, const Options&) = nullptr;
};

/// Run functions of programs by what these take beside the communicator: the vector, or its chunks,
/// one for each rank; the scratch space; options.
template <auto program, auto... options>
Task on_vector(Communicator comm, Workspace work, [[maybe_unused]] Options given) {
  return program(comm, work.data, given.*options...);
}
template <auto program, auto... options>
Task on_vector_and_scratch(Communicator comm, Workspace work, [[maybe_unused]] Options given) {
  return program(comm, work.data, work.scratch, given.*options...);
}
template <auto program, auto... options>
Task on_chunks(Communicator comm, Workspace work, [[maybe_unused]] Options given) {
  return program(comm, Chunks(work.data, comm.size()), given.*options...);
}
template <auto program, auto... options>
Task on_chunks_and_scratch(Communicator comm, Workspace work, [[maybe_unused]] Options given) {
  return program(comm, Chunks(work.data, comm.size()), work.scratch, given.*options...);
}

/// All algorithms, in the order of catalogue.def.
std::span<const Algorithm> catalogue();

/// Threads that a rank has at once, its first one counted.
inline int threads_of(const Algorithm& algorithm, const Options& options) {
  return algorithm.threads_for != nullptr ? algorithm.threads_for(options) : algorithm.threads;
}

/// Names of a collective's algorithms that `suits` takes, by default all, in that order.
std::vector<std::string> algorithm_names(std::string_view collective,
                                         bool (*suits)(const Algorithm&) = nullptr);

/// nullptr when there is none of that name.
const Algorithm* find_algorithm(std::string_view collective, std::string_view name);

}  // namespace ringscope
