// SPDX-License-Identifier: LGPL-2.1-or-later
// Training as TensorFlow's MultiWorkerMirroredStrategy does it on the devices of all hosts: the
// gradients go in packs of N bytes, one after the other.
//
// Source: tf.distribute.experimental.CommunicationOptions, bytes_per_pack (0: one pack), and
// group_by_size in tensorflow/python/distribute/cross_device_utils.py. The copies into a pack and
// out of it are left out. Without NCCL its ring goes by gRPC, which serialises each message at its
// sender and deserialises it at its receiver: `serialisation`. Here a rank does its share of both
// before and behind the sum, which takes as long where all ranks go step by step.
// Cost: that of the allreduces of the packs.
#include <limits>

#include "algorithms/training/step.hpp"

namespace ringscope {
namespace {

std::vector<Gradient> packs(const Options& options, Range whole) {
  const std::size_t bytes = training_of(options).bytes_per_pack;
  const std::size_t most =
      bytes == 0 ? std::numeric_limits<std::size_t>::max() : items_of(bytes, options);
  return buckets_of(gradients_of(options, whole), most, most);
}

}  // namespace

Algorithm describe_multi_worker_mirrored_training() {
  return allreduce_strategy<packs>(
      "multi_worker_mirrored", "TensorFlow MultiWorkerMirroredStrategy: packs, one after the other",
      {"bytes_per_pack", "serialisation"});
}

}  // namespace ringscope
