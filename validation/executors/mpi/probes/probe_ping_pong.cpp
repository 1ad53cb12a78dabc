// SPDX-License-Identifier: LGPL-2.1-or-later
// Time of a message in flight, when nothing else is.
#include <fmt/format.h>

#include "base/table.hpp"
#include "validation/executors/mpi/probes/probe.hpp"

namespace ringscope::mpi {
namespace {

void round_trip(const Team& pair, std::byte* data, std::uint64_t bytes) {
  if (pair.index == 0) {
    send_bytes(data, bytes, 1, pair.comm);
    recv_bytes(data, bytes, 1, pair.comm);
  } else {
    recv_bytes(data, bytes, 0, pair.comm);
    send_bytes(data, bytes, 0, pair.comm);
  }
}

/// Nobody can wait for himself in MPI_Send.
void to_itself(Bench& bench, const Team& one, std::uint64_t bytes) {
  const auto count = static_cast<int>(bytes);
  MPI_Sendrecv(bench.room(0, bytes), count, MPI_BYTE, 0, data_tag, bench.room(1, bytes), count,
               MPI_BYTE, 0, data_tag, one.comm, MPI_STATUS_IGNORE);
}

void ping_pong(Bench& bench, const Team& team) {
  const bool alone = team.size == 1;
  for (const std::uint64_t bytes : bench.sizes(team)) {
    std::byte* data = bench.room(0, bytes);
    Point point{"ping_pong", {{"bytes", bytes}, {"way", team.way}}, bytes};
    point.operations = alone ? 1 : 2;
    bench.measure(team, point, [&](int iterations) {
      return time_of(team, iterations, [&] {
        alone ? to_itself(bench, team, bytes) : round_trip(team, data, bytes);
      });
    });
  }
}

// Time of a message whose receive stands behind others that wait for what does not come.

constexpr int waiting_tag = 3;
constexpr int counts[] = {0, 64, 512};

/// Posted receives at both ends of the pair, which the other end's empty messages use up.
class Posted {
 public:
  Posted(const Team& pair, int count) : pair_(&pair), requests_(count) {
    for (MPI_Request& request : requests_)
      request = irecv_bytes(nullptr, 0, partner(), pair.comm, waiting_tag);
  }
  Posted& operator=(Posted&&) = delete;  ///< neither copied nor moved
  ~Posted() {
    for (std::size_t i = 0; i < requests_.size(); ++i) signal(partner(), pair_->comm, waiting_tag);
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }

 private:
  int partner() const { return 1 - pair_->index; }

  const Team* pair_;
  Table<MPI_Request> requests_;
};

void empty_round_trip(const Team& pair) {
  if (pair.index == 0) signal(1, pair.comm);
  await_signal(1 - pair.index, pair.comm);
  if (pair.index == 1) signal(0, pair.comm);
}

void matching(Bench& bench, const Team& pair) {
  bench.expect_points(static_cast<int>(std::size(counts)));
  for (const int count : counts) {
    Point point{"matching", {{"posted", count}, {"way", pair.way}}};
    point.operations = 2;
    const Posted posted(pair, count);
    bench.measure(pair, point, [&](int iterations) {
      return time_of(pair, iterations, [&] { empty_round_trip(pair); });
    });
  }
}

// Time of a barrier.

void barrier(Bench& bench, const Team& team) {
  const Point point{"barrier", {{"ranks", team.size}}};
  bench.measure(team, point, [&](int iterations) {
    return team.slowest(time_of(team, iterations, [&] { team.meet(); }));
  });
}

}  // namespace

std::vector<Series> plan_ping_pong(Layout& layout) {
  std::vector<Series> plan;
  for (const Team& team : layout.pairs())
    plan.push_back(
        {"ping_pong, " + team.way, team, [team](Bench& bench) { ping_pong(bench, team); }});
  return plan;
}

std::vector<Series> plan_matching(Layout& layout) {
  return for_each_pair(layout, "matching", matching);
}

std::vector<Series> plan_barrier(Layout& layout) {
  std::vector<Series> plan;
  for (const int ranks : doubling_to(layout.size())) {
    if (ranks < 2) continue;
    const Team team = layout.first(ranks);
    plan.push_back({fmt::format("barrier, {} ranks", ranks), team,
                    [team](Bench& bench) { barrier(bench, team); }});
  }
  return plan;
}

}  // namespace ringscope::mpi
