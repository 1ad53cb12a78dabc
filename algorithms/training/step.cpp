// SPDX-License-Identifier: LGPL-2.1-or-later
#include "algorithms/training/step.hpp"

#include <cmath>
#include <numbers>

namespace ringscope {
namespace {

constexpr Flag batch_ready{4}, batch_taken{5};

const Algorithm& exchange_of(const Options& options) {
  const Algorithm* chosen = options.training != nullptr ? options.training->exchange : nullptr;
  return chosen != nullptr ? *chosen : *find_algorithm("allreduce", "ring");
}

/// Packs in which the first device's variables go; they are as many as the gradients.
std::vector<Gradient> startup_packs(const Options& options, Range whole) {
  const std::size_t most = items_of(training_of(options).startup.bucket, options);
  return buckets_of(gradients_of(options, whole), most, most);
}

Task broadcast_variables(Communicator comm, Workspace work, Options options) {
  const Algorithm* broadcast = options.training->startup.broadcast;
  for (const Gradient& pack : startup_packs(options, work.data)) {
    const Workspace part = {pack.range, work.scratch};
    co_await broadcast->run(comm, part, options);
  }
  comm.observe("started", 0);
}

Compression compression_of(const Options& options) {
  return options.training != nullptr ? options.training->compression : Compression();
}

/// Serialising a rank's mean share of the messages of a sum, or deserialising as many.
Duration remote_calls(int ranks, const Options& options, std::size_t items) {
  if (options.training == nullptr) return {};
  const Serialisation& calls = options.training->serialisation;
  const Cost all =
      sum_gradient_cost(ranks, items, options, compression_of(options), exchange_of(options));
  const auto bytes = static_cast<double>(all.items) * static_cast<double>(options.given.item_bytes);
  return (static_cast<double>(all.messages) * calls.tensor + bytes * calls.byte) / ranks;
}

/// Requires a share above 0 and below 1; bisects, so that all machines give the same digits.
double normal_quantile(double share) {
  double low = -40, high = 40;
  for (int i = 0; i < 64; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(-middle / std::numbers::sqrt2) / 2 < share ? low : high) = middle;
  }
  return (low + high) / 2;
}

/// Time of a copy of a bucket into a buffer, or out of it.
Duration copies(const Options& options, std::size_t items) {
  if (options.training == nullptr) return {};
  return options.training->overheads.copy * static_cast<double>(items) *
         static_cast<double>(options.given.item_bytes);
}

/// Time of the host before the exchange of a bucket that is a range of the vector `whole`.
Duration hooks(const Options& options, Range whole, Range bucket) {
  if (options.training == nullptr || options.training->overheads.hook.count() == 0) return {};
  const auto tensors = static_cast<double>(tensors_in(gradients_of(options, whole), bucket));
  return options.training->overheads.hook * tensors;
}

Startup startup_of(const Options& options) {
  return options.training != nullptr ? options.training->startup : Startup();
}

/// Devices of this rank's host, which share its cores for the input.
int devices_of_host(Communicator comm, const Options& options, int devices) {
  if (options.given.hosts == nullptr) return 1;
  const View<const int> hosts = *options.given.hosts;
  return static_cast<int>(std::count(hosts.begin(), hosts.begin() + devices, hosts[comm.rank()]));
}

/// The gradients of all steps, one step after the other.
Task exchange_all(Communicator comm, Workspace work, Options options, Exchange exchange,
                  const Passed* passed) {
  for (int step = 0; step < options.steps; ++step) {
    const Turn turn = {step, passed};
    co_await exchange(comm, work, options, turn);
  }
}

Task forward(Communicator comm, View<const Layer> layers, double slowest) {
  for (int layer : comm.phase("forward", static_cast<int>(layers.size())))
    co_await comm.compute(layers[layer].forward * slowest);
}

Task backward(Communicator comm, std::span<const Layer> layers, Passed* passed, double slowest) {
  for (int layer : comm.phase("backward", static_cast<int>(layers.size()))) {
    co_await comm.compute(layers.rbegin()[layer].backward * slowest);
    ++*passed;
    comm.raise(layer_passed);
  }
}

Task update(Communicator comm, Options options, std::size_t items) {
  comm.enter("update");
  co_await comm.compute(options.update * static_cast<double>(items));
}

Task write_checkpoint(Communicator comm, std::size_t items) {
  comm.enter("checkpoint");
  co_await comm.store(items);
}

bool writes(const Checkpoint& checkpoint, Communicator comm, int step) {
  return comm.rank() == 0 && checkpoint.every > 0 && (step + 1) % checkpoint.every == 0;
}

/// Backward, with the exchange beside it or after it.
Task backward_and_exchange(Communicator comm, Workspace work, Options options, Exchange exchange,
                           const Training* job, Passed* passed, int step, double slowest) {
  const Turn turn = {step, passed};
  Thread posted;
  if (job->overlap == Overlap::nonblocking)
    posted = comm.start(exchange(comm.beside(Beside::nonblocking), work, options, turn),
                        Beside::nonblocking);
  co_await backward(comm, job->layers, passed, slowest);
  comm.observe("computed", step);
  comm.enter("exchange");
  if (job->overlap == Overlap::none) co_await exchange(comm, work, options, turn);
  if (job->overlap == Overlap::nonblocking) co_await comm.join(posted);
  if (job->overlap == Overlap::thread) co_await comm.reach(sums_there, turn.step + 1);
  comm.observe("exchanged", step);
}

/// The whole vector, which the buckets of a step make up, in the packs of the start.
template <typename Add>
void for_startup_packs(const Options& options, const std::vector<Gradient>& buckets, Add add) {
  if (startup_of(options).broadcast == nullptr) return;
  for (const Gradient& pack : startup_packs(options, together(buckets).range)) add(pack.range.size);
}

Cost startup_cost(int ranks, const Options& options, const std::vector<Gradient>& buckets) {
  Cost sum;
  for_startup_packs(options, buckets, [&](std::size_t items) {
    sum += startup_of(options).broadcast->cost(ranks, items, options);
  });
  return sum;
}

std::size_t startup_scratch(int ranks, const Options& options,
                            const std::vector<Gradient>& buckets) {
  std::size_t most = 0;
  for_startup_packs(options, buckets, [&](std::size_t items) {
    most = std::max(most, startup_of(options).broadcast->scratch_items(ranks, items, options));
  });
  return most;
}

}  // namespace

