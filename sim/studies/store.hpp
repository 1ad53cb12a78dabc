// SPDX-License-Identifier: LGPL-2.1-or-later
// Results that outlive the program: an SQLite file with one row per simulation.
#pragma once

#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "scenarios/answer/report.hpp"
#include "sim/studies/store_tables.hpp"

namespace ringscope {

// Outcome of a simulation, as a study keeps it.

/// Result of one simulation, small enough to keep by the million.
struct Outcome {
  double time_s = 0;
  /// Bottleneck, as `compare` says it: "CPU copy on host2/numa0/core0 (rank 7)"; "" where the
  /// critical path was not kept.
  std::string limit;
  /// Values by metric_names(): training's only of a training job, those of several jobs only where
  /// there are background jobs; and of each of these "neighbours.NAME.time_s".
  std::map<std::string, double> metrics;
  std::string error;  ///< "" or why there is none: a deadlock is a result

  bool operator==(const Outcome&) const = default;
};

/// Names of an outcome's metrics, as in scenarios/schema.md: "time_s", "busbw", "records_per_s",
/// "critical_path.copy", ...
std::vector<std::string> metric_names();

/// True if more of it is better: a bandwidth, a rate; of times and bytes less is.
bool more_is_better(const std::string& metric);

Outcome outcome_of(const Report& report);

/// Thread-safe. What is put is on disk a tenth of a second later, in one transaction with what came
/// meanwhile; a program that is killed loses no more, and leaves a file that opens. Several
/// programs may use one file at once. Rows hold nothing that differs between two runs of one
/// scenario, so that the same results are the same contents whoever computed them, and in whatever
/// order.
///
/// Throws InputError, from any call, for a file that is no such store, that cannot be written, or
/// that another program has locked for half a minute.
class Store {
 public:
  /// "": in memory, for as long as this object lives. `table`: the rows of one kind; others in the
  /// same file are other rows.
  explicit Store(const std::string& path, std::string table = "results");
  ~Store();
  Store& operator=(Store&&) = delete;  ///< neither copied nor moved

  std::optional<Outcome> find(const Key& key);
  void put(const Key& key, const Outcome& outcome);
  void flush();  ///< now
  /// Drops the results of other versions of the program, whose keys nobody asks for any more.
  void prune();

  /// Says that it has a shard of a study, with these points. Refuses a store that has another one.
  void begin_part(const PartLabel& label, std::span<const std::string> points);
  /// Keeps, in such a store, the key of a point's result: on disk no later than the result.
  void name(const std::string& point, const Key& key);

 private:
  using Rows = std::map<Key, Outcome>;
  using Names = std::map<std::string, Key>;

  void write(const Rows& rows, const Names& names);
  void flush_now_and_then(const std::stop_token& stop);
  void throw_failure();

  std::mutex database_mutex_;  ///< taken before rows_mutex_ where both are
  std::string table_;
  Database database_;
  Results results_;
  std::mutex rows_mutex_;
  std::condition_variable_any changed_;
  Rows waiting_;                ///< put, and not written yet
  Names waiting_names_;         ///< put, and not written yet
  std::exception_ptr failure_;  ///< of a flush that nobody called
  std::jthread flusher_;        ///< last: it uses all the others
};

}  // namespace ringscope
