// SPDX-License-Identifier: LGPL-2.1-or-later
// Training whose parameter servers make an update of each push as it comes and answer with the
// weights of that moment: a device computes on weights that miss what others have pushed since.
//
// A device pushes its gradients, summed up, after every `n_push` steps and fetches the weights
// after every `n_fetch`, after its last step both. Only a step that fetches waits, for its weights.
//
// Source: Dean et al., "Large scale distributed deep networks", NIPS 2012 (Downpour SGD, algorithm
// 7.1); who waits for slower ones, Ho et al., NIPS 2013 (algorithms/parameter_server/clocks.hpp).
// The sums of a device over its steps, and its own updates between two fetches, take no time.
#include "algorithms/parameter_server/clocks.hpp"
#include "algorithms/training/servers/server_ends.hpp"

namespace ringscope {
namespace {

constexpr Range no_gradients;

/// Steps, from 0, after which a device talks to its servers.
struct Turns {
  int steps, push, fetch;

  explicit Turns(const Options& options)
      : steps(options.steps),
        push(training_of(options).n_push),
        fetch(training_of(options).n_fetch) {}
  bool is_due(int step, int every) const { return (step + 1) % every == 0 || step + 1 == steps; }
  bool pushes(int step) const { return is_due(step, push); }
  bool fetches(int step) const { return is_due(step, fetch); }
  /// The first one from `step` on; `steps`: none.
  int next(int step) const {
    while (step < steps && !pushes(step) && !fetches(step)) ++step;
    return step;
  }
  /// How many of all steps are such.
  std::int64_t count(bool (Turns::*such)(int) const) const {
    std::int64_t sum = 0;
    for (int step = 0; step < steps; ++step) sum += (this->*such)(step) ? 1 : 0;
    return sum;
  }
  bool talks(int step) const { return pushes(step) || fetches(step); }
};

/// A fetch without a push goes as an empty one. A step that does not fetch waits for nothing.
Task push_and_fetch(Communicator comm, Workspace work, Options options, Turn turn) {
  const Turns turns(options);
  const int step = turn.step;
  const bool pushes = turns.pushes(step), fetches = turns.fetches(step);
  if (!fetches) comm.raise(sums_there);
  if (!turns.talks(step)) co_return;
  const Roles roles(comm.size(), options.servers);
  const ServerEnds ends = server_ends(options, work.data);
  std::vector<Request> pushed;
  std::vector<PulledPart> pulls;
  int tag = 0;
  for (const Gradient& bucket : server_buckets(options, work.data)) {
    if (pushes) co_await comm.reach(layer_passed, due(bucket, options, turn));
    for (int server = 0; server < roles.servers; ++server) {
      const Range part = ends.part(roles, bucket.range, tag, server);
      if (part.size == 0) continue;
      const int to = roles.rank_of(server);
      if (fetches) pulls.push_back({comm.irecv(in_scratch(work.scratch, part), to, tag), part});
      if (pushes) co_await spend_time(comm, ends.push(part));
      pushed.push_back(comm.isend(pushes ? ends.pushed(part) : no_gradients, to, tag));
    }
    ++tag;
  }
  co_await comm.wait_all(pushed);
  for (const PulledPart& pull : pulls) {
    co_await comm.wait(pull.request);
    co_await spend_time(comm, ends.pull(pull.part));
  }
  if (fetches) comm.raise(sums_there);
}

/// A server: its parts of the weights, one of each bucket. A call is a device's message about one.
struct Shards {
  Workspace work;
  Options options;
  Roles roles;
  ServerEnds ends;
  Turns turns;
  std::vector<Range> parts;
  std::vector<WorkerClocks> clocks;           ///< by part
  std::vector<int> steps;                     ///< by call: of the device when it comes
  std::vector<std::vector<Request>> answers;  ///< by call: in flight
  InFlight calls;

  Shards(Communicator comm, Workspace memory, const Options* job, int bound)
      : work(memory),
        options(*job),
        roles(comm.size(), job->servers),
        ends(server_ends(*job, memory.data)),
        turns(*job) {
    for (const Gradient& bucket : server_buckets(options, work.data))
      parts.push_back(
          ends.part(roles, bucket.range, int(std::ssize(parts)), comm.rank() - roles.rank_of(0)));
    clocks.assign(parts.size(), WorkerClocks(roles.workers, bound));
    steps.assign(times(roles.workers, parts.size()), turns.next(0));
    answers.resize(steps.size());
    for (std::size_t call = 0; call < steps.size(); ++call) expect(comm, call);
  }

