// Training with a synchronous parameter server: a device pushes each bucket of gradients, a part of
// it to every server, and pulls the weights back. A server sums what all devices push, updates, and
// sends the weights to each. The servers are the last ranks; the weights arrive in scratch space.
//
// Source: Li et al., "Scaling distributed machine learning with the parameter server", OSDI 2014;
// every bucket is divided among all servers, as MXNet's kvstore divides large arrays
// (MXNET_KVSTORE_BIGARRAY_BOUND).
// Cost for T steps of W devices: 2TW messages per part, 2TWS items.
#include "algorithms/parameter_server/roles.hpp"
#include "algorithms/parameter_server/under_way.hpp"
#include "algorithms/training/step.hpp"

namespace ringscope {
namespace {

std::vector<Gradient> buckets(const Options& options, Range whole) {
  const std::size_t most = items_of(training_of(options).bucket, options);
  return buckets_of(gradients_of(options, whole), most, most);
}

/// Place in scratch space of a part of a device's vector.
Range in_scratch(Range scratch, Range part, std::size_t slot = 0, std::size_t items = 0) {
  return {scratch.buffer, scratch.offset + slot * items + part.offset, part.size};
}

/// Pulls are posted with the pushes: nothing waits for the answers to come one after the other.
Task push_and_pull(Communicator comm, Workspace work, Options options, Turn turn) {
  const Roles roles(comm.size(), options.servers);
  std::vector<Request> requests;
  int tag = 0;
  for (const Gradient& bucket : buckets(options, work.data)) {
    co_await comm.reach(layer_passed, due(bucket, options, turn));
    for (int server = 0; server < roles.servers; ++server) {
      const Range part = roles.shard(bucket.range, server);
      if (part.size == 0) continue;
      const int to = roles.rank_of(server);
      requests.push_back(comm.irecv(in_scratch(work.scratch, part), to, tag));
      requests.push_back(comm.isend(part, to, tag));
    }
    ++tag;
  }
  co_await comm.wait_all(requests);
  comm.raise(sums_there);
}

/// The pushes of one step, each of a device into its own slot.
std::vector<UnderWay> post_pushes(Communicator comm, const Roles& roles,
                                  const std::vector<Range>& parts, Workspace work) {
  std::vector<UnderWay> pushes(parts.size());
  for (std::size_t b = 0; b < parts.size(); ++b)
    for (int device = 0; device < roles.workers && parts[b].size > 0; ++device) {
      const auto slot = static_cast<std::size_t>(device);
      const Range into = in_scratch(work.scratch, parts[b], slot, work.data.size);
      pushes[b].add(comm.irecv(into, device, static_cast<int>(b)), device);
    }
  return pushes;
}

Task serve(Communicator comm, Workspace work, Options options) {
  const Roles roles(comm.size(), options.servers);
  std::vector<Range> parts;
  for (const Gradient& bucket : buckets(options, work.data))
    parts.push_back(roles.shard(bucket.range, comm.rank() - roles.rank_of(0)));
  std::vector<Request> answers;
  for ([[maybe_unused]] int step : comm.phase("serve", options.steps)) {
    std::vector<UnderWay> pushes = post_pushes(comm, roles, parts, work);
    for (std::size_t b = 0; b < parts.size(); ++b) {
      if (parts[b].size == 0) continue;
      while (!pushes[b].empty()) {
        const int device = pushes[b].take(co_await comm.wait_any(pushes[b].requests()));
        const auto slot = static_cast<std::size_t>(device);
        co_await comm.reduce(parts[b], in_scratch(work.scratch, parts[b], slot, work.data.size));
      }
      co_await comm.compute(options.update * static_cast<double>(parts[b].size));
      for (int device = 0; device < roles.workers; ++device)
        answers.push_back(comm.isend(parts[b], device, static_cast<int>(b)));
    }
    co_await comm.wait_all(answers);
    answers.clear();
  }
}

/// Steps are the least: a server receives from W devices, one a round, before it answers.
Cost cost(int ranks, std::size_t items, Options options) {
  const Roles roles(ranks, options.servers);
  std::int64_t parts = 0;
  for (const Gradient& bucket : buckets(options, {.size = items}))
    for (int server = 0; server < roles.servers; ++server)
      if (roles.shard(bucket.range, server).size > 0) ++parts;
  const std::int64_t exchanged = std::int64_t{2} * options.steps * roles.workers;
  return {.steps = parts > 0 ? std::int64_t{options.steps} * (roles.workers + 1) : 0,
          .messages = exchanged * parts,
          .items = static_cast<std::uint64_t>(exchanged) * items};
}

}  // namespace

Algorithm describe_parameter_server_training() {
  return {
      .collective = "training",
      .name = "parameter_server",
      .summary = "devices push buckets to servers and pull the weights",
      .options = {"model", "batch", "overlap", "steps", "bucket", "servers", "update", "input",
                  "checkpoint"},
      .least_ranks = 2,
      .nonblocking = 1,
      .threads_for = [](const Options& options) { return training_threads(options); },
      .run =
          [](Communicator comm, Workspace work, Options options) {
            const Roles roles(comm.size(), options.servers);
            return roles.is_worker(comm.rank())
                       ? train(comm, work, options, push_and_pull, roles.workers, false)
                       : serve(comm, work, options);
          },
      .cost = cost,
      .scratch_items =
          [](int ranks, std::size_t items, Options options) {
            return static_cast<std::size_t>(Roles(ranks, options.servers).workers) * items;
          },
      .varies = Varies::steps,
  };
}

}  // namespace ringscope
