// SPDX-License-Identifier: LGPL-2.1-or-later
// Does each wrong scenario, library or --set draw the message that tells a person what to do?
//
// broken_inputs.txt holds the inputs and the messages. The clusters and libraries are the test's
// own, so that a new one of ours changes no message here.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>

#include "scenarios/question/scenario.hpp"
#include "topologies/input/sections_for_test.hpp"

namespace ringscope {
namespace {

namespace fs = std::filesystem;

constexpr const char* rack = R"(about: three hosts on a switch
network: star
hosts: 3
link: {bandwidth: 10 Gbit/s, latency: 5 us}
host: {type: simple, cores: 8}
)";

constexpr const char* plain = R"(about: nothing costs anything
progress: nic
self: {latency: 0 s, eager_limit: unlimited, driver: nic}
shm: {latency: 0 s, eager_limit: unlimited, driver: nic}
network: {latency: 0 s, eager_limit: unlimited, driver: nic}
)";

constexpr const char* good = R"(question: How long?
cluster: rack
library: plain
placement: 1-1
job:
  collective: allreduce
  algorithm: ring
  bytes: 1 MiB
)";

class BrokenInput : public testing::Test {
 protected:
  BrokenInput() {
    std::string name = testing::TempDir() + "broken_XXXXXX";
    folder_ = ::mkdtemp(name.data());
    ::setenv("RINGSCOPE_DATA", folder_.c_str(), 1);
    write("topologies/clusters/rack.yaml", rack);
    write("scenarios/libraries/plain.yaml", plain);
    write("scenarios/libraries/costly.yaml",
          "base: plain\nprogress: caller\nnetwork: {send_cost: 1 ns/B}\n");
    write("scenarios/libraries/circle.yaml", "base: circle\n");
    write("scenarios/servers/zeromq.yaml", "options: {bucket: 0 B}\n");
    write("round.yaml", "base: ./round.yaml\n");
    fs::create_directories(folder_ + "/scenarios/schedules");
    for (const char* schedule : {"ring_2.xml", "ar_tree_12_LL.xml"})
      fs::copy_file(std::string("scenarios/schedules/") + schedule,
                    folder_ + "/scenarios/schedules/" + schedule);
  }
  ~BrokenInput() override {
    ::unsetenv("RINGSCOPE_DATA");
    fs::remove_all(folder_);
  }

  void write(const std::string& file, const std::string& text) const {
    fs::create_directories(fs::path(folder_ + "/" + file).parent_path());
    std::ofstream(folder_ + "/" + file) << text;
  }

  /// Message of the error that reading the scenario throws, without the folder. Algorithms come and
  /// go: their list is cut.
  std::string message(const std::vector<std::string>& changes) const {
    try {
      std::vector<Override> overrides;
      for (const std::string& change : changes) overrides.push_back(parse_override(change));
      read_scenarios(folder_ + "/x.yaml", overrides);
    } catch (const InputError& error) {
      const std::string text = std::regex_replace(error.what(), std::regex(folder_ + "/"), "");
      const std::regex known(R"((unknown (?:collective|algorithm).*)\(known: [^)]*\))");
      return std::regex_replace(text, known, "$1(known: ...)");
    }
    return "";
  }

  std::string folder_;
};

TEST_F(BrokenInput, is_refused_with_these_words) {
  const std::vector<Section> inputs = sections_of("scenarios/broken_inputs.txt");
  EXPECT_GE(inputs.size(), 60U);
  for (const Section& broken : inputs) {
    SCOPED_TRACE(broken.name);
    std::string text = good;
    const std::string right = broken.part("replace", "");
    const auto at = text.find(right);
    ASSERT_NE(at, std::string::npos);
    write("x.yaml", text.replace(at, right.size(), broken.part("by", "")));
    const auto changes = broken.parts.find("set");
    EXPECT_EQ(message(changes == broken.parts.end() ? std::vector<std::string>() : changes->second),
              broken.part("message"));
  }
}

TEST_F(BrokenInput, the_good_scenario_is_not_refused) {
  write("x.yaml", good);
  EXPECT_EQ(message({}), "");
}

}  // namespace
}  // namespace ringscope
