#include "validation/mpi/bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "topologies/units.hpp"
#include "validation/measurement.hpp"
#include "validation/mpi/clock.hpp"
#include "validation/mpi/probe.hpp"

namespace ringscope::mpi {
namespace {

using Json = nlohmann::ordered_json;

constexpr int least_samples = 5;
constexpr double longest_batch_s = 0.02;  ///< unless one iteration is longer
constexpr double long_s = 0.05;           ///< a first iteration that needs no second warm-up

std::vector<std::uint64_t> default_sizes(std::optional<std::uint64_t> limit) {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t bytes = 1; bytes <= 64 << 20; bytes *= 4) sizes.push_back(bytes);
  if (limit && *limit > 0) sizes.insert(sizes.end(), {*limit, *limit + 1, 2 * *limit});
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

/// Bytes that an iteration moves.
double work_of(const Point& point) { return static_cast<double>(point.bytes) * point.operations; }

/// One text per rank, on rank 0.
std::vector<std::string> gather(MPI_Comm job, const std::string& mine) {
  int rank = 0, size = 0;
  MPI_Comm_rank(job, &rank);
  MPI_Comm_size(job, &size);
  const auto length = static_cast<int>(mine.size());
  std::vector<int> lengths(static_cast<std::size_t>(size)), starts(lengths.size() + 1);
  MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, job);
  for (std::size_t i = 0; i < lengths.size(); ++i) starts[i + 1] = starts[i] + lengths[i];
  std::string all(static_cast<std::size_t>(starts.back()), ' ');
  MPI_Gatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), starts.data(), MPI_CHAR, 0,
              job);
  std::vector<std::string> texts;
  for (std::size_t i = 0; rank == 0 && i < lengths.size(); ++i)
    texts.push_back(
        all.substr(static_cast<std::size_t>(starts[i]), static_cast<std::size_t>(lengths[i])));
  return texts;
}

}  // namespace

Bench::Bench(MPI_Comm job, BenchOptions options, double weight)
    : job_(job),
      options_(std::move(options)),
      end_s_(now_s() + options_.budget_s),
      weight_left_(weight) {}

void Bench::run(const Series& series, int order) {
  series_ = series.name;
  order_ = order;
  series_end_s_ = now_s() + (end_s_ - now_s()) * series.weight / weight_left_;
  weight_left_ -= series.weight;
  points_left_ = 1;
  started_ = false;
  left_out_ = false;
  last_work_ = 0;
  stand("its start");
  if (series.team.has_me()) series.run(*this);
  stand("waiting for the others");
  rest();
}

// Ranks may share cores: one that has nothing to do must not poll in the way of those that measure.
void Bench::rest() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(job_, &request);
  for (int over = 0;; doze(1e-3)) {
    MPI_Test(&request, &over, MPI_STATUS_IGNORE);
    if (over != 0) return;
  }
}

std::optional<double> Bench::measure(const Team& team, const Point& point, const Run& run) {
  stand(fmt::format("{}, the warm-up", to_short_text(Bytes{point.bytes})));
  if (team.told(is_hopeless(point) ? 1 : 0) != 0) {
    leave_out(point);
    return std::nullopt;
  }
  const Trial trial = try_out(team, point, run);
  const int count = team.told(samples_count(point, trial.sample_s));
  --points_left_;
  started_ = true;
  if (count == 0) {
    leave_out(point);
    return std::nullopt;
  }
  stand(fmt::format("{}, the samples", to_short_text(Bytes{point.bytes})));
  std::vector<double> samples_s;
  for (int i = 0; i < count; ++i)
    samples_s.push_back(std::max(0.0, run(trial.iterations)) / trial.iterations / point.operations);
  if (team.index == 0 && point.kept)
    entries_.emplace_back(order_, measurement_json(point.what, point.parameters, samples_s));
  return team.told(spread_of(samples_s).median_s);
}

Bench::Trial Bench::try_out(const Team& team, const Point& point, const Run& run) {
  Trial trial;
  for (int trials = 1;; ++trials) {
    const double start_s = now_s();
    trial.timed_s = run(trial.iterations);
    trial.sample_s = now_s() - start_s;
    const int next = team.told(next_iterations(trial, point, trials));
    if (next == 0) break;
    trial.iterations = next;
  }
  last_work_ = work_of(point);
  last_sample_s_ = trial.sample_s;
  return trial;
}

