// SPDX-License-Identifier: LGPL-2.1-or-later
// Do the options of a large model's training say what is wrong with them, and what would be right?
#include "algorithms/training/llm/llm.hpp"

#include <gmock/gmock.h>

#include <fstream>

#include "algorithms/training/training.hpp"
#include "scenarios/question/scenario_tree.hpp"
#include "scenarios/workload/transformer.hpp"

namespace ringscope::llm_test {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

/// Eight ranks train a model of four layers.
Scenario with(const std::string& groups, const std::string& options) {
  return read_tree(Value::from_text("test", R"(question: which of it goes together?
cluster: star8
library: ideal
placement: 1x8
job:
  program: llm
  groups: )" + groups + R"(
  options:
    model: {layers: 4, hidden: 64, heads: 8, sequence: 32}
    gpu: {flops: 1e12, memory_bandwidth: 1 GB/s}
    )" + options + "\n"),
                   "test")
      .front();
}

struct Wrong {
  std::string groups, options, says;
};

TEST(LlmOptions, say_what_does_not_go_together) {
  const std::vector<Wrong> all = {
      {"{pp: 2}", "zero: 3",
       "zero: 3 exchanges in every micro-batch, and a pipeline has several under way: DeepSpeed "
       "rejects it, and FSDP2 then keeps all it has until the step ends, as zero: 1 does; expected "
       "groups.pp 1, got 2, or zero: 1"},
      {"{}", "variation: 0.4", "expected a number from 0 to 0.3"},
      {"{}", "zero: 4", "expected a whole number from 0 to 3"},
      {"{}", "{zero: 3, shard: 3}", "8 ranks of a data group cannot be cut into shards of 3"},
      {"{}", "shard: 4", "a data group is cut into shards by zero: 2 and zero: 3"},
      {"{tp: 2}", "{zero: 3, shard: 8}", "expected a whole number from 1 to 4"},
      {"{}", "{zero: 2, prefetch: 1}", "parameters are gathered, and so fetched ahead, by zero: 3"},
  };
  for (const Wrong& wrong : all) {
    SCOPED_TRACE(wrong.options);
    std::string options = wrong.options;
    if (options.front() == '{') {
      options = options.substr(1, options.size() - 2);
      options.replace(options.find(", "), 2, "\n    ");
    }
    EXPECT_THAT([&] { with(wrong.groups, options); },
                ThrowsMessage<InputError>(HasSubstr(wrong.says)));
  }
}

/// Eight ranks train a model of four layers with so many experts.
Scenario with_experts(int experts, const std::string& groups, const std::string& options,
                      int top_k = 1) {
  return read_tree(
             Value::from_text("test",
                              "question: do these experts go?\ncluster: star8\n"
                              "library: ideal\nplacement: 1x8\njob:\n  program: llm"
                              "\n  groups: " +
                                  groups +
                                  "\n  options:\n    model: {name: small, layers: 4, "
                                  "hidden: 64, heads: 8, sequence: 32, experts: " +
                                  std::to_string(experts) + ", top_k: " + std::to_string(top_k) +
                                  "}\n    gpu: {flops: 1e12, memory_bandwidth: 1 GB/s}\n"
                                  "    " +
                                  options + "\n"),
             "test")
      .front();
}

TEST(Experts, say_what_does_not_go_together) {
  struct {
    int experts;
    std::string groups, options, says;
  } const all[] = {
      {4, "{ep: 3}", "zero: 0",
       "expert groups split the dp groups: 8 ranks do not split into parts of 3"},
      {4, "{tp: 2, ep: 8}", "sequence_parallel: true",
       "expert groups split the dp groups: 4 ranks do not split into parts of 8"},
      {4, "{ep: 9}", "zero: 0", "expected a whole number from 1 to 8"},
      {4, "{ep: 8}", "zero: 0", "4 experts cannot be cut into ep 8 equal parts"},
      {1, "{ep: 2}", "zero: 0", "small has no experts that groups.ep 2 could cut"},
      {1, "{}", "routing: {imbalance: 1}", "small has no experts to which tokens are routed"},
      {4, "{tp: 2, ep: 2}", "zero: 0",
       "experts on ep groups with tp groups need sequence_parallel: true"},
      {4, "{ep: 2}", "zero: 2",
       "zero: 2 cuts whole layers over the data group, and groups.ep cuts their experts: expected "
       "zero: 0 or 1"},
      {4, "{ep: 2}", "routing: {imbalance: 5}", "expected a number from 1 to 4"},
      {4, "{ep: 2}", "routing: {imbalance: 4, shape: zipf}",
       "by Zipf's law no expert has all: expected less than 4"},
      {4, "{ep: 2}", "routing: {imbalance: 3, hot: 2}",
       "2 hot of 4 experts cannot have 3 times the mean each: expected at most 2"},
      {4, "{}", "context_exchange: allgather", "a context group of one rank exchanges nothing"},
      {4, "{ep: 2}", "routing: {capacity: 0}",
       "expected a capacity above 0, by an expert's even share of the tokens"},
      {4, "{ep: 4}", "routing: {hosts: 3}", "4 ranks of ep cannot be cut into 3 equal hosts"},
      {4, "{ep: 2}", "routing: {shape: zipf}", "the key 'imbalance' is missing"},
      {4, "{ep: 2}", "routing: {capasity: 1}", "did you mean 'capacity'?"},
      {4, "{ep: 2}", "expert_exchange: channel_peers",
       "unknown algorithm of alltoallv 'channel_peers' (known: pairwise, posted, nccl)"},
  };
  for (const auto& wrong : all)
    EXPECT_THAT([&] { with_experts(wrong.experts, wrong.groups, wrong.options); },
                ThrowsMessage<InputError>(HasSubstr(wrong.says)))
        << wrong.groups << " " << wrong.options;
}

// A token has two different experts of four. A host with two has one or both with 1 - 2/4 x 1/3, a
// rank with one has it with 1/2. A token that may go to one host goes to both experts there.
TEST(Experts, get_a_token_once_for_each_host_and_once_for_each_rank) {
  const double tokens = 32 * 64 * 2;  // bytes
  for (const auto& [most, of_host] : {std::pair{2, 5.0 / 6}, {1, 1.0 / 2}}) {
    const Scenario scenario =
        with_experts(4, "{ep: 4}", fmt::format("routing: {{hosts: 2, most_hosts: {}}}", most), 2);
    const Experts& experts = scenario.job.training->llm->experts;
    ASSERT_EQ(experts.dispatch.size(), 2U);
    ASSERT_EQ(experts.combine.size(), 2U);
    for (const TokenExchange* rail : {&experts.dispatch.front(), &experts.combine.back()})
      EXPECT_NEAR(static_cast<double>(rail->most_bytes()), 2 * of_host * tokens, 4) << most;
    for (const TokenExchange* host : {&experts.dispatch.back(), &experts.combine.front()}) {
      EXPECT_EQ(host->sizes.size(), 2U);
      EXPECT_NEAR(static_cast<double>(host->most_bytes()), 2 * 2 * tokens / 2, 4) << most;
    }
  }
  EXPECT_THAT([] { with_experts(4, "{ep: 4}", "routing: {hosts: 4, most_hosts: 1}", 2); },
              ThrowsMessage<InputError>(HasSubstr("1 of 4 hosts have fewer than 2 of 4 experts")));
}

// Jiang et al. 2024, arXiv:2401.04088: 47 B parameters, of which a token uses 13 B.
TEST(Experts, mixtral_has_the_published_number_of_parameters) {
  const Transformer model =
      read_transformer(Value::scalar_at(Value::from_text("test", "a").place(), "mixtral_8x7b"));
  EXPECT_EQ(model.parameters(), 46'702'792'704U);
  const std::uint64_t idle = model.layers * (model.experts - model.top_k) * model.mlp_matrices();
  EXPECT_EQ(model.parameters() - idle, 12'879'925'248U);
}

Transformer model_of(const std::string& text) {
  return read_transformer(Value::from_text("test", text));
}

/// Parameters of the matrices that a token meets.
double activated(const Transformer& model) {
  const double pairs = 12 * static_cast<double>(model.layers * model.sequence) *
                       model.pair_width() * model.pair_share();
  return (flops_per_token(model) - pairs) / 6;
}

// README_WEIGHTS.md of deepseek-ai/DeepSeek-V3: 671 B, 36.6 B activated with the output layer;
// 61 x 2048 parameters are norms of narrow vectors. Arxiv:2505.09388, table 2: 235 B and 22 B;
// 94 x 256 of the checkpoint's 235,093,634,560 are norms of queries and keys. Arxiv:2508.10925,
// table 1: 116.83 B; the checkpoints of Qwen2.5 72B and Llama 4 have 72.7 B and 400 B.
TEST(Models, have_the_published_numbers_of_parameters) {
  const struct {
    const char* name;
    double all, activated, within;
  } known[] = {{"deepseek_v3", 671'026'404'352.0 - 61 * 2048, 36.6e9, 1},
               {"qwen3_235b", 235'093'634'560.0 - 94 * 256, 22e9, 1},
               {"gpt_oss_120b", 116.83e9, 5.1e9, 5e6},
               {"qwen2_5_72b", 72.7e9, 72.7e9 - 1.25e9, 5e7},
               {"llama_4_maverick", 400e9, 17e9, 1e9}};
  for (const auto& [name, all, used, within] : known) {
    const Transformer model = model_of(name);
    EXPECT_NEAR(static_cast<double>(model.parameters()), all, within) << name;
    EXPECT_NEAR(activated(model) / used, 1, 0.1) << name;
    const double layers = static_cast<double>(model.layers) * model.layer_parameters();
    const auto others = static_cast<double>(model.embedding() + model.head() + model.hidden);
    EXPECT_NEAR((layers + others) / static_cast<double>(model.parameters()), 1, 1e-6) << name;
  }
}

// Half of eight layers attend to a quarter of the sequence: of each triangle of pairs, 1 - 9/16.
TEST(Models, count_pairs_of_tokens_inside_a_window) {
  const Transformer model =
      model_of("{layers: 8, hidden: 64, heads: 8, sequence: 64, window: 16, windowed_layers: 4}");
  EXPECT_DOUBLE_EQ(model.pair_share(), 1 - 0.5 * 9 / 16);
  EXPECT_DOUBLE_EQ(
      model_of("{layers: 8, hidden: 64, heads: 8, sequence: 64, window: 99}").pair_share(), 1);
}

// A config in the form of each family has the numbers of the built-in model.
TEST(Models, are_read_from_a_published_config) {
  const std::pair<const char*, std::string> known[] = {
      {"deepseek_v3",
       R"({"model_type": "deepseek_v3", "first_k_dense_replace": 3, "hidden_act": "silu",
"hidden_size": 7168, "intermediate_size": 18432, "kv_lora_rank": 512, "q_lora_rank": 1536,
"max_position_embeddings": 163840, "moe_intermediate_size": 2048, "moe_layer_freq": 1,
"n_routed_experts": 256, "n_shared_experts": 1, "num_attention_heads": 128, "v_head_dim": 128,
"num_experts_per_tok": 8, "num_hidden_layers": 61, "num_key_value_heads": 128,
"qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "tie_word_embeddings": false,
"rope_scaling": {"factor": 40, "type": "yarn"}, "vocab_size": 129280})"},
      {"qwen3_235b",
       R"({"model_type": "qwen3_moe", "decoder_sparse_step": 1, "head_dim": 128,
"hidden_size": 4096, "intermediate_size": 12288, "max_position_embeddings": 40960,
"mlp_only_layers": [], "moe_intermediate_size": 1536, "num_attention_heads": 64,
"num_experts": 128, "num_experts_per_tok": 8, "num_hidden_layers": 94, "sliding_window": null,
"num_key_value_heads": 4, "rms_norm_eps": 1e-06, "use_sliding_window": false,
"vocab_size": 151936})"},
      {"llama_4_maverick",
       R"({"model_type": "llama4", "vision_config": {"hidden_size": 1408}, "text_config": {
"model_type": "llama4_text", "hidden_size": 5120, "intermediate_size": 8192,
"intermediate_size_mlp": 16384, "interleave_moe_layer_step": 2, "num_attention_heads": 40,
"head_dim": 128, "num_experts_per_tok": 1, "num_hidden_layers": 48, "num_key_value_heads": 8,
"num_local_experts": 128, "rms_norm_eps": 1e-05, "vocab_size": 202048}})"},
      {"mixtral_8x7b",
       R"({"model_type": "mixtral", "hidden_act": "silu", "hidden_size": 4096,
"intermediate_size": 14336, "max_position_embeddings": 32768, "num_attention_heads": 32,
"num_experts_per_tok": 2, "num_hidden_layers": 32, "num_key_value_heads": 8,
"num_local_experts": 8, "sliding_window": null, "vocab_size": 32000})"},
      {"llama_2_7b",
       R"({"model_type": "granitemoehybrid", "hidden_size": 4096, "intermediate_size": 11008,
"num_attention_heads": 32, "num_hidden_layers": 32, "num_local_experts": 0, "rms_norm_eps": 1e-05,
"num_experts_per_tok": 0, "vocab_size": 32000})"},
      {"bloom_176b",
       R"({"model_type": "bloom", "n_layer": 70, "n_embed": 14336, "n_head": 112,
"tie_word_embeddings": true, "vocab_size": 250880})"}};
  for (const auto& [name, text] : known) {
    const Transformer here = model_of(text), built_in = model_of(name);
    EXPECT_NEAR(static_cast<double>(here.parameters()) / static_cast<double>(built_in.parameters()),
                1, 1e-4)
        << name;  // biases are not read
    EXPECT_EQ(here.gated, built_in.gated) << name;
    EXPECT_EQ(here.sequence, 4096U) << name;
    EXPECT_EQ(here.head_size, built_in.head_size) << name;
    EXPECT_EQ(here.key_value_width(), built_in.key_value_width()) << name;
  }
  EXPECT_THAT([] { model_of(R"({"model_type": "jamba", "mamba_d_state": 16})"); },
              ThrowsMessage<InputError>(HasSubstr("a decoder of attention layers alone")));
  EXPECT_THAT([] { model_of(R"({"model_type": "t5", "is_encoder_decoder": true})"); },
              ThrowsMessage<InputError>(HasSubstr("a decoder of attention layers alone")));
  EXPECT_THAT([] { model_of(R"({"model_type": "llama", "hidden_size": 64})"); },
              ThrowsMessage<InputError>(HasSubstr("the key 'layers' is missing")));
}

