// SPDX-License-Identifier: LGPL-2.1-or-later
// The question: a job on a cluster, with a library, placed.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "algorithms/steps/host_order.hpp"
#include "scenarios/library/library.hpp"
#include "scenarios/question/resource_id.hpp"
#include "topologies/cluster.hpp"
#include "topologies/placement/placement.hpp"

namespace ringscope {

namespace nccl {
struct JobChannels;  // nccl/search/job_channels.hpp
}

/// Noise that makes computations take longer than they say, drawn anew for each from the job's
/// seed.
struct Noise {
  double spread = 0;  ///< of a log-normal factor of mean 1: standard deviation of its logarithm
  DetourTimes detours{};
  double slowdown = 1;  ///< factor for the ranks in `stragglers`
  std::vector<int> stragglers{};
  std::vector<int> slow_hosts{};  ///< all ranks on them are stragglers, wherever they are placed
  bool has_stragglers() const { return !stragglers.empty() || !slow_hosts.empty(); }
};

/// Location of files: on each host, or on one host that the others reach over the network.
struct Storage {
  Bandwidth bandwidth = Bandwidth::unlimited();  ///< of one such store, read or written
  int host = -1;                                 ///< -1: each host has its own
};

/// GPU demand of a computation that runs alone.
struct Needs {
  Bandwidth memory{};   ///< bytes of its memory that they read and write in a second
  bool stated = false;  ///< in place of it what a program says of each computation
  double sms = 1;       ///< share of its multiprocessors
  int waves = 0;        ///< in which its blocks go through them; 0: too many to matter
};

struct NcclGroups;    // scenarios/question/nccl_communicators.hpp
struct ScheduleFile;  // scenarios/schedule/schedule_file.hpp

struct Job {
  const Algorithm* algorithm = nullptr;
  Options options;
  std::shared_ptr<const Training> training;        ///< target of the options' pointer; null: none
  std::shared_ptr<const PairSizes> sizes;          ///< target of the options' pointer; null: none
  std::shared_ptr<const nccl::Platform> nccl;      ///< target of the options' pointer; null: none
  std::shared_ptr<const ScheduleFile> schedule;    ///< target of options and algorithm; null: none
  std::shared_ptr<const nccl::JobChannels> rings;  ///< by which data go; null: no search applies
  std::shared_ptr<const NcclGroups> groups;        ///< target of the options' pointer
  std::string rings_file;                          ///< path of theirs; "": they were searched for
  Bytes bytes{};                                   ///< of the vector on each rank
  int repetitions = 1;  ///< each starts when all ranks have ended the one before
  std::uint64_t seed = 1;
  Seconds skew{};  ///< each rank starts late by a random time in [0, skew)
  /// Computation that overlaps the collective: it is posted as a non-blocking one and waited for
  /// afterwards. Empty: it blocks.
  std::optional<Seconds> overlap;
  std::optional<Needs> needs;  ///< of computations on GPUs; empty: they share nothing
  Noise noise;
  /// Times of computations, cores or batches are drawn from the seed.
  bool draws_times() const;
};

/// A background job of the cluster, which runs beside the foreground job.
struct Neighbour {
  std::string name;
  Placement placement;
  Job job;          ///< one repetition of it, without noise
  int rounds = 0;   ///< one after the other; 0: anew as long as the foreground job runs
  Seconds start{};  ///< delay after the start of the foreground job
};

/// Improvement over the files, for the question "what if".
struct Speedup {
  ResourceId resource;        ///< or none
  double capacity = 1;        ///< factor of its capacity
  double link_latencies = 1;  ///< factor of all of them
  bool free_links = false;    ///< what leaves a host is there at once, as far as cables count
  /// Factor of the latency of a route, inside a host or from host to host.
  double latencies(bool between_hosts) const {
    return between_hosts && free_links ? 0 : link_latencies;
  }
};

/// One case to simulate: a scenario with one vector size.
struct Scenario {
  std::string name;       ///< "03-anomaly 4-2-2 64 MiB": stem, case, and size where several
  bool labelled = false;  ///< the name is a reader's, without the stem
  std::string question;
  Cluster cluster;
  Library library;
  Placement placement;
  Storage storage;
  Job job;
  std::vector<Neighbour> neighbours;
  Value resolved;  ///< the whole tree, defaults filled in, `job.bytes` this case's size
  Speedup speedup;
};

/// Threads of a host's ranks beside the first ones, which are bound to cores, and the cores that no
/// rank is bound to. Where the cores are too few, these threads share them; where there are none,
/// each runs on the core of its rank.
struct FurtherThreads {
  int threads = 0, cores = 0;
  bool lack_cores() const { return threads > cores; }
};

/// By host, of all jobs. Streams of programs, traces and large models do not count, nor do threads
/// of ranks on GPUs, most of them blocks of kernels.
std::map<int, FurtherThreads> further_threads(const Scenario& scenario);

struct Override {
  std::string key;  ///< dotted path
  std::string text;
  std::string option = "--set";  ///< that gave it, for errors
};

/// "job.bytes=64MiB" into its parts; throws InputError.
Override parse_override(const std::string& argument);
std::vector<Override> parse_overrides(const std::vector<std::string>& arguments);

/// Reads one scenario file, lays the overrides over it, and gives one Scenario per `job.bytes`.
/// `cases: [{name: ..., set: {placement: 4-2-2}}, ...]` in the file multiplies it, too.
/// `name` is a path, or the name of a file in scenarios/.
std::vector<Scenario> read_scenarios(const std::string& name,
                                     const std::vector<Override>& overrides);

// Options of a job, with what its executor knows of the ranks on which it is placed.

class PlacedOptions {
 public:
  PlacedOptions(const Job& job, const Placement& placement)
      : hosts_(hosts_of(placement)), by_host_(ranks(), &hosts_), options_(job.options) {
    options_.given.hosts = &hosts_;
    options_.given.by_host = &by_host_;
  }
  PlacedOptions& operator=(PlacedOptions&&) = delete;  ///< neither copied nor moved

  int ranks() const { return static_cast<int>(hosts_.size()); }
  const Options& operator*() const { return options_; }

 private:
  static std::vector<int> hosts_of(const Placement& placement) {
    return each_of(placement.ranks, &Location::host);
  }

  const std::vector<int> hosts_;
  const HostGroups by_host_;
  Options options_;
};

}  // namespace ringscope
