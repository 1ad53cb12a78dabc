// Training as TensorFlow's MultiWorkerMirroredStrategy does it on the devices of all hosts: the
// gradients go in packs of so many bytes, one after the other.
//
// Source: tf.distribute.experimental.CommunicationOptions, bytes_per_pack (0: one pack), and
// group_by_size in tensorflow/python/distribute/cross_device_utils.py. The copies into a pack and
// out of it are left out.
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

Task exchange(Communicator comm, Workspace work, Options options, Turn turn) {
  return allreduce_each(comm, work, options, turn, packs(options, work.data));
}

}  // namespace

Algorithm describe_multi_worker_mirrored_training() {
  return {
      .collective = "training",
      .name = "multi_worker_mirrored",
      .summary = "TensorFlow MultiWorkerMirroredStrategy: packs, one after the other",
      .options = training_options({"bytes_per_pack"}),
      .nonblocking = 1,
      .threads_for = [](const Options& options) { return training_threads(options); },
      .run = [](Communicator comm, Workspace work,
                Options options) { return train(comm, work, options, exchange, comm.size()); },
      .cost =
          [](int ranks, std::size_t items, Options options) {
            return allreduce_cost(ranks, options, packs(options, {.size = items}));
          },
      .scratch_items =
          [](int ranks, std::size_t items, Options options) {
            return allreduce_scratch(ranks, options, packs(options, {.size = items}));
          },
      .varies = Varies::steps,
  };
}

}  // namespace ringscope
