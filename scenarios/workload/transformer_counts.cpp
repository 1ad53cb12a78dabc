// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/workload/transformer.hpp"

namespace ringscope {
namespace {

/// Parameters of all layers, but for those of experts.
std::uint64_t beside_experts(const Transformer& model) {
  const std::uint64_t norms = 2 * model.hidden;
  const std::uint64_t biases = 3 * model.hidden + model.query_width() + model.key_value_width();
  return model.layers * (model.attention_matrices() + norms + (model.biases ? biases : 0)) +
         model.expert_layers() * (model.router() + model.mlp_matrices(model.shared_intermediate)) +
         model.dense_layers * model.mlp_matrices(model.dense_intermediate);
}

std::uint64_t of_experts(const Transformer& model) {
  const std::uint64_t inside = (model.gated ? 2 : 1) * model.intermediate;
  const std::uint64_t biases = model.biases ? inside + model.hidden : 0;
  return model.expert_layers() * model.experts * (model.mlp_matrices() + biases);
}

double mean_of(std::uint64_t all, const Transformer& model) {
  return static_cast<double>(all) / static_cast<double>(model.layers);
}

double tokens_of(const Transformer& model, double sequences) {
  return sequences * static_cast<double>(model.sequence);
}

}  // namespace

double Transformer::pair_share() const {
  const double reach = std::min(1.0, static_cast<double>(window) / static_cast<double>(sequence));
  return 1 - mean_of(windowed_layers, *this) * (1 - reach) * (1 - reach);
}

std::vector<Matrix> Transformer::attention(double parts) const {
  const auto width = static_cast<double>(hidden), queries = static_cast<double>(query_width());
  const auto results = static_cast<double>(result_width());
  const Matrix out = {results / parts, width};
  if (latent.keys == 0)
    return {{width, (queries + static_cast<double>(key_value_width())) / parts}, out};
  const auto keys = static_cast<double>(latent.keys), rank = static_cast<double>(latent.queries);
  std::vector<Matrix> all = {{width, keys + static_cast<double>(latent.rotary)},
                             {keys, 2 * results / parts},
                             {rank > 0 ? rank : width, queries / parts},
                             out};
  if (rank > 0) all.push_back({width, rank});
  return all;
}

std::uint64_t Transformer::attention_matrices() const {
  double sum = 0;
  for (const Matrix& matrix : attention(1)) sum += matrix.inputs * matrix.outputs;
  return static_cast<std::uint64_t>(sum);
}

double Transformer::expert_parameters() const { return mean_of(of_experts(*this), *this); }

double Transformer::layer_parameters() const {
  return mean_of(beside_experts(*this) + of_experts(*this), *this);
}

std::uint64_t Transformer::parameters() const {
  return beside_experts(*this) + of_experts(*this) + embedding() + (tied ? 0 : head()) +
         (vocabulary == 0 ? 0 : (biases ? 2 : 1) * hidden);
}

double flops_per_token(const Transformer& model) {
  const std::uint64_t of_expert_layer = model.router() + model.top_k * model.mlp_matrices() +
                                        model.mlp_matrices(model.shared_intermediate);
  const auto matrices = static_cast<double>(
      model.layers * model.attention_matrices() + model.expert_layers() * of_expert_layer +
      model.dense_layers * model.mlp_matrices(model.dense_intermediate) + model.head());
  const double square = tokens_of(model, 1) * model.pair_width() * model.pair_share();
  return 6 * matrices + static_cast<double>(model.layers) * 12 * square;
}

Work expert_work(const Transformer& model, double sequences, double parts, double element,
                 double ranks, double load) {
  const auto mlps = [&](std::uint64_t inside, double count, double tokens) {
    const auto each = static_cast<double>(model.mlp_matrices(inside));
    const double between = 2 * tokens * static_cast<double>(model.hidden) * element;
    return inside == 0 ? Work{}
                       : Work{2 * tokens * each / parts, count * each * element / parts + between};
  };
  const double tokens = tokens_of(model, sequences), share = model.expert_share();
  const Work chosen = mlps(model.intermediate, static_cast<double>(model.experts) / ranks,
                           tokens * static_cast<double>(model.top_k) * load);
  const Work shared = mlps(model.shared_intermediate, 1, tokens);
  const Work dense = mlps(model.dense_intermediate, 1, tokens);
  return {share * (chosen.flops + shared.flops) + (1 - share) * dense.flops,
          share * (chosen.bytes + shared.bytes) + (1 - share) * dense.bytes};
}

LayerWork forward_work(const Transformer& model, double sequences, double parts, double element) {
  const double tokens = tokens_of(model, sequences);
  const double square = 4 * tokens * tokens_of(model, 1) * model.pair_width() * model.pair_share();
  const double between = 2 * tokens * static_cast<double>(model.hidden) * element;
  const auto matrices = [&](double parameters, double more_flops, double bytes) {
    return Work{(2 * tokens * parameters + more_flops) / parts,
                parameters * element / parts + bytes};
  };
  const double logits = tokens * static_cast<double>(model.vocabulary) * element / parts;
  const double router = model.expert_share() * static_cast<double>(model.router());
  return {matrices(static_cast<double>(model.attention_matrices()) + router, square, between),
          expert_work(model, sequences, parts, element, 1, 1),
          matrices(static_cast<double>(model.head()), 0,
                   model.vocabulary == 0 ? 0 : between / 2 + logits),
          {square / parts, 0}};
}

double activation_bytes(const Transformer& model, double sequences, double parts, double element,
                        bool sequence_parallel, double load) {
  const double two_byte_items =
      tokens_of(model, sequences) * static_cast<double>(model.hidden) * element / 2;
  const double share = model.expert_share();
  const double tokens = share * static_cast<double>(model.top_k) * load + (1 - share);
  const double whole = 7 + 3 * tokens, cut = 8 + 16 * tokens;
  return two_byte_items * (sequence_parallel ? (whole + cut) / parts : whole + cut / parts);
}

}  // namespace ringscope
