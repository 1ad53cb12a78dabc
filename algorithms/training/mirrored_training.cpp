// SPDX-License-Identifier: LGPL-2.1-or-later
// Training as TensorFlow's MirroredStrategy does it on the devices of one host: all gradients of a
// batch are packed together and exchanged at once.
//
// Source: tf.distribute.NcclAllReduce, num_packs = 1, the default of tf.distribute.MirroredStrategy
// (tensorflow/python/distribute/cross_device_ops.py). The copies into the pack and out of it are
// left out: device memory is much faster than any way between devices.
// Cost: that of one allreduce per step.
#include "algorithms/training/step.hpp"

namespace ringscope {
namespace {

std::vector<Gradient> pack(const Options& options, Range whole) {
  return {together(gradients_of(options, whole))};
}

}  // namespace

Algorithm describe_mirrored_training() {
  Algorithm mirrored = allreduce_strategy<pack>(
      "mirrored", "TensorFlow MirroredStrategy: one host, all gradients in one pack", {});
  mirrored.one_host = true;
  return mirrored;
}

}  // namespace ringscope
