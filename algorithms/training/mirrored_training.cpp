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

Task exchange(Communicator comm, Workspace work, Options options, Turn turn) {
  return allreduce_each(comm, work, options, turn, pack(options, work.data));
}

}  // namespace

Algorithm describe_mirrored_training() {
  return {
      .collective = "training",
      .name = "mirrored",
      .summary = "TensorFlow MirroredStrategy: one host, all gradients in one pack",
      .options = training_options({}),
      .one_host = true,
      .nonblocking = 1,
      .threads_for = [](const Options& options) { return training_threads(options); },
      .run = [](Communicator comm, Workspace work,
                Options options) { return train(comm, work, options, exchange, comm.size()); },
      .cost =
          [](int ranks, std::size_t items, Options options) {
            return allreduce_cost(ranks, options, pack(options, {.size = items}));
          },
      .scratch_items =
          [](int ranks, std::size_t items, Options options) {
            return allreduce_scratch(ranks, options, pack(options, {.size = items}));
          },
      .varies = Varies::steps,
  };
}

}  // namespace ringscope
