// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/workload/options.hpp"

#include <algorithm>

#include "scenarios/library/library.hpp"
#include "scenarios/workload/transformer.hpp"

namespace ringscope {
namespace {

constexpr double most_rate = 1e12;
constexpr int most_input_cores = 65536;
const std::vector<std::string> overlap_names = {"none", "nonblocking", "thread"};
const std::vector<std::string> negotiation_names = {"ready", "launched"};

/// The vector lies in whole bytes that a double counts.
void require_countable(const Value& named, const Model& model, std::size_t element) {
  constexpr std::uint64_t most_gradients = std::uint64_t{1} << 49;
  if (parameters_of(model.layers) > most_gradients / element)
    named.fail("expected gradients of at most {}", to_text(Bytes{most_gradients}));
}

/// The layers of the model, with the times of the job's batch.
void read_what(Fields& fields, Training& training) {
  const Value& named = fields.required("model");
  const Model model = read_model(named);
  training.element = read_size(fields.value_or("element", "4 B"), 1);
  require_countable(named, model, training.element);
  fields.resolve("model", model.resolved);
  const Value& batch = fields.value_or("batch", std::to_string(model.batch));
  training.model = model.name;
  training.records = model.records;
  training.input.record = model.record.count;
  training.batch = static_cast<int>(batch.integer(1, most_batch));
  training.layers = model.layers;
  const double times = static_cast<double>(training.batch) / model.batch;
  for (Layer& layer : training.layers) {
    layer.forward *= times;
    layer.backward *= times;
  }
}

bool takes_one_thread(const Algorithm& algorithm) {
  return threads_of(algorithm, {}) == 1 && algorithm.nonblocking == 0;
}

const Algorithm* read_exchange(const Value& value) {
  const Algorithm* exchange = algorithm_named(value, "allreduce");
  if (!takes_one_thread(*exchange))
    value.fail(
        "a training step exchanges gradients by an allreduce of one thread; '{}' uses several",
        exchange->name);
  return exchange;
}

const std::vector<std::string> compression_names = {"sparse", "low_rank"};

Duration cost_of(Fields& fields, std::string_view key) {
  return Seconds(fields.value_or(key, "0 s/B").byte_cost().seconds_per_byte);
}

void read_compression(Fields& options, Compression& how) {
  options.nested("compression", [&](Fields& fields) {
    const Value& ratio = fields.required("ratio");
    how.ratio = ratio.number(0, 1);
    if (how.ratio <= 0) ratio.fail("expected a share above 0 of a gradient's bytes");
    const Value& kind = fields.value_or("kind", "sparse");
    how.kind = kind.one_of("kind of compression", compression_names) == 0
                   ? Compression::Kind::sparse
                   : Compression::Kind::low_rank;
    how.compress = cost_of(fields, "cost");
    how.decompress = cost_of(fields, "decompress_cost");
  });
}

void read_serialisation(Fields& options, Training& training) {
  const Value* map = options.optional("serialisation");
  if (map == nullptr) return;
  Serialisation& calls = training.serialisation;
  if (training.exchange != nullptr && training.exchange->name == "nccl")
    map->fail("nccl makes no remote calls: add 'exchange: ring', as gRPC exchanges");
  Fields fields(*map, "job.options.serialisation");
  calls.tensor = fields.value_or("tensor", "0 s").seconds();
  calls.byte = cost_of(fields, "cost");
  fields.finish();
  options.resolve("serialisation", fields.resolved());
}

/// DDP sends 250 MiB at once, the others each tensor by itself. Source:
/// DistributedDataParallel.broadcast_bucket_size in torch/nn/parallel/distributed.py;
/// broadcast_parameters in horovod/torch/functions.py.
void read_startup(Fields& options, const Algorithm& strategy, Startup& startup) {
  options.nested("startup", [&](Fields& fields) {
    const Value& named = fields.value_or("broadcast", "binomial");
    startup.broadcast = algorithm_named(named, "broadcast");
    if (!takes_one_thread(*startup.broadcast))
      named.fail("expected a broadcast of one thread; '{}' uses several", startup.broadcast->name);
    const std::string_view usual = strategy.name == "ddp" ? "250 MiB" : "0 B";
    startup.bucket = read_size(fields.value_or("bucket", std::string(usual)), 0);
  });
}

Overlap read_overlap(const Value& value, const Algorithm& strategy) {
  const auto overlap = static_cast<Overlap>(value.one_of("overlap", overlap_names));
  if (overlap == Overlap::nonblocking && strategy.nonblocking == 0)
    value.fail("{} exchanges gradients in a separate thread: expected none or thread",
               strategy.name);
  return overlap;
}

Duration read_cycle(const Value& value) {
  const Seconds cycle = value.seconds();
  if (cycle.count() <= 0) value.fail("expected a time above 0 from one negotiation to the next");
  return cycle;
}

/// `rate`, or the CPU time of a record and the number of cores.
void read_rate(Fields& fields, Input& input) {
  if (const Value* cores = fields.optional("cores"))
    input.cores = static_cast<int>(cores->integer(1, most_input_cores));
  const Value* cpu = fields.optional("cpu");
  const Value& rate = cpu != nullptr ? *cpu : fields.required("rate");
  if (cpu == nullptr) {
    input.rate = rate.number(0, most_rate);
    if (input.rate <= 0) rate.fail("expected more than 0 records per second");
    return;
  }
  if (const Value* other = fields.optional("rate"))
    other->fail("'rate' and 'cpu' exclude each other: a rate is 'cores' by 'cpu'");
  if (input.cores == 0)
    cpu->fail(
        "'cpu' is the CPU time of a record: expected 'cores', too, the number of threads that "
        "prepare records");
  const double time = cpu->seconds().count();
  if (time <= 0) cpu->fail("expected a CPU time above 0 of a record");
  input.rate = std::min(most_rate, input.cores / time);
}

void read_checkpoint(Fields& options, Training& training) {
  options.nested("checkpoint", [&](Fields& fields) {
    training.checkpoint.every = static_cast<int>(fields.required("every").integer(1, most_batch));
    const Bytes weights{parameters_of(training.layers) * parameter_bytes};
    training.checkpoint.bytes = read_size(fields.value_or("bytes", to_text(weights)), 0);
  });
}

/// Those that are not set are not resolved: reports without them stay as they are.
void read_overheads(Fields& options, Training& training) {
  Overheads& times = training.overheads;
  if (const Value* variation = options.optional("variation"))
    times.variation = variation->number(0, most_variation);
  if (const Value* copy = options.optional("copy"))
    times.copy = Seconds(copy->byte_cost().seconds_per_byte);
  if (const Value* hook = options.optional("hook")) times.hook = hook->seconds();
}

}  // namespace

void read_input(Fields& options, Input& input) {
  options.nested("input", [&](Fields& fields) {
    read_rate(fields, input);
    input.prefetch = static_cast<int>(fields.value_or("prefetch", "2").integer(1, most_batch));
    if (const Value* spread = fields.optional("spread"))
      input.spread = spread->number(0, most_spread);
    read_interruptions(fields, "stalls", input.every, input.takes);
    if (const Value* mapped = fields.optional("mapped")) input.mapped = read_size(*mapped, 0);
    if (const Value* pinned = fields.optional("pinned")) input.pinned = read_size(*pinned, 0);
  });
}

int devices_of(const Algorithm& strategy, const Options& options, int ranks) {
  return strategy.name == "parameter_server" ? ranks - options.servers : ranks;
}

double host_memory(const Training& training) {
  const auto record = static_cast<double>(training.input.record);
  const auto batches = static_cast<double>(training.input.prefetch);
  return static_cast<double>(training.input.mapped) + static_cast<double>(training.input.pinned) +
         (training.input.rate > 0 ? batches * training.batch * record : 0);
}

DeviceMemory least_memory(const Training& training) {
  constexpr double momentum = 4;
  const auto element = static_cast<double>(training.element);
  DeviceMemory memory;
  memory.parameters =
      static_cast<double>(parameters_of(training.layers)) * (2 * element + momentum);
  for (const Layer& layer : training.layers) memory.activations += layer.outputs * element;
  return memory;
}

std::shared_ptr<const Training> read_training(Fields& options, const Algorithm& strategy,
                                              bool nccl) {
  auto training = std::make_shared<Training>();
  read_what(options, *training);
  const auto has = [&](std::string_view option) { return reads(strategy, option); };
  if (has("exchange"))
    training->exchange = read_exchange(options.value_or("exchange", nccl ? "nccl" : "ring"));
  if (const Value* epochs = options.optional("epochs"))
    training->epochs = static_cast<int>(epochs->integer(1, most_batch));
  training->overlap = read_overlap(options.value_or("overlap", "thread"), strategy);
  if (has("fusion")) training->fusion = read_size(options.value_or("fusion", "64 MiB"), 0);
  if (has("cycle")) training->cycle = read_cycle(options.value_or("cycle", "5 ms"));
  // TensorFlow on one host sends each variable by itself.
  const std::string bucket = strategy.one_host ? "0 B" : "25 MiB";
  if (has("bucket")) training->bucket = read_size(options.value_or("bucket", bucket), 0);
  if (has("bytes_per_pack"))
    training->bytes_per_pack = read_size(options.value_or("bytes_per_pack", "0 B"), 0);
  if (const Value* negotiation = options.optional("negotiation"))
    training->negotiates_launched = negotiation->one_of("negotiation", negotiation_names) == 1;
  read_overheads(options, *training);
  if (has("compression")) read_compression(options, training->compression);
  if (has("serialisation")) read_serialisation(options, *training);
  if (has("servers_by")) options.optional("servers_by");  // laid under the options already
  const Value* whole = has("whole_below") ? options.optional("whole_below") : nullptr;
  if (whole != nullptr) training->whole_below = read_size(*whole, 0);
  if (has("staging")) training->staging = cost_of(options, "staging");
  for (auto [key, every] :
       {std::pair{"n_push", &training->n_push}, std::pair{"n_fetch", &training->n_fetch}})
    if (has(key)) *every = static_cast<int>(options.value_or(key, "1").integer(1, most_batch));
  if (has("startup")) read_startup(options, strategy, training->startup);
  read_input(options, training->input);
  read_checkpoint(options, *training);
  return training;
}

}  // namespace ringscope
