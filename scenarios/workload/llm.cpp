// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/workload/options.hpp"

#include <fmt/format.h>

#include "scenarios/workload/llm_cut.hpp"

namespace ringscope {
namespace {

const std::vector<std::string> schedule_names = {"gpipe", "1f1b", "interleaved"};

void require_divisible(const Value& value, std::uint64_t whole, int parts, std::string_view what,
                       std::string_view kind) {
  if (whole % static_cast<std::uint64_t>(parts) != 0)
    value.fail("{} {} cannot be cut into {} {} equal parts", whole, what, kind, parts);
}

/// All parts of a pipeline have as many layers, but for the first and the last one, which have the
/// embedding and the output layer too: these lack what the model has too few, the last one more.
void read_ends(Fields& fields, Cut& cut) {
  const int layers = static_cast<int>(cut.model.layers), slots = cut.stages * cut.parts;
  const int lacking = lacking_layers(layers, slots);
  const Value* fewer = fields.optional("fewer_at_ends");
  cut.fewer_at_first = fewer == nullptr ? lacking / 2 : static_cast<int>(fewer->integer(0, 1000));
  cut.fewer_at_last = fewer == nullptr ? (lacking + 1) / 2 : cut.fewer_at_first;
  if (fewer != nullptr && cut.fewer_at_first > 0 && cut.stages < 2)
    fewer->fail("a pipeline of one stage has no ends that lack layers: set groups.pp");
  const Value& place = fewer == nullptr ? *fields.map().find("model") : *fewer;
  if ((layers + cut.fewer_at_first + cut.fewer_at_last) % slots != 0)
    place.fail("{} layers, and {} that each end lacks, cannot be cut into {} equal parts", layers,
               cut.fewer_at_first, slots);
  if (cut.part_layers() < cut.fewer_at_last || cut.layers(0) < 1 || cut.layers(cut.stages - 1) < 1)
    place.fail(
        "{} layers cannot be cut into {} parts of a pipeline: an end would lack {}, and a part has "
        "{}",
        layers, slots, cut.fewer_at_last, cut.part_layers());
}

/// Megatron's conditions of an interleaved pipeline.
void read_parts(Fields& fields, Cut& cut) {
  const Value& schedule = fields.value_or("schedule", "1f1b");
  cut.schedule = static_cast<PipelineSchedule>(schedule.one_of("schedule", schedule_names));
  const bool interleaved = cut.schedule == PipelineSchedule::interleaved;
  const Value& parts = fields.value_or("stage_parts", interleaved ? "2" : "1");
  cut.parts = static_cast<int>(parts.integer(1, 100'000));
  if (!interleaved && cut.parts > 1)
    parts.fail("parts of a stage are for the schedule 'interleaved'");
  read_ends(fields, cut);
  if (!interleaved) return;
  if (cut.stages < 2)
    schedule.fail("an interleaved pipeline has at least two stages: set groups.pp");
  if (cut.parts < 2) parts.fail("an interleaved pipeline has at least two parts of each stage");
  require_divisible(schedule, static_cast<std::uint64_t>(cut.micro_batches), cut.stages,
                    "micro-batches", "pp");
}

/// ZeRO 2 and 3 exchange in every micro-batch, of which a pipeline has many in flight. DeepSpeed
/// asserts that its pipelines have neither (deepspeed/runtime/pipe/engine.py); PyTorch's FSDP2 is
/// used with pipelines without resharding, so that parameters and gradients are whole through a
/// step (torchtitan, reshard_after_forward of apply_fsdp), which is what ZeRO 1 takes and sends.
void read_zero(Fields& fields, Cut& cut) {
  const Value& zero = fields.value_or("zero", "0");
  cut.zero = static_cast<int>(zero.integer(0, 3));
  if (cut.zero >= 2 && cut.stages > 1)
    zero.fail(
        "zero: {} exchanges in every micro-batch, and a pipeline has several under way: "
        "DeepSpeed rejects it, and FSDP2 then keeps all it has until the step ends, as "
        "zero: 1 does; expected groups.pp 1, got {}, or zero: 1",
        cut.zero, cut.stages);
  if (cut.zero >= 2 && cut.expert > 1)
    zero.fail(
        "zero: {} cuts whole layers over the data group, and groups.ep cuts their experts: "
        "expected zero: 0 or 1, which Megatron-LM allows with experts",
        cut.zero);
  const Value& shard = fields.value_or("shard", std::to_string(cut.data));
  cut.shard = static_cast<int>(shard.integer(1, cut.data));
  if (cut.shard < cut.data && cut.zero < 2)
    shard.fail("a data group is cut into shards by zero: 2 and zero: 3");
  if (cut.data % cut.shard != 0)
    shard.fail("{} ranks of a data group cannot be cut into shards of {}", cut.data, cut.shard);
  const Value& prefetch = fields.value_or("prefetch", cut.zero == 3 ? "1" : "0");
  cut.prefetch = static_cast<int>(prefetch.integer(0, 1000));
  if (cut.prefetch > 0 && cut.zero < 3)
    prefetch.fail("parameters are gathered, and so fetched ahead, by zero: 3");
}

/// `efficiency` takes the place of a GPU's kernels.
void read_kernel_options(Fields& fields, Cut& cut) {
  const Value& precision = fields.value_or("precision", "bf16");
  cut.precision = static_cast<Precision>(precision.one_of("precision", precision_names));
  const Value* efficiency = fields.optional("efficiency");
  if (efficiency != nullptr) cut.efficiency = efficiency->number(0, 1);
  if (efficiency != nullptr && cut.efficiency == 0)
    efficiency->fail("expected a share above 0 of the GPU's operations");
  if (efficiency == nullptr && !cut.gpu.kernels) cut.efficiency = 1;
  const double flops = flops_of(cut.gpu, cut.precision);
  if (flops == 0)
    precision.fail("{} does not specify its operations per second: expected gpu.flops_{}",
                   cut.gpu.name, precision.text());
  if (cut.efficiency > 0) cut.gpu.flops = flops;
  const bool wide = cut.precision == Precision::tf32 || cut.precision == Precision::fp32;
  cut.element = static_cast<double>(read_size(fields.value_or("element", wide ? "4 B" : "2 B"), 1));
  cut.gradient = static_cast<double>(read_size(
      fields.value_or("gradient", to_text(Bytes{static_cast<std::uint64_t>(cut.element)})), 1));
  const Value& attention = fields.value_or("attention", "fused");
  cut.fused_attention =
      attention.one_of("attention", std::vector<std::string>{"fused", "unfused"}) == 0;
  cut.launch = fields.value_or("launch", cut.efficiency > 0 ? "0 s" : "10 us").seconds();
}

/// Adam keeps two moments of 4 bytes, and a copy of the parameters of 4 bytes where these have
/// fewer: arXiv:1910.02054, section 3.
void read_memory_options(Fields& fields, Cut& cut) {
  cut.gradient_copy = static_cast<double>(read_size(fields.value_or("gradient_copy", "0 B"), 0));
  cut.optimiser = static_cast<double>(
      read_size(fields.value_or("optimiser", cut.element < 4 ? "12 B" : "8 B"), 0));
  cut.fragmentation = fields.value_or("fragmentation", "0").number(0, 0.5);
}

void read_recompute(Fields& fields, Cut& cut) {
  const Value& value = fields.value_or("recompute", "none");
  const std::string word = value.scalar();
  cut.recompute_square = word == "selective";
  if (word == "full") cut.recompute = 1;
  if (word == "none" || word == "full" || cut.recompute_square) return;
  if (word.empty() || (word.front() != '0' && word.front() != '.' && word.front() != '1'))
    value.fail("expected none, selective, full, or a share of the layers from 0 to 1, got '{}'",
               word);
  cut.recompute = value.number(0, 1);
}

void read_overlap(Fields& fields, const Cut& cut, LlmStep& step) {
  const Value& overlap = fields.value_or("overlap", "none");
  const auto chosen =
      overlap.one_of("overlap", std::vector<std::string>{"none", "gradients", "all"});
  if (chosen > 0 && cut.zero != 1)
    overlap.fail("overlap is of zero: 1; zero: 2 and 3 always overlap");
  step.overlap_gradients = chosen > 0;
  step.overlap_parameters = chosen > 1;
  const Value& tensor = fields.value_or("tensor_overlap", "false");
  step.tensor_overlap = tensor.boolean();
  if (step.tensor_overlap && (cut.tensor == 1 || !cut.sequence_parallel))
    tensor.fail(
        "products overlap with the reduce-scatters and allgathers of sequence parallelism: "
        "expected groups.tp above 1 and sequence_parallel: true");
}

void read_cut(Fields& fields, Cut& cut) {
  const Value& model = fields.required("model");
  cut.model = read_transformer(model);
  fields.resolve("model", cut.model.resolved);
  require_divisible(model, cut.model.heads, cut.tensor, "heads", "tp");
  cut.gpu = read_gpu(fields.required("gpu"));
  fields.resolve("gpu", cut.gpu.resolved);
  read_kernel_options(fields, cut);
  read_memory_options(fields, cut);
  cut.model.sequence = static_cast<std::uint64_t>(
      fields.value_or("sequence", std::to_string(cut.model.sequence)).integer(1, 100'000'000));
  require_divisible(fields.map(), cut.model.sequence, cut.context, "tokens of a sequence", "cp");
  cut.micro_batch = static_cast<int>(fields.value_or("micro_batch", "1").integer(1, most_batch));
  cut.micro_batches =
      static_cast<int>(fields.value_or("micro_batches", "1").integer(1, most_batch));
  read_parts(fields, cut);
  read_recompute(fields, cut);
  const Value& sequence_parallel = fields.value_or("sequence_parallel", "false");
  cut.sequence_parallel = sequence_parallel.boolean();
  cut.border_parts =
      fields.value_or("border_parts", cut.sequence_parallel ? "true" : "false").boolean();
  if (cut.expert > 1 && cut.tensor > 1 && !cut.sequence_parallel)
    sequence_parallel.fail(
        "experts on ep groups with tp groups need sequence_parallel: true, as Megatron-LM does: "
        "each rank sends the tokens of its part of the sequence");
  read_experts(fields, cut);
  read_context_exchange(fields, cut);
  read_zero(fields, cut);
}

/// FSDP's usual wrapping: each layer, and what lies before and behind them all. A tied output layer
/// has no parameters of its own: it uses the embedding's, which the root unit keeps.
std::vector<ParameterUnit> units_of(const Cut& cut) {
  using Part = ParameterUnit::Part;
  const auto unit = [&](Part part, double parameters) {
    return ParameterUnit{part, whole_bytes(parameters * cut.element),
                         whole_bytes(parameters * cut.gradient)};
  };
  std::vector<ParameterUnit> units(cut.model.layers, unit(Part::layer, cut.layer_parameters()));
  if (cut.model.embedding() > 0)
    units.insert(units.begin(), unit(Part::embedding, cut.embedding_parameters()));
  if (cut.model.head() > 0) units.push_back(unit(Part::head, cut.head_parameters()));
  return units;
}

std::uint64_t sum_of(const std::vector<ParameterUnit>& units) {
  std::uint64_t sum = 0;
  for (const ParameterUnit& unit : units) sum += unit.gradients;
  return sum;
}

LlmStep step_of(const Cut& cut, const Grid& grid) {
  LlmStep step;
  static_cast<LlmPlan&>(step) = cut;
  step.grid = grid;
  step.part_layers = cut.part_layers();
  step.repeated = static_cast<int>(std::lround(cut.recompute * cut.part_layers()));
  step.attention = attention_pass(cut);
  if (cut.context > 1) {
    step.attention_block = block_pass(cut);
    const double each = cut.tokens() * cut.element / cut.tensor;
    step.keys = whole_bytes(each * static_cast<double>(cut.model.key_value_width()));
    step.queries = whole_bytes(each * cut.model.pair_width());
  }
  step.mlp = mlp_pass(cut, cut.mean_load());
  step.experts = experts_of(cut);
  if (cut.model.vocabulary > 0) step.head = head_pass(cut);
  step.activation = whole_bytes(cut.hidden_tokens() * cut.element);
  if (cut.precision == Precision::fp8) step.gathered_by = static_cast<unsigned>(cut.element);
  if (cut.border_parts) step.sent = whole_bytes(static_cast<double>(step.activation) / cut.tensor);
  step.memory = most_memory(cut);
  step.gpu_memory = static_cast<double>(cut.gpu.memory);
  step.tokens = static_cast<double>(cut.model.sequence);
  step.flops_per_token = flops_per_token(cut.model);
  step.peak_flops = flops_of(cut.gpu, cut.precision);
  // No measured step of a large model with experts was compared: its range has twice the width.
  if (cut.efficiency == 0)
    step.spread = std::pow(cut.gpu.kernels->spread, cut.model.experts > 1 ? 2 : 1);
  if (cut.zero >= 2) step.units = units_of(cut);
  for (int stage = 0; stage < cut.stages; ++stage) {
    step.updates.push_back(update_of(cut, stage));
    step.parameters.push_back(whole_bytes(cut.parameters(stage) * cut.element));
    step.gradients.push_back(cut.zero >= 2 ? sum_of(step.units)
                                           : whole_bytes(cut.parameters(stage) * cut.gradient));
  }
  return step;
}

/// The whole step of a rank of a middle stage, as one layer whose gradient is the largest stage's.
Layer layer_of(const LlmStep& step, const Cut& cut) {
  const Duration head = (step.head.forward + step.head.backward) / cut.stages;
  const std::uint64_t most = *std::ranges::max_element(step.gradients);
  const auto element = static_cast<std::uint64_t>(cut.gradient);
  Layer layer{"stage", {(most + element - 1) / element}, {}, {}};
  const Pass& block = step.attention_block;
  const int layers = step.part_layers * step.parts;
  layer.forward =
      cut.micro_batches *
      (layers * (step.attention.forward + step.mlp.forward + cut.context * block.forward));
  layer.backward =
      cut.micro_batches *
      (layers * (step.attention.backward + step.mlp.backward + cut.context * block.backward) +
       head);
  return layer;
}

const Algorithm* read_allreduce(const Value& value) {
  const Algorithm* chosen = algorithm_named(value, "allreduce");
  if (threads_of(*chosen, {}) > 1 || chosen->nonblocking > 0)
    value.fail("expected an allreduce of one thread; '{}' uses several", chosen->name);
  return chosen;
}

/// Reads an alltoallv of one thread.
const Algorithm* read_alltoallv(const Value& value) {
  return algorithm_named(value, "alltoallv", [](const Algorithm& one) {
    return one.threads_for == nullptr || one.one_channel;
  });
}

}  // namespace

std::shared_ptr<const Training> read_llm(Fields& options, const Grid& grid, bool nccl) {
  Cut cut;
  cut.tensor = grid.size("tp");
  cut.context = grid.size("cp");
  cut.data = grid.size("dp") * cut.context;
  cut.stages = grid.size("pp");
  cut.expert = grid.expert_size();
  read_cut(options, cut);
  require_memory(*options.map().find("model"), cut);
  auto training = std::make_shared<Training>();
  LlmStep step = step_of(cut, grid);
  read_overlap(options, cut, step);
  step.host = read_host_work(options, cut);
  for (const char* check : {"gradient_norm", "loss_scaling"})
    if (options.value_or(check, "false").boolean()) ++step.checks;
  const std::string sum = nccl ? "nccl" : "ring";
  step.tensor_exchange = read_allreduce(options.value_or("tensor_exchange", sum));
  step.exchange = read_allreduce(options.value_or("exchange", sum));
  step.experts.exchange =
      read_alltoallv(options.value_or("expert_exchange", nccl ? "nccl" : "posted"));
  training->model = cut.model.name;
  training->records = cut.model.records;
  training->batch = cut.micro_batch * cut.micro_batches;
  training->replica = cut.tensor * cut.context * cut.stages;
  training->element = static_cast<std::size_t>(cut.gradient);
  training->layers = {layer_of(step, cut)};
  read_llm_input(options, cut, *training);
  if (const Value* variation = options.optional("variation")) {
    step.slowest =
        slowest_of(cut.tensor * cut.data * cut.stages, variation->number(0, most_variation));
    slow_down(step);
  }
  training->llm = std::make_shared<const LlmStep>(std::move(step));
  return training;
}

}  // namespace ringscope
