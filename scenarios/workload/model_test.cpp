// SPDX-License-Identifier: LGPL-2.1-or-later
// Does every model have the parameters and the operations that its source says, and is a map that a
// user writes read with its base under it?
#include "scenarios/workload/transformer.hpp"

#include <gtest/gtest.h>

#include <map>

#include "scenarios/answer/formats/report_formats.hpp"
#include "topologies/input/complaint_for_test.hpp"
#include "topologies/input/data_files.hpp"

namespace ringscope {
namespace {

Model read(const std::string& text) { return read_model(Value::from_text("x", text)); }

/// Message of the error without the line and the caret.
template <typename Action>
std::string complaint(Action action) {
  const std::string text = complaint_of(action);
  return text.substr(0, text.find('\n'));
}

Seconds step_of(const Model& model) { return compute_time(model.layers); }

TEST(Model, every_file_adds_up_to_the_published_number_of_parameters) {
  // LeNet: caffe/examples/mnist. AlexNet: caffe/models/bvlc_alexnet. BERT: BertModel of the
  // transformers library. The others: torchvision 0.15, Inception without its auxiliary classifier.
  const std::map<std::string, std::uint64_t> published = {
      {"lenet", 431'080},           {"alexnet", 60'965'224},    {"vgg16", 138'357'544},
      {"inception_v3", 23'834'568}, {"resnet50", 25'557'032},   {"resnet101", 44'549'160},
      {"bert_base", 110'106'428},   {"bert_large", 335'141'888}};
  for (const std::string& name : names_in("scenarios/models")) {
    ASSERT_TRUE(published.contains(name)) << name;
    EXPECT_EQ(parameters_of(read(name).layers), published.at(name)) << name;
  }
  EXPECT_EQ(names_in("scenarios/models").size(), published.size());
}

TEST(Model, every_file_says_what_it_is_and_reads_back_alike) {
  for (const std::string& name : names_in("scenarios/models")) {
    const Model model = read(name);
    EXPECT_EQ(model.name, name);
    EXPECT_NE(model.about, "a model without a description") << name;
    EXPECT_GT(step_of(model).count(), 0) << name;
    const Json resolved = to_json(model.resolved);
    EXPECT_EQ(to_json(read(resolved.dump()).resolved), resolved) << name;
  }
}

TEST(Model, files_know_how_long_an_epoch_is) {
  EXPECT_EQ(read("lenet").records, 60'000U);        // MNIST
  EXPECT_EQ(read("resnet50").records, 1'281'167U);  // ImageNet, ILSVRC 2012
  EXPECT_EQ(read("bert_large").records, 87'599U);   // SQuAD 1.1
}

// Two layers, 30 ms: the first has a third of the operations.
const std::string two_layers =
    "{records: 10, record: 1 kB, batch: 2, step: 30 ms, layers: ["
    "{name: a, parameters: [3, 1], flops: 1}, {name: b, parameters: 5, flops: 2}]}";

TEST(Model, the_time_is_split_by_operations_and_backward_is_twice_forward) {
  const Model model = read(two_layers);
  ASSERT_EQ(model.layers.size(), 2U);
  EXPECT_NEAR(model.layers[0].forward.count(), 0.03 / 3 / 3, 1e-15);
  EXPECT_NEAR(model.layers[0].backward.count(), 0.03 / 3 * 2 / 3, 1e-15);
  EXPECT_NEAR(model.layers[1].forward.count(), 0.03 * 2 / 3 / 3, 1e-15);
  EXPECT_NEAR(step_of(model).count(), 0.03, 1e-15);
  EXPECT_EQ(model.layers[0].tensors, (std::vector<std::uint64_t>{3, 1}));
  EXPECT_EQ(model.name, "inline");
}

TEST(Model, backward_may_take_any_multiple_of_forward) {
  Value map = Value::from_text("x", two_layers);
  map.set("backward", Value::from_text("x", "4"));
  const Model model = read_model(map);
  EXPECT_NEAR(model.layers[1].forward.count(), 0.02 / 5, 1e-15);
  EXPECT_NEAR(model.layers[1].backward.count(), 0.02 * 4 / 5, 1e-15);
}

TEST(Model, a_map_lays_its_keys_over_its_base) {
  const Model model = read("{base: resnet50, step: 100 ms, batch: 32}");
  EXPECT_EQ(model.name, "resnet50*");
  EXPECT_EQ(model.batch, 32);
  EXPECT_EQ(parameters_of(model.layers), 25'557'032U);
  EXPECT_NEAR(step_of(model).count(), 0.1, 1e-12);
}

TEST(Model, a_wrong_sum_is_refused) {
  EXPECT_EQ(complaint([] { read("{base: lenet, parameters: 431081}"); }),
            "x:1:27: the layers have 431080 parameters, expected 431081 as in the model");
}

TEST(Model, an_unknown_name_is_answered_with_the_known_ones) {
  EXPECT_EQ(complaint([] { read("resnet5"); }),
            "x:1:1: unknown model 'resnet5'; did you mean 'resnet50'? (known: alexnet, bert_base, "
            "bert_large, inception_v3, lenet, resnet101, resnet50, vgg16)");
}

TEST(Model, invalid_model_is_rejected_with_its_place) {
  const auto of_layers = [](const std::string& layers) {
    return complaint(
        [&] { read("{records: 1, record: 1 B, batch: 1, step: 1 s, layers: " + layers + "}"); });
  };
  EXPECT_EQ(of_layers("[]"),
            "x:1:56: expected a list of layers such as [{name: fc, parameters: [1000, 10], flops: "
            "2000}]");
  EXPECT_EQ(of_layers("[{name: a, parameters: [], flops: 1}]"),
            "x:1:79: expected the parameters of at least one tensor");
  EXPECT_EQ(of_layers("[{name: a, parameters: 1, flops: 0}]"),
            "x:1:56: expected a layer with flops, got none");
  EXPECT_EQ(complaint([] { read("[lenet]"); }), "x:1:1: expected the name of a model, or a map");
}

}  // namespace
}  // namespace ringscope