TEST(Models, are_changed_by_keys_beside_a_published_config) {
  const std::string path = testing::TempDir() + "config.json";
  std::ofstream(path) << R"({"model_type": "llama", "hidden_size": 64, "vocab_size": 100,
"num_attention_heads": 4, "num_hidden_layers": 8, "intermediate_size": 128, "rms_norm_eps": 1e-5})";
  const Transformer model = model_of("{base: " + path + ", layers: 4}");
  EXPECT_EQ(model.layers, 4U);
  EXPECT_EQ(model.intermediate, 128U);
  EXPECT_TRUE(model.gated);
}

// GPT-2 and GPT-3 use one matrix for both; stages at both ends of a pipeline hold a copy each.
TEST(ATiedEmbedding, IsCountedOnceOnAGpuThatHasBothEnds) {
  const auto gradients = [](const std::string& groups, const std::string& tied,
                            const std::string& zero) {
    const std::string model =
        "model: {layers: 4, hidden: 64, heads: 8, sequence: 32, vocabulary: 1000, tied: " + tied;
    return read_tree(Value::from_text("test", R"(question: how much?
cluster: star8
library: ideal
placement: 1x8
job:
  program: llm
  groups: )" + groups + R"(
  options: {gpu: {flops: 1e12, memory_bandwidth: 1 GB/s}, zero: )" +
                                                  zero + ", " + model + "}}\n"),
                     "test")
        .front()
        .job.training->llm->gradients;
  };
  const std::uint64_t matrix = 1000 * 64 * 2;
  for (const std::string zero : {"0", "1", "3"}) {
    SCOPED_TRACE(zero);
    EXPECT_EQ(gradients("{}", "false", zero)[0] - gradients("{}", "true", zero)[0], matrix);
  }
  EXPECT_EQ(gradients("{pp: 2}", "true", "1"), gradients("{pp: 2}", "false", "1"));
}

}  // namespace
}  // namespace ringscope::llm_test
