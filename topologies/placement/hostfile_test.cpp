// SPDX-License-Identifier: LGPL-2.1-or-later
// Does every broken hostfile draw exactly the error that helps? Are the hosts of mpirun, tasks of
// TensorFlow and pinned ranks of Intel MPI where they run?
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "topologies/cluster.hpp"
#include "topologies/input/complaint_for_test.hpp"
#include "topologies/placement/hostfile.hpp"
#include "topologies/placement/placement.hpp"

namespace ringscope::hostfile_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Broken broken[] = {
    {"", "ringscope_hostfile: names no host"},
    {"# none\n", "ringscope_hostfile: names no host"},
    {"host9 slots=2\n",
     "ringscope_hostfile:1:1: unknown host 'host9' (known: host0, host1, host2)\n"
     "  host9 slots=2\n"
     "  ^"},
    {"host0 slots=2\n"
     "host0 slots=2\n",
     "ringscope_hostfile:2:1: duplicate host 'host0', first on line 1\n"
     "  host0 slots=2\n"
     "  ^"},
    {"host0 slots=two\n",
     "ringscope_hostfile:1:13: expected a whole number from 1 to 1048576, got \"two\"\n"
     "  host0 slots=two\n"
     "              ^"},
    {"host0 slots=0\n",
     "ringscope_hostfile:1:13: expected a whole number from 1 to 1048576, got \"0\"\n"
     "  host0 slots=0\n"
     "              ^"},
    {"host0 slots 4\n",
     "ringscope_hostfile:1:7: expected \"slots=N\", got \"slots\"\n"
     "  host0 slots 4\n"
     "        ^"},
    {"host0:2 slots=2\n",
     "ringscope_hostfile:1:9: duplicate slots of this host\n"
     "  host0:2 slots=2\n"
     "          ^"},
    {":2\n",
     "ringscope_hostfile:1:1: expected the name of a host\n"
     "  :2\n"
     "  ^"},
    {"host0 cpus=2\n",
     "ringscope_hostfile:1:7: expected \"slots=N\", got \"cpus=2\"\n"
     "  host0 cpus=2\n"
     "        ^"},
};

TEST(HostfileErrors, show_the_line_of_the_hostfile) {
  for (const auto& [input, complaint] : broken) {
    const auto read = [&text = input] {
      const Cluster rack = read_cluster(Value::from_text("test", "rack3"));
      const std::string folder = testing::TempDir();
      std::ofstream(folder + "ringscope_hostfile") << text;
      const Value path = Value::from_text(folder + "x.yaml", "ringscope_hostfile");
      try {
        read_hostfile(path, rack.topology);
      } catch (const InputError& error) {
        throw std::runtime_error(std::string(error.what()).substr(folder.size()));
      }
    };
    EXPECT_EQ(complaint_of(read), complaint) << input;
  }
}

Placement on(const std::string& cluster, const std::string& placement) {
  const Cluster built = read_cluster(Value::from_text("test", cluster));
  return read_placement(Value::from_text("test", placement), built.topology);
}

template <class T>
std::vector<T> all(const Placement& placement, T Location::*member) {
  std::vector<T> values;
  for (const Location& rank : placement.ranks) values.push_back(rank.*member);
  return values;
}

std::vector<int> hosts_of(const Placement& placement) { return all(placement, &Location::host); }

TEST(Launched, hosts_are_named_as_mpirun_takes_them) {
  EXPECT_EQ(on("rack3", "host0:4,host1:4").text, "4-4");
  const Placement turned = on("rack3", "host2:2, host0");
  EXPECT_THAT(hosts_of(turned), ElementsAre(2, 2, 0));
  EXPECT_THAT(hosts_of(on("rack3", "host1,host0:2,host1:2")), ElementsAre(1, 1, 1, 0, 0));
  EXPECT_THAT(hosts_of(on("rack3", "localhost:2")), ElementsAre(0, 0));
  EXPECT_THAT(hosts_of(on("rack3", "host1.example.org:2")), ElementsAre(1, 1));
  EXPECT_THAT(hosts_of(on("rack3", "host1")), ElementsAre(1));
  EXPECT_THAT(hosts_of(on("rack3", "{hosts: \"host0:2,host1:2\", map_by: node}")),
              ElementsAre(0, 1, 0, 1));
}

