// SPDX-License-Identifier: LGPL-2.1-or-later
// Training as PyTorch's DistributedDataParallel does it: gradients fill buckets in the order of
// backward, and a bucket is exchanged as soon as it is full.
//
// Source: Li et al., "PyTorch distributed: experiences on accelerating data parallel training",
// VLDB 2020; the first bucket of 1 MiB: kDefaultFirstBucketBytes in
// torch/csrc/distributed/c10d/reducer.hpp.
// Cost: that of the allreduces of the buckets.
#include "algorithms/training/step.hpp"

namespace ringscope {
namespace {

constexpr std::size_t first_bucket = std::size_t{1} << 20;

std::vector<Gradient> buckets(const Options& options, Range whole) {
  const Training job = training_of(options);
  return buckets_of(gradients_of(options, whole),
                    items_of(std::min(first_bucket, job.bucket), options),
                    items_of(job.bucket, options));
}

}  // namespace

Algorithm describe_ddp_training() {
  return allreduce_strategy<buckets>(
      "ddp", "PyTorch DDP: buckets in backward order, exchanged as they fill", {"bucket"});
}

}  // namespace ringscope
