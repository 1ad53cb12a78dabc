// SPDX-License-Identifier: LGPL-2.1-or-later
// Does every broken hostfile draw exactly the error that helps?
#include <gtest/gtest.h>

#include <fstream>

#include "topologies/cluster.hpp"
#include "topologies/input/complaint.hpp"
#include "topologies/placement/hostfile.hpp"

namespace ringscope::hostfile_test {
namespace {

const Broken broken[] = {
    {"", "ringscope_hostfile: names no host"},
    {"# none\n", "ringscope_hostfile: names no host"},
    {"host9 slots=2\n",
     "ringscope_hostfile:1:1: unknown host 'host9' (known: host0, host1, host2)\n"
     "  host9 slots=2\n"
     "  ^"},
    {"host0 slots=2\n"
     "host0 slots=2\n",
     "ringscope_hostfile:2:1: the host 'host0' stands twice, first on line 1\n"
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
     "ringscope_hostfile:1:9: the slots of this host are given twice\n"
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

}  // namespace
}  // namespace ringscope::hostfile_test
