// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/workload/llm.hpp"

#include <fmt/format.h>

#include "scenarios/workload/limits.hpp"
#include "scenarios/workload/llm_cut.hpp"
#include "scenarios/workload/llm_experts.hpp"
#include "scenarios/workload/options.hpp"

namespace ringscope {
namespace {

// Memory that a step of a large model takes on a GPU.

std::string gigabytes(double bytes) { return fmt::format("{:.4g} GB", bytes / 1e9); }

/// Whole units that FSDP keeps beside its parts are as large as the largest one.
double largest_unit(const Cut& cut) {
  return std::max({cut.layer_parameters(), cut.embedding_parameters(), cut.head_parameters()});
}

std::string_view advice(const Cut& cut) {
  if (cut.expert == 1 && cut.model.experts > 1 && cut.data > 1) return ", or ep";
  if (cut.zero == 0 && cut.data > 1) return ", or zero: 1, 2 or 3";
  if (cut.zero < 3 && cut.data > 1 && cut.stages == 1) return ", or zero: 3";
  return "";
}

/// Adam keeps two moments of 4 bytes, and a copy of the parameters of 4 bytes where these have
/// fewer. ZeRO cuts the optimiser's, then the gradients, then the parameters: arXiv:1910.02054,
/// section 3; whole units come and go: arXiv:2304.11277, section 3.2.1.
/// Bytes of a GPU of that stage.
StageMemory memory_of(const Cut& cut, int stage) {
  const double parameters = cut.parameters(stage);
  const double weights = parameters * cut.element, unit = largest_unit(cut) * cut.element;
  const double of_experts = cut.expert > 1 ? cut.layers() * cut.expert_parameters() : 0;
  const double optimised =
      cut.zero == 0 ? parameters
                    : (parameters - of_experts) / cut.shard + of_experts / cut.shard * cut.expert;
  const double optimiser = optimised * (cut.element < 4 ? 12 : 8);
  const double gradients = cut.zero >= 2 ? weights / cut.shard + unit : weights;
  const double kept = cut.zero == 3 ? weights / cut.shard + (cut.prefetch + 1) * unit : weights;
  const double activations = cut.in_flight(stage) * cut.layers() *
                             activation_bytes(cut.model, cut.sequences(), cut.tensor, cut.element,
                                              cut.sequence_parallel, cut.most_load());
  return {stage, kept, gradients, optimiser, activations};
}

/// The stage that needs most, the first of equal ones.
StageMemory most_memory(const Cut& cut) {
  StageMemory most = memory_of(cut, 0);
  for (int stage = 1; stage < cut.stages; ++stage)
    if (const StageMemory one = memory_of(cut, stage); one.sum() > most.sum()) most = one;
  return most;
}

/// Throws InputError at `place`, with the sum, where a stage does not fit.
void require_memory(const Value& place, const Cut& cut) {
  const auto has = static_cast<double>(cut.gpu.memory);
  for (int stage = 0; stage < cut.stages && cut.gpu.memory > 0; ++stage) {
    const StageMemory needs = memory_of(cut, stage);
    if (needs.sum() <= has) continue;
    place.fail(
        "a GPU of stage {} needs {}, and {} has {}: parameters {} + gradients {} + optimiser {} + "
        "activations {} ({:.4g} of {} micro-batches in flight); more tp or pp takes less{}",
        stage, gigabytes(needs.sum()), cut.gpu.name, gigabytes(has), gigabytes(needs.parameters),
        gigabytes(needs.gradients), gigabytes(needs.optimiser), gigabytes(needs.activations),
        cut.in_flight(stage), cut.micro_batches, advice(cut));
  }
}

const std::vector<std::string> schedule_names = {"gpipe", "1f1b", "interleaved"};

void require_divisible(const Value& value, std::uint64_t whole, int parts, std::string_view what,
                       std::string_view kind) {
  if (whole % static_cast<std::uint64_t>(parts) != 0)
    value.fail("{} {} cannot be cut into {} {} equal parts", whole, what, kind, parts);
}

/// Megatron's conditions of an interleaved pipeline.
void read_parts(Fields& fields, Cut& cut) {
  const Value& schedule = fields.value_or("schedule", "1f1b");
  cut.schedule = static_cast<PipelineSchedule>(schedule.one_of("schedule", schedule_names));
  const bool interleaved = cut.schedule == PipelineSchedule::interleaved;
  const Value& parts = fields.value_or("stage_parts", interleaved ? "2" : "1");
  cut.parts = static_cast<int>(parts.integer(1, 100'000));
  if (!interleaved) {
    if (cut.parts > 1) parts.fail("parts of a stage are for the schedule 'interleaved'");
    return;
  }
  if (cut.stages < 2)
    schedule.fail("an interleaved pipeline has at least two stages: set groups.pp");
  if (cut.parts < 2) parts.fail("an interleaved pipeline has at least two parts of each stage");
  require_divisible(parts, cut.model.layers / static_cast<std::uint64_t>(cut.stages), cut.parts,
                    "layers of a stage", "stage_parts");
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

void read_cut(Fields& fields, Cut& cut) {
  const Value& model = fields.required("model");
  cut.model = read_transformer(model);
  fields.resolve("model", cut.model.resolved);
  require_divisible(model, cut.model.layers, cut.stages, "layers", "pp");
  require_divisible(model, cut.model.heads, cut.tensor, "heads", "tp");
  cut.gpu = read_gpu(fields.required("gpu"));
  fields.resolve("gpu", cut.gpu.resolved);
  cut.efficiency = fields.value_or("efficiency", "1").number(0, 1);
  cut.element = static_cast<double>(read_size(fields.value_or("element", "2 B"), 1));
  cut.model.sequence = static_cast<std::uint64_t>(
      fields.value_or("sequence", std::to_string(cut.model.sequence)).integer(1, 100'000'000));
  require_divisible(fields.map(), cut.model.sequence, cut.context, "tokens of a sequence", "cp");
  cut.micro_batch = static_cast<int>(fields.value_or("micro_batch", "1").integer(1, most_batch));
  cut.micro_batches =
      static_cast<int>(fields.value_or("micro_batches", "1").integer(1, most_batch));
  read_parts(fields, cut);
  const Value& sequence_parallel = fields.value_or("sequence_parallel", "false");
  cut.sequence_parallel = sequence_parallel.boolean();
  if (cut.expert > 1 && cut.tensor > 1 && !cut.sequence_parallel)
    sequence_parallel.fail(
        "experts on ep groups with tp groups need sequence_parallel: true, as Megatron-LM does: "
        "each rank sends the tokens of its part of the sequence");
  read_experts(fields, cut);
  read_zero(fields, cut);
  const Value* efficiency = fields.map().find("efficiency");
  if (cut.efficiency == 0) efficiency->fail("expected a share above 0 of the GPU's operations");
}

/// FSDP's usual wrapping: each layer, and what lies before and behind them all. A tied output layer
/// has no parameters of its own: it uses the embedding's, which the root unit keeps.
std::vector<ParameterUnit> units_of(const Cut& cut) {
  using Part = ParameterUnit::Part;
  const auto unit = [&](Part part, double parameters) {
    return ParameterUnit{part, whole_bytes(parameters * cut.element)};
  };
  std::vector<ParameterUnit> units(cut.model.layers, unit(Part::layer, cut.layer_parameters()));
  if (cut.model.embedding() > 0)
    units.insert(units.begin(), unit(Part::embedding, cut.embedding_parameters()));
  if (cut.model.head() > 0) units.push_back(unit(Part::head, cut.head_parameters()));
  return units;
}

std::uint64_t sum_of(const std::vector<ParameterUnit>& units) {
  std::uint64_t sum = 0;
  for (const ParameterUnit& unit : units) sum += unit.bytes;
  return sum;
}

LlmStep step_of(const Cut& cut, const Grid& grid) {
  const LayerWork work = forward_work(cut.model, cut.sequences(), cut.tensor, cut.element);
  LlmStep step;
  step.grid = grid;
  step.layers = static_cast<int>(cut.layers());
  step.micro_batches = cut.micro_batches;
  step.schedule = cut.schedule;
  step.parts = cut.parts;
  step.sequence_parallel = cut.sequence_parallel;
  step.zero = cut.zero;
  step.shard = cut.shard;
  step.prefetch = cut.prefetch;
  step.attention = pass_of(work.attention, cut);
  if (cut.context > 1) {
    step.attention = pass_of(without(work.attention, work.square), cut);
    step.attention_block = pass_of(work.square, cut);
    step.attention_block.forward /= cut.context;
    step.attention_block.backward /= cut.context;
    step.keys =
        whole_bytes(2 * cut.sequences() * static_cast<double>(cut.model.sequence) *
                    static_cast<double>(cut.model.key_value_width()) * cut.element / cut.tensor);
  }
  step.mlp = pass_of(
      expert_work(cut.model, cut.sequences(), cut.tensor, cut.element, cut.expert, cut.mean_load()),
      cut);
  step.experts = experts_of(cut);
  if (cut.model.vocabulary > 0) step.head = pass_of(work.head, cut);
  step.activation = whole_bytes(cut.sequences() * static_cast<double>(cut.model.sequence) *
                                static_cast<double>(cut.model.hidden) * cut.element);
  step.memory = most_memory(cut);
  if (cut.zero >= 2) step.units = units_of(cut);
  for (int stage = 0; stage < cut.stages; ++stage)
    step.gradients.push_back(cut.zero >= 2 ? sum_of(step.units)
                                           : whole_bytes(cut.parameters(stage) * cut.element));
  return step;
}

/// The whole step of a rank of a middle stage, as one layer whose gradient is the largest stage's.
Layer layer_of(const LlmStep& step, const Cut& cut) {
  const Duration head = (step.head.forward + step.head.backward) / cut.stages;
  const std::uint64_t most = *std::ranges::max_element(step.gradients);
  const auto element = static_cast<std::uint64_t>(cut.element);
  Layer layer{"stage", {(most + element - 1) / element}, {}, {}};
  const Pass& block = step.attention_block;
  layer.forward =
      cut.micro_batches *
      (step.layers * (step.attention.forward + step.mlp.forward + cut.context * block.forward));
  layer.backward =
      cut.micro_batches *
      (step.layers * (step.attention.backward + step.mlp.backward + cut.context * block.backward) +
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

std::vector<std::string> llm_option_names() {
  return {"gpu",           "efficiency", "element",         "sequence",          "micro_batch",
          "micro_batches", "schedule",   "stage_parts",     "sequence_parallel", "zero",
          "shard",         "prefetch",   "tensor_exchange", "routing",           "expert_exchange"};
}

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
  const std::string sum = nccl ? "nccl" : "ring";
  step.tensor_exchange = read_allreduce(options.value_or("tensor_exchange", sum));
  step.exchange = read_allreduce(options.value_or("exchange", sum));
  step.experts.exchange =
      read_alltoallv(options.value_or("expert_exchange", nccl ? "nccl" : "posted"));
  training->model = cut.model.name;
  training->records = cut.model.records;
  training->batch = cut.micro_batch * cut.micro_batches;
  training->replica = cut.tensor * cut.context * cut.stages;
  training->element = static_cast<std::size_t>(cut.element);
  training->layers = {layer_of(step, cut)};
  training->llm = std::make_shared<const LlmStep>(std::move(step));
  return training;
}

}  // namespace ringscope
