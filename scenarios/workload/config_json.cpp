// SPDX-License-Identifier: LGPL-2.1-or-later
// `config.json` of a published checkpoint, by its keys in transformers of Hugging Face
// (src/transformers/models, configuration_*.py), as a map of a language model.
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "scenarios/workload/transformer.hpp"

namespace ringscope {
namespace {

constexpr std::uint64_t usual_sequence = 4096;  ///< in pretraining; a config has a model's limit

/// Keys of a config, of which the first counts that is there; "" is none.
using Keys = std::array<std::string_view, 4>;

constexpr std::pair<const char*, Keys> renamed[] = {
    {"layers", {"num_hidden_layers", "n_layer", "n_layers"}},
    {"hidden", {"hidden_size", "n_embd", "n_embed", "d_model"}},
    {"heads", {"num_attention_heads", "n_head", "n_heads"}},
    {"key_value_heads", {"num_key_value_heads"}},
    {"head_size", {"qk_nope_head_dim", "head_dim"}},
    {"latent.queries", {"q_lora_rank"}},
    {"latent.keys", {"kv_lora_rank"}},
    {"latent.rotary", {"qk_rope_head_dim"}},
    {"experts", {"n_routed_experts", "num_local_experts", "num_experts"}},
    {"top_k", {"num_experts_per_tok", "num_experts_per_token", "moe_topk"}},
    {"vocabulary", {"vocab_size"}},
    {"positions", {"n_positions"}},
    {"tied", {"tie_word_embeddings"}},
};

/// Beginnings of keys of models with an encoder, or with layers other than attention.
constexpr std::string_view others[] = {"is_encoder_decoder", "mamba", "ssm_", "linear_num"};

/// Config of a checkpoint, and the map of a language model that is made of it.
class ConfigJson {
 public:
  explicit ConfigJson(const Value& map) : map_(map), made_(Value::empty_map_at(map.place())) {}

  Value made() {
    for (const auto& [ours, theirs] : renamed) copy(ours, theirs);
    set("name", text("model_type"));
    set("about", "config.json of a " + text("model_type") + " checkpoint");
    const bool gated = first({"rms_norm_eps"}) != nullptr || text("hidden_act") == "silu";
    set("gated", gated ? "true" : "false");
    set("sequence", std::min(usual_sequence, number("max_position_embeddings", usual_sequence)));
    add_widths();
    add_windows();
    return std::move(made_);
  }

 private:
  const Value* first(const Keys& keys) const {
    for (const std::string_view key : keys)
      if (const Value* value = map_.find(key);
          !key.empty() && value != nullptr && !value->is_null())
        return value;
    return nullptr;
  }
  std::uint64_t number(std::string_view key, std::uint64_t other = 0) const {
    const Value* value = first({key});
    return value == nullptr ? other : static_cast<std::uint64_t>(value->integer(0, 1'000'000'000));
  }
  std::string text(std::string_view key) const {
    const Value* value = first({key});
    return value == nullptr ? "" : value->text();
  }
  void copy(const char* ours, const Keys& theirs) {
    if (const Value* value = first(theirs)) made_.set(ours, *value);
  }
  void set(const char* ours, const std::string& text) {
    made_.set(ours, Value::scalar_at(map_.place(), text));
  }
  void set(const char* ours, std::uint64_t number) { set(ours, std::to_string(number)); }

  /// Widths inside MLPs, and layers that have no experts.
  void add_widths() {
    const std::uint64_t layers = number("num_hidden_layers"),
                        narrow = number("moe_intermediate_size");
    const Value* said = made_.find("experts");
    const bool experts = said != nullptr && said->integer(0, 1'000'000) > 1;
    if (!experts || narrow == 0) copy("intermediate", {"intermediate_size", "n_inner", "ffn_dim"});
    if (!experts) return set("experts", "1"), set("top_k", "1");
    if (narrow > 0) set("intermediate", narrow);
    const std::uint64_t own = text("model_type") == "llama4_text" ? number("intermediate_size") : 0;
    set("shared_intermediate", std::max(own, number("shared_expert_intermediate_size",
                                                    number("n_shared_experts") * narrow)));
    const std::uint64_t every = std::max<std::uint64_t>(
        1, number("interleave_moe_layer_step", number("decoder_sparse_step", 1)));
    const std::uint64_t dense = std::max(number("first_k_dense_replace"), layers - layers / every);
    if (dense == 0) return;
    set("dense_layers", dense);
    copy("dense_intermediate", {"intermediate_size_mlp", "intermediate_size"});
  }

  /// Layers whose attention reaches a window of tokens.
  void add_windows() {
    const std::uint64_t layers = number("num_hidden_layers"),
                        every = number("sliding_window_pattern");
    const Value* used = first({"use_sliding_window"});
    if (number("sliding_window") == 0 || (used != nullptr && !used->boolean())) return;
    copy("window", {"sliding_window"});
    std::uint64_t windowed = every > 0 ? layers - layers / every : layers;
    if (const Value* kinds = first({"layer_types"}))
      windowed = static_cast<std::uint64_t>(std::ranges::count(
          kinds->items(), "sliding_attention", [](const Value& kind) { return kind.scalar(); }));
    set("windowed_layers", windowed);
  }

  const Value& map_;
  Value made_;
};

}  // namespace

Value from_config_json(const Value& map) {
  if (map.kind() != Value::Kind::map) return map;
  if (const Value* inner = map.find("text_config")) return from_config_json(*inner);
  if (map.find("model_type") == nullptr) return map;
  for (const Value::Entry& one : map.entries())
    if (std::ranges::any_of(others, [&](auto begin) { return one.key.starts_with(begin); }) &&
        !one.value.is_null() && (one.key != "is_encoder_decoder" || one.value.boolean()))
      one.value.fail("expected a model with a decoder of attention layers alone");
  return ConfigJson(map).made();
}

}  // namespace ringscope
