// SPDX-License-Identifier: LGPL-2.1-or-later
#include "validation/executors/batches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "topologies/input/units.hpp"

namespace ringscope {
namespace {

constexpr int least_samples = 5;
constexpr double longest_batch_s = 0.02;  ///< unless one iteration is longer
constexpr double long_s = 0.05;           ///< a first iteration that needs no second warm-up

/// Bytes that an iteration moves.
double work_of(const Point& point) { return static_cast<double>(point.bytes) * point.operations; }

double median_of(const std::vector<double>& sorted) {
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : std::midpoint(sorted[half - 1], sorted[half]);
}

bool precise(const StoppingRule& rule, std::vector<double> samples) {
  const std::optional<Interval> interval = median_interval(samples, rule.confidence);
  if (!interval) return false;
  std::ranges::sort(samples);
  const double median = median_of(samples), reach = rule.precision * median;
  return interval->low >= median - reach && interval->high <= median + reach;
}

}  // namespace

Budget::Budget(std::function<double()> clock, const BenchOptions& options, double weight)
    : clock_(std::move(clock)),
      repetitions_(options.repetitions),
      end_s_(clock_() + options.budget_s),
      weight_left_(weight) {}

void Budget::begin_series(std::string name, double weight) {
  series_ = std::move(name);
  series_end_s_ = clock_() + (end_s_ - clock_()) * weight / weight_left_;
  weight_left_ -= weight;
  points_left_ = 1;
  started_ = false;
  left_out_ = false;
  last_work_ = 0;
  stand("its start");
}

void Budget::stand(const std::string& place) {
  const std::lock_guard lock(place_mutex_);
  place_ = series_ + ": " + place;
}

std::string Budget::place() const {
  const std::lock_guard lock(place_mutex_);
  return place_;
}

std::optional<std::vector<double>> Budget::take(const Point& point, const TimedRun& run,
                                                const Told& told) {
  const std::string size = to_short_text(Bytes{point.bytes});
  stand(size + ", the warm-up");
  if (told(is_hopeless(point) ? 1 : 0) != 0) {
    leave_out(point);
    return std::nullopt;
  }
  const Trial trial = try_out(point, run, told);
  const int count = told(samples_count(point, trial.sample_s));
  --points_left_;
  started_ = true;
  if (count == 0) {
    leave_out(point);
    return std::nullopt;
  }
  stand(size + ", the samples");
  std::vector<double> samples_s;
  for (int i = 0; i < count; ++i)
    samples_s.push_back(std::max(0.0, run(trial.iterations)) / trial.iterations / point.operations);
  return samples_s;
}

Budget::Trial Budget::try_out(const Point& point, const TimedRun& run, const Told& told) {
  Trial trial;
  for (int trials = 1;; ++trials) {
    const double start_s = clock_();
    trial.timed_s = run(trial.iterations);
    trial.sample_s = clock_() - start_s;
    const int next = told(next_iterations(trial, point, trials));
    if (next == 0) break;
    trial.iterations = next;
  }
  last_work_ = work_of(point);
  last_sample_s_ = trial.sample_s;
  return trial;
}

/// 0: the trial was long enough. The very first may have opened a connection: it does not tell.
int Budget::next_iterations(const Trial& trial, const Point& point, int trials) const {
  if (trial.sample_s > long_s) return 0;
  const double wanted = 1.2 * point.batch_s / std::max(trial.timed_s, 1e-9);
  const double affordable = longest_batch_s / std::max(trial.sample_s, 1e-9);
  const double growth = std::min({wanted, affordable, 100.0});
  const bool enough = trial.timed_s >= point.batch_s || growth <= 1;
  if (enough) return trials == 1 ? trial.iterations : 0;
  return static_cast<int>(std::ceil(growth * trial.iterations));
}

/// A point takes its share of the time that is left, and more only for the least count. Half is for
/// the larger ones, which cost more.
int Budget::samples_count(const Point& point, double sample_s) const {
  const int most = std::min(repetitions_, point.most_samples);
  const int least = std::min(least_samples, most);
  if (least * sample_s > left_s()) return 0;
  const double share_s = (series_end_s_ - clock_()) / std::max(1, 2 * points_left_ - 1);
  return std::clamp(static_cast<int>(std::clamp(share_s / std::max(sample_s, 1e-9), 0.0, 1e6)),
                    least, most);
}

/// Without trying: a larger one was left out already, or the one before says so. That says little
/// about a size that is much larger.
bool Budget::is_hopeless(const Point& point) const {
  if (left_out_ || left_s() <= 0) return true;
  const double growth = work_of(point) / last_work_;
  if (last_work_ == 0 || growth > 16) return false;
  const bool in_proportion = last_sample_s_ > longest_batch_s;
  const double expected_s = last_sample_s_ * (in_proportion ? growth : 1.0);
  return least_samples * expected_s > left_s();
}

double Budget::left_s() const { return (started_ ? series_end_s_ : end_s_) - clock_(); }

void Budget::leave_out(const Point& point) {
  const std::string from =
      point.bytes == 0 ? "" : fmt::format("{} and more ", to_short_text(Bytes{point.bytes}));
  if (!left_out_)
    notes_.push_back(fmt::format("{}: {}omitted, for lack of time (--budget)", series_, from));
  left_out_ = true;
}

std::optional<std::size_t> samples_outside(std::size_t count, double confidence) {
  const double tail = (1 - confidence) / 2;
  // P(fewer than k + 1 of `count` samples lie below the median), k = 0, 1, ..: in logarithms, for
  // 2^-count leaves the range of a double.
  const double n = static_cast<double>(count);
  double sum = 0;
  std::size_t outside = 0;
  while (outside < count / 2 + 1) {
    const double k = static_cast<double>(outside);
    sum += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) -
                    n * std::log(2.0));
    if (sum > tail) break;
    ++outside;
  }
  if (outside == 0) return std::nullopt;
  return outside - 1;
}

std::optional<Interval> median_interval(std::vector<double> samples, double confidence) {
  const std::optional<std::size_t> outside = samples_outside(samples.size(), confidence);
  if (!outside) return std::nullopt;
  std::ranges::sort(samples);
  return Interval{samples[*outside], samples[samples.size() - 1 - *outside]};
}

std::string_view stopped_by(const StoppingRule& rule, const std::vector<double>& samples,
                            double elapsed_s) {
  if (std::ssize(samples) < rule.least) return "";
  if (precise(rule, samples)) return "precision";
  if (std::ssize(samples) >= rule.most) return "repetitions";
  return elapsed_s >= rule.budget_s ? "budget" : "";
}

std::string_view repeat(const RepetitionRule& rule, const std::vector<double>& samples_s,
                        const std::function<double()>& clock,
                        const std::function<void(bool warmup)>& once, const Told& told) {
  for (int i = 0; i < rule.warmups; ++i) once(true);
  const double begun_s = clock();
  std::string_view why;
  do {
    once(false);
    why = stopped_by(rule.stop, samples_s, clock() - begun_s);
  } while (told(why.empty() ? 0 : 1) == 0);
  return why;
}

}  // namespace ringscope
