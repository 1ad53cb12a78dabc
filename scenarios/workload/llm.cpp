#include "scenarios/workload/llm.hpp"

#include <fmt/format.h>

#include <cmath>

#include "algorithms/training/interleaved_order.hpp"
#include "algorithms/training/llm.hpp"
#include "scenarios/workload/limits.hpp"
#include "scenarios/workload/options.hpp"
#include "scenarios/workload/transformer.hpp"

namespace ringscope {
namespace {

const std::vector<std::string> schedule_names = {"gpipe", "1f1b", "interleaved"};

/// A job's model on its GPUs, each rank with an equal part of the layers.
struct Cut {
  Transformer model;
  Gpu gpu;
  int tensor = 1, data = 1, stages = 1;
  int micro_batch = 1, micro_batches = 1;
  double element = 2, efficiency = 1;
  bool sequence_parallel = false, zero = false;
  Schedule schedule = Schedule::one_f_one_b;
  int parts = 1;

  double layers() const { return static_cast<double>(model.layers) / stages; }
  /// One rank of a stage holds them.
  double parameters(int stage) const {
    double all = layers() * static_cast<double>(model.layer_parameters());
    if (stage == 0) all += static_cast<double>(model.embedding());
    if (stage + 1 == stages) all += static_cast<double>(model.head());
    return all / tensor;
  }
  /// Micro-batches whose activations a stage keeps at once.
  double in_flight(int stage) const {
    if (schedule == Schedule::gpipe) return micro_batches;
    if (schedule == Schedule::one_f_one_b) return std::min(micro_batches, stages - stage);
    const InterleavedOrder order = {stages, parts, micro_batches, stage};
    return static_cast<double>(std::min(order.passes(), order.warm_up() + 1)) / parts;
  }
};

void require_divisible(const Value& value, std::uint64_t whole, int parts, std::string_view what,
                       std::string_view kind) {
  if (whole % static_cast<std::uint64_t>(parts) != 0)
    value.fail(fmt::format("{} {} cannot be cut into {} {} equal parts", whole, what, kind, parts));
}

/// Megatron's conditions of an interleaved pipeline.
void read_parts(Fields& fields, Cut& cut) {
  const Value& schedule = fields.value_or("schedule", "1f1b");
  cut.schedule = static_cast<Schedule>(schedule.one_of("schedule", schedule_names));
  const bool interleaved = cut.schedule == Schedule::interleaved;
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
  cut.micro_batch = static_cast<int>(fields.value_or("micro_batch", "1").integer(1, most_batch));
  cut.micro_batches =
      static_cast<int>(fields.value_or("micro_batches", "1").integer(1, most_batch));
  read_parts(fields, cut);
  cut.sequence_parallel = fields.value_or("sequence_parallel", "false").boolean();
  cut.zero = fields.value_or("zero", "0").integer(0, 1) == 1;
  const Value* efficiency = fields.map().find("efficiency");
  if (cut.efficiency == 0) efficiency->fail("expected a share above 0 of the GPU's operations");
}

std::string gigabytes(double bytes) { return fmt::format("{:.4g} GB", bytes / 1e9); }

/// Adam keeps two moments of 4 bytes, and a copy of the parameters of 4 bytes where these have
/// fewer.
StageMemory memory_of(const Cut& cut, int stage) {
  const double parameters = cut.parameters(stage);
  const double weights = parameters * cut.element;
  const double optimiser = parameters * (cut.element < 4 ? 12 : 8) / (cut.zero ? cut.data : 1);
  const double activations =
      cut.in_flight(stage) * cut.layers() *
      activation_bytes(cut.model, cut.micro_batch, cut.tensor, cut.element, cut.sequence_parallel);
  return {stage, weights, weights, optimiser, activations};
}

/// The stage that needs most, the first of equal ones.
StageMemory most_memory(const Cut& cut) {
  StageMemory most = memory_of(cut, 0);
  for (int stage = 1; stage < cut.stages; ++stage)
    if (const StageMemory one = memory_of(cut, stage); one.sum() > most.sum()) most = one;
  return most;
}

void require_memory(const Value& place, const Cut& cut) {
  const auto has = static_cast<double>(cut.gpu.memory);
  for (int stage = 0; stage < cut.stages && cut.gpu.memory > 0; ++stage) {
    const StageMemory needs = memory_of(cut, stage);
    if (needs.sum() <= has) continue;
    place.fail(fmt::format(
        "a GPU of stage {} needs {}, and {} has {}: parameters {} + gradients {} + optimiser {} + "
        "activations {} ({:.4g} of {} micro-batches at once); more tp or pp takes less{}",
        stage, gigabytes(needs.sum()), cut.gpu.name, gigabytes(has), gigabytes(needs.parameters),
        gigabytes(needs.gradients), gigabytes(needs.optimiser), gigabytes(needs.activations),
        cut.in_flight(stage), cut.micro_batches, cut.zero ? "" : ", or zero: 1"));
  }
}

/// Backward has two products of matrices for each one of forward.
Pass pass_of(const Work& forward, const Cut& cut) {
  const double time = roofline_s(forward, cut.gpu, cut.efficiency);
  return {Duration(time), Duration(2 * time)};
}

std::uint64_t whole_bytes(double bytes) {
  const double items = std::ceil(bytes / static_cast<double>(parameter_bytes));
  return static_cast<std::uint64_t>(items) * parameter_bytes;
}

LlmStep step_of(const Cut& cut, const Grid& grid) {
  const LayerWork work = forward_work(cut.model, cut.micro_batch, cut.tensor, cut.element);
  LlmStep step;
  step.grid = grid;
  step.layers = static_cast<int>(cut.layers());
  step.micro_batches = cut.micro_batches;
  step.schedule = cut.schedule;
  step.parts = cut.parts;
  step.sequence_parallel = cut.sequence_parallel;
  step.zero = cut.zero;
  step.attention = pass_of(work.attention, cut);
  step.mlp = pass_of(work.mlp, cut);
  if (cut.model.vocabulary > 0) step.head = pass_of(work.head, cut);
  step.activation = whole_bytes(cut.micro_batch * static_cast<double>(cut.model.sequence) *
                                static_cast<double>(cut.model.hidden) * cut.element);
  step.memory = most_memory(cut);
  for (int stage = 0; stage < cut.stages; ++stage)
    step.gradients.push_back(whole_bytes(cut.parameters(stage) * cut.element));
  return step;
}

/// The whole step of a rank of a middle stage, as one layer whose gradient is the largest stage's.
Layer layer_of(const LlmStep& step, const Cut& cut) {
  const Duration head = (step.head.forward + step.head.backward) / cut.stages;
  const std::uint64_t most = *std::max_element(step.gradients.begin(), step.gradients.end());
  Layer layer{"stage", {most / parameter_bytes}, {}, {}};
  layer.forward = cut.micro_batches * (step.layers * (step.attention.forward + step.mlp.forward));
  layer.backward =
      cut.micro_batches * (step.layers * (step.attention.backward + step.mlp.backward) + head);
  return layer;
}

const Algorithm* read_allreduce(const Value& value) {
  const Algorithm* chosen = find_algorithm("allreduce", allreduce_name(value));
  if (threads_of(*chosen, {}) > 1 || chosen->nonblocking > 0)
    value.fail(fmt::format("expected an allreduce of one thread; '{}' uses several", chosen->name));
  return chosen;
}

}  // namespace

std::vector<std::string> llm_option_names() {
  return {
      "gpu",      "efficiency",  "element",           "sequence", "micro_batch",    "micro_batches",
      "schedule", "stage_parts", "sequence_parallel", "zero",     "tensor_exchange"};
}

std::shared_ptr<const Training> read_llm(Fields& options, const Grid& grid) {
  Cut cut;
  cut.tensor = grid.size("tp");
  cut.data = grid.size("dp");
  cut.stages = grid.size("pp");
  read_cut(options, cut);
  require_memory(*options.map().find("model"), cut);
  auto training = std::make_shared<Training>();
  LlmStep step = step_of(cut, grid);
  step.tensor_exchange = read_allreduce(options.value_or("tensor_exchange", "ring"));
  step.exchange = read_allreduce(options.value_or("exchange", "ring"));
  training->model = cut.model.name;
  training->records = cut.model.records;
  training->batch = cut.micro_batch * cut.micro_batches;
  training->replica = cut.tensor * cut.stages;
  training->layers = {layer_of(step, cut)};
  training->llm = std::make_shared<const LlmStep>(std::move(step));
  return training;
}

}  // namespace ringscope
