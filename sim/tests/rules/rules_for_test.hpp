// SPDX-License-Identifier: LGPL-2.1-or-later
// The machine on which the rules of the MPI model are tested, in round numbers: four hosts on a
// switch, the ranks on hosts of their own, and a network whose costs all differ.
#pragma once

#include "sim/tests/scenario_for_test.hpp"

namespace ringscope::rules {

constexpr double us = 1e-6, ms = 1e-3;

constexpr double bytes = 1e6;                    ///< of a message
constexpr double bandwidth = 1e9;                ///< of each cable, B/s
constexpr double wire = bytes / bandwidth;       ///< 1 ms
constexpr double latency = 2 * 1 * us + 3 * us;  ///< of two cables, and the library's
constexpr double send_overhead = 2 * us, recv_overhead = 4 * us;
/// Per message: with these the wire is slower than the cores.
constexpr double send_copy = bytes * 0.5e-9, recv_copy = bytes * 0.25e-9;
constexpr double unexpected_copy = bytes * 0.125e-9;

inline Transport& network(Scenario& scenario) {
  return scenario.library.transports[static_cast<std::size_t>(Way::network)];
}

/// One rank on each of four hosts; the calling process makes progress and moves the bytes.
inline Scenario four_hosts() {
  return scenario_of(R"(
cluster:
  network: star
  hosts: 4
  link: {bandwidth: 1 GB/s, latency: 1 us}
  host: {type: simple, cores: 8}
library:
  base: ideal
  progress: caller
  network:
    latency: 3 us
    send_overhead: 2 us
    recv_overhead: 4 us
    send_cost: 0.5 ns/B
    recv_cost: 0.25 ns/B
    unexpected_cost: 0.125 ns/B
    eager_limit: 0 B
    driver: caller
placement: 1-1-1-1
job: {collective: pingpong, algorithm: blocking, bytes: 1 MB}
)");
}

/// Every message is eager.
inline Scenario eager() {
  Scenario scenario = four_hosts();
  network(scenario).eager_limit = *parse_bytes("unlimited");
  return scenario;
}

/// Every message with bytes is a rendezvous; those without are eager and only say "now".
inline Scenario rendezvous() { return four_hosts(); }

/// The same, and nothing but bytes takes time: no latency and no overheads.
inline Scenario only_bytes(double send_cost = 0, double recv_cost = 0,
                           const std::string& placement = "1-1-1-1") {
  Scenario scenario = scenario_of(R"(
cluster:
  network: star
  hosts: 4
  link: {bandwidth: 1 GB/s, latency: 0 s}
  host: {type: simple, cores: 8}
library:
  base: ideal
  progress: caller
  network: {latency: 0 s, eager_limit: 0 B, driver: caller}
job: {collective: pingpong, algorithm: blocking, bytes: 1 MB}
placement: )" + placement);
  network(scenario).send_cost = {send_cost};
  network(scenario).recv_cost = {recv_cost};
  return scenario;
}

/// A NIC that moves the bytes, and makes progress too if told so.
inline Scenario with_nic(Scenario scenario, Progress progress) {
  scenario.library.progress = progress;
  network(scenario).driver = Driver::nic;
  return scenario;
}

inline Scenario with_thread(Scenario scenario, ProgressCore core) {
  scenario.library.progress = Progress::thread;
  scenario.library.progress_core = core;
  return scenario;
}

inline Scenario with_buffer(Scenario scenario, std::uint64_t buffer) {
  network(scenario).buffer = {buffer};
  return scenario;
}

inline Options compute(double seconds) { return {.compute = Duration(seconds)}; }

/// A message without bytes: "now".
inline constexpr Range nothing{};

}  // namespace ringscope::rules
