// SPDX-License-Identifier: LGPL-2.1-or-later
#include "validation/executors/mpi/probes/bench.hpp"

#include <algorithm>

#include "base/table.hpp"
#include "validation/executors/measurement.hpp"
#include "validation/executors/mpi/probes/probe.hpp"

namespace ringscope::mpi {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::uint64_t> default_sizes(std::optional<std::uint64_t> limit) {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t bytes = 1; bytes <= 64 << 20; bytes *= 4) sizes.push_back(bytes);
  if (limit && *limit > 0) sizes.insert(sizes.end(), {*limit, *limit + 1, 2 * *limit});
  std::ranges::sort(sizes);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

}  // namespace

Bench::Bench(MPI_Comm job, BenchOptions options, double weight)
    : job_(job), options_(std::move(options)), budget_([] { return now_s(); }, options_, weight) {}

void Bench::run(const Series& series, int order) {
  order_ = order;
  budget_.begin_series(series.name, series.weight);
  if (series.team.has_me()) series.run(*this);
  budget_.stand("waiting for the others");
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

std::optional<double> Bench::measure(const Team& team, const Point& point, const TimedRun& run) {
  const auto samples_s =
      budget_.take(point, run, [&team](int number) { return team.told(number); });
  if (!samples_s) return std::nullopt;
  if (team.index == 0 && point.kept) keep(point, *samples_s);
  return team.told(spread_of(*samples_s).median_s);
}

std::optional<double> Bench::quickest(const Team& team, Point point,
                                      const std::function<double()>& send) {
  point.batch_s = 0;
  point.most_samples = 5;
  double quickest_s = std::numeric_limits<double>::infinity();
  const auto measured = measure(team, point, [&](int iterations) {
    return sum_of(iterations, [&] {
      const double send_s = send();
      quickest_s = std::min(quickest_s, send_s);
      return send_s;
    });
  });
  return measured ? std::optional(team.told(quickest_s)) : std::nullopt;
}

void Bench::keep(const Point& point, std::vector<double> samples_s) {
  const auto known = std::ranges::find_if(entries_, [&](const auto& one) {
    return one.first == order_ && one.second["what"] == point.what &&
           one.second["parameters"] == point.parameters;
  });
  if (known == entries_.end()) {
    entries_.emplace_back(order_, measurement_json(point.what, point.parameters, samples_s));
    return;
  }
  const auto before = known->second["samples_s"].get<std::vector<double>>();
  samples_s.insert(samples_s.begin(), before.begin(), before.end());
  known->second = measurement_json(point.what, point.parameters, samples_s);
}

std::vector<std::uint64_t> Bench::sizes(const Team& team, bool around_limit) {
  Table<std::uint64_t> sizes = options_.sizes;
  if (sizes.empty()) {
    const auto known = eager_limits_.find(team.way);
    sizes =
        default_sizes(around_limit && known != eager_limits_.end() ? known->second : std::nullopt);
    // Only the first rank of a team is sure to have seen the limit.
    sizes.resize(team.told(static_cast<int>(sizes.size())));
    MPI_Bcast(sizes.data(), static_cast<int>(sizes.size()), MPI_UINT64_T, 0, team.comm);
  }
  budget_.expect_points(static_cast<int>(sizes.size()));
  return sizes;
}

std::byte* Bench::room(int number, std::size_t bytes) {
  std::vector<std::byte>& room = rooms_[number];
  if (room.size() < bytes) room = std::vector<std::byte>(bytes);
  return room.data();
}

Bench::Results Bench::results() const {
  Json mine = {{"entries", Json::array()}, {"notes", budget_.notes()}};
  for (const auto& [order, entry] : entries_) mine["entries"].push_back({order, entry});
  std::vector<std::pair<int, Json>> entries;
  Results results;
  for (const std::string& text : gather(job_, mine.dump())) {
    const Json one = Json::parse(text);
    for (const Json& entry : one["entries"]) entries.emplace_back(entry[0], entry[1]);
    for (const Json& note : one["notes"])
      if (std::ranges::find(results.left_out, note.get<std::string>()) == results.left_out.end())
        results.left_out.push_back(note);
  }
  std::ranges::stable_sort(entries, [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [order, entry] : entries) results.measurements.push_back(std::move(entry));
  return results;
}

int window_of(std::uint64_t bytes) {
  constexpr std::uint64_t volume = 2 << 20;
  return static_cast<int>(std::clamp<std::uint64_t>(volume / bytes, 2, 64));
}

void run_stream(const Team& team, MPI_Comm comm, const Stream& stream, int windows,
                const std::byte* sent, std::byte* received) {
  const int partner = (team.index + stream.pairs) % team.size;
  const bool leads = team.index < stream.pairs;
  const bool sends = leads || stream.directions == 2;
  const bool receives = !leads || stream.directions == 2;
  std::vector<MPI_Request> requests;
  for (int i = 0; i < windows; ++i) {
    requests.clear();
    for (int k = 0; receives && k < stream.window; ++k)
      requests.push_back(irecv_bytes(received + static_cast<std::uint64_t>(k) * stream.bytes,
                                     stream.bytes, partner, comm, stream.tag));
    for (int k = 0; sends && k < stream.window; ++k)
      requests.push_back(isend_bytes(sent, stream.bytes, partner, comm, stream.tag));
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    if (leads)
      await_signal(partner, comm, stream.tag);
    else
      signal(partner, comm, stream.tag);
  }
}

double time_stream(Bench& bench, const Team& team, const Stream& stream, int windows) {
  const std::byte* sent = bench.room(0, stream.bytes);
  const auto window = static_cast<std::uint64_t>(stream.window);
  std::byte* received = bench.room(1, window * stream.bytes);
  return team.slowest(
      time_of(team, 1, [&] { run_stream(team, team.comm, stream, windows, sent, received); }));
}

}  // namespace ringscope::mpi
