// SPDX-License-Identifier: LGPL-2.1-or-later
// Does NCCL take as long on a dragonfly, whose ranks are not equal, as on the plain kernel?
#include <fmt/core.h>

#include <string>

#include "sim/tests/scenario_for_test.hpp"

namespace ringscope::dragonfly_test {
namespace {

/// Eight hosts of two GPUs in two groups of two routers, a NIC for each GPU.
Scenario on_dragonfly(const std::string& options, const std::string& bytes) {
  return scenario_of(fmt::format(R"(
cluster:
  network: dragonfly
  groups: 2
  routers: 2
  hosts_per_router: 2
  global_ports: 1
  link: {{bandwidth: 200 Gbit/s, latency: 0.6 us, kind: infiniband}}
  host:
    type: pcie_tree
    sockets: 2
    cores: 8
    socket_link: {{bandwidth: 100 GB/s, latency: 100 ns}}
    memory_bandwidth: 500 GB/s
    switches_per_socket: 1
    switch_uplink: {{bandwidth: 450 GB/s, latency: 150 ns}}
    gpus_per_switch: 1
    gpu: {{bandwidth: 450 GB/s, latency: 150 ns}}
    nics:
      - {{switch: 0, bandwidth: 63 GB/s, latency: 150 ns}}
      - {{switch: 1, bandwidth: 63 GB/s, latency: 150 ns}}
    nvlink: {{pairs: all, bandwidth: 150 GB/s, latency: 500 ns}}
library: nccl_h100
placement: {{hosts: 2x8, on: gpu}}
job: {{collective: allreduce, algorithm: nccl, bytes: {}, options: {{{}}}}}
)",
                                 bytes, options));
}

TEST(Dragonfly, rings_take_the_time_of_the_plain_kernel) {
  EXPECT_GT(run_again(on_dragonfly("algorithm: ring, protocol: Simple", "24 MiB")).messages, 0u);
}

TEST(Dragonfly, trees_take_the_time_of_the_plain_kernel) {
  EXPECT_GT(run_again(on_dragonfly("algorithm: tree, protocol: LL128", "2 MiB")).messages, 0u);
}

}  // namespace
}  // namespace ringscope::dragonfly_test
