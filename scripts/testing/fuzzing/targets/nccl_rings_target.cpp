// SPDX-License-Identifier: LGPL-2.1-or-later
// Logs and graph files of NCCL: its rings and trees, of four ranks on one host.
#include <array>
#include <memory>

#include "nccl/logs/read_channels.hpp"
#include "scripts/testing/fuzzing/targets/target.hpp"
#include "topologies/cluster.hpp"

namespace ringscope::fuzzing {

void read(const std::string& text) {
  static const Cluster host = read_cluster(Value::from_text("c.yaml", "h100x4_nvlink"));
  static const std::array<nccl::GpuPlace, 4> ranks = {{{0, 0}, {0, 1}, {0, 2}, {0, 3}}};
  (void)read_channels(std::make_shared<const Source>(Source{"n", text}), host.topology, ranks,
                      [](const nccl::HostGraph& graph) {
                        static const nccl::HostChannels found = nccl::channels_of_host(graph);
                        return found;
                      });
}

}  // namespace ringscope::fuzzing
