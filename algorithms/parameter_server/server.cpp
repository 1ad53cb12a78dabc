// SPDX-License-Identifier: LGPL-2.1-or-later
#include "algorithms/parameter_server/server.hpp"

#include "algorithms/parameter_server/clocks.hpp"

namespace ringscope {
namespace {

// The pushes that a server receives: a receive is posted for each worker, so that pushes of several
// workers arrive at once, each piece into the slot of its worker.

/// A piece of a worker's push that has arrived.
struct Pushed {
  int worker = 0;
  Range weights;  ///< to which it is to be added
  Range slot;     ///< its place, until the worker's next piece is expected
  bool last = false;
};

class Inbox {
 public:
  /// `slots`: slot_items() items for each worker.
  Inbox(Communicator comm, Range shard, Range slots, int workers, std::size_t segment)
      : comm_(comm), shard_(shard), slots_(slots), segment_(segment), arrived_(workers) {}

  static std::size_t slot_items(std::size_t shard_items, std::size_t segment) {
    return std::min(shard_items, segment);
  }

  /// Posts the receive for the worker's next piece: after the last one, for the first of its next
  /// push. An empty shard has none.
  void expect(int worker) {
    if (shard_.size > 0) in_flight_.add(comm_.irecv(next(worker).slot, worker), worker);
  }
  bool expects() const { return !in_flight_.empty(); }
  /// Requests for wait_any, which yields the index of the piece to take.
  std::span<const Request> requests() const { return in_flight_.requests(); }
  Pushed take(int index) {
    const Pushed pushed = next(in_flight_.take(index));
    std::size_t& arrived = arrived_[pushed.worker];
    arrived = pushed.last ? 0 : arrived + 1;
    return pushed;
  }

 private:
  Pushed next(int worker) const {
    const Range weights = piece(shard_, arrived_[worker], segment_);
    const Range slot = slots_.part(worker, arrived_.size()).first(weights.size);
    const bool last = arrived_[worker] + 1 == piece_count(shard_.size, segment_);
    return {worker, weights, slot, last};
  }

  Communicator comm_;
  Range shard_, slots_;
  std::size_t segment_;
  Table<std::size_t> arrived_;  ///< pieces of the push that is in flight, by worker
  InFlight in_flight_;
};

/// One push of each worker, added to the weights.
Task add_all_pushes(Communicator comm, Inbox* inbox, int workers) {
  for (int worker = 0; worker < workers; ++worker) inbox->expect(worker);
  while (inbox->expects()) {
    const Pushed pushed = inbox->take(co_await comm.wait_any(inbox->requests()));
    co_await comm.reduce(pushed.weights, pushed.slot);
    if (!pushed.last) inbox->expect(pushed.worker);
  }
}

/// A push of whichever worker is the first to have all of it here: left in `worker`.
Task add_next_push(Communicator comm, Inbox* inbox, Duration update, int* worker) {
  for (bool whole = false; !whole;) {
    const Pushed pushed = inbox->take(co_await comm.wait_any(inbox->requests()));
    co_await comm.reduce(pushed.weights, pushed.slot);
    co_await comm.compute(update * static_cast<double>(pushed.weights.size));
    *worker = pushed.worker;
    whole = pushed.last;
    if (!whole) inbox->expect(*worker);
  }
}

/// Piece by piece to all workers.
Task send_to_all(Communicator comm, Range weights, std::span<const int> workers,
                 std::size_t segment, Pull pull) {
  std::vector<Request> requests;
  for (std::size_t i = 0; i < piece_count(weights.size, segment); ++i) {
    const Range part = piece(weights, i, segment);
    if (pull == Pull::multicast)
      co_await comm.multicast(part, workers);
    else
      for (const int worker : workers) requests.push_back(comm.isend(part, worker));
  }
  co_await comm.wait_all(requests);
}

/// The answers of a server: while one is in flight the weights change, so it is a copy.
class Answers {
 public:
  Answers(Range weights, Range copies, int workers, std::size_t segment)
      : weights_(weights), copies_(copies), segment_(segment), in_flight_(workers) {}

  std::vector<Request>& in_flight(int worker) { return in_flight_[worker]; }
  std::size_t pieces() const { return piece_count(weights_.size, segment_); }
  Range weights(std::size_t i) const { return piece(weights_, i, segment_); }
  Range copy(int worker, std::size_t i) const {
    return piece(copies_.part(worker, in_flight_.size()), i, segment_);
  }