double slowest_of(int devices, double variation) {
  return 1 + variation * normal_quantile((devices - 0.375) / (devices + 0.25));
}

Training training_of(const Options& options) {
  if (options.training != nullptr) return *options.training;
  Training plain;
  plain.layers.emplace_back();
  return plain;
}

std::vector<Gradient> gradients_of(const Options& options, Range whole) {
  if (options.training == nullptr) return {{whole, 1}};
  const Training& job = *options.training;
  return gradients_of(job.layers, whole, options.given.item_bytes, job.element);
}

std::size_t items_of(std::uint64_t bytes, const Options& options) {
  return bytes / options.given.item_bytes + (bytes % options.given.item_bytes == 0 ? 0 : 1);
}

Task read_batches(Communicator comm, Options options, int devices) {
  const Training& job = *options.training;
  const Input& input = job.input;
  const std::size_t batch = items_of(times(job.batch, input.record), options);
  const Duration share{job.batch * devices_of_host(comm, options, devices) / input.rate};
  for (int step : comm.phase("input", options.steps)) {
    co_await comm.reach(batch_taken, std::max(0, step + 1 - input.prefetch));
    co_await comm.load(batch);
    co_await comm.prepare(job.batch, share);
    comm.raise(batch_ready);
  }
}

Task take_batch(Communicator comm, int step) {
  comm.enter("wait for input");
  co_await comm.reach(batch_ready, step + 1);
  comm.raise(batch_taken);
}

Task train(Communicator comm, Workspace work, Options options, Exchange exchange, int devices,
           bool updates, Extras extras) {
  const Training job = training_of(options);
  if (job.startup.broadcast != nullptr) co_await broadcast_variables(comm, work, options);
  const double slowest = slowest_of(devices, job.overheads.variation);
  Passed passed = 0;
  std::vector<Thread> threads;
  const auto start = [&](Task text) { threads.push_back(comm.start(std::move(text))); };
  if (has_input(options)) start(read_batches(comm.beside(Beside::thread), options, devices));
  if (job.overlap == Overlap::thread)
    start(exchange_all(comm.beside(Beside::thread), work, options, exchange, &passed));

  for (int step = 0; step < options.steps; ++step) {
    if (has_input(options)) co_await take_batch(comm, step);
    if (extras.take_batch != nullptr) co_await extras.take_batch(comm, work, options);
    comm.observe("loaded", step);
    co_await forward(comm, job.layers, slowest);
    if (extras.after_forward != nullptr) co_await extras.after_forward(comm, work, options);
    co_await backward_and_exchange(comm, work, options, exchange, &job, &passed, step, slowest);
    if (updates) co_await update(comm, options, work.data.size);
    if (writes(job.checkpoint, comm, step))
      co_await write_checkpoint(comm, items_of(job.checkpoint.bytes, options));
    comm.observe("step", step);
  }
  for (const Thread thread : threads) co_await comm.join(thread);
}

