// SPDX-License-Identifier: LGPL-2.1-or-later
#include "validation/executors/mpi/start.hpp"

#include <array>

namespace ringscope::mpi {
namespace {

constexpr double longest_ahead_s = 0.25;

}  // namespace

void Start::wait() {
  missed_ = false;
  MPI_Barrier(comm_);
  if (mode_ == StartMode::barrier) {
    // The second starts from ranks that have all left the first: they are closer together.
    MPI_Barrier(comm_);
    agreed_ = started_ = now_s();
    return;
  }
  clock_.refresh();
  double agreed = clock_.common(now_s()) + ahead_s_;
  MPI_Bcast(&agreed, 1, MPI_DOUBLE, 0, comm_);
  agreed_ = clock_.here(agreed);
  missed_ = now_s() > agreed_;
  wait_until(agreed_);
  started_ = now_s();
}

Timed Start::end(double ended) {
  std::array<double, 3> worst = {ended - agreed_, started_ - agreed_, missed_ ? 1.0 : 0.0};
  MPI_Allreduce(MPI_IN_PLACE, worst.data(), 3, MPI_DOUBLE, MPI_MAX, comm_);
  const bool missed = worst[2] > 0;
  if (missed) ahead_s_ *= 2;
  if (ahead_s_ > longest_ahead_s) mode_ = StartMode::barrier;
  return {worst[0], worst[1], missed};
}

}  // namespace ringscope::mpi
