// SPDX-License-Identifier: LGPL-2.1-or-later
// Stopping rule: repetitions are enough when the median is known as well as was asked.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

namespace ringscope {

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

}  // namespace ringscope
