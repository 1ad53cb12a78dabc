// SPDX-License-Identifier: LGPL-2.1-or-later
// Do two scenarios have one key exactly where they have one result?
#include "sim/studies/store_tables.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "sim/studies/study_for_test.hpp"
#include "topologies/input/data_files.hpp"

namespace ringscope::key_test {
namespace {

namespace fs = std::filesystem;

Key key_of(const Scenario& scenario) { return scenario_key(scenario, "fluid"); }

TEST(Key, is_the_same_however_a_placement_is_written) {
  const Key counts = key_of(small_scenario(1, "placement: 1-1"));
  EXPECT_EQ(counts, key_of(small_scenario(1, "placement: {hosts: 1-1, bind: core}")));
  EXPECT_EQ(counts,
            key_of(small_scenario(1, "placement: [{host: 0, core: 0}, {host: 1, core: 0}]")));
}

TEST(Key, does_not_know_names_and_questions) {
  Scenario scenario = small_scenario(1);
  const Key key = key_of(scenario);
  scenario.name = "another";
  scenario.resolved.set("question", Value::from_text("test", "another?"));
  scenario.resolved.set("cluster.about", Value::from_text("test", "another"));
  EXPECT_EQ(key_of(scenario), key);
}

TEST(Key, differs_with_whatever_decides_the_result) {
  const Scenario scenario = small_scenario(1);
  const Key key = key_of(scenario);
  EXPECT_NE(key, scenario_key(scenario, "simgrid"));
  EXPECT_NE(key, key_of(small_scenario(2)));
  EXPECT_NE(key, key_of(small_scenario(1, "placement: 2")));
  EXPECT_NE(key, key_of(small_scenario(1, "placement: {hosts: 1-1, bind: host}")));
  for (const char* change : {"library.network.latency", "cluster.link.latency", "job.skew"}) {
    Scenario changed = scenario;
    changed.resolved.set(change, Value::from_text("test", "123 us"));
    EXPECT_NE(key_of(changed), key) << change;
  }
}

TEST(Key, differs_when_ranks_change_places) {
  Scenario changed = small_scenario(1);
  const Key key = key_of(changed);
  std::swap(changed.placement.ranks[0], changed.placement.ranks[1]);
  EXPECT_NE(key_of(changed), key);
}

/// A job read from files in a folder that holds copies of ours.
class KeyOfFiles : public testing::Test {
 protected:
  KeyOfFiles() { fs::create_directories(folder_); }
  ~KeyOfFiles() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  /// Keys before and after a file's text has changed in place.
  void differs(const std::string& yaml, const std::string& name, const std::string& changed) {
    const auto key = [&] {
      const std::string said = fmt::format(fmt::runtime(yaml), folder_);
      return key_of(read_tree(Value::from_text("test", said), "test").front());
    };
    const std::string text = read_file(path(name), 1);
    const Key before = key();
    write(name, changed);
    EXPECT_NE(key(), before) << name;
    write(name, text);
    EXPECT_EQ(key(), before) << name;
  }

  std::string folder_ = testing::TempDir() + fmt::format("key_of_files_{}", ::getpid());
};

TEST_F(KeyOfFiles, differs_when_a_schedule_has_changed) {
  fs::copy_file("scenarios/schedules/ping_pong.goal", path("a.goal"));
  std::string slower = read_file(path("a.goal"), 1);
  slower.replace(slower.find("calc 1000"), 9, "calc 2000");
  differs(
      "{{question: q, cluster: pair, library: rdma, placement: 1-1, job: {{schedule: {}/a.goal}}}}",
      "a.goal", slower);
}

TEST_F(KeyOfFiles, differs_when_a_trace_or_its_groups_have_changed) {
  for (int rank = 0; rank < 4; ++rank) {
    const std::string name = fmt::format("all_reduce_4.{}.et", rank);
    fs::copy_file("scenarios/traces/" + name, path(name));
  }
  write("comm_group.json", R"({"1": [0, 1, 2, 3]})");
  const std::string yaml =
      "{{question: q, cluster: {{base: pair, hosts: 4}}, library: rdma, placement: 1-1-1-1, "
      "job: {{trace: {}/all_reduce_4}}}}";
  differs(yaml, "comm_group.json", R"({"1": [0, 1, 2, 3], "2": [0, 1]})");
  differs(yaml, "all_reduce_4.0.et", read_file("scenarios/traces/all_reduce_8.0.et", 1));
}

TEST_F(KeyOfFiles, differs_when_the_rings_of_nccl_have_changed) {
  const std::string line = "a:1:1 [0] NCCL INFO Channel 00/02 : 0 1 2 3\n";
  write("rings.log", line);
  differs(
      "{{question: q, cluster: a100x4_nvlink, library: nccl_a100, placement: {{hosts: 4, on: gpu}}"
      ", job: {{collective: allreduce, algorithm: nccl, bytes: 1 MiB, rings: {}/rings.log}}}}",
      "rings.log", "a:1:1 [0] NCCL INFO Channel 00/02 : 0 2 1 3\n");
}

}  // namespace
}  // namespace ringscope::key_test
