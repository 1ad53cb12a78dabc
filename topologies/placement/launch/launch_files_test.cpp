// SPDX-License-Identifier: LGPL-2.1-or-later
// Do launchers get the placement that was found? Read back.
#include "topologies/placement/launch/launch_formats.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "topologies/cluster.hpp"

namespace ringscope {
namespace {

const char* const sockets =
    "network: star\nhosts: 3\nlink: {bandwidth: 1 GB/s, latency: 1 us}\n"
    "host: {type: numa, sockets: 2, cores: 4, socket_link: {bandwidth: 1 GB/s}}";

Topology three_hosts() { return read_cluster(Value::from_text("test", sockets)).topology; }

Placement placed(const std::string& yaml) {
  return read_placement(Value::from_text("test", yaml), three_hosts());
}

TEST(ARankfile, BindsEachRankToItsCore) {
  std::istringstream lines(rankfile(
      placed("[{host: 1, numa: 1, core: 2}, {host: 0, numa: 0, core: 0}, {host: 2, numa: 1}]"),
      three_hosts()));
  std::vector<std::string> read;
  for (std::string line; std::getline(lines, line);) read.push_back(line);
  EXPECT_EQ(read, (std::vector<std::string>{"rank 0=host1 slot=1:2", "rank 1=host0 slot=0:0",
                                            "rank 2=host2 slot=1:0-3"}));
  EXPECT_EQ(rankfile(placed("[{host: 2}]"), three_hosts()), "rank 0=host2 slot=0-7\n");
}

TEST(AHostfile, IsReadBackAsTheSamePlacement) {
  const Placement placement = placed("{hosts: 0-3-2, bind: core}");
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("hosts_{}", getpid());
  std::ofstream(folder) << hostfile(placement, three_hosts());
  const Placement again = placed(fmt::format("{{hostfile: {}}}", folder.string()));
  std::filesystem::remove(folder);
  ASSERT_EQ(again.ranks.size(), placement.ranks.size());
  for (std::size_t rank = 0; rank < again.ranks.size(); ++rank)
    EXPECT_EQ(again.ranks[rank].host, placement.ranks[rank].host) << rank;
}

// MPICH takes a host twice (validation/lab/launchers_test.py); Intel MPI may not.
TEST(AHostfile, comes_back_to_a_host_as_the_ranks_do) {
  const std::string text = hostfile(placed("[{host: 0}, {host: 1}, {host: 0}]"), three_hosts());
  EXPECT_TRUE(text.starts_with("# The ranks come back to a host.")) << text;
  EXPECT_TRUE(text.ends_with("\nhost0:1\nhost1:1\nhost0:1\n")) << text;
}

TEST(AMachineFile, SaysHowToStartRanksThatComeBackToAHost) {
  const std::string text = machinefile(placed("[{host: 0}, {host: 1}, {host: 0}]"), three_hosts());
  EXPECT_NE(text.find("# mpiexec -n 1 -host host0 PROGRAM : -n 1 -host host1 PROGRAM : -n 1 -host "
                      "host0 PROGRAM\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\nhost0:2\nhost1:1\n"), std::string::npos) << text;
}

TEST(AScriptForTorchrun, IsOnlyOfWholeNodesOneAfterTheOther) {
  EXPECT_TRUE(torchrun_script(placed("[{host: 1}, {host: 1}, {host: 0}, {host: 0}]"), three_hosts())
                  .has_value());
  EXPECT_FALSE(
      torchrun_script(placed("[{host: 0}, {host: 1}, {host: 0}, {host: 1}]"), three_hosts())
          .has_value());
  EXPECT_FALSE(torchrun_script(placed("2-1"), three_hosts()).has_value());
}

TEST(AScriptForTorchrun, quotes_the_names_of_hosts) {
  const std::string script =
      torchrun_script(placed("[{host: 0}, {host: 1}]"), three_hosts()).value();
  for (const char* line : {"\n'host0') node=0 ", "\n'host1') node=1 ", "\nfirst='host0'\n"})
    EXPECT_NE(script.find(line), std::string::npos) << script;
}

// Where a Topology comes from no YAML, nothing has read its names.
TEST(AScriptForTorchrun, quotes_names_that_a_shell_would_act_on) {
  for (const char* name : {"n1;reboot", "$(reboot)", "n 1", "it's", "n\n1"}) {
    Topology topology = three_hosts();
    topology.host(0).name = name;
    const std::string script = torchrun_script(placed("[{host: 0}]"), topology).value();
    const std::string word = name == std::string("it's") ? "'it'\\''s'" : fmt::format("'{}'", name);
    EXPECT_NE(script.find(fmt::format("\n{}) node=0 ", word)), std::string::npos) << script;
    EXPECT_NE(script.find(fmt::format("\nfirst={}\n", word)), std::string::npos) << script;
  }
}

TEST(ASlurmHostfile, NamesTheHostOfEachRank) {
  EXPECT_EQ(slurm_hostfile(placed("[{host: 0}, {host: 1}, {host: 0}]"), three_hosts()),
            "host0\nhost1\nhost0\n");
}

}  // namespace
}  // namespace ringscope
