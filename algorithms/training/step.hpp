// SPDX-License-Identifier: LGPL-2.1-or-later
// The steps of a device, which all strategies share: take a batch, forward, backward layer by
// layer, wait for the gradients, update. The strategies differ in the program that exchanges the
// gradients, beside backward or after it.
//
// A device observes "loaded", "computed", "exchanged" and "step", each with the number of the step,
// when its batch is there, when backward has ended, when the sums are there, and at the end.
#pragma once

#include <algorithm>
#include <atomic>
#include <cassert>
#include <span>
#include <vector>

#include "algorithms/training/training.hpp"

namespace ringscope {

// Groups of gradients that are exchanged together: index arithmetic, apart from all communication.
//
// The vector holds the gradients in the order of forward, so that those which backward makes one
// after the other lie side by side, and any run of them is one range.

/// Gradient of one tensor, or of several side by side.
struct Gradient {
  Range range;
  std::size_t layers = 0;  ///< passed by backward before it is there
  bool operator==(const Gradient&) const = default;
};

/// The tensors in the order in which backward makes them. `whole`: the vector, of as many items as
/// the model has gradients, which have `element` bytes; an item that two of them share is the first
/// one's. Requires at least one layer.
inline std::vector<Gradient> gradients_of(const std::vector<Layer>& layers, Range whole,
                                          std::size_t item_bytes,
                                          std::size_t element = parameter_bytes) {
  const auto items = [&](std::uint64_t parameters) {
    return (parameters * element + item_bytes - 1) / item_bytes;
  };
  std::vector<Gradient> gradients;
  std::uint64_t parameters = parameters_of(layers);
  assert(items(parameters) == whole.size && "the buffer is the sum of the gradients");
  for (std::size_t i = layers.size(); i-- > 0;)
    for (std::size_t t = layers[i].tensors.size(); t-- > 0;) {
      const std::size_t end = items(parameters), begin = items(parameters -= layers[i].tensors[t]);
      gradients.push_back({{whole.buffer, whole.offset + begin, end - begin}, layers.size() - i});
    }
  return gradients;
}

/// Tensors of which something lies in the range.
inline std::size_t tensors_in(std::span<const Gradient> gradients, Range range) {
  return static_cast<std::size_t>(std::ranges::count_if(gradients, [&](const Gradient& one) {
    return one.range.offset < range.offset + range.size &&
           range.offset < one.range.offset + one.range.size;
  }));
}

/// Requires at least one, each before the last one in the vector.
inline Gradient together(std::span<const Gradient> run) {
  const Range& last = run.back().range;
  const Range& first = run.front().range;
  return {{first.buffer, last.offset, first.offset + first.size - last.offset}, run.back().layers};
}

/// Buckets as PyTorch's DistributedDataParallel fills them: a bucket is closed by the tensor that
/// brings it to `most` items or beyond, the first one already by `first` items.
/// Source: compute_bucket_assignment_by_size in torch/csrc/distributed/c10d/reducer.cpp.
inline std::vector<Gradient> buckets_of(std::span<const Gradient> gradients, std::size_t first,
                                        std::size_t most) {
  std::vector<Gradient> buckets;
  std::size_t begin = 0, items = 0;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    items += gradients[i].range.size;
    if (items < (buckets.empty() ? first : most) && i + 1 < gradients.size()) continue;
    buckets.push_back(together(gradients.subspan(begin, i + 1 - begin)));
    begin = i + 1;
    items = 0;
  }
  return buckets;
}

/// Number of first gradients that Horovod fuses: as many as fit into `most` items, and at least
/// one. Source: Controller::FuseResponses in horovod/common/controller.cc.
inline std::size_t fused(std::span<const Gradient> gradients, std::size_t most) {
  std::size_t count = 0, items = 0;
  for (const Gradient& gradient : gradients) {
    items += gradient.range.size;
    if (count > 0 && items > most) break;
    ++count;
  }
  return count;
}

/// All of them, as Horovod exchanges them when all are ready at once.
inline std::vector<Gradient> fused_buffers(std::span<const Gradient> gradients, std::size_t most) {
  std::vector<Gradient> buffers;
  for (std::size_t done = 0; done < gradients.size();) {
    const auto rest = gradients.subspan(done);
    const std::size_t count = fused(rest, most);
    buffers.push_back(together(rest.first(count)));
    done += count;
  }
  return buffers;
}

