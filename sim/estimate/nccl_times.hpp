// SPDX-License-Identifier: LGPL-2.1-or-later
// Times of one communicator's collectives by size, from a table of simulated points: for compilers,
// schedulers and cost models, which ask often.
#pragma once

#include <string>

#include "scenarios/answer/report.hpp"
#include "scenarios/question/scenario.hpp"

namespace ringscope {

struct EstimatedCall {
  double time_s = 0;
  std::optional<TimeRange> likely{};  ///< where the library has a `spread` for that size
  std::string_view algorithm, protocol;
  int channels = 1;
};

/// Sizes of a table, and the most by which it may miss the simulated times that build_table() looks
/// at. A step of the time between them can be missed by more.
struct TableSizes {
  std::uint64_t least = 8, most = std::uint64_t{16} << 30;  ///< bytes
  double bound = 0.02;                                      ///< relative
};

/// Times of one communicator. Queries may come from several threads once the table is there.
class NcclTimes {
 public:
  explicit NcclTimes(Scenario scenario);

  const Scenario& scenario() const { return scenario_; }

  /// By a simulation of that size.
  EstimatedCall simulated(std::uint64_t bytes) const;

  /// Simulates points of the table: from one jump of NCCL's choice to the next, until lines between
  /// neighbours miss the simulated times between them by less than half the bound. A jump of the
  /// time itself is found to within 1/8192 of the size. `progress` is told the share of the
  /// sizes that is done; what it throws ends the work, and is thrown.
  void build_table(const TableSizes& sizes, const std::function<void(double)>& progress = {});
  int points() const { return static_cast<int>(points_.size()); }

  /// From the table: NCCL's choice for exactly that size, and the time on the line between two
  /// neighbours. Smaller sizes than the table's take as long as its least, larger ones are on the
  /// last line. Requires build_table().
  EstimatedCall at(std::uint64_t bytes) const;

 private:
  struct Choice {
    nccl::KernelChoice kernel;
    int channels = 1;
    bool operator==(const Choice& other) const {
      return kernel.algorithm == other.kernel.algorithm &&
             kernel.protocol == other.kernel.protocol && channels == other.channels;
    }
  };
  struct Point {
    std::uint64_t bytes = 0;
    double time_s = 0;
  };

  Choice choice(std::uint64_t bytes) const;
  EstimatedCall estimate(std::uint64_t bytes, double time_s) const;
  Point point(std::uint64_t bytes) const;
  void add_jumps(std::vector<std::uint64_t>& ends, std::uint64_t before,
                 std::uint64_t behind) const;
  void refine(const Point& from, const Point& to, double tolerance);

  Scenario scenario_;
  nccl::KernelCall call_;
  bool fit_knows_job_;         ///< of likely_range()
  std::vector<Point> points_;  ///< by rising size
  std::function<void(double)> progress_;
};

// One communicator and one collective of NCCL's, named in a few words, as a scenario.

/// Communicator and collective as a user names them. Errors name the places of these values.
struct NcclQuestion {
  Value cluster;  ///< as in a scenario
  Value collective;
  Value ranks;      ///< null: those of the placement, or as many as there are GPUs
  Value library;    ///< null: that of the cluster's file, or of its GPUs
  Value placement;  ///< counts or a map as in a scenario; null: GPUs of host after host
};

/// A word as such a value: YAML that begins with '{' or '[', or a name; null for "".
Value named_value(const std::string& where, const std::string& word);

/// Scenario of one call, of any size. Throws InputError.
Scenario nccl_scenario(const NcclQuestion& question);

}  // namespace ringscope
