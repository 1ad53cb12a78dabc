// SPDX-License-Identifier: LGPL-2.1-or-later
// Groups of gradients that are exchanged together: index arithmetic, apart from all communication.
//
// The vector holds the gradients in the order of forward, so that those which backward makes one
// after the other lie side by side, and any run of them is one range.
#pragma once

#include <algorithm>
#include <cassert>
#include <span>
#include <vector>

#include "algorithms/training/training.hpp"

namespace ringscope {

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
  assert(items(parameters) == whole.size && "the vector is the sum of the gradients");
  for (std::size_t i = layers.size(); i-- > 0;)
    for (std::size_t t = layers[i].tensors.size(); t-- > 0;) {
      const std::size_t end = items(parameters), begin = items(parameters -= layers[i].tensors[t]);
      gradients.push_back({{whole.buffer, whole.offset + begin, end - begin}, layers.size() - i});
    }
  return gradients;
}

/// Tensors of which something lies in the range.
inline std::size_t tensors_in(std::span<const Gradient> gradients, Range range) {
  return static_cast<std::size_t>(
      std::count_if(gradients.begin(), gradients.end(), [&](const Gradient& one) {
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

}  // namespace ringscope