/// Layers that backward has passed since the beginning of the job: of a rank, for its threads.
using Passed = std::atomic<std::size_t>;

/// Raised once for every layer that backward has passed; see Gradient::layers.
inline constexpr Flag layer_passed{0};
/// Raised when all gradients of a step have been exchanged.
inline constexpr Flag sums_there{1};

/// One step of a device, as its exchanging thread sees it.
struct Turn {
  int step = 0;
  const Passed* passed = nullptr;
};

/// Exchanges all gradients of one step, and raises `sums_there`.
using Exchange = Task (*)(Communicator, Workspace, Options, Turn);

/// The job's training; without `options.training` one layer that takes no time.
Training training_of(const Options& options);

/// All gradients of the job, as the vector `whole` holds them.
std::vector<Gradient> gradients_of(const Options& options, Range whole);

/// `bytes` in items, rounded up.
std::size_t items_of(std::uint64_t bytes, const Options& options);

/// Communication of a device's step beside its exchange; null: none.
struct Extras {
  Task (*take_batch)(Communicator, Workspace, Options) = nullptr;     ///< before forward
  Task (*after_forward)(Communicator, Workspace, Options) = nullptr;  ///< before backward
};

/// `devices`: they are the first ranks; with `updates` they make the update, each for itself.
Task train(Communicator comm, Workspace work, Options options, Exchange exchange, int devices,
           bool updates = true, Extras extras = {});

/// True if hosts prepare the batches of the job.
inline bool has_input(const Options& options) {
  return options.training != nullptr && options.training->input.rate > 0;
}
/// Reads and prepares the batches of all steps, as far ahead as the input may.
Task read_batches(Communicator comm, Options options, int devices);
/// Waits for the batch of a step.
Task take_batch(Communicator comm, int step);

/// One after the other, each as soon as it is there.
Task allreduce_each(Communicator comm, Workspace work, Options options, Turn turn,
                    std::vector<Gradient> buckets);

/// The sum of one bucket over all ranks, by the job's allreduce.
Task allreduce(Communicator comm, Workspace work, Options options, Gradient bucket);

/// The flag's count at which the gradient is there.
std::size_t due(const Gradient& gradient, const Options& options, Turn turn);

/// Options read by a strategy that exchanges by an allreduce, and `others`.
std::vector<std::string_view> training_options(std::initializer_list<std::string_view> others);

/// Threads of a rank: the first one, that of the exchange, `more` that it starts, that of the
/// input.
int training_threads(const Options& options, int more = 0);

/// `options.steps` times the allreduces of these buckets, one after the other.
Cost allreduce_cost(int ranks, const Options& options, const std::vector<Gradient>& buckets);
std::size_t allreduce_scratch(int ranks, const Options& options,
                              const std::vector<Gradient>& buckets);

/// Each of these allreduces is alike for all ranks, and no rank writes files.
bool allreduces_alike(int ranks, const Options& options, const std::vector<Gradient>& buckets);

/// Packs in which a strategy exchanges the gradients of a step.
using Packing = std::vector<Gradient> (*)(const Options& options, Range whole);

template <Packing packing>
Task allreduce_packs(Communicator comm, Workspace work, Options options, Turn turn) {
  return allreduce_each(comm, work, options, turn, packing(options, work.data));
}

/// A strategy that is an allreduce of each pack.
template <Packing packing>
Algorithm allreduce_strategy(std::string_view name, std::string_view summary,
                             std::initializer_list<std::string_view> options) {
  return {
      .collective = "training",
      .name = name,
      .summary = summary,
      .options = training_options(options),
      .nonblocking = 1,
      .threads_for = [](const Options& job) { return training_threads(job); },
      .run =
          [](Communicator comm, Workspace work, Options job) {
            return train(comm, work, job, allreduce_packs<packing>, comm.size());
          },
      .cost = [](int ranks, std::size_t items,
                 Options job) { return allreduce_cost(ranks, job, packing(job, {.size = items})); },
      .scratch_items =
          [](int ranks, std::size_t items, Options job) {
            return allreduce_scratch(ranks, job, packing(job, {.size = items}));
          },
      .varies = Varies::steps,
      .alike =
          [](int ranks, std::size_t items, const Options& job) {
            return allreduces_alike(ranks, job, packing(job, {.size = items}));
          },
  };
}

}  // namespace ringscope
