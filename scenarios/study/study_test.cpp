// SPDX-License-Identifier: LGPL-2.1-or-later
// Does a study file give the points that it says, and does what is wrong with it get a place?
#include "scenarios/study/study.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "scenarios/answer/formats/report_formats.hpp"
#include "topologies/input/complaint_for_test.hpp"

namespace ringscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<std::string> metrics = {"time_s", "busbw", "records_per_s"};

Study read(const std::string& yaml, const std::vector<Override>& overrides = {}) {
  return read_study({"test", Value::from_text("study.yaml", yaml)}, overrides, metrics);
}

std::string complaint(const std::string& yaml, const std::vector<Override>& overrides = {}) {
  return complaint_of([&] {
    const Study study = read(yaml, overrides);
    KnownParts known;
    for (std::size_t i = 0; i < study.size(); ++i) study_scenario(study, i, known);
  });
}

/// The values of one key, point by point.
std::vector<std::string> values(const Study& study, std::size_t key = 0) {
  std::vector<std::string> texts;
  for (const StudyPoint& point : study.points)
    texts.push_back(point[key].is_null() ? "" : point[key].scalar());
  return texts;
}

std::string grid(const std::string& text) {
  return "scenario: 02-ring-of-8\nsweep: {grid: {" + text + "}}\n";
}

TEST(Study, multiplies_the_keys_of_a_grid_the_last_one_fastest) {
  const Study study = read(grid("placement: [4-4, 8], job.bytes: [1 KiB, 1 MiB]"));
  EXPECT_THAT(study.keys, ElementsAre("placement", "job.bytes"));
  EXPECT_THAT(values(study, 0), ElementsAre("4-4", "4-4", "8", "8"));
  EXPECT_THAT(values(study, 1), ElementsAre("1 KiB", "1 MiB", "1 KiB", "1 MiB"));
}

TEST(Study, steps_evenly_or_by_equal_factors_from_end_to_end) {
  EXPECT_THAT(values(read(grid("library.network.latency: {from: 1 us, to: 3 us, steps: 5}"))),
              ElementsAre("1 us", "1.5 us", "2 us", "2.5 us", "3 us"));
  EXPECT_THAT(values(read(grid("job.bytes: {from: 1 KiB, to: 1 MiB, steps: 3, scale: log}"))),
              ElementsAre("1 KiB", "32 KiB", "1 MiB"));
  EXPECT_THAT(values(read(grid("cluster.link.bandwidth: {from: 1 GB/s, to: 16 Gbit/s, steps: 2}"))),
              ElementsAre("1 GB/s", "2 GB/s"));
}

TEST(Study, rounds_between_whole_numbers_and_takes_equal_ones_once) {
  EXPECT_THAT(values(read(grid("job.repetitions: {from: 1, to: 3, steps: 9}"))),
              ElementsAre("1", "2", "3"));
  EXPECT_THAT(values(read(grid("library.network.goodput: {from: 0.5, to: 1, steps: 3}"))),
              ElementsAre("0.5", "0.75", "1"));
}

TEST(Study, leaves_the_scenario_s_own_value_where_a_point_says_nothing) {
  const Study study = read(
      "scenario: 02-ring-of-8\nsweep: {points: [{placement: 8}, {job.bytes: 1 KiB, placement: "
      "4-4}]}");
  EXPECT_THAT(study.keys, ElementsAre("placement", "job.bytes"));
  EXPECT_THAT(values(study, 1), ElementsAre("", "1 KiB"));
}

TEST(Study, puts_one_point_into_each_stratum_of_each_key_of_a_latin_hypercube) {
  const std::string text =
      "scenario: 02-ring-of-8\nsweep: {latin: {n: 50, seed: SEED, keys: {"
      "library.network.latency: {from: 0 s, to: 50 us}, "
      "job.bytes: {from: 1 KiB, to: 1 GiB, scale: log}, placement: [4-4, 8]}}}";
  const auto seeded = [&](const std::string& seed) {
    return read(std::string(text).replace(text.find("SEED"), 4, seed));
  };
  const Study study = seeded("1");
  std::set<int> latencies, sizes;
  int whole = 0;
  for (const StudyPoint& point : study.points) {
    latencies.insert(static_cast<int>(point[0].seconds().count() / 1e-6));
    const double share = std::log2(static_cast<double>(point[1].bytes().count) / 1024) / 20;
    sizes.insert(static_cast<int>(share * 50));
    whole += point[2].scalar() == "8";
  }
  EXPECT_EQ(latencies.size(), 50U);
  EXPECT_GE(sizes.size(), 49U);  // a size is rounded to a whole byte, at most over one edge
  EXPECT_EQ(whole, 25);
  EXPECT_EQ(values(seeded("1")), values(study));
  EXPECT_NE(values(seeded("2")), values(study));
}

TEST(Study, forgets_cases_that_vary_only_what_it_varies_itself) {
  EXPECT_EQ(read("scenario: 03-anomaly\nsweep: {grid: {placement: [4-2-2, 3-3-2]}}").size(), 2U);
  EXPECT_EQ(read("scenario: 03-anomaly\nsweep: {grid: {job.repetitions: [1, 2]}}").size(), 4U);
}

