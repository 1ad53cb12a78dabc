// SPDX-License-Identifier: LGPL-2.1-or-later
// For tests of large models' training: a small model whose times are round numbers.
#pragma once

#include <fmt/format.h>

#include "sim/tests/scenario_for_test.hpp"

namespace ringscope::llm_for_test {

// A model of 4 layers without an embedding: hidden 64, sequences of 32. A layer's products take
// 2 operations for each token and parameter, attention 4 for each pair of tokens and hidden unit.
inline constexpr double hidden = 64, tokens = 32, layers = 4;
inline constexpr double attention = 2 * tokens * 4 * hidden * hidden + 4 * tokens * tokens * hidden;
inline constexpr double mlp = 2 * tokens * 8 * hidden * hidden;
inline constexpr double parameters = 12 * hidden * hidden + 2 * hidden;  ///< of a layer
inline constexpr double activation = tokens * hidden * 2;                ///< bytes

/// Two hosts of two sockets with a core each; ranks of a host talk at 12 times the rate.
inline const std::string two_hosts = R"({
    network: star, hosts: 2, link: {bandwidth: 1 kB/s, latency: 0 s},
    host: {type: numa, sockets: 2, cores: 1, memory_bandwidth: unlimited,
           socket_link: {bandwidth: 12 kB/s, latency: 0 s}}})";
/// A library that hands everything over by a handshake, at no cost.
inline const std::string handshakes =
    "{base: ideal, shm: {eager_limit: 0 B}, network: {eager_limit: 0 B}}";

/// One rank on each host, and a GPU that takes a second for a layer's forward pass.
inline Scenario llm(int ranks, const std::string& groups, const std::string& options,
                    const std::string& bandwidth = "unlimited", int depth = 4) {
  return scenario_of(fmt::format(
      R"(
cluster:
  network: star
  hosts: {}
  link: {{bandwidth: {}, latency: 0 s}}
  host: {{type: simple, cores: 1}}
library: {{base: ideal, network: {{eager_limit: 0 B}}}}
placement: 1x{}
job:
  program: llm
  groups: {}
  options:
    model: {{layers: {}, hidden: 64, heads: 8, sequence: 32}}
    gpu: {{flops: {}, memory_bandwidth: unlimited}}
    {}
)",
      ranks, bandwidth, ranks, groups, depth, attention + mlp, options));
}

/// On one kernel: SimGrid's runs once in a process.
inline double time_of(const Scenario& scenario) { return simulate(scenario, {}).time_s; }

}  // namespace ringscope::llm_for_test
