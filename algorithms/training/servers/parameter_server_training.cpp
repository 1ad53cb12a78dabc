// SPDX-License-Identifier: LGPL-2.1-or-later
// Training with a synchronous parameter server: a device pushes each bucket of gradients, a part of
// it to every server, and pulls the weights back. A server sums what all devices push, updates, and
// sends the weights to each. The servers are the last ranks; the weights arrive in scratch space.
//
// Source: Li et al., "Scaling distributed machine learning with the parameter server", OSDI 2014;
// a bucket is divided among all servers, as MXNet's kvstore divides large arrays
// (MXNET_KVSTORE_BIGARRAY_BOUND); one below `whole_below` is on one server, as all variables of
// TensorFlow are (tf.train.replica_device_setter: round-robin).
//
// A tensor, or a part of one, that goes as a remote call is serialised by its sender and
// deserialised by its receiver, once for each of them: `serialisation`. Devices whose memory is not
// their host's copy what they push and what they pull: `staging`. Both made published parameter
// servers slow: Xue et al., "Fast distributed deep learning over RDMA", EuroSys 2019,
// arXiv:1805.08430, of gRPC. What is pushed may be compressed, what is pulled are weights.
// Cost for T steps of W devices: 2TW messages per part, 2TWS items, or TW (S + k) with k pushed.
#include <cmath>

#include "algorithms/parameter_server/clocks.hpp"
#include "algorithms/training/servers/server_ends.hpp"

namespace ringscope {
namespace {

/// Pulls are posted with the pushes: nothing waits for the answers to come one after the other.
Task push_and_pull(Communicator comm, Workspace work, Options options, Turn turn) {
  const Roles roles(comm.size(), options.servers);
  const ServerEnds ends = server_ends(options, work.data);
  std::vector<Request> pushes;
  std::vector<PulledPart> pulls;
  int tag = 0;
  for (const Gradient& bucket : server_buckets(options, work.data)) {
    co_await comm.reach(layer_passed, due(bucket, options, turn));
    for (int server = 0; server < roles.servers; ++server) {
      const Range part = ends.part(roles, bucket.range, tag, server);
      if (part.size == 0) continue;
      const int to = roles.rank_of(server);
      pulls.push_back({comm.irecv(in_scratch(work.scratch, part), to, tag), part});
      co_await spend_time(comm, ends.push(part));
      pushes.push_back(comm.isend(ends.pushed(part), to, tag));
    }
    ++tag;
  }
  co_await comm.wait_all(pushes);
  for (const PulledPart& pull : pulls) {
    co_await comm.wait(pull.request);
    co_await spend_time(comm, ends.pull(pull.part));
  }
  comm.raise(sums_there);
}

/// The pushes of one step, each of a device into its own slot.
std::vector<InFlight> post_pushes(Communicator comm, const Roles& roles, const ServerEnds& ends,
                                  const std::vector<Range>& parts, Workspace work) {
  std::vector<InFlight> pushes(parts.size());
  for (std::size_t b = 0; b < parts.size(); ++b)
    for (int device = 0; device < roles.workers && parts[b].size > 0; ++device) {
      const Range into = in_scratch(work.scratch, ends.pushed(parts[b]), device, work.data.size);
      pushes[b].add(comm.irecv(into, device, static_cast<int>(b)), device);
    }
  return pushes;
}

/// Records of a device's part of the batch, and what it puts out for them.
struct Split {
  std::size_t slice = 0, outputs = 0;  ///< items
  int tag = 0;                         ///< behind those of the pushes

