// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/insight/observations.hpp"

#include <algorithm>
#include <map>

namespace ringscope::sim {
namespace {

constexpr std::size_t most_values = 16;  // listed one by one in a report

/// The value below which `share` of the rest lies; of an even number the lower middle is the
/// median. Requires sorted values.
double quantile(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return 0;
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

struct Series {
  std::vector<double> values, intervals;
  std::map<int, double> last_at;  ///< by rank
};

Observation summary(std::string_view what, Series& series) {
  std::sort(series.values.begin(), series.values.end());
  std::sort(series.intervals.begin(), series.intervals.end());
  Observation one;
  one.what = what;
  one.count = series.values.size();
  for (const double value : series.values) one.mean += value / static_cast<double>(one.count);
  one.least = series.values.front();
  one.median = quantile(series.values, 0.5);
  one.p90 = quantile(series.values, 0.9);
  one.most = series.values.back();
  one.median_interval_s = quantile(series.intervals, 0.5);
  one.p90_interval_s = quantile(series.intervals, 0.9);
  std::map<double, std::size_t> counts;
  for (const double value : series.values) ++counts[value];
  if (counts.size() <= most_values) one.values.assign(counts.begin(), counts.end());
  return one;
}

}  // namespace

std::vector<Observation> observations_of(std::span<const Observed> observed) {
  std::vector<std::string_view> order;
  std::map<std::string_view, Series> all;
  for (const Observed& one : observed) {
    const auto [place, is_new] = all.try_emplace(one.what);
    if (is_new) order.push_back(one.what);
    Series& series = place->second;
    series.values.push_back(one.value);
    const auto [last, first_time] = series.last_at.try_emplace(one.rank, one.at);
    if (!first_time) series.intervals.push_back(one.at - std::exchange(last->second, one.at));
  }
  std::vector<Observation> result;
  for (const std::string_view what : order) result.push_back(summary(what, all.at(what)));
  return result;
}

}  // namespace ringscope::sim
