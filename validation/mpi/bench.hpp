// Measures points within a budget of time and keeps the samples.
//
// The first rank of a team decides how much to measure and tells the others, so that all ranks of a
// team always make the same calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "validation/mpi/layout.hpp"

namespace ringscope::mpi {

struct Series;

struct BenchOptions {
  std::vector<std::uint64_t> sizes;  ///< ascending; [] for powers of 4 and around the eager limit
  int repetitions = 30;              ///< samples per point, fewer where time is short
  double budget_s = 150;             ///< for all series together
};

/// What is measured at one point, and how its samples are to be taken.
struct Point {
  std::string what;
  nlohmann::ordered_json parameters;
  std::uint64_t bytes = 0;
  int operations = 1;       ///< per iteration: a sample is the time of one
  double batch_s = 50e-6;   ///< least timed work behind a sample
  int most_samples = 1000;  ///< for points where few are enough
  bool kept = true;         ///< false: for the probe's own use
};

/// Runs so many iterations and returns the seconds that count, on the team's first rank.
using Run = std::function<double(int iterations)>;

class Bench {
 public:
  /// `weight`: of all series that will be run, to divide the budget. The clock starts here.
  Bench(MPI_Comm job, BenchOptions options, double weight);

  /// Runs the series, which is the `order`-th of the document. Collective over the job; ranks
  /// without a part sleep until the others are done.
  void run(const Series& series, int order);

  /// Warms up, then takes samples as time allows. The median, or nothing when the point was left
  /// out because 5 samples would take longer than the series may; its first point may take all that
  /// is left of the budget. Collective over the team.
  std::optional<double> measure(const Team& team, const Point& point, const Run& run);

  /// Of the messages to measure, ascending: what is left of the series' time is shared between as
  /// many points. Those around the eager limit are for probes that show it, and where nobody asked
  /// for other sizes. Collective over the team.
  std::vector<std::uint64_t> sizes(const Team& team, bool around_limit = true);

  /// At least `bytes` bytes, touched; what was in it may be lost. Two rooms, 0 and 1.
  std::byte* room(int number, std::size_t bytes);

  /// What is known of each way; see eager_limit(). No value: no limit was found.
  std::map<std::string, std::optional<std::uint64_t>>& eager_limits() { return eager_limits_; }

  /// Where this rank is, for a watchdog in another thread.
  std::string place() const;

  /// The measurements of all ranks in their order, and what was left out. Complete on rank 0 of the
  /// job. Collective.
  struct Results {
    nlohmann::ordered_json measurements = nlohmann::ordered_json::array();
    std::vector<std::string> left_out;
  };
  Results results() const;

 private:
  struct Trial {
    int iterations = 1;   ///< of a sample
    double sample_s = 0;  ///< what one takes, all told
    double timed_s = 0;   ///< what of it counts
  };
  Trial try_out(const Team& team, const Point& point, const Run& run);
  int next_iterations(const Trial& trial, const Point& point, int trials) const;
  int samples_count(const Point& point, double sample_s) const;
  bool is_hopeless(const Point& point) const;
  double left_s() const;
  void leave_out(const Point& point);
  void rest();
  void stand(const std::string& place);

  MPI_Comm job_;
  BenchOptions options_;
  double end_s_;
  double weight_left_;

  // Of the series that runs.
  std::string series_;
  int order_ = 0;
  double series_end_s_ = 0;
  int points_left_ = 1;
  bool started_ = false;   ///< its first point is measured
  bool left_out_ = false;  ///< a size was: larger ones are not tried
  double last_work_ = 0;   ///< bytes per iteration of the last point that was tried
  double last_sample_s_ = 0;

  std::vector<std::pair<int, nlohmann::ordered_json>> entries_;  ///< by order
  std::vector<std::string> notes_;
  std::map<std::string, std::optional<std::uint64_t>> eager_limits_;
  std::vector<std::byte> rooms_[2];
  mutable std::mutex place_mutex_;
  std::string place_;
};

}  // namespace ringscope::mpi
