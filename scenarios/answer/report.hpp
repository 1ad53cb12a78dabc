// SPDX-License-Identifier: LGPL-2.1-or-later
// The shape of an answer, the same for every executor.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/training/reported_step.hpp"
#include "algorithms/verbs/source_line.hpp"
#include "base/table.hpp"
#include "scenarios/question/scenario.hpp"
#include "scenarios/schedule/schedule_file.hpp"
#include "topologies/input/units.hpp"

namespace ringscope {

/// State of a rank at an instant. The blocked states say in which call it is blocked.
enum class RankActivity { compute, reduce, copy, overhead, in_send, in_wait, idle };
inline constexpr Array<std::string_view, 7> activity_names = {
    "compute", "reduce", "copy", "overhead", "in_send", "in_wait", "idle"};

/// Cause of time spent: why a blocked rank waited, and what a segment of the critical path is.
enum class Cause {
  compute,   ///< the program's own work
  reduce,    ///< local reduction
  overhead,  ///< CPU per message
  copy,      ///< CPU per byte: a core was the bottleneck of a transfer
  memory,    ///< a memory controller was
  wire,      ///< a link was
  lock,      ///< an endpoint's lock was
  latency,   ///< the wire's and the library's
  protocol,  ///< RTS, CTS and their latencies
  partner,   ///< the other side had not posted its call yet
  progress,  ///< the other side had posted, but was not inside MPI to make progress
  skew,      ///< the rank started late
  storage,   ///< files were read or written
  sleep,     ///< it waited for a clock
  noise,     ///< a computation took longer than the program says
  input,     ///< the input of its host prepared records
  pinning    ///< a buffer was pinned, so that the NIC may reach it
};
inline constexpr Array<std::string_view, 17> cause_names = {
    "compute", "reduce",   "overhead", "copy",    "memory", "wire",  "lock",  "latency", "protocol",
    "partner", "progress", "skew",     "storage", "sleep",  "noise", "input", "pinning"};
using CauseSeconds = Array<double, cause_names.size()>;  ///< indexed by Cause

/// Time in calls on communicators of some of the ranks, and in what they cause: reductions, copies.
struct GroupReport {
  std::string name;      ///< "tensor": what is done there
  double time_s = 0;     ///< per step of a training job
  double partner_s = 0;  ///< the part in which the other side had not posted its call yet
};

/// Times between which `spread_percent` of the measured ones should be.
struct TimeRange {
  double low_s = 0, high_s = 0;
};

/// By errors of the library's fit where that has seen such a size, else by the library's spread;
/// none where it has none for that size. `fit_knows_job`: beyond_fit() is empty for its 0 B.
/// `hosts` that send each other messages: for each doubling beyond the measured ones, the spread
/// gets an independent error of its own width (an assumption: nothing larger is measured).
std::optional<TimeRange> likely_range(const Library& library, bool fit_knows_job, int hosts,
                                      Bytes bytes, double time_s);

struct RankReport {
  int rank = 0;
  std::string host;
  int numa = 0;
  double finish_s = 0;                             ///< from the start of the job
  Array<double, activity_names.size()> seconds{};  ///< indexed by RankActivity; sums to time_s
  CauseSeconds waited_for{};                       ///< sums to in_send + in_wait
  std::vector<GroupReport> groups{};               ///< none where the job has no groups
};

struct PhaseReport {
  std::string name;
  double start_s = 0, end_s = 0;  ///< first rank in, last rank out
};

struct ResourceReport {
  ResourceId id;
  ResourceKind kind{};
  double utilisation = 0;  ///< share of its capacity used, 0..1
};

/// A segment of the critical path: for `seconds`, `cause` held the run up, on `resource` or `rank`.
struct PathSegment {
  Cause cause{};
  int rank = -1;        ///< owner of the core, computation or call; -1: none
  ResourceId resource;  ///< empty where no resource is to blame
  double seconds = 0;
};

/// A state of a rank from start to end: the rows of the timeline and of the trace. A wait whose
/// cause changes is a span for each of its causes.
struct Span {
  int rank = 0;
  RankActivity activity{};
  int phase = -1;  ///< index in Report::phases; -1: none
  int step = 0;
  int peer = -1;
  double start_s = 0, end_s = 0;
  std::optional<Cause> cause{};  ///< why it is blocked, where it is
  int stream = 0;                ///< of the rank: index in Report::stream_names
  SourceLine where{};            ///< of the verb in its program
};

/// Load of a GPU, or of a host's processes, as a monitor samples it: means of equal windows.
struct SampleReport {
  std::string name;             ///< "host0/gpu0", or "host0"
  std::vector<double> percent;  ///< of the time, or of one core
};

/// Time of one stream of the ranks, by what it was spent on, over the ranks that have the stream.
struct StreamReport {
  struct Spent {
    std::string on;  ///< "computing", "waiting in tp groups"
    double mean_s = 0, least_s = 0, most_s = 0;
  };
  std::string name;
  int ranks = 0;
  std::vector<Spent> spent;  ///< means add up to the time
};

/// Ranks that can never go on.
struct Deadlock {
  struct Wait {
    int rank = 0;
    std::string text;        ///< "waits for 4 MiB from rank 0 (allreduce/ring, allgather, step 2)"
    std::vector<int> peers;  ///< ranks waited for; empty where that may be anybody
  };
  std::string text;  ///< for people, in several lines
  std::vector<Wait> waits;
  std::vector<int> cycle;  ///< ranks that wait for each other, each for the next one; or none
};

/// Observations of one thing by an algorithm's program, over all ranks, in one repetition.
struct Observation {
  std::string what;  ///< "staleness"
  std::size_t count = 0;
  double mean = 0, least = 0, median = 0, p90 = 0, most = 0;
  /// Interval between two of the same rank: 0 where no rank made two.
  double median_interval_s = 0, p90_interval_s = 0;
  std::vector<std::pair<double, std::size_t>> values;  ///< each with how often; empty if many
};

/// Communication that no computation of the device hides, by kind of group.
struct ExposedTimes {
  double tp = 0;  ///< tensor groups
  double cp = 0;  ///< context groups
  double ep = 0;  ///< expert groups
  double pp = 0;  ///< messages between stages, without the bubble
  double dp = 0;  ///< gradients and sharded parameters, among devices or with servers
};

/// Time of a training job. Its parts are means over devices and steps, and add up to `step_s`: at
/// each instant the main stream of a device is in one of them. While it computes, communication
/// beside it is in none. While it waits for communication, that time is in `exposed` under the
/// group of the operation that ends the wait, and includes waits for late ranks of the group. In
/// pipeline groups these waits are the bubble instead, and so is the wait for the other stages at
/// the end of the last step.
struct TrainingReport {
  std::string model;
  int devices = 0, batch = 0, steps = 0;
  int replica = 1;          ///< devices that share a batch
  double one_device_s = 0;  ///< forward, backward and update of a step on one device alone
  double step_s = 0;        ///< until all have ended their last one, by the number of steps
  /// From the arrival of the batch to the end of backward, all stalls included: no part of the sum.
  double forward_backward_s = 0;
  double busy_s = 0;                  ///< computing: forward, backward, compression, update
  std::optional<double> slowest_s{};  ///< computing: what the slowest device takes above their mean
  double exposed_s = 0;               ///< sum of `exposed`
  ExposedTimes exposed{};
  double bubble_s = 0;             ///< waiting for other stages of the pipeline
  double input_s = 0;              ///< waiting for the batch
  std::optional<HostWork> host{};  ///< waiting for the host after steps
  double other_s = 0;  ///< late starts, checkpoints, waiting for slower devices at the end
  double records_per_s = 0;
  double efficiency = 0;                ///< one_device_s / step_s
  double epochs = 0;                    ///< in one repetition
  double epoch_s = 0;                   ///< all records of the model, at `records_per_s`
  std::vector<GroupReport> groups{};    ///< means; the rest of a step is spent computing
  std::optional<StageMemory> memory{};  ///< of a GPU of the stage that needs most
  std::optional<double> startup_s{};    ///< before the first step: variables sent to all
  std::optional<int> all_epochs{};      ///< that the job asks for
  std::optional<double> training_s{};   ///< of all these, with the start
};

/// Another job that ran beside this one.
struct NeighbourReport {
  std::string name, collective, algorithm, placement;
  int ranks = 0;
  std::uint64_t bytes = 0;
  int rounds = 0;     ///< completed
  double time_s = 0;  ///< of a round, by their mean
  double end_s = 0;   ///< of the last one, from the start of the foreground job
};

struct Recording;  // scenarios/answer/recording.hpp
struct PathChain;  // scenarios/answer/path_chain.hpp

/// Parts of a report that one repetition fills in.
struct RunParts {
  /// Set for a run that could not go on: all else then tells of the run until then.
  std::optional<Deadlock> deadlock;
  std::vector<PhaseReport> phases;
  std::vector<ResourceReport> resources;       ///< the ten busiest, busiest first, and links
  std::vector<Observation> observations;       ///< by the order in which they were first made
  std::optional<TrainingReport> training;      ///< only of a training job
  std::vector<StreamReport> streams;           ///< only where ranks have several, or groups
  std::vector<PathSegment> path;               ///< merged by (cause, rank, resource), longest first
  std::vector<Span> spans;                     ///< only when asked for
  std::vector<SampleReport> samples;           ///< likewise
  std::shared_ptr<const Recording> recording;  ///< likewise; stays in the process that made it
  std::shared_ptr<const PathChain> chain;      ///< only when asked for
  bool path_reduced = false;  ///< the smaller segments of `path` are sums by cause alone
  std::vector<NeighbourReport> neighbours;  ///< in the order of the scenario
};

struct Report : RunParts {
  std::string name;       ///< of the case
  bool labelled = false;  ///< as in Scenario
  std::string collective, algorithm, placement, library, cluster;
  std::string chosen;  ///< a selector's choice: the algorithm that ran
  int ranks = 0;
  std::uint64_t bytes = 0;
  std::uint64_t seed = 0;
  double time_s = 0;                      ///< median over the repetitions
  std::vector<double> times_s;            ///< of each repetition
  std::optional<TimeRange> likely{};      ///< where the library has a `spread`
  double algbw = 0, busbw = 0;            ///< B/s, as nccl-tests defines them; 0 where undefined
  std::uint64_t messages = 0;             ///< in one repetition, over all ranks
  std::uint64_t bytes_on_wire = 0;        ///< likewise; what left a host or not
  std::uint64_t bytes_between_hosts = 0;  ///< the part that crossed the network
  std::optional<std::uint64_t> file_bytes_between_hosts;  ///< read and written, beside these
  std::vector<RankReport> rank_reports;
  std::vector<std::string> stream_names;  ///< of spans; none where each rank has one stream
  std::string attachment;                 ///< written by a subcommand where the run was simulated
  /// Share of `time_s` and of `messages` not simulated, since it only repeats what was.
  double skipped_s = 0;
  std::uint64_t skipped_messages = 0;
  /// Number of `times_s` that were not simulated: in which nothing is random, so that each is the
  /// first one again.
  std::size_t skipped_repetitions = 0;
  /// Number of ranks simulated, where these stand for all: the others' rows are copies. 0: all.
  int simulated_ranks = 0;
  /// Share of a message by which those of other ranks are longer or shorter, at most, and so about
  /// that of each time; 0: none.
  double uneven = 0;
  std::string not_folded;              ///< why many ranks were all simulated; "" where nobody asked
  std::vector<NodeCount> trace_nodes;  ///< of a trace: what became of each
  std::string kernel;
  std::optional<double> tolerance;  ///< RunOptions::tolerance, where there was one
  double wall_s = 0;                ///< of the simulation itself
  std::uint64_t peak_rss_bytes = 0;
  Value resolved;                     ///< the scenario, all defaults filled in
  std::vector<std::string> warnings;  ///< caveats of the answer; filled in by the command
};

/// Meanings of "time of several jobs": the longest of all their times, or their mean.
double slowest_job_s(const Report& report);
double mean_job_s(const Report& report);

/// The difference by which two predictions may err differently, where the spread of their libraries
/// leaves open which run is faster: "algorithm, protocol or channels". "": the order holds, as no
/// interval is known, as the two do not overlap, or as both runs share their error: the same
/// machine, library and choice of kernel, both inside a host or both between hosts.
std::string open_order(const Report& one, const Report& other);

/// "05-deadlock (deadlock)" where the run could not go on: what a timeline and a trace call it.
std::string shown_name(const Report&);

/// Name of the phase in which a span of the report lies; "": of none.
std::string_view phase_of(const Report& report, const Span& span);

}  // namespace ringscope
