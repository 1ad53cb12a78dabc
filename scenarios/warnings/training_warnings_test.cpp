// SPDX-License-Identifier: LGPL-2.1-or-later
// Is a user warned of training that its devices, their memory or their host's cores cannot do so?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/question/scenario_tree.hpp"
#include "scenarios/warnings/job_warnings.hpp"

namespace ringscope::training_warnings_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> warnings_of_training(
    const std::string& cluster, const std::string& options,
    const std::string& placement = "{hosts: 4, on: gpu}") {
  const std::string text =
      "question: q\nlibrary: cuda_pinned\ncluster: " + cluster + "\nplacement: " + placement +
      "\njob: {collective: training, algorithm: ddp, options: {" + options + "}}";
  return job_warnings(read_tree(Value::from_text("test", text), "test").front());
}

constexpr const char* four_cores =
    "{network: star, hosts: 1, link: {bandwidth: 1 GB/s, latency: 0 s}, "
    "host: {type: numa, cores: 2, memory: 16 GB}}";

// 4 devices x (10 GB + 0.5 GB + 2 batches of 64 records of 110 kB) = 42.06 GB, on 2 x 16 GB.
TEST(TrainingWarnings, files_and_buffers_that_do_not_fit_into_the_host_are_named) {
  const std::string input = "model: {base: resnet50, record: 110 kB}, input: {rate: 500, ";
  EXPECT_THAT(
      warnings_of_training(four_cores, input + "mapped: 10 GB, pinned: 500 MB}",
                           "{hosts: 4, bind: host}"),
      ElementsAre("host0 has 32 GB of memory, and its input needs 42.06 GB: 4 devices x (mapped "
                  "files 10 + pinned buffers 0.5 + 2 batches 0.01408). It swaps, which is not "
                  "simulated; 3 devices fit"));
  EXPECT_THAT(warnings_of_training(four_cores, input + "mapped: 10 GB}", "{hosts: 3, bind: host}"),
              IsEmpty());
  EXPECT_THAT(warnings_of_training(four_cores, input + "prefetch: 1000}", "{hosts: 4, bind: host}"),
              IsEmpty());
  EXPECT_THAT(warnings_of_training(four_cores, input + "prefetch: 2000}", "{hosts: 4, bind: host}"),
              ElementsAre(HasSubstr("2000 batches 14.08")));
  EXPECT_THAT(warnings_of_training("star8", input + "mapped: 10 GB}", "{hosts: 1-1, bind: host}"),
              ElementsAre(HasSubstr("'cluster.host.memory' specifies a host's memory")));
}

TEST(TrainingWarnings, an_input_that_takes_cores_of_ranks_is_named) {
  EXPECT_THAT(warnings_of_training(four_cores, "model: resnet50, input: {rate: 500, cores: 3}",
                                   "{hosts: 2, bind: host}"),
              ElementsAre("host0 has 4 cores, of which its input keeps 3 busy and its 2 ranks one "
                          "each: they share them, and take longer"));
  EXPECT_THAT(warnings_of_training(four_cores, "model: resnet50, input: {rate: 500, cores: 3}",
                                   "{hosts: 1, bind: host}"),
              IsEmpty());
}

// VGG-16 puts out 13,547,520 elements by convolutions and 9,192 by matrices for a record, and has
// 138,357,544 parameters: 512 x 54.23 MB + 138,357,544 x 12 B = 29.42 GB, on 11 GiB.
TEST(TrainingWarnings, a_batch_that_does_not_fit_into_its_gpu_is_named) {
  EXPECT_THAT(warnings_of_training("gtx1080ti_x4", "model: vgg16, batch: 512"),
              ElementsAre("vgg16 does not fit into host0/gpu0, which has 11.81 GB: a batch of 512 "
                          "needs at least 29.42 GB, parameters with gradients and momenta 1.66 + "
                          "activations 27.76; a batch of 187 may fit"));
  EXPECT_THAT(warnings_of_training("gtx1080ti_x4", "model: vgg16, batch: 187"), IsEmpty());
  EXPECT_THAT(warnings_of_training("gtx1080ti_x4", "model: vgg16, batch: 188"),
              ElementsAre(HasSubstr("does not fit")));
  EXPECT_THAT(warnings_of_training("gtx1080ti_x4", "model: vgg16, batch: 188, element: 2 B"),
              IsEmpty());
  EXPECT_THAT(warnings_of_training("{base: gtx1080ti_x4, host: {gpu: {memory: 1 GiB}}}",
                                   "model: vgg16, batch: 1"),
              ElementsAre(AllOf(HasSubstr("1.074 GB"), Not(HasSubstr("may fit")))));
  EXPECT_THAT(warnings_of_training("gtx1080ti_x4", "model: vgg16, batch: 512", "4"),
              ElementsAre(HasSubstr("no rank has a GPU")));
}

TEST(TrainingWarnings, a_gpu_that_only_adds_up_for_others_is_named) {
  const auto placed = [](const std::string& placement) {
    const std::string text =
        "question: q\nlibrary: cuda_pinned\ncluster: gtx1080ti_x4\nplacement: " + placement +
        "\njob: {collective: training, algorithm: central_storage, options: {model: lenet}}";
    return job_warnings(read_tree(Value::from_text("test", text), "test").front());
  };
  EXPECT_THAT(placed("{hosts: 4, on: gpu}"), ElementsAre(HasSubstr("the servers, the last 1")));
  EXPECT_THAT(placed("[{hosts: 4, on: gpu}, {hosts: 1}]"), IsEmpty());
}

}  // namespace
}  // namespace ringscope::training_warnings_test