  /// Scratch space behind that of the pushes.
  static Range in(Workspace work, const Roles& roles, std::size_t items) {
    const std::size_t slots = times(roles.workers, work.data.size);
    return {work.scratch.buffer, work.scratch.offset + slots, items};
  }
};

Split split_of(const Options& options) {
  const Training job = training_of(options);
  const double outputs =
      job.layers.back().outputs * static_cast<double>(times(job.batch, job.element));
  std::size_t tensors = 0;
  for (const Layer& layer : job.layers) tensors += layer.tensors.size();
  return {items_of(times(job.batch, job.input.record), options),
          items_of(static_cast<std::uint64_t>(std::ceil(outputs)), options),
          static_cast<int>(tensors)};
}

/// A device waits for its slice of the batch.
Task take_slice(Communicator comm, Workspace work, Options options) {
  const Roles roles(comm.size(), options.servers);
  const Split split = split_of(options);
  if (split.slice > 0)
    co_await comm.recv(Split::in(work, roles, split.slice), roles.rank_of(0), split.tag);
}

/// Its outputs go to be merged, and what backward begins with comes back.
Task merge_outputs(Communicator comm, Workspace work, Options options) {
  const Roles roles(comm.size(), options.servers);
  const Split split = split_of(options);
  if (split.outputs == 0) co_return;
  const Range outputs = Split::in(work, roles, split.outputs);
  co_await comm.send(outputs, roles.rank_of(0), split.tag + 1);
  co_await comm.recv(outputs, roles.rank_of(0), split.tag + 1);
}

/// The server's part of both: no device begins backward before all have ended forward.
Task split_and_merge(Communicator comm, Workspace work, Options options) {
  const Roles roles(comm.size(), options.servers);
  const Split split = split_of(options);
  std::vector<Request> slices;
  for (int device = 0; device < roles.workers && split.slice > 0; ++device)
    slices.push_back(comm.isend(Split::in(work, roles, split.slice), device, split.tag));
  co_await comm.wait_all(slices);
  const Range outputs = Split::in(work, roles, split.outputs);
  for (int device = 0; device < roles.workers && split.outputs > 0; ++device)
    co_await comm.recv(outputs, device, split.tag + 1);
  for (int device = 0; device < roles.workers && split.outputs > 0; ++device)
    co_await comm.send(outputs, device, split.tag + 1);
}

Task serve(Communicator comm, Workspace work, Options options, bool splits = false) {
  const Roles roles(comm.size(), options.servers);
  const ServerEnds ends = server_ends(options, work.data);
  std::vector<Range> parts;
  for (const Gradient& bucket : server_buckets(options, work.data))
    parts.push_back(
        ends.part(roles, bucket.range, int(std::ssize(parts)), comm.rank() - roles.rank_of(0)));
  std::vector<Request> answers;
  for ([[maybe_unused]] int step : comm.phase("serve", options.steps)) {
    std::vector<InFlight> pushes = post_pushes(comm, roles, ends, parts, work);
    if (splits && comm.rank() == roles.rank_of(0)) co_await split_and_merge(comm, work, options);
    for (std::size_t b = 0; b < parts.size(); ++b) {
      if (parts[b].size == 0) continue;
      const Range pushed = ends.pushed(parts[b]);
      while (!pushes[b].empty()) {
        const int device = pushes[b].take(co_await comm.wait_any(pushes[b].requests()));
        co_await spend_time(comm, ends.take_push(parts[b]));
        co_await comm.reduce(pushed, in_scratch(work.scratch, pushed, device, work.data.size));
      }
      co_await comm.compute(options.update * static_cast<double>(parts[b].size));
      for (int device = 0; device < roles.workers; ++device) {
        co_await spend_time(comm, ends.answer(parts[b]));
        answers.push_back(comm.isend(parts[b], device, static_cast<int>(b)));
      }
    }
    co_await comm.wait_all(answers);
    answers.clear();
  }
}

/// Steps are the least: a server receives from W devices, one a round, before it answers.
Cost cost(int ranks, std::size_t items, Options options) {
  const Roles roles(ranks, options.servers);
  const auto [parts, pushed] = pushed_parts(roles, items, options);
  const std::int64_t exchanges = std::int64_t{1} * options.steps * roles.workers;
  return {.steps = parts > 0 ? std::int64_t{options.steps} * (roles.workers + 1) : 0,
          .messages = 2 * exchanges * parts,
          .items = static_cast<std::uint64_t>(exchanges) * (items + pushed)};
}

Cost splitting_cost(int ranks, std::size_t items, Options options) {
  Cost sum = cost(ranks, items, options);
  const Split split = split_of(options);
  const std::int64_t slices = std::int64_t{1} * options.steps * (ranks - options.servers);
  const int messages = (split.slice > 0 ? 1 : 0) + (split.outputs > 0 ? 2 : 0);
  return sum += Cost{0, messages, split.slice + 2 * split.outputs} * slices;
}

std::size_t scratch_items(int ranks, std::size_t items, Options options) {
  return times(Roles(ranks, options.servers).workers, items);
}

std::size_t splitting_scratch(int ranks, std::size_t items, Options options) {
  const Split split = split_of(options);
  return scratch_items(ranks, items, options) + std::max(split.slice, split.outputs);
}

template <bool splits>
Task run(Communicator comm, Workspace work, Options options) {
  const Roles roles(comm.size(), options.servers);
  if (!roles.is_worker(comm.rank())) return serve(comm, work, options, splits);
  return train(comm, work, options, push_and_pull, roles.workers, false,
               splits ? Extras{take_slice, merge_outputs} : Extras{});
}

/// `options`: those beside the ones that all have. With `splits` the first server sends each device
/// its part of the batch, and merges the outputs of all before any begins backward.
Algorithm server_strategy(std::string_view name, std::string_view summary,
                          std::initializer_list<std::string_view> options, bool splits = false) {
  std::vector<std::string_view> all = {"model", "batch", "element", "overlap", "steps", "bucket"};
  all.insert(all.end(), options);
  for (const std::string_view last : {"update", "input", "checkpoint", "epochs"})
    all.push_back(last);
  return {
      .collective = "training",
      .name = name,
      .summary = summary,
      .options = all,
      .least_ranks = 2,
      .nonblocking = 1,
      .threads_for = [](const Options& job) { return training_threads(job); },
      .run = splits ? run<true> : run<false>,
      .cost = splits ? splitting_cost : cost,
      .scratch_items = splits ? splitting_scratch : scratch_items,
      .varies = Varies::steps,
  };
}

}  // namespace

Algorithm describe_parameter_server_training() {
  return server_strategy(
      "parameter_server", "devices push buckets to servers and pull the weights",
      {"servers", "servers_by", "whole_below", "compression", "serialisation", "staging"});
}

// Training as TensorFlow's CentralStorageStrategy does it on the devices of one host: the variables
// are in host memory, devices copy them, and a core of the host sums the gradients and updates.
//
// Source: tf.distribute.experimental.CentralStorageStrategy, which is
// tensorflow/python/distribute/parameter_server_strategy.py on one host: variables on the CPU,
// gradients reduced to where the variable is. Each variable goes alone. TensorFlow adds up with
// several cores: `servers`, each with a part of every variable.
// Cost: that of a synchronous parameter server.
Algorithm describe_central_storage_training() {
  Algorithm central = server_strategy(
      "central_storage",
      "TensorFlow CentralStorageStrategy: one host, variables and sums on its CPU", {"servers"});
  central.one_host = true;
  return central;
}

// Training as Keras' multi_gpu_model does it on the devices of one host: the CPU holds the
// variables, splits each batch among the devices, and concatenates what they put out, before the
// loss and backward.
//
// Source: multi_gpu_model in tensorflow/python/keras/utils/multi_gpu_utils.py (removed in 2.4), its
// example with the template model on the CPU: get_slice on the inputs, concatenate on the CPU
// (cpu_merge). A slice has `record` bytes of each record, the outputs are those of the last layer.
// Cost for T steps of W devices: that of a synchronous parameter server, and TW slices and 2TW
// messages of outputs.
Algorithm describe_multi_gpu_model_training() {
  Algorithm model = server_strategy(
      "multi_gpu_model",
      "Keras multi_gpu_model: one host, its CPU splits batches and merges outputs", {}, true);
  model.one_host = true;
  return model;
}

}  // namespace ringscope