/// 0: the trial was long enough. The very first may have opened a connection: it does not tell.
int Bench::next_iterations(const Trial& trial, const Point& point, int trials) const {
  if (trial.sample_s > long_s) return 0;
  const double wanted = 1.2 * point.batch_s / std::max(trial.timed_s, 1e-9);
  const double affordable = longest_batch_s / trial.sample_s;
  const double growth = std::min({wanted, affordable, 100.0});
  const bool enough = trial.timed_s >= point.batch_s || growth <= 1;
  if (enough) return trials == 1 ? trial.iterations : 0;
  return static_cast<int>(std::ceil(growth * trial.iterations));
}

/// A point takes its share of the time that is left, and more only for the least count. Half is for
/// the larger ones, which cost more.
int Bench::samples_count(const Point& point, double sample_s) const {
  const int most = std::min(options_.repetitions, point.most_samples);
  const int least = std::min(least_samples, most);
  if (least * sample_s > left_s()) return 0;
  const double share_s = (series_end_s_ - now_s()) / std::max(1, 2 * points_left_ - 1);
  return std::clamp(static_cast<int>(std::clamp(share_s / sample_s, 0.0, 1e6)), least, most);
}

/// Without trying: a larger one was left out already, or the one before says so. That says little
/// about a size that is much larger.
bool Bench::is_hopeless(const Point& point) const {
  if (left_out_ || left_s() <= 0) return true;
  const double growth = work_of(point) / last_work_;
  if (last_work_ == 0 || growth > 16) return false;
  const bool in_proportion = last_sample_s_ > longest_batch_s;
  const double expected_s = last_sample_s_ * (in_proportion ? growth : 1.0);
  return least_samples * expected_s > left_s();
}

double Bench::left_s() const { return (started_ ? series_end_s_ : end_s_) - now_s(); }

void Bench::leave_out(const Point& point) {
  const std::string from =
      point.bytes == 0 ? "" : fmt::format("{} and more ", to_short_text(Bytes{point.bytes}));
  if (!left_out_)
    notes_.push_back(fmt::format("{}: {}left out, for lack of time (--budget)", series_, from));
  left_out_ = true;
}

std::vector<std::uint64_t> Bench::sizes(const Team& team, bool around_limit) {
  std::vector<std::uint64_t> sizes = options_.sizes;
  if (sizes.empty()) {
    const auto known = eager_limits_.find(team.way);
    sizes =
        default_sizes(around_limit && known != eager_limits_.end() ? known->second : std::nullopt);
    // Only the first rank of a team is sure to have seen the limit.
    sizes.resize(static_cast<std::size_t>(team.told(static_cast<int>(sizes.size()))));
    MPI_Bcast(sizes.data(), static_cast<int>(sizes.size()), MPI_UINT64_T, 0, team.comm);
  }
  points_left_ = static_cast<int>(sizes.size());
  return sizes;
}

std::byte* Bench::room(int number, std::size_t bytes) {
  std::vector<std::byte>& room = rooms_[number];
  if (room.size() < bytes) room = std::vector<std::byte>(bytes);
  return room.data();
}

void Bench::stand(const std::string& place) {
  const std::lock_guard lock(place_mutex_);
  place_ = series_ + ": " + place;
}

std::string Bench::place() const {
  const std::lock_guard lock(place_mutex_);
  return place_;
}

Bench::Results Bench::results() const {
  Json mine = {{"entries", Json::array()}, {"notes", notes_}};
  for (const auto& [order, entry] : entries_) mine["entries"].push_back({order, entry});
  std::vector<std::pair<int, Json>> entries;
  Results results;
  for (const std::string& text : gather(job_, mine.dump())) {
    const Json one = Json::parse(text);
    for (const Json& entry : one["entries"]) entries.emplace_back(entry[0], entry[1]);
    for (const Json& note : one["notes"])
      if (std::find(results.left_out.begin(), results.left_out.end(), note) ==
          results.left_out.end())
        results.left_out.push_back(note);
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [order, entry] : entries) results.measurements.push_back(std::move(entry));
  return results;
}

}  // namespace ringscope::mpi
