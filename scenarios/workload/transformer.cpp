// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/workload/transformer.hpp"

#include <cmath>

#include "scenarios/workload/options.hpp"
#include "topologies/input/characters.hpp"

namespace ringscope {
namespace {

constexpr double tile = 128;          ///< rows and columns of a result that a block computes
constexpr double depth = 128;         ///< of the sum, before a block's pipeline is full
constexpr double casted_bytes = 2.0;  ///< an operand in FP8 and its transpose

double share_of(Fields& fields, const char* key, double other) {
  const Value& value = fields.value_or(key, fmt::format("{}", other));
  const double share = value.number(0, 1);
  if (share <= 0) value.fail("expected a share above 0");
  return share;
}

Kernels read_kernels(Fields& fields) {
  Kernels kernels;
  kernels.matrix = share_of(fields, "matrix", 1);
  kernels.matrix_fp8 = share_of(fields, "matrix_fp8", kernels.matrix);
  kernels.attention = share_of(fields, "attention", kernels.matrix);
  kernels.attention_backward = share_of(fields, "attention_backward", kernels.attention);
  kernels.memory = share_of(fields, "memory", 1);
  kernels.multiprocessors = fields.value_or("multiprocessors", "0").number(0, 1e6);
  if (const Value* spread = fields.optional("spread")) kernels.spread = spread->number(1, 100);
  return kernels;
}

constexpr std::int64_t most_count = 1'000'000'000;

std::uint64_t count(const Value& value, std::int64_t least = 1, std::int64_t most = most_count) {
  return static_cast<std::uint64_t>(value.integer(least, most));
}

/// Heads, and the widths of what attention keeps of a token.
void read_attention(Fields& fields, Transformer& model) {
  model.heads = count(fields.required("heads"), 1, 1'000'000);
  model.key_value_heads =
      count(fields.value_or("key_value_heads", std::to_string(model.heads)), 1, 1'000'000);
  if (const Value* size = fields.optional("head_size"))
    model.head_size = count(*size, 1, 100'000);
  else if (model.hidden % model.heads == 0)
    model.head_size = model.hidden / model.heads;
  else
    suspect_in(fields.map())
        .fail("hidden {} cannot be cut into {} heads: head_size sets their width", model.hidden,
              model.heads);
  fields.nested("latent", [&](Fields& latent) {
    model.latent = {count(latent.value_or("queries", "0"), 0), count(latent.required("keys")),
                    count(latent.value_or("rotary", "0"), 0)};
  });
  const Value* window = fields.optional("window");
  if (window != nullptr) model.window = count(*window);
  const Value& windowed =
      fields.value_or("windowed_layers", std::to_string(window == nullptr ? 0 : model.layers));
  model.windowed_layers = count(windowed, 0, static_cast<std::int64_t>(model.layers));
  if (window == nullptr && model.windowed_layers > 0)
    windowed.fail("expected the key window, too: the tokens that these layers attend to");
}

void read_expert_layers(Fields& fields, Transformer& model) {
  model.experts = count(fields.value_or("experts", "1"), 1, 100'000);
  model.top_k = count(fields.value_or("top_k", "1"), 1, static_cast<std::int64_t>(model.experts));
  if (model.experts == 1) {
    fields.refuse({"shared_intermediate", "dense_layers", "dense_intermediate"},
                  "{} is for models with experts");
    return;
  }
  model.shared_intermediate = count(fields.value_or("shared_intermediate", "0"), 0);
  model.dense_layers =
      count(fields.value_or("dense_layers", "0"), 0, static_cast<std::int64_t>(model.layers) - 1);
  fields.optional("dense_intermediate");
  if (model.dense_layers > 0)
    model.dense_intermediate = count(fields.required("dense_intermediate"));
}

}  // namespace

double flops_of(const Gpu& gpu, Precision precision) {
  const double of_type[] = {gpu.flops, gpu.flops_fp8, gpu.flops_tf32, gpu.flops_fp32};
  return of_type[static_cast<int>(precision)];
}

Gpu read_gpu(const Value& value) {
  const Written written = read_written(value, "scenarios/models/gpus", "GPU");
  Fields fields(written.map, "gpu");
  fields.optional("base");
  Gpu gpu;
  gpu.name = fields.value_or("name", written.name).text();
  fields.value_or("about", "a GPU without a description");
  const Value& flops = fields.required("flops");
  gpu.flops = flops.number(0, most_flops);
  if (gpu.flops <= 0) flops.fail("expected operations per second above 0, such as 312e12");
  const auto of_type = [&](const char* key) {
    const Value* said = fields.optional(key);
    return said == nullptr ? 0 : said->number(0, most_flops);
  };
  gpu.flops_fp8 = of_type("flops_fp8");
  gpu.flops_tf32 = of_type("flops_tf32");
  gpu.flops_fp32 = of_type("flops_fp32");
  gpu.bandwidth = fields.required("memory_bandwidth").bandwidth().bytes_per_second;
  if (const Value* memory = fields.optional("memory")) gpu.memory = memory->bytes().count;
  fields.nested("kernels", [&](Fields& kernels) { gpu.kernels = read_kernels(kernels); });
  fields.finish();
  gpu.resolved = fields.resolved();
  return gpu;
}

double GpuKernels::traffic_s(double bytes) const {
  return bytes / (gpu->bandwidth * gpu->kernels->memory);
}

double GpuKernels::product_s(double m, double n, double k, double written_bytes) const {
  const Kernels& kernels = *gpu->kernels;
  const double share = precision == Precision::fp8 ? kernels.matrix_fp8 : kernels.matrix;
  const double waves = kernels.multiprocessors == 0
                           ? 0
                           : std::ceil(m / tile) * std::ceil(n / tile) / kernels.multiprocessors;
  const double idle = waves > 1 ? std::ceil(waves) / waves : 1;
  const double computed = 2 * m * n * (k + depth) / (flops_of(*gpu, precision) * share) * idle;
  const double operand = precision == Precision::fp8 ? 1 : element;
  return std::max(computed, traffic_s((m + n) * k * operand)) + traffic_s(written_bytes);
}

double GpuKernels::forward_s(double m, double n, double k) const {
  const double casts = precision == Precision::fp8 ? m * k * (element + casted_bytes) : 0;
  return product_s(m, n, k) + traffic_s(casts);
}

double GpuKernels::backward_s(double m, double n, double k) const {
  const double casts = precision == Precision::fp8 ? m * n * (element + casted_bytes) : 0;
  return product_s(m, k, n) + product_s(n, k, m, 2 * n * k * gradient) + traffic_s(casts);
}

double GpuKernels::attention_s(double flops, bool backward) const {
  const Kernels& kernels = *gpu->kernels;
  const Precision type = precision == Precision::fp8 ? Precision::bf16 : precision;
  return flops /
         (flops_of(*gpu, type) * (backward ? kernels.attention_backward : kernels.attention));
}

Transformer read_transformer(const Value& value) {
  const Written written = read_written(value, "scenarios/models/language", "language model");
  Fields fields(written.map, "model");
  fields.optional("base");  // laid out already
  Transformer model;
  model.name = fields.value_or("name", written.name).text();
  model.about = fields.value_or("about", "a model without a description").text();
  model.layers = count(fields.required("layers"), 1, 100'000);
  model.hidden = count(fields.required("hidden"), 1, 10'000'000);
  read_attention(fields, model);
  model.intermediate =
      count(fields.value_or("intermediate", std::to_string(4 * model.hidden)), 1, 100'000'000);
  read_expert_layers(fields, model);
  model.gated = fields.value_or("gated", "false").boolean();
  model.biases = fields.value_or("biases", "false").boolean();
  model.tied = fields.value_or("tied", "false").boolean();
  model.vocabulary = count(fields.value_or("vocabulary", "0"), 0, 100'000'000);
  model.positions = count(fields.value_or("positions", "0"), 0, 100'000'000);
  model.sequence = count(fields.required("sequence"), 1, 100'000'000);
  model.records = count(fields.value_or("records", "1000000"), 1, most_records);
  if (const Value* said = fields.optional("parameters")) {
    if (count(*said, 1, std::int64_t{1} << 60) != model.parameters())
      said->fail("the layers have {} parameters, expected {} as in the model", model.parameters(),
                 said->text());
  }
  fields.finish();
  model.resolved = fields.resolved();
  return model;
}

}  // namespace ringscope
