// SPDX-License-Identifier: LGPL-2.1-or-later
// Do placements come first whose neighbours are near?
#include "sim/studies/search/place.hpp"

#include <gmock/gmock.h>

#include "sim/studies/search/place_study_for_test.hpp"

namespace ringscope {
namespace {

std::string two_racks(const std::string& job) {
  return R"(
scenario:
  question: where?
  cluster:
    network: two_level
    racks: 2
    hosts_per_rack: 2
    oversubscription: 1
    link: {bandwidth: 1 GB/s, latency: 0 s}
    host: {type: simple, cores: 1}
  library: ideal
  placement: 1x4
  job: )" +
         job;
}

std::vector<Assignment> nearest_first(const PlaceStudy& study,
                                      std::vector<Assignment> assignments) {
  const Symmetry symmetry(study.scenario.cluster.topology, symmetry_rules(study));
  near_groups_first(study, symmetry.bins(), assignments);
  return assignments;
}

// Levels between neighbours: 1 + 2 + 1 + 2 of the ring rack after rack, four times 2 of the other.
TEST(NearGroups, rings_that_stay_in_racks_come_first) {
  const PlaceStudy study =
      study_of(two_racks("{collective: allreduce, algorithm: ring, bytes: 4 kB}\n"));
  EXPECT_THAT(nearest_first(study, {{0, 2, 1, 3}, {0, 1, 2, 3}}),
              testing::ElementsAre(Assignment{0, 1, 2, 3}, Assignment{0, 2, 1, 3}));
}

// Groups of neighbours x: ranks 0 and 1, 2 and 3; of y: 0 and 2, 1 and 3. Each sends to the other.
TEST(NearGroups, groups_that_stay_in_racks_come_first) {
  const PlaceStudy study = study_of(
      two_racks("{groups: {order: x-y, x: 4, y: 1}, program: [{allreduce: 4 kB, group: x}]}\n"));
  EXPECT_THAT(nearest_first(study, {{0, 2, 1, 3}, {2, 3, 0, 1}}),
              testing::ElementsAre(Assignment{2, 3, 0, 1}, Assignment{0, 2, 1, 3}));
}

// An activation goes between layers 8 times in tensor groups, twice between stages.
TEST(NearGroups, tensor_groups_of_a_model_count_more_than_pipelines) {
  const PlaceStudy study = study_of(two_racks(R"(
    program: llm
    groups: {tp: 2, pp: 2}
    options:
      model: {layers: 4, hidden: 64, heads: 8, sequence: 32}
      gpu: {flops: 1e15, memory_bandwidth: unlimited}
)"));
  EXPECT_THAT(nearest_first(study, {{0, 2, 1, 3}, {0, 1, 2, 3}}),
              testing::ElementsAre(Assignment{0, 1, 2, 3}, Assignment{0, 2, 1, 3}));
}

}  // namespace
}  // namespace ringscope
