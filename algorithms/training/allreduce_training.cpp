// SPDX-License-Identifier: LGPL-2.1-or-later
// Training steps of frameworks whose devices sum their gradients by allreduces.
#include <limits>

#include "algorithms/training/step.hpp"

namespace ringscope {
namespace {

// Training as PyTorch's DistributedDataParallel does it: gradients fill buckets in the order of
// backward, and a bucket is exchanged as soon as it is full.
//
// Source: Li et al., "PyTorch distributed: experiences on accelerating data parallel training",
// VLDB 2020; the first bucket of 1 MiB: kDefaultFirstBucketBytes in
// torch/csrc/distributed/c10d/reducer.hpp.
// Cost: that of the allreduces of the buckets.

constexpr std::size_t first_bucket = std::size_t{1} << 20;

std::vector<Gradient> buckets(const Options& options, Range whole) {
  const Training job = training_of(options);
  return buckets_of(gradients_of(options, whole),
                    items_of(std::min(first_bucket, job.bucket), options),
                    items_of(job.bucket, options));
}

// Training as TensorFlow's MirroredStrategy does it on the devices of one host: all gradients of a
// batch are packed together and exchanged at once.
//
// Source: tf.distribute.NcclAllReduce, num_packs = 1, the default of tf.distribute.MirroredStrategy
// (tensorflow/python/distribute/cross_device_ops.py).
// Cost: that of one allreduce per step.

std::vector<Gradient> pack(const Options& options, Range whole) {
  return {together(gradients_of(options, whole))};
}

// Training as TensorFlow's MultiWorkerMirroredStrategy does it on the devices of all hosts: the
// gradients go in packs of N bytes, one after the other.
//
// Source: tf.distribute.experimental.CommunicationOptions, bytes_per_pack (0: one pack), and
// group_by_size in tensorflow/python/distribute/cross_device_utils.py. Without NCCL its ring uses
// gRPC, which serialises each message at its sender and deserialises it at its receiver:
// `serialisation`. Here a rank does its share of both before and behind the sum, which takes as
// long where all ranks go step by step. Cost: that of the allreduces of the packs.

std::vector<Gradient> packs(const Options& options, Range whole) {
  const std::size_t bytes = training_of(options).bytes_per_pack;
  const std::size_t most =
      bytes == 0 ? std::numeric_limits<std::size_t>::max() : items_of(bytes, options);
  return buckets_of(gradients_of(options, whole), most, most);
}

}  // namespace

Algorithm describe_ddp_training() {
  return allreduce_strategy<buckets>(
      "ddp", "PyTorch DDP: buckets in backward order, exchanged as they fill", {"bucket"});
}

Algorithm describe_mirrored_training() {
  Algorithm mirrored = allreduce_strategy<pack>(
      "mirrored", "TensorFlow MirroredStrategy: one host, all gradients in one pack", {});
  mirrored.one_host = true;
  return mirrored;
}

Algorithm describe_multi_worker_mirrored_training() {
  return allreduce_strategy<packs>(
      "multi_worker_mirrored", "TensorFlow MultiWorkerMirroredStrategy: packs, one after the other",
      {"bytes_per_pack", "serialisation"});
}

}  // namespace ringscope
