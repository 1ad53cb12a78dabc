// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/workload/transformer.hpp"

#include "scenarios/workload/limits.hpp"
#include "scenarios/workload/model.hpp"
#include "topologies/input/characters.hpp"

namespace ringscope {
namespace {

constexpr std::int64_t most_count = 1'000'000'000;

std::uint64_t count(const Value& value, std::int64_t least = 1, std::int64_t most = most_count) {
  return static_cast<std::uint64_t>(value.integer(least, most));
}

}  // namespace

Transformer read_transformer(const Value& value) {
  const Written written = read_written(value, "scenarios/models/language", "language model");
  Fields fields(written.map, "model");
  fields.optional("base");  // laid out already
  Transformer model;
  model.name = fields.value_or("name", written.name).text();
  model.about = fields.value_or("about", "a model without a description").text();
  model.layers = count(fields.required("layers"), 1, 100'000);
  model.hidden = count(fields.required("hidden"), 1, 10'000'000);
  model.heads = count(fields.required("heads"), 1, 1'000'000);
  model.key_value_heads =
      count(fields.value_or("key_value_heads", std::to_string(model.heads)), 1, 1'000'000);
  model.intermediate =
      count(fields.value_or("intermediate", std::to_string(4 * model.hidden)), 1, 100'000'000);
  model.experts = count(fields.value_or("experts", "1"), 1, 100'000);
  const Value& top_k = fields.value_or("top_k", "1");
  model.top_k = count(top_k, 1, static_cast<std::int64_t>(model.experts));
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
  if (model.hidden % model.heads != 0)
    suspect_in(fields.map())
        .fail("hidden {} cannot be cut into {} heads", model.hidden, model.heads);
  fields.finish();
  model.resolved = fields.resolved();
  return model;
}

}  // namespace ringscope
