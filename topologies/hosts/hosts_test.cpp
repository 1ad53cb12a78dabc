// Does every broken host draw exactly the error that helps?
#include <gtest/gtest.h>

#include "topologies/cluster.hpp"
#include "topologies/complaint.hpp"

namespace ringscope {
namespace {

const Broken broken[] = {
    {"network: star\n"
     "hosts: 3\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: simple\n",
     "x.yaml:4:7: host: expected a map of keys and values, got a text\n"
     "  host: simple\n"
     "        ^"},
    {"network: star\n"
     "hosts: 3\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: simpel}\n",
     "x.yaml:4:14: unknown host type 'simpel'; did you mean 'simple'? (known: simple, numa, "
     "pcie_tree, custom)\n"
     "  host: {type: simpel}\n"
     "               ^"},
    {"network: star\n"
     "hosts: 3\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: simple, coers: 8}\n",
     "x.yaml:4:22: host: unknown key 'coers'; did you mean 'cores'? (known: type, cores, "
     "memory_bandwidth)\n"
     "  host: {type: simple, coers: 8}\n"
     "                       ^"},
    {"network: star\n"
     "hosts: 3\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: simple, cores: 0}\n",
     "x.yaml:4:29: expected a whole number from 1 to 65536, got \"0\"\n"
     "  host: {type: simple, cores: 0}\n"
     "                              ^"},
    {"network: star\n"
     "hosts: 3\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: simple, cores: 8 cores}\n",
     "x.yaml:4:29: expected a whole number from 1 to 65536, got \"8 cores\"\n"
     "  host: {type: simple, cores: 8 cores}\n"
     "                              ^"},
    {"network: star\n"
     "hosts: 3\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: simple, memory_bandwidth: 20}\n",
     "x.yaml:4:40: expected a bandwidth such as \"10 Gbit/s\", got \"20\", which has no unit\n"
     "  host: {type: simple, memory_bandwidth: 20}\n"
     "                                         ^"},
    {"network: star\n"
     "hosts: 3\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: numa, nic: {domain: 2}}\n",
     "x.yaml:4:34: expected a whole number from 0 to 1, got \"2\"\n"
     "  host: {type: numa, nic: {domain: 2}}\n"
     "                                   ^"},
    {"network: star\n"
     "hosts: 3\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: numa, nic: {}, nics: [{}]}\n",
     "x.yaml:4:25: 'nic' and 'nics' exclude each other\n"
     "  host: {type: numa, nic: {}, nics: [{}]}\n"
     "                          ^"},
    {"network: star\n"
     "hosts: 3\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: numa, nics: []}\n",
     "x.yaml:4:26: expected a list of 1 to 64 NICs\n"
     "  host: {type: numa, nics: []}\n"
     "                           ^"},
    {"network: star\n"
     "hosts: 3\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: pcie_tree}\n",
     "x.yaml:4:7: host: the key 'switch_uplink' is missing\n"
     "  host: {type: pcie_tree}\n"
     "        ^"},
    {"network: star\n"
     "hosts: 3\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: numa, socket_link: {latency: 1 ns/B}}\n",
     "x.yaml:4:43: expected a time such as \"1.5 us\", got \"1 ns/B\"; the units are s, ms, us, "
     "ns, ps\n"
     "  host: {type: numa, socket_link: {latency: 1 ns/B}}\n"
     "                                            ^"},
    {"network: star\n"
     "hosts: 3\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us}\n"
     "host: {type: pcie_tree, switch_uplink: {bandwidth: 1 GB/s, latency: 0 s}, gpu: {bandwidth: 1 "
     "GB/s, latency: 0 s, memory: 1.5 B}}\n",
     "x.yaml:4:122: expected a whole number of bytes such as \"64 MiB\", got \"1.5 B\"\n"
     "  tency: 0 s}, gpu: {bandwidth: 1 GB/s, latency: 0 s, memory: 1.5 B}}\n"
     "                                                              ^"},
};

TEST(HostErrors, say_what_was_expected_and_where) {
  for (const auto& [input, complaint] : broken) {
    const auto read = [&text = input] { read_cluster(Value::from_text("x.yaml", text)); };
    EXPECT_EQ(complaint_of(read), complaint) << input;
  }
}

}  // namespace
}  // namespace ringscope
