// SPDX-License-Identifier: LGPL-2.1-or-later
// For tests of programs written in YAML: hosts on which nothing but bytes and computations counts.
#pragma once

#include <fmt/format.h>

#include <string>

#include "sim/tests/scenario_for_test.hpp"

namespace ringscope::programs_for_test {

inline constexpr double rate = 1e9, mega = 1e6;

/// Hosts of a rank each on a switch; nothing but bytes and computations takes time. With racks,
/// ranks 0 to 3 and 4 to 7 share an uplink each that is as fast as one cable.
inline Scenario on_hosts(int hosts, const std::string& job, bool racks = false) {
  const std::string network =
      racks ? fmt::format(
                  "network: two_level, racks: 2, hosts_per_rack: {0}, oversubscription: "
                  "{0}, uplink: {{latency: 0 s}}",
                  hosts / 2)
            : fmt::format("network: star, hosts: {}", hosts);
  return scenario_of(fmt::format(R"(
cluster: {{{}, link: {{bandwidth: 1 GB/s, latency: 0 s}}, host: {{type: simple, cores: 8}}}}
library: {{base: ideal, network: {{latency: 0 s, eager_limit: 0 B, driver: nic}}, progress: nic}}
placement: 1x{}
job:
{})",
                                 network, hosts, job));
}

/// Seconds of a ring allreduce on links of 1 GB/s.
inline double ring(int ranks, double bytes) { return 2 * (ranks - 1) * (bytes / ranks) / rate; }

}  // namespace ringscope::programs_for_test
