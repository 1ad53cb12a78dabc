// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/machine/peer_matrix.hpp"

#include "sim/machine/machine.hpp"

namespace ringscope {
namespace {

constexpr double copied = 40e6;  // B; large enough to be all bandwidth

/// Nothing but the machine takes time, and one rank sits on each GPU.
Scenario scenario_of(const Cluster& cluster, int host, bool peers) {
  Scenario scenario;
  scenario.cluster = cluster;
  scenario.library.knows_gpus = true;
  for (Transport& transport : scenario.library.transports) transport.driver = Driver::nic;
  Host& there = scenario.cluster.topology.host(host);
  if (!peers) there.peer_access = PeerAccess::none;
  for (int gpu = 0; gpu < static_cast<int>(there.gpus.size()); ++gpu)
    scenario.placement.ranks.push_back({.host = host, .gpu = gpu});
  return scenario;
}

class Bench {
 public:
  Bench(sim::Ledger& ledger, const Cluster& cluster, int host, bool peers)
      : scenario_(scenario_of(cluster, host, peers)),
        ledger_(&ledger),
        machine_(scenario_, ledger) {}

  PeerMatrix measure() {
    PeerMatrix matrix;
    const int gpus = machine_.ranks();
    for (int from = 0; from < gpus; ++from) {
      const Location& where = scenario_.placement.ranks[from];
      const Topology& topology = scenario_.cluster.topology;
      const Host& host = topology.hosts()[where.host];
      matrix.gpus.push_back(topology.graph()[host.gpus[where.gpu]].name);
      matrix.bandwidth.emplace_back();
      matrix.both_ways.emplace_back();
      matrix.latency_s.emplace_back();
      for (int to = 0; to < gpus; ++to) {
        const double counted = from == to ? 2 * copied : copied;
        matrix.bandwidth.back().push_back(counted / time_of({uses(from, to)}));
        matrix.both_ways.back().push_back(2 * counted / time_of({uses(from, to), uses(to, from)}));
        matrix.latency_s.back().push_back(machine_.channel(from, to).latency());
      }
    }
    return matrix;
  }

 private:
  const sim::Uses& uses(int from, int to) {
    return from == to ? machine_.copy(from) : machine_.channel(from, to).wire();
  }

  /// Seconds until all the copies, begun at once, have ended.
  double time_of(const std::vector<sim::Uses>& copies) {
    const double start = ledger_->now();
    for (const sim::Uses& one : copies)
      ledger_->start(copied, one, {[](void*, std::uint64_t) {}, nullptr, 0});
    ledger_->kernel().run();
    return ledger_->now() - start;
  }

  Scenario scenario_;
  sim::Ledger* ledger_;
  sim::Machine machine_;
};

}  // namespace

std::vector<PeerMatrix> measure_peers(const Cluster& cluster, int host,
                                      const std::vector<bool>& peers) {
  const auto kernel = sim::make_kernel("fluid");
  sim::Ledger ledger(*kernel);
  return each_of(peers,
                 [&](bool granted) { return Bench(ledger, cluster, host, granted).measure(); });
}

}  // namespace ringscope
