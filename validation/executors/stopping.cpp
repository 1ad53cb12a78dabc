// SPDX-License-Identifier: LGPL-2.1-or-later
#include "validation/executors/stopping.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ringscope {
namespace {

double median_of(const std::vector<double>& sorted) {
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : std::midpoint(sorted[half - 1], sorted[half]);
}

bool precise(const StoppingRule& rule, std::vector<double> samples) {
  const std::optional<Interval> interval = median_interval(samples, rule.confidence);
  if (!interval) return false;
  std::sort(samples.begin(), samples.end());
  const double median = median_of(samples), reach = rule.precision * median;
  return interval->low >= median - reach && interval->high <= median + reach;
}

}  // namespace

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
  std::sort(samples.begin(), samples.end());
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
