// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/estimate/nccl_times.hpp"

#include <cmath>

#include "nccl/choice/choice.hpp"
#include "scenarios/answer/explain/explain.hpp"
#include "scenarios/warnings/job_warnings.hpp"
#include "sim/simulation.hpp"

namespace ringscope {
namespace {

/// Widths between two points, as shares of the size: above one over this the curve is looked at all
/// along; below one over that no longer.
constexpr std::uint64_t wide = 16, finest = 8192;

/// The multiple of the highest power of two. Requires to > from + 1.
std::uint64_t roundest_between(std::uint64_t from, std::uint64_t to) {
  for (int bit = 63; bit > 0; --bit)
    if (const std::uint64_t next = ((from >> bit) + 1) << bit; next < to && next > from)
      return next;
  return from + 1;
}

/// Place of a size between two others, on a line.
template <class Point>
double on_line(const Point& from, const Point& to, std::uint64_t bytes) {
  const double share = (static_cast<double>(bytes) - static_cast<double>(from.bytes)) /
                       (static_cast<double>(to.bytes) - static_cast<double>(from.bytes));
  return from.time_s + share * (to.time_s - from.time_s);
}

}  // namespace

NcclTimes::NcclTimes(Scenario scenario)
    : scenario_(std::move(scenario)),
      call_(kernel_call_of(scenario_)),
      fit_knows_job_(beyond_fit(scenario_, {}).empty()) {}

NcclTimes::Choice NcclTimes::choice(std::uint64_t bytes) const {
  const nccl::Platform& machine = *scenario_.job.nccl;
  const nccl::KernelChoice chosen = nccl::choose(call_, bytes, machine);
  return {chosen, nccl::channels(chosen, call_, bytes, machine)};
}

EstimatedCall NcclTimes::estimate(std::uint64_t bytes, double time_s) const {
  const Choice chosen = choice(bytes);
  return {
      .time_s = time_s,
      .likely = likely_range(scenario_.library, fit_knows_job_, call_.nodes, Bytes{bytes}, time_s),
      .algorithm = nccl::algorithm_names[chosen.kernel.algorithm],
      .protocol = protocol_names[chosen.kernel.protocol],
      .channels = chosen.channels};
}

NcclTimes::Point NcclTimes::point(std::uint64_t bytes) const {
  Scenario one = scenario_;
  one.job.bytes = Bytes{bytes};
  RunOptions options;
  options.path_limit = 0;
  if (progress_) options.progress = [this](double) { progress_(-1); };
  return {bytes, simulate(one, options).time_s};
}

EstimatedCall NcclTimes::simulated(std::uint64_t bytes) const {
  return estimate(bytes, point(bytes).time_s);
}

// Between powers of two NCCL compares straight lines, so that a choice has one stretch of sizes,
// and the thresholds of channels have one each: halving finds both ends of what the first steps
// hit.
void NcclTimes::add_jumps(std::vector<std::uint64_t>& ends, std::uint64_t before,
                          std::uint64_t behind) const {
  if (choice(before) == choice(behind)) return;
  if (behind - before == 1) return ends.insert(ends.end(), {before, behind}), void();
  const std::uint64_t middle = before + (behind - before) / 2;
  add_jumps(ends, before, middle);
  add_jumps(ends, middle, behind);
}

// Steps of whole chunks make the time a staircase in places. Far apart, four sizes at no simple
// share are looked at, so that it does not pass for a line; near each other the roundest size and
// the next one, since steps begin behind multiples of chunks.
void NcclTimes::refine(const Point& from, const Point& to, double tolerance) {
  const std::uint64_t width = to.bytes - from.bytes;
  std::vector<Point> all = {from};
  bool straight = true;
  const auto look = [&](std::uint64_t bytes) {
    if (bytes <= all.back().bytes || bytes >= to.bytes) return;
    all.push_back(point(bytes));
    straight &= std::abs(on_line(from, to, bytes) / all.back().time_s - 1) <= tolerance;
  };
  if (width > from.bytes / wide) {
    for (const double share : {0.07, 0.382, 0.618, 0.93})
      if (straight)
        look(from.bytes + static_cast<std::uint64_t>(share * static_cast<double>(width)));
  } else if (width > 1 + from.bytes / finest) {
    const std::uint64_t middle = roundest_between(from.bytes, to.bytes);
    look(middle);
    look(middle + 1);
  }
  all.push_back(to);
  if (straight) return points_.insert(points_.end(), all.begin() + 1, all.end()), void();
  for (std::size_t i = 1; i < all.size(); ++i) refine(all[i - 1], all[i], tolerance);
}

void NcclTimes::build_table(const TableSizes& sizes, const std::function<void(double)>& progress) {
  assert(0 < sizes.least && sizes.least < sizes.most);
  constexpr int steps = 64;  // for each doubling
  std::vector<std::uint64_t> ends = {sizes.least};
  const double octaves =
      std::log2(static_cast<double>(sizes.most) / static_cast<double>(sizes.least));
  std::uint64_t last = sizes.least;
  for (int i = 1; static_cast<double>(i) < octaves * steps; ++i) {
    const auto next = static_cast<std::uint64_t>(static_cast<double>(sizes.least) *
                                                 std::exp2(static_cast<double>(i) / steps));
    if (next <= last) continue;
    add_jumps(ends, last, next);
    last = next;
    if (i % steps == 0 && ends.back() < next) ends.push_back(next);
  }
  add_jumps(ends, last, sizes.most);
  if (ends.back() < sizes.most) ends.push_back(sizes.most);

  double done = 0;
  progress_ = [&](double share) {
    if (share >= 0) done = share;
    if (progress) progress(done);
  };
  points_ = {point(ends.front())};
  for (std::size_t i = 1; i < ends.size(); ++i) {
    if (ends[i] - points_.back().bytes > 2) points_.push_back(point(points_.back().bytes + 1));
    const Point from = points_.back(), to = point(ends[i]);
    if (choice(from.bytes) == choice(to.bytes))
      refine(from, to, sizes.bound / 2);
    else
      points_.push_back(to);
    progress_(static_cast<double>(i) / static_cast<double>(ends.size()));
  }
  progress_ = nullptr;
}

EstimatedCall NcclTimes::at(std::uint64_t bytes) const {
  assert(points_.size() > 1);
  if (bytes <= points_.front().bytes) return estimate(bytes, points_.front().time_s);
  auto behind = std::ranges::lower_bound(points_, bytes, {}, &Point::bytes);
  if (behind == points_.end()) --behind;
  return estimate(bytes, on_line(*(behind - 1), *behind, bytes));
}

}  // namespace ringscope
