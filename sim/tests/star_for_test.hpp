// SPDX-License-Identifier: LGPL-2.1-or-later
// For tests of closed forms: hosts of one rank each on a switch, a library that costs nothing.
#pragma once

#include <fmt/core.h>

#include <string>

#include "sim/tests/scenario_for_test.hpp"

namespace ringscope {

constexpr double latency = 2 * 5e-6;  ///< of two cables
constexpr double bandwidth = 1.25e9;  ///< B/s

inline Scenario on_star(int hosts, const std::string& job) {
  return scenario_of(fmt::format(R"(
cluster:
  network: star
  hosts: {}
  link: {{bandwidth: 10 Gbit/s, latency: 5 us}}
  host: {{type: simple}}
library: ideal
placement: 1x{}
job: {{{}}}
)",
                                 hosts, hosts, job));
}

inline Scenario on_star(int hosts, std::string_view collective, std::string_view algorithm,
                        std::uint64_t bytes) {
  return on_star(
      hosts, fmt::format("collective: {}, algorithm: {}, {}", collective, algorithm,
                         collective == "barrier" ? "seed: 1" : fmt::format("bytes: {} B", bytes)));
}

}  // namespace ringscope
