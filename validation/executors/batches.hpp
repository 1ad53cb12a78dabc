// SPDX-License-Identifier: LGPL-2.1-or-later
// Numbers of iterations per sample and of samples per point, within a budget of time.
//
// One process decides; where several take part, it tells the others, so that all make the same
// calls.
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringscope {

// Stopping rule: repetitions are enough when the median is known as well as was asked.

struct Interval {
  double low = 0, high = 0;
};

/// Number of samples at each end of `count` sorted ones outside the confidence interval of their
/// median; nullopt where `count` is too small for any interval. Nonparametric: the number of
/// samples below the true median is binomial with share 1/2, whatever the distribution (Le Boudec,
/// "Performance Evaluation of Computer and Communication Systems", theorem 2.1). Requires 0 <
/// confidence < 1.
std::optional<std::size_t> samples_outside(std::size_t count, double confidence);

/// The interval that holds the true median with at least this confidence; nullopt for too few.
std::optional<Interval> median_interval(std::vector<double> samples, double confidence);

struct StoppingRule {
  int least = 10;
  int most = 200;
  double confidence = 0.95;
  double precision = 0.05;  ///< of the median: how far the interval may reach to either side
  double budget_s = std::numeric_limits<double>::infinity();  ///< does not count before `least`
};

/// Reason why the samples suffice: "precision", "repetitions" or "budget"; "" while they do not.
std::string_view stopped_by(const StoppingRule& rule, const std::vector<double>& samples,
                            double elapsed_s);

/// Broadcasts the deciding process's number to all; the number itself where there is one process.
using Told = std::function<int(int)>;
inline int told_to_itself(int number) { return number; }

struct RepetitionRule {
  int warmups = 2;
  StoppingRule stop;
};

/// Calls `once(true)` for each warm-up, then `once(false)`, which adds to `samples_s`, until the
/// deciding process has enough samples. Returns the reason of this process.
std::string_view repeat(const RepetitionRule& rule, const std::vector<double>& samples_s,
                        const std::function<double()>& clock,
                        const std::function<void(bool warmup)>& once,
                        const Told& told = told_to_itself);

struct BenchOptions {
  std::vector<std::uint64_t> sizes;  ///< ascending; [] for those that suit the probe
  int repetitions = 30;              ///< samples per point, fewer where time is short
  double budget_s = 150;             ///< for all series together
};

/// A point to measure, and how its samples are to be taken.
struct Point {
  std::string what;
  nlohmann::ordered_json parameters;
  std::uint64_t bytes = 0;
  int operations = 1;       ///< per iteration: a sample is the time of one
  double batch_s = 50e-6;   ///< least timed work behind a sample
  int most_samples = 1000;  ///< for points where few are enough
  bool kept = true;         ///< false: for the probe's own use
};

/// Runs this many iterations and returns the seconds that count.
using TimedRun = std::function<double(int iterations)>;

/// Divides a budget of time between series of points, and that of a series between its points.
class Budget {
 public:
  /// `weight`: of all series that will be run. The clock starts here.
  Budget(std::function<double()> clock, const BenchOptions& options, double weight);

  /// The next points belong to this series, whose share of what is left is by its weight.
  void begin_series(std::string name, double weight);
  /// Shares the rest of the series' time between as many points.
  void expect_points(int count) { points_left_ = count; }

  /// Warms up, then takes samples as time allows, each the seconds of one operation. Nothing when
  /// the point was left out because 5 samples would take longer than the series may; its first
  /// point may take all that is left of the budget.
  std::optional<std::vector<double>> take(const Point& point, const TimedRun& run,
                                          const Told& told);

  /// Present position, for a watchdog in another thread: "stream, shm: 4 KiB, the samples".
  std::string place() const;
  /// Sets it, inside the series: "waiting for the others".
  void stand(const std::string& place);
  const std::string& series() const { return series_; }

  /// Points left out, in words.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  struct Trial {
    int iterations = 1;   ///< of a sample
    double sample_s = 0;  ///< duration of one, all told
    double timed_s = 0;   ///< the part of it that counts
  };
  Trial try_out(const Point& point, const TimedRun& run, const Told& told);
  int next_iterations(const Trial& trial, const Point& point, int trials) const;
  int samples_count(const Point& point, double sample_s) const;
  bool is_hopeless(const Point& point) const;
  double left_s() const;
  void leave_out(const Point& point);

  std::function<double()> clock_;
  int repetitions_;
  double end_s_;
  double weight_left_;

  // State of the series that runs.
  std::string series_;
  double series_end_s_ = 0;
  int points_left_ = 1;
  bool started_ = false;   ///< its first point is measured
  bool left_out_ = false;  ///< a size was: larger ones are not tried
  double last_work_ = 0;   ///< bytes per iteration of the last point that was tried
  double last_sample_s_ = 0;

  std::vector<std::string> notes_;
  mutable std::mutex place_mutex_;
  std::string place_;
};

}  // namespace ringscope
