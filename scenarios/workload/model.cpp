// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/workload/transformer.hpp"

#include <filesystem>

#include "scenarios/workload/options.hpp"
#include "topologies/input/data_files.hpp"

namespace ringscope {
namespace {

constexpr std::int64_t most_parameters = 1'000'000'000'000;
constexpr double most_backward = 1000;

/// A number, or a list of one for each tensor.
std::vector<std::uint64_t> read_tensors(const Value& value) {
  const auto read = [](const Value& one) {
    return static_cast<std::uint64_t>(one.integer(1, most_parameters));
  };
  if (value.kind() != Value::Kind::list) return {read(value)};
  if (value.items().empty()) value.fail("expected the parameters of at least one tensor");
  return each_of(value.items(), read);
}

struct ReadLayer {
  Layer layer;
  double flops = 0;
};

/// Elements that a convolution or a matrix puts out: each weight of a channel is used once for
/// every element of it, in 2 operations, and the last tensor has an element for each channel.
double outputs_of(const std::vector<std::uint64_t>& tensors, double flops) {
  if (tensors.size() < 2) return 0;
  const auto weights = static_cast<double>(tensors.front());
  return flops / (2 * weights) * static_cast<double>(tensors.back());
}

ReadLayer read_layer(const Value& value) {
  Fields fields(value, "model.layers");
  ReadLayer read;
  read.layer.name = fields.required("name").text();
  read.layer.tensors = read_tensors(fields.required("parameters"));
  read.flops = fields.required("flops").number(0, most_flops);
  read.layer.outputs = outputs_of(read.layer.tensors, read.flops);
  fields.finish();
  return read;
}

std::vector<Layer> read_layers(const Value& value, Seconds step, double backward) {
  std::vector<ReadLayer> read;
  double flops = 0;
  for (const Value& one :
       value.listed("a list of layers such as [{name: fc, parameters: [1000, 10], flops: 2000}]")) {
    read.push_back(read_layer(one));
    flops += read.back().flops;
  }
  if (flops == 0 && step.count() > 0) value.fail("expected a layer with flops, got none");
  std::vector<Layer> layers;
  for (ReadLayer& one : read) {
    const Seconds time = flops > 0 ? step * (one.flops / flops) : Seconds(0);
    one.layer.forward = time / (1 + backward);
    one.layer.backward = time - one.layer.forward;
    layers.push_back(std::move(one.layer));
  }
  return layers;
}

void require_sum(const Value& parameters, const std::vector<Layer>& layers) {
  const auto sum = static_cast<std::int64_t>(parameters_of(layers));
  const std::int64_t said = parameters.integer(1, most_parameters);
  if (said != sum)
    parameters.fail("the layers have {} parameters, expected {} as in the model", sum, said);
}

}  // namespace

Model read_model(const Value& value) {
  const Written written = read_written(value, "scenarios/models", "model");
  Fields fields(written.map, "model");
  fields.optional("base");  // laid out already
  Model model;
  model.name = fields.value_or("name", written.name).text();
  model.about = fields.value_or("about", "a model without a description").text();
  fields.expect("record");
  model.records = static_cast<std::uint64_t>(fields.required("records").integer(1, most_records));
  model.record = fields.required("record").bytes();
  model.batch = static_cast<int>(fields.required("batch").integer(1, most_batch));
  const Seconds step = fields.required("step").seconds();
  const double backward = fields.value_or("backward", "2").number(0, most_backward);
  const Value* parameters = fields.optional("parameters");
  const Value& layers = fields.required("layers");
  fields.finish();
  model.layers = read_layers(layers, step, backward);
  if (parameters != nullptr) require_sum(*parameters, model.layers);
  model.resolved = fields.resolved();
  return model;
}

Written read_written(const Value& value, const std::string& folder, const std::string& kind) {
  const auto written_at = [&](const Value& name) -> Written {
    const std::string file = file_of(name, folder, kind);
    return {std::filesystem::path(file).stem().string(), from_config_json(Value::from_file(file))};
  };
  if (value.kind() == Value::Kind::scalar) return written_at(value);
  if (value.kind() != Value::Kind::map) value.fail("expected the name of a {}, or a map", kind);
  const Value* base = value.find("base");
  if (base == nullptr || base->is_null()) return {"inline", from_config_json(value)};
  Written written = written_at(*base);
  for (const Value::Entry& entry : value.entries())
    if (entry.key != "base") written.map.set(entry.key, entry.value);
  written.name += "*";
  return written;
}

}  // namespace ringscope
