// SPDX-License-Identifier: LGPL-2.1-or-later
// Training as Horovod does it: a background thread wakes every `cycle`, agrees with the others on
// the gradients that all ranks have, and exchanges these, fused up to `fusion` bytes.
//
// Horovod built with NCCL (HOROVOD_GPU_OPERATIONS) exchanges by it on GPUs: the default of
// `exchange`.
//
// Ranks agree through rank 0: each tells it how many of its gradients are ready, which is the size
// of the message, and gets the least of these back. Without overlap all are ready at once.
// Source: Sergeev and Del Balso, "Horovod: fast and easy distributed deep learning in TensorFlow",
// 2018, arXiv:1802.05799; BackgroundThreadLoop in horovod/common/operations.cc. Defaults are those
// up to version 0.20, 5 ms and 64 MiB; version 0.21 changed them to 1 ms and 128 MiB
// (github.com/horovod/horovod/pull/2468).
//
// `negotiation: launched`: TensorFlow's GPU kernels run behind their launches, and Horovod
// negotiates a gradient when it is launched. The thread then waits for the data of a whole fused
// buffer. Source: WAIT_FOR_DATA in PerformOperation of the same file.
//
// Cost: that of the allreduces of the fused buffers, and 2(P-1) messages of each cycle; the least
// is one cycle per step.
#include <utility>

#include "algorithms/training/step.hpp"

namespace ringscope {
namespace {

std::size_t most_fused(const Options& options) {
  return items_of(training_of(options).fusion, options);
}

bool negotiates_launched(const Options& options) {
  return options.training != nullptr && options.training->negotiates_launched;
}

/// The rank's own gradients that backward has made in this step, or that the host has launched; all
/// before it are there. The host is ahead by a whole step.
std::size_t count_ready(std::span<const Gradient> gradients, const Options& options, Turn turn) {
  if (negotiates_launched(options)) return gradients.size();
  const std::size_t passed = turn.passed->load();
  return static_cast<std::size_t>(std::ranges::count_if(
      gradients, [&](const Gradient& gradient) { return due(gradient, options, turn) <= passed; }));
}

struct Negotiation {
  std::size_t ready = 0;  ///< of this rank; then the least of all ranks
  std::size_t due = 0;    ///< count of `layer_passed` at which this rank's were; 0: none are new
  int latest = 0;         ///< rank that had least of all in the cycle before; rank 0 knows it
};

/// Rank 0 receives from the latest one last: all wait for what that has now.
Task agree(Communicator comm, Range scratch, Negotiation* all) {
  if (comm.rank() > 0) {
    co_await comm.send(scratch.first(all->ready), 0);
    all->ready = static_cast<std::size_t>(co_await comm.recv(scratch, 0));
    co_return;
  }
  const int decides = std::exchange(all->latest, 0);
  const auto hears = [&](int rank, int theirs) {
    if (std::cmp_greater_equal(theirs, all->ready)) return;
    all->ready = static_cast<std::size_t>(theirs);
    all->latest = rank;
  };
  for (int rank = 1; rank < comm.size(); ++rank)
    if (rank != decides) hears(rank, co_await comm.recv(scratch, rank));
  if (decides > 0) hears(decides, co_await comm.recv_decisive(scratch, decides));
  if (decides == 0 && all->due > 0) co_await comm.reach(layer_passed, all->due);
  for (int rank = 1; rank < comm.size(); ++rank)
    co_await comm.send(scratch.first(all->ready), rank);
}

Task exchange_fused(Communicator comm, Workspace work, Options options,
                    std::span<const Gradient> ready, Turn turn) {
  for (const Gradient& buffer : fused_buffers(ready, most_fused(options))) {
    if (negotiates_launched(options)) co_await comm.reach(layer_passed, due(buffer, options, turn));
    co_await allreduce(comm, work, options, buffer);
  }
}

Task sleep(Communicator comm, Duration time) { co_await comm.sleep(time); }

/// A cycle takes its time, or as long as its work where that is longer.
Task exchange(Communicator comm, Workspace work, Options options, Turn turn) {
  const Training job = training_of(options);
  const std::vector<Gradient> gradients = gradients_of(options, work.data);
  const bool beside = job.overlap != Overlap::none;
  Negotiation all;
  for (std::size_t done = 0; done < gradients.size();) {
    all.ready = count_ready(gradients, options, turn);
    // They are there: for reports, the cycle has waited for backward.
    const bool any = beside && !negotiates_launched(options) && all.ready > done;
    all.due = any ? due(gradients[all.ready - 1], options, turn) : 0;
    if (any) co_await comm.reach(layer_passed, all.due);
    Thread pause;
    if (beside) pause = comm.start(sleep(comm.beside(Beside::thread), job.cycle));
    co_await agree(comm, work.scratch.first(comm.size() > 1 ? gradients.size() : 0), &all);
    const std::size_t ready = all.ready;
    co_await exchange_fused(comm, work, options, std::span(gradients).subspan(done, ready - done),
                            turn);
    done = ready;
    if (done == gradients.size()) comm.raise(sums_there);
    if (beside) co_await comm.join(pause);
  }
}

int threads(const Options& options) {
  const bool beside = options.training != nullptr && options.training->overlap != Overlap::none;
  return training_threads(options, beside ? 1 : 0);
}

Cost cost(int ranks, std::size_t items, Options options) {
  const std::vector<Gradient> gradients = gradients_of(options, {.size = items});
  Cost sum = allreduce_cost(ranks, options, fused_buffers(gradients, most_fused(options)));
  if (ranks > 1)
    sum += Cost{1, ranks - 1, static_cast<std::uint64_t>(ranks - 1) * gradients.size()} *
           (std::int64_t{2} * options.steps);
  return sum;
}

/// Cycles may fuse other gradients than one cycle would, but never more than the buffer holds.
std::size_t scratch_items(int ranks, std::size_t items, Options options) {
  const std::vector<Gradient> gradients = gradients_of(options, {.size = items});
  std::vector<Gradient> sizes = gradients;
  sizes.push_back({{.size = std::min(items, most_fused(options))}, 1});
  return std::max(allreduce_scratch(ranks, options, sizes), ranks > 1 ? gradients.size() : 0);
}

}  // namespace

Algorithm describe_horovod_training() {
  return {
      .collective = "training",
      .name = "horovod",
      .summary = "Horovod: a thread that negotiates every cycle and fuses gradients",
      .options = training_options({"fusion", "cycle", "negotiation"}),
      .threads_for = threads,
      .run = [](Communicator comm, Workspace work,
                Options options) { return train(comm, work, options, exchange, comm.size()); },
      .cost = cost,
      .scratch_items = scratch_items,
      .varies = Varies::all,
  };
}

}  // namespace ringscope
