// Do two scenarios have one key exactly where they have one result?
#include "sim/studies/key.hpp"

#include <gtest/gtest.h>

#include "sim/studies/study_for_test.hpp"

namespace ringscope {
namespace {

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

}  // namespace
}  // namespace ringscope
