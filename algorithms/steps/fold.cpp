// SPDX-License-Identifier: LGPL-2.1-or-later
#include "algorithms/steps/fold.hpp"

namespace ringscope {
namespace {

Task fold_in_whole(Communicator comm, Fold fold, Range data, Range scratch) {
  const int self = comm.rank();
  if (fold.steps_aside(self)) co_await comm.send(data, self + 1);
  if (fold.stands_for_two(self)) {
    co_await comm.recv(scratch, self - 1);
    co_await comm.reduce(data, scratch);
  }
}

Task fold_in_by_halves(Communicator comm, Fold fold, Range data, Range scratch) {
  const int self = comm.rank();
  const Range lower = data.part(0, 2), upper = data.part(1, 2);
  if (fold.steps_aside(self)) {
    co_await comm.sendrecv(lower, self - 1, scratch, self - 1);
    co_await comm.reduce(upper, scratch);
    co_await comm.send(upper, self - 1);
  }
  if (fold.stands_for_two(self)) {
    co_await comm.sendrecv(upper, self + 1, scratch, self + 1);
    co_await comm.reduce(lower, scratch);
    co_await comm.recv(upper, self + 1);
  }
}

}  // namespace

Task fold_in(Communicator comm, Fold fold, Range data, Range scratch) {
  if (fold.pairs() > 0) comm.enter("fold");
  if (fold.by_halves()) return fold_in_by_halves(comm, fold, data, scratch);
  return fold_in_whole(comm, fold, data, scratch);
}

Task fold_out(Communicator comm, Fold fold, Range data) {
  const int self = comm.rank(), other = self ^ 1;
  if (fold.pairs() > 0) comm.enter("unfold");
  if (fold.steps_aside(self)) co_await comm.recv(data, other);
  if (fold.stands_for_two(self)) co_await comm.send(data, other);
}

}  // namespace ringscope