std::size_t due(const Gradient& gradient, const Options& options, Turn turn) {
  const std::size_t layers = options.training != nullptr ? options.training->layers.size() : 1;
  return times(turn.step, layers) + gradient.layers;
}

Task allreduce(Communicator comm, Workspace work, Options options, Gradient bucket) {
  Table<int> all = numbers_below(comm.size());
  const Workspace part = {bucket.range, work.scratch};
  const Compression how = compression_of(options);
  const Duration calls = remote_calls(comm.size(), options, bucket.range.size);
  const Duration copy = copies(options, bucket.range.size);
  const Duration hook = hooks(options, work.data, bucket.range);
  if (hook.count() > 0) co_await comm.sleep(hook);
  if (copy.count() > 0) co_await comm.compute(copy);
  if (calls.count() > 0) co_await comm.compute(calls);
  co_await sum_gradient(comm.among(all, "exchange"), part, options, how, &exchange_of(options));
  if (calls.count() > 0) co_await comm.compute(calls);
  if (copy.count() > 0) co_await comm.compute(copy);
}

Task allreduce_each(Communicator comm, Workspace work, Options options, Turn turn,
                    std::vector<Gradient> buckets) {
  for (const Gradient& bucket : buckets) {
    co_await comm.reach(layer_passed, due(bucket, options, turn));
    co_await allreduce(comm, work, options, bucket);
  }
  comm.raise(sums_there);
}

std::vector<std::string_view> training_options(std::initializer_list<std::string_view> others) {
  std::vector<std::string_view> options = {"model",    "batch",   "element",
                                           "exchange", "overlap", "steps"};
  options.insert(options.end(), others);
  for (const std::string_view last :
       {"segment", "inside", "between", "update", "compression", "startup", "input", "checkpoint",
        "epochs", "variation", "copy", "hook"})
    options.push_back(last);
  return options;
}

int training_threads(const Options& options, int more) {
  if (options.training == nullptr) return 1 + more;
  const Training& job = *options.training;
  // A channel of the exchange has a thread, of which that one is the first.
  int channels = threads_of(exchange_of(options), options) - 1;
  if (job.compression.kind == Compression::Kind::sparse)
    channels = threads_of(allgather_like(exchange_of(options)), options) - 1;
  if (job.startup.broadcast != nullptr)
    channels = std::max(channels, threads_of(*job.startup.broadcast, options) - 1);
  return 1 + more + channels + (job.overlap == Overlap::thread ? 1 : 0) +
         (has_input(options) ? 1 : 0);
}

Cost allreduce_cost(int ranks, const Options& options, const std::vector<Gradient>& buckets) {
  const Compression how = compression_of(options);
  const Algorithm& exchange = exchange_of(options);
  Cost sum = startup_cost(ranks, options, buckets);
  for (const Gradient& bucket : buckets)
    sum += sum_gradient_cost(ranks, bucket.range.size, options, how, exchange) * options.steps;
  return sum;
}

std::size_t allreduce_scratch(int ranks, const Options& options,
                              const std::vector<Gradient>& buckets) {
  const Compression how = compression_of(options);
  std::size_t most = startup_scratch(ranks, options, buckets);
  for (const Gradient& bucket : buckets)
    most = std::max(
        most, sum_gradient_scratch(ranks, bucket.range.size, options, how, exchange_of(options)));
  return most;
}

bool allreduces_alike(int ranks, const Options& options, const std::vector<Gradient>& buckets) {
  const Training job = training_of(options);
  return job.startup.broadcast == nullptr && job.checkpoint.every == 0 &&
         std::ranges::all_of(buckets, [&](const Gradient& bucket) {
           return sum_gradient_alike(ranks, bucket.range.size, options, job.compression,
                                     exchange_of(options));
         });
}

}  // namespace ringscope