TEST(Study, takes_the_sizes_of_its_scenario_for_one_more_key) {
  const Study study = read(grid("placement: [4-4, 8]"), {{"job.bytes", "[1 KiB, 2 KiB]"}});
  EXPECT_THAT(study.keys, ElementsAre("placement", "job.bytes"));
  EXPECT_EQ(study.size(), 4U);
}

TEST(Study, makes_the_scenario_that_set_would_make) {
  const Study study =
      read(grid("library.network.latency: [7 us], library: [rdma], job.bytes: [2 KiB]"));
  KnownParts known;
  const Scenario scenario = study_scenario(study, 0, known);
  const Scenario expected = read_scenarios("02-ring-of-8", {{"library", "rdma"},
                                                            {"library.network.latency", "7 us"},
                                                            {"job.bytes", "2 KiB"}})
                                .at(0);
  EXPECT_EQ(to_json(scenario.resolved), to_json(expected.resolved));
}

TEST(Study, has_each_case_on_each_of_its_clusters) {
  const std::string clusters =
      "scenario: 02-ring-of-8\nclusters: {nine: {base: star8, hosts: 9}, two: star8}\n";
  const Study study = read(clusters);
  EXPECT_EQ(study.size(), 2U);
  EXPECT_TRUE(study.compares_clusters);
  EXPECT_EQ(row_words(study, 1), "two: ");
  KnownParts known;
  EXPECT_EQ(study_scenario(study, 0, known).cluster.topology.hosts().size(), 9U);
  EXPECT_EQ(study_scenario(study, 1, known).cluster.topology.hosts().size(), 8U);
  const Study both = read(clusters + "sweep: {grid: {job.bytes: [1 KiB, 2 KiB, 4 KiB]}}");
  EXPECT_EQ(row_words(both, 3), "two: job.bytes=1 KiB");
  const Study cases = read(
      "scenario: {question: q, cluster: star8, library: rdma, placement: 2, job: {collective: "
      "allreduce, algorithm: ring, bytes: 1 B}, cases: [{name: a}, {name: b, set: {library: "
      "ideal}}]}\nclusters: {one: star8, two: rack3}\n");
  EXPECT_EQ(cases.cases[1].name, "test b on one");
  EXPECT_EQ(cases.cases[2].name, "test a on two");
}

TEST(Study, asks_for_the_first_metric_unless_it_is_told) {
  EXPECT_THAT(read(grid("placement: [8]")).metrics, ElementsAre("time_s"));
  EXPECT_THAT(read(grid("placement: [8]") + "metrics: [busbw, training.records_per_s]").metrics,
              ElementsAre("busbw", "records_per_s"));
}

TEST(Study, says_where_it_is_wrong) {
  const std::vector<Broken> all = {
      {grid("placement: [8]") + "metrics: [bsbw]",
       "study.yaml:3:11: unknown metric 'bsbw'; did you mean 'busbw'? (known: time_s, busbw, "
       "records_per_s)"},
      {grid("placement: 8"), "study.yaml:2:27: expected a list such as [4-2-2, 4-3-1] or a range"},
      {grid("job.bytes: {from: 1 KiB, to: 1 us, steps: 3}"),
       "study.yaml:2:45: expected a size, as 'from' is, got a time"},
      {grid("job.skew: {from: 0 s, to: 1 us, steps: 3, scale: log}"),
       "study.yaml:2:33: expected more than 0, for a logarithmic scale"},
      {grid("job.skew: {from: 0 s, to: 1 us}"), "job.skew: the key 'steps' is missing"},
      {grid("job.seed: {from: 1, to: 1001, steps: 1001}, job.repetitions: {from: 1, to: 1000, "
            "steps: 1000}"),
       "1001000 points, and a study has at most 1000000"},
      {grid("library.netwrk.latency: [1 us]"), "unknown key 'netwrk'; did you mean 'network'?"},
      {grid("placement: [4-4, 9]"), "study.yaml:2:33: 9 ranks"},
      {"scenario: 02-ring-of-8\nsweep: {grid: {job.seed: [1]}, points: [{job.seed: 1}]}",
       "study.yaml:2:8: sweep: expected one of 'grid', 'points' and 'latin'"},
      {"scenario: 02-ring-of-8\nsweep: {latin: {n: 4, keys: {job.skew: {from: 0 s, to: 1 s, "
       "steps: 4}}}}",
       "a Latin hypercube has as many steps as points"},
      {"scenario: 2-ring-of-8\nsweep: {grid: {job.seed: [1]}}",
       "study.yaml:1:11: unknown scenario '2-ring-of-8'; did you mean '02-ring-of-8'?"},
      {"sweep: {grid: {job.seed: [1]}}", "a study: the key 'scenario' is missing"},
      {"scenario: 02-ring-of-8\nclusters: [rack3]",
       "study.yaml:2:11: expected clusters by their names"},
      {"scenario: 02-ring-of-8", "a study: the key 'sweep' is missing"},
  };
  for (const Broken& broken : all)
    EXPECT_THAT(complaint(broken.input), HasSubstr(broken.complaint)) << broken.input;
  EXPECT_THAT(complaint(grid("placement: [8]"), {{"placement.bind", "numa"}}),
              HasSubstr("--set:1:1: the study varies 'placement'"));
  EXPECT_THAT(
      complaint("scenario: 02-ring-of-8\nclusters: {a: rack3}", {{"cluster.link.latency", "1 us"}}),
      HasSubstr("--set:1:1: the study varies 'cluster'"));
}

}  // namespace
}  // namespace ringscope