  std::size_t call(int device, std::size_t part) const {
    return times(device, parts.size()) + part;
  }
  std::size_t part_of(std::size_t call) const { return call % parts.size(); }
  int device_of(std::size_t call) const { return static_cast<int>(call / parts.size()); }
  int tag_of(std::size_t call) const { return static_cast<int>(part_of(call)); }
  /// Place of the part's pushed gradients: a slot of the device.
  Range slot(std::size_t call) const {
    const Range pushed = ends.pushed(parts[part_of(call)]);
    return in_scratch(work.scratch, pushed, device_of(call), work.data.size);
  }
  /// Weights on their way to the device: those of the server change meanwhile.
  Range copy(std::size_t call) const {
    const int behind_slots = roles.workers + device_of(call);
    return in_scratch(work.scratch, parts[part_of(call)], behind_slots, work.data.size);
  }
  void expect(Communicator comm, std::size_t call) {
    if (parts[part_of(call)].size > 0 && steps[call] < turns.steps)
      calls.add(comm.irecv(slot(call), device_of(call), tag_of(call)), static_cast<int>(call));
  }
};

Task take_call(Communicator comm, Shards* shards, std::size_t call) {
  const Range part = shards->parts[shards->part_of(call)];
  WorkerClocks& clocks = shards->clocks[shards->part_of(call)];
  const int device = shards->device_of(call), step = shards->steps[call];
  if (!shards->turns.pushes(step)) {
    clocks.asks(device);
    co_return;
  }
  co_await spend_time(comm, shards->ends.take_push(part));
  co_await comm.reduce(shards->ends.pushed(part), shards->slot(call));
  co_await comm.compute(shards->options.update * static_cast<double>(part.size));
  comm.observe("staleness", clocks.applied(device, shards->turns.fetches(step)));
}

Task answer_call(Communicator comm, Shards* shards, std::size_t call) {
  const Range part = shards->parts[shards->part_of(call)], copy = shards->copy(call);
  std::vector<Request>& sent = shards->answers[call];
  co_await comm.wait_all(sent);  // the device has asked again, so it has the last answer
  sent.clear();
  co_await comm.copy(copy, part);
  co_await spend_time(comm, shards->ends.answer(part));
  sent.push_back(comm.isend(copy, shards->device_of(call), shards->tag_of(call)));
}

Task serve_calls(Communicator comm, Workspace work, Options options, int bound) {
  comm.enter("serve");
  Shards shards(comm, work, &options, bound);
  while (!shards.calls.empty()) {
    const int first = co_await comm.wait_any(shards.calls.requests());
    const auto call = static_cast<std::size_t>(shards.calls.take(first));
    const std::size_t part = shards.part_of(call);
    co_await take_call(comm, &shards, call);
    shards.steps[call] = shards.turns.next(shards.steps[call] + 1);
    for (const int device : shards.clocks[part].released())
      co_await answer_call(comm, &shards, shards.call(device, part));
    shards.expect(comm, call);
  }
  for (const std::vector<Request>& sent : shards.answers) co_await comm.wait_all(sent);
}

/// Steps are the least: a server receives each call in a round of its own, then it answers.
Cost cost_of_calls(int ranks, std::size_t items, Options options) {
  const Roles roles(ranks, options.servers);
  const Turns turns(options);
  const auto [parts, kept] = pushed_parts(roles, items, options);
  const std::int64_t calls = roles.workers * turns.count(&Turns::talks);
  const std::int64_t pushes = roles.workers * turns.count(&Turns::pushes);
  const std::int64_t fetches = roles.workers * turns.count(&Turns::fetches);
  return {.steps = parts > 0 ? calls + 1 : 0,
          .messages = (calls + fetches) * parts,
          .items = static_cast<std::uint64_t>(fetches) * items +
                   static_cast<std::uint64_t>(pushes) * kept};
}

/// A server's clocks count the updates of each bucket by itself. Observes "staleness" of each push:
/// updates of others between the fetch of its device and its own.
Task train_with_asynchronous_servers(Communicator comm, Workspace work, Options options,
                                     int bound) {
  const Roles roles(comm.size(), options.servers);
  return roles.is_worker(comm.rank())
             ? train(comm, work, options, push_and_fetch, roles.workers, false)
             : serve_calls(comm, work, options, bound);
}

/// The strategy without its name, its summary and its run. With `bound` it reads that option.
Algorithm asynchronous_servers(bool bound) {
  Algorithm strategy = {
      .collective = "training",
      .name = {},
      .summary = {},
      .options = {"model", "batch", "element", "overlap", "steps", "bucket", "servers",
                  "servers_by", "whole_below", "update", "n_push", "n_fetch", "compression",
                  "serialisation", "staging", "input", "checkpoint", "epochs"},
      .least_ranks = 2,
      .nonblocking = 1,
      .threads_for = [](const Options& options) { return training_threads(options); },
      .run = nullptr,
      .cost = cost_of_calls,
      .scratch_items =
          [](int ranks, std::size_t items, Options options) {
            return 2 * times(Roles(ranks, options.servers).workers, items);
          },
      .varies = Varies::steps,
  };
  if (bound) strategy.options.emplace_back("bound");
  return strategy;
}

}  // namespace

// Training with asynchronous parameter servers, as Downpour SGD does it: nobody waits for anybody.
// Cost for T steps of W devices: per part of a bucket a message for each push and each fetch, one
// for both where they fall together, and one for each answer.
Algorithm describe_asynchronous_parameter_server_training() {
  Algorithm strategy = asynchronous_servers(false);
  strategy.name = "asynchronous_parameter_server";
  strategy.summary = "servers update and answer each push as it comes (Downpour SGD)";
  strategy.run = [](Communicator comm, Workspace work, Options options) {
    return train_with_asynchronous_servers(comm, work, options, no_bound);
  };
  return strategy;
}

// Training with stale-synchronous parameter servers: asynchronous, but a device that is more than
// `bound` pushes ahead of the slowest waits for its weights.
//
// Source: Ho et al., NIPS 2013.
// Cost: that of asynchronous servers.
Algorithm describe_stale_synchronous_parameter_server_training() {
  Algorithm strategy = asynchronous_servers(true);
  strategy.name = "stale_synchronous_parameter_server";
  strategy.summary = "asynchronous servers; a device more than `bound` pushes ahead waits";
  strategy.run = [](Communicator comm, Workspace work, Options options) {
    return train_with_asynchronous_servers(comm, work, options, options.bound);
  };
  return strategy;
}

}  // namespace ringscope
