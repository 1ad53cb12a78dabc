// SPDX-License-Identifier: LGPL-2.1-or-later
// Measures points within a budget of time and keeps the samples.
//
// The first rank of a team decides how much to measure and tells the others, so that all ranks of a
// team always make the same calls.
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "validation/executors/batches.hpp"
#include "validation/executors/mpi/layout.hpp"
#include "validation/executors/mpi/probes/exchange.hpp"

namespace ringscope::mpi {

struct Series;

class Bench {
 public:
  /// `weight`: of all series that will be run, to divide the budget. The clock starts here.
  Bench(MPI_Comm job, BenchOptions options, double weight);

  /// Runs the series, which is the `order`-th of the document. Collective over the job; ranks
  /// without a part sleep until the others are done.
  void run(const Series& series, int order);

  /// Measures as Budget::take() does; `run` returns the seconds that count on the team's first
  /// rank. The median, or nothing when the point was left out. A point that is measured again has
  /// all its samples in one entry. Collective over the team.
  std::optional<double> measure(const Team& team, const Point& point, const TimedRun& run);

  /// Sizes of messages to measure, ascending: the rest of the series' time is shared between as
  /// many points. Those around the eager limit are for probes that show it, and where nobody asked
  /// for other sizes. Collective over the team.
  std::vector<std::uint64_t> sizes(const Team& team, bool around_limit = true);

  /// Nobody said which.
  bool chooses_sizes() const { return options_.sizes.empty(); }
  /// For a probe that measures some sizes more than once, after sizes().
  void expect_points(int count) { budget_.expect_points(count); }

  /// At least `bytes` bytes, touched; what was in it may be lost. Two rooms, 0 and 1.
  std::byte* room(int number, std::size_t bytes);

  /// Eager limit known of each way; see eager_limit(). No value: no limit was found.
  std::map<std::string, std::optional<std::uint64_t>>& eager_limits() { return eager_limits_; }

  /// Position of this rank, for a watchdog in another thread.
  std::string place() const { return budget_.place(); }

  /// The measurements of all ranks in their order, and what was left out. Complete on rank 0 of the
  /// job. Collective.
  struct Results {
    nlohmann::ordered_json measurements = nlohmann::ordered_json::array();
    std::vector<std::string> left_out;
  };
  Results results() const;

 private:
  void rest();
  void keep(const Point& point, std::vector<double> samples_s);

  MPI_Comm job_;
  BenchOptions options_;
  Budget budget_;
  int order_ = 0;  ///< its place in the document

  std::vector<std::pair<int, nlohmann::ordered_json>> entries_;  ///< by order
  std::map<std::string, std::optional<std::uint64_t>> eager_limits_;
  std::vector<std::byte> rooms_[2];
};

// Many messages in flight at once.

struct Stream {
  std::uint64_t bytes = 0;  ///< of a message
  int window = 1;           ///< messages between two answers
  int pairs = 1;            ///< parts 0..pairs-1 of the team send to pairs..2*pairs-1
  int directions = 1;       ///< 2: and the other way round at the same time
  int tag = data_tag;       ///< another one for each thread
};

/// Some MiB, so that answers do not count, and at least two messages.
int window_of(std::uint64_t bytes);

/// Runs `windows` windows between this rank and its partner. `sent` holds one message, `received`
/// a window of them.
void run_stream(const Team& team, MPI_Comm comm, const Stream& stream, int windows,
                const std::byte* sent, std::byte* received);

/// Seconds of so many windows over the team's communicator, on the slowest rank.
double time_stream(Bench& bench, const Team& team, const Stream& stream, int windows);

}  // namespace ringscope::mpi