 private:
  Range weights_, copies_;
  std::size_t segment_;
  Table<std::vector<Request>> in_flight_;  ///< by worker
};

Task send_answer(Communicator comm, Answers* answers, int worker) {
  std::vector<Request>& requests = answers->in_flight(worker);
  co_await comm.wait_all(requests);  // the worker has pushed since, so it has the last answer
  requests.clear();
  for (std::size_t i = 0; i < answers->pieces(); ++i) {
    co_await comm.copy(answers->copy(worker, i), answers->weights(i));
    requests.push_back(comm.isend(answers->copy(worker, i), worker));
  }
}

Range shard_of(Communicator comm, const Roles& roles, Range whole) {
  return roles.shard(whole, comm.rank() - roles.rank_of(0));
}

/// Items of the receive slots for all workers.
std::size_t slots(const Roles& roles, Range shard, const Options& options) {
  return times(roles.workers, Inbox::slot_items(shard.size, options.segment));
}

/// Pieces of the first and largest shard.
std::int64_t most_pieces(const Roles& roles, std::size_t items, const Options& options) {
  return static_cast<std::int64_t>(piece_count(roles.most_items(items), options.segment));
}

// The algorithms whose ranks are servers and workers; they differ in what the servers do.

struct Serving {
  bool all_at_once = false;      ///< waits for all workers; else takes each push as it comes
  Pull pull = Pull::one_by_one;  ///< of all at once
  bool bounded = false;          ///< of each as it comes: by the option `bound`
};

template <Serving serving>
Algorithm with_servers(std::string_view name, std::string_view summary) {
  return {
      .collective = "parameter_server",
      .name = name,
      .summary = summary,
      .options = serving.bounded ? parameter_server_options({"bound"}) : parameter_server_options(),
      .least_ranks = 2,
      .run =
          [](Communicator comm, Workspace work, Options options) {
            const Roles roles(comm.size(), options.servers);
            if (roles.is_worker(comm.rank())) return work_of_worker(comm, roles, work, options);
            if (serving.all_at_once)
              return serve_all_at_once(comm, roles, work, options, serving.pull);
            const int bound = serving.bounded ? options.bound : no_bound;
            return serve_as_they_come(comm, roles, work, options, bound);
          },
      .cost =
          [](int ranks, std::size_t items, Options options) {
            return serving.all_at_once ? cost_all_at_once(ranks, items, options, serving.pull)
                                       : cost_as_they_come(ranks, items, options);
          },
      .scratch_items = serving.all_at_once ? scratch_all_at_once : scratch_as_they_come,
      .varies = Varies::steps,
  };
}

}  // namespace

Task serve_all_at_once(Communicator comm, Roles roles, Workspace work, Options options, Pull pull) {
  const Range weights = shard_of(comm, roles, work.data);
  if (weights.size == 0) co_return;
  Inbox inbox(comm, weights, work.scratch.first(slots(roles, weights, options)), roles.workers,
              options.segment);
  Table<int> workers = numbers_below(roles.workers);

  for ([[maybe_unused]] int step : comm.phase("serve", options.steps)) {
    co_await add_all_pushes(comm, &inbox, roles.workers);
    co_await comm.compute(options.update * static_cast<double>(weights.size));
    for (int worker = 0; worker < roles.workers; ++worker) comm.observe("staleness", 0);
    co_await send_to_all(comm, weights, workers, options.segment, pull);
  }
}

Task serve_as_they_come(Communicator comm, Roles roles, Workspace work, Options options,
                        int bound) {
  const Range weights = shard_of(comm, roles, work.data);
  if (weights.size == 0) co_return;
  const std::size_t in = slots(roles, weights, options);
  const Range copies = {work.scratch.buffer, work.scratch.offset + in,
                        times(roles.workers, weights.size)};
  Inbox inbox(comm, weights, work.scratch.first(in), roles.workers, options.segment);
  Answers answers(weights, copies, roles.workers, options.segment);
  WorkerClocks clocks(roles.workers, bound);

  for (int worker = 0; worker < roles.workers; ++worker) inbox.expect(worker);
  for ([[maybe_unused]] int push : comm.phase("serve", roles.workers * options.steps)) {
    int pusher = 0;
    co_await add_next_push(comm, &inbox, options.update, &pusher);
    comm.observe("staleness", clocks.applied(pusher));
    for (const int worker : clocks.released()) {
      co_await send_answer(comm, &answers, worker);
      if (clocks.pushes(worker) < options.steps) inbox.expect(worker);
    }
  }
  for (int worker = 0; worker < roles.workers; ++worker)
    co_await comm.wait_all(answers.in_flight(worker));
}

Cost cost_all_at_once(int ranks, std::size_t items, const Options& options, Pull pull) {
  const Roles roles(ranks, options.servers);
  const std::int64_t workers = roles.workers, steps = options.steps;
  const std::int64_t pieces = most_pieces(roles, items, options);
  const std::int64_t all = count_pieces(roles, items, options.segment);
  if (pull == Pull::multicast)
    return {.steps = steps * (workers + 1) * pieces,
            .messages = steps * (workers + 1) * all,
            .items = static_cast<std::uint64_t>(steps * (workers + 1)) * items};
  return {.steps = (2 * workers + (steps - 1) * (workers + 1)) * pieces,
          .messages = steps * 2 * workers * all,
          .items = static_cast<std::uint64_t>(steps * 2 * workers) * items};
}

Cost cost_as_they_come(int ranks, std::size_t items, Options options) {
  Cost cost = cost_all_at_once(ranks, items, options, Pull::one_by_one);
  const Roles roles(ranks, options.servers);
  const std::int64_t steps = options.steps;
  cost.steps = std::max(steps * roles.workers + 1, 2 * steps) * most_pieces(roles, items, options);
  return cost;
}

std::size_t scratch_all_at_once(int ranks, std::size_t items, Options options) {
  const Roles roles(ranks, options.servers);
  return std::max(items, slots(roles, roles.shard({.size = items}, 0), options));
}

std::size_t scratch_as_they_come(int ranks, std::size_t items, Options options) {
  const Roles roles(ranks, options.servers);
  const Range shard = roles.shard({.size = items}, 0);
  return std::max(items, slots(roles, shard, options) + times(roles.workers, shard.size));
}

std::vector<std::string_view> parameter_server_options(
    std::initializer_list<std::string_view> others) {
  std::vector<std::string_view> options = {"servers", "segment", "update", "steps", "compute"};
  options.insert(options.end(), others);
  return options;
}

Task work_of_worker(Communicator comm, Roles roles, Workspace work, Options options) {
  const Range pulled = work.scratch.first(work.data.size);
  std::vector<Request> requests;

  for ([[maybe_unused]] int step : comm.phase("step", options.steps)) {
    co_await comm.compute(options.compute);
    requests.clear();
    for (const ServedPiece& weights : pieces_of(roles, pulled, options.segment))
      requests.push_back(comm.irecv(weights.range, weights.server));
    for (const ServedPiece& gradients : pieces_of(roles, work.data, options.segment))
      requests.push_back(comm.isend(gradients.range, gradients.server));
    co_await comm.wait_all(requests);
    comm.observe("step", 1);
  }
}

// Synchronous parameter server: a server waits for the pushes of all workers, makes one update of
// their sum, and sends the weights to each.
//
// Source: Li et al., OSDI 2014 (see roles.hpp); MXNet's kvstore dist_sync.
// Cost for T steps of W workers, with n pieces in the largest shard and N in all: at least
// 2Wn + (T-1)(W+1)n steps, 2TWN messages, 2TWS items.
Algorithm describe_synchronous_parameter_server() {
  return with_servers<Serving{.all_at_once = true}>(
      "synchronous", "a server waits for all workers, updates once, answers all");
}

// Synchronous parameter server whose pull is a multicast: one stream out of the server, which the
// network copies to all workers.
//
// Source: Li et al., OSDI 2014 (see roles.hpp); Mai, Hong and Costa, "Optimizing network
// performance in distributed machine learning", HotCloud 2015. Cost for T steps of W workers, with
// n pieces in the largest shard and N in all: at least T(W+1)n steps, T(W+1)N messages, T(W+1)S
// items.
Algorithm describe_multicast_parameter_server() {
  return with_servers<Serving{.all_at_once = true, .pull = Pull::multicast}>(
      "multicast", "synchronous; the switch copies one stream of weights to all workers");
}

// Asynchronous parameter server: a server makes an update of each push as it comes and answers it
// at once; nobody waits for anybody.
//
// Source: Dean et al., "Large scale distributed deep networks", NIPS 2012 (Downpour SGD); MXNet's
// kvstore dist_async.
// Cost for T steps of W workers, with n pieces in the largest shard and N in all: at least
// (TW+1)n steps and 2Tn, 2TWN messages, 2TWS items.
Algorithm describe_asynchronous_parameter_server() {
  return with_servers<Serving{}>("asynchronous",
                                 "a server updates and answers each push as it comes");
}

// Stale-synchronous parameter server: asynchronous, but a worker that is more than `bound` steps
// ahead of the slowest waits for its answer.
//
// Source: Ho et al., NIPS 2013 (see clocks.hpp).
// Cost for T steps of W workers, with n pieces in the largest shard and N in all: at least
// (TW+1)n steps and 2Tn, 2TWN messages, 2TWS items.
Algorithm describe_stale_synchronous_parameter_server() {
  return with_servers<Serving{.bounded = true}>(
      "stale_synchronous", "asynchronous; a worker more than `bound` steps ahead waits");
}

}  // namespace ringscope
