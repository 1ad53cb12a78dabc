// SPDX-License-Identifier: LGPL-2.1-or-later
// Time of a message whose receive stands behind others that wait for what does not come.
#include "base/table.hpp"
#include "validation/executors/mpi/probes/exchange.hpp"
#include "validation/executors/mpi/probes/probe.hpp"

namespace ringscope::mpi {
namespace {

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

}  // namespace

std::vector<Series> plan_matching(Layout& layout) {
  return for_each_pair(layout, "matching", matching);
}

}  // namespace ringscope::mpi