TEST(Launched, tasks_of_tensorflow_are_ranks_and_servers_the_last_of_them) {
  const std::string config =
      R"({"cluster": {"ps": ["host0:2223"], "worker": ["host0:2222", "host1:2222"],)"
      R"( "chief": ["host2:2222"]}, "task": {"type": "worker", "index": 0}})";
  const Placement placement = on("rack3", config);
  EXPECT_THAT(hosts_of(placement), ElementsAre(2, 0, 1, 0));
  EXPECT_EQ(placement.ranks[1].core, 0);
  EXPECT_EQ(placement.ranks[3].core, 1);
  EXPECT_THAT(hosts_of(on("rack3", "{tf_config: " + config + ", bind: host}")),
              ElementsAre(2, 0, 1, 0));
  EXPECT_THAT(
      all(on("gpu_pair", R"({tf_config: {cluster: {worker: ["host0:1", "host0:2"]}}, on: gpu})"),
          &Location::gpu),
      ElementsAre(0, 1));
}

/// Two hosts have two domains of four cores each.
Placement pinned(const std::string& log) {
  const std::string path = testing::TempDir() + "ringscope_pinning_" + std::to_string(getpid());
  std::ofstream(path) << log;
  const Placement placement =
      on("{network: star, hosts: 2, link: {bandwidth: 1 GB/s, latency: 1 us}, "
         "host: {type: numa, sockets: 2, cores: 4}}",
         "{pinning: " + path + "}");
  std::filesystem::remove(path);
  return placement;
}

const std::string pinning_head =
    "[0] MPI startup(): libfabric provider: tcp;ofi_rxm\n"
    "[0] MPI startup(): Rank    Pid      Node name  Pin cpu\n";

TEST(Pinning, a_set_of_cpus_binds_to_its_core_its_domain_or_its_host) {
  const Placement placement = pinned(pinning_head +
                                     "[0] MPI startup(): 0       4711     host0      {0,8}\n"
                                     "[0] MPI startup(): 1       4712     host0      {5}\n"
                                     "[0] MPI startup(): 2       4713     host1      {4-7,12-15}\n"
                                     "[0] MPI startup(): 3       4714     host1.lan  {2,3,4}\n"
                                     "[0] MPI startup(): 4       4715     host0      +1\n"
                                     "[0] MPI startup(): I_MPI_PIN=1\n"
                                     "[0] MPI startup(): 5 6 host7 {0}\n");
  EXPECT_EQ(placement.text, "3-2 listed");
  EXPECT_THAT(hosts_of(placement), ElementsAre(0, 0, 1, 1, 0));
  EXPECT_THAT(all(placement, &Location::numa), ElementsAre(0, 1, 1, 0, 0));
  EXPECT_THAT(all(placement, &Location::core), ElementsAre(0, 1, 0, 0, 0));
  EXPECT_THAT(
      all(placement, &Location::binding),
      ElementsAre(Binding::core, Binding::core, Binding::numa, Binding::host, Binding::host));
}

TEST(Pinning, a_broken_table_is_an_error_at_its_place) {
  const auto complaint = [&](const std::string& rows) {
    return complaint_of([&] { pinned(pinning_head + rows); });
  };
  const std::string row = "[0] MPI startup(): 0       4711     host0      ";
  EXPECT_THAT(complaint(""), HasSubstr("no table 'Rank Pid Node name Pin cpu'"));
  EXPECT_THAT(complaint(row + "{0-}\n"),
              HasSubstr(":3:49: expected a set of CPUs such as {0,1} or {0-3}, got"));
  EXPECT_THAT(complaint(row + "{}\n"), HasSubstr(":3:48: expected a set of CPUs"));
  EXPECT_THAT(complaint(row + "{0,16}\n"),
              HasSubstr(":3:51: CPU 16 of 'host0', which has 16 with two for each core"));
  EXPECT_THAT(complaint(row + "{0}\n" + row + "{1}\n"),
              HasSubstr(":4:20: rank 0 has two lines in the table"));
  EXPECT_THAT(complaint("[0] MPI startup(): 1       4711     host0      {0}\n"),
              HasSubstr("the table has no rank 0"));
  EXPECT_THAT(complaint("[0] MPI startup(): 0       4711     host7      {0}\n"),
              HasSubstr(":3:37: unknown host 'host7' (known: host0, host1)"));
}

}  // namespace
}  // namespace ringscope::hostfile_test
