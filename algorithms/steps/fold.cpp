#include "algorithms/steps/fold.hpp"

namespace ringscope {

Task fold_in(Communicator comm, Range data, Range scratch) {
  const Fold fold(comm.size());
  const int self = comm.rank();
  for ([[maybe_unused]] int step : comm.phase("fold", fold.pairs() > 0 ? 1 : 0)) {
    if (fold.steps_aside(self)) co_await comm.send(data, self + 1);
    if (fold.stands_for_two(self)) {
      co_await comm.recv(scratch, self - 1);
      co_await comm.reduce(data, scratch);
    }
  }
}

Task fold_out(Communicator comm, Range data) {
  const Fold fold(comm.size());
  const int self = comm.rank();
  for ([[maybe_unused]] int step : comm.phase("unfold", fold.pairs() > 0 ? 1 : 0)) {
    if (fold.steps_aside(self)) co_await comm.recv(data, self + 1);
    if (fold.stands_for_two(self)) co_await comm.send(data, self - 1);
  }
}

}  // namespace ringscope
