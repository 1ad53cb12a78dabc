// SPDX-License-Identifier: LGPL-2.1-or-later
// Are the rates max-min fair, however little of the system is solved again?
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "sim/kernel/max_min.hpp"

namespace ringscope::sim {
namespace {

/// Input of the solver, kept apart from it.
struct Told {
  std::vector<double> capacities;
  std::map<int, std::vector<Use>> flows;
};

double rate_of(const MaxMin& rates, int flow) { return rates.rate(rates.group(flow)); }

/// Each flow has a full resource on which nobody is faster; no resource is overfull. There is only
/// one such allocation (Bertsekas, Gallager: Data Networks, 1992, section 6.5.2).
void expect_fair(const Told& told, const MaxMin& rates) {
  constexpr double rounding = 1e-9;
  ASSERT_EQ(rates.broken_statement(), "");
  std::vector<double> used(told.capacities.size()), fastest(told.capacities.size());
  for (const auto& [flow, uses] : told.flows)
    for (const Use& use : uses) {
      const auto resource = static_cast<std::size_t>(use.resource);
      used[resource] += use.weight * rate_of(rates, flow);
      fastest[resource] = std::max(fastest[resource], rate_of(rates, flow));
    }
  for (std::size_t i = 0; i < used.size(); ++i)
    ASSERT_LE(used[i], told.capacities[i] * (1 + rounding)) << "resource " << i;
  for (const auto& [flow, uses] : told.flows)
    ASSERT_TRUE(std::any_of(uses.begin(), uses.end(),
                            [&, id = flow](const Use& use) {
                              const auto resource = static_cast<std::size_t>(use.resource);
                              return used[resource] >= told.capacities[resource] * (1 - rounding) &&
                                     rate_of(rates, id) >= fastest[resource] * (1 - rounding);
                            }))
        << "flow " << flow << " at " << rate_of(rates, flow);
}

std::vector<Use> random_uses(std::mt19937& random, int resources) {
  std::map<int, int> weights;
  const auto count = 1 + random() % 4;
  while (weights.size() < count)
    weights[static_cast<int>(random() % static_cast<unsigned>(resources))] =
        1 + static_cast<int>(random() % 3);
  std::vector<Use> uses;
  for (const auto& [resource, weight] : weights) uses.push_back({resource, weight});
  return uses;
}

TEST(MaxMin, thousands_of_flows_that_come_and_go_leave_the_rates_fair) {
  std::mt19937 random(1);
  Told told;
  MaxMin rates;
  constexpr int resources = 24;
  for (int i = 0; i < resources; ++i) {
    told.capacities.push_back(1 + static_cast<double>(random() % 1000) / 100);
    rates.add_resource(told.capacities.back());
  }
  for (int round = 0; round < 60; ++round) {
    for (int changes = 0; changes < 300; ++changes) {
      const int flow = static_cast<int>(random() % 8000);
      if (told.flows.contains(flow)) {
        rates.leave(flow);
        told.flows.erase(flow);
        continue;
      }
      told.flows[flow] = random_uses(random, resources);
      rates.set_uses(flow, told.flows[flow]);
      rates.join(flow);
    }
    rates.solve();
    expect_fair(told, rates);
    if (HasFatalFailure()) FAIL() << "round " << round;
  }
  EXPECT_GT(told.flows.size(), 3000u);
}

/// Operations that it takes to let `flows` flows, each from a sender of its own, leave one receiver
/// one by one.
double operations_of_an_incast(int flows) {
  MaxMin rates;
  const int receiver = rates.add_resource(1);
  for (int i = 0; i < flows; ++i) {
    const Use uses[] = {{rates.add_resource(1), 1}, {receiver, 1}};
    rates.set_uses(i, uses);
    rates.join(i);
  }
  rates.solve();
  for (int i = 0; i < flows; ++i) {
    rates.leave(i);
    rates.solve();
  }
  return static_cast<double>(rates.operations());
}

TEST(MaxMin, an_incast_takes_no_more_than_n_log_n_operations) {
  const double few = operations_of_an_incast(256), many = operations_of_an_incast(16384);
  EXPECT_LE(many / few, 16384 * std::log2(16384) / (256 * std::log2(256)));
}

TEST(MaxMin, flows_that_come_and_go_leave_the_rates_fair) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    std::mt19937 random(seed);
    Told told;
    MaxMin rates;
    const int resources = 4 + static_cast<int>(random() % 40);
    for (int i = 0; i < resources; ++i) {
      told.capacities.push_back(1 + static_cast<double>(random() % 1000) / 100);
      rates.add_resource(told.capacities.back());
    }
    for (int round = 0; round < 200; ++round) {
      for (auto changes = 1 + random() % 3; changes > 0; --changes) {
        const int flow = static_cast<int>(random() % 40);
        if (told.flows.contains(flow)) {
          rates.leave(flow);
          told.flows.erase(flow);
        } else {
          told.flows[flow] = random_uses(random, resources);
          rates.set_uses(flow, told.flows[flow]);
          rates.join(flow);
        }
        if (random() % 20 == 0) {
          const auto resource = random() % told.capacities.size();
          told.capacities[resource] *= 0.5 + static_cast<double>(random() % 100) / 66;
          rates.set_capacity(static_cast<int>(resource), told.capacities[resource]);
        }
      }
      rates.solve();
      expect_fair(told, rates);
      if (HasFatalFailure()) FAIL() << "seed " << seed << ", round " << round;
    }
  }
}

/// A ring of ranks whose core serves two flows, the one out and the one in: all hang together.
class Ring {
 public:
  explicit Ring(int ranks) : ranks_(ranks) {
    for (int i = 0; i < ranks; ++i) rates.add_resource(1);
    for (int i = 0; i < ranks; ++i) send(i);
    rates.solve();
  }
  void send(int rank) {
    const Use cores[] = {{rank, 1}, {(rank + 1) % ranks_, 1}};
    rates.set_uses(rank, cores);
    rates.join(rank);
  }
  MaxMin rates;

 private:
  int ranks_;
};

TEST(MaxMin, equal_flows_around_a_ring_have_half_a_core_each) {
  Ring ring(1000);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(rate_of(ring.rates, i), 0.5);
}

// The neighbours of a flow that ends are still held back by the cores at their other ends.
TEST(MaxMin, a_change_in_a_long_ring_touches_its_neighbours_only) {
  Ring ring(1000);
  ring.rates.leave(500);
  EXPECT_TRUE(ring.rates.solve().groups.empty());
  ring.send(500);
  EXPECT_LE(ring.rates.solve().moved.size(), 2u);
  EXPECT_EQ(rate_of(ring.rates, 500), 0.5);
}

/// Flows from each of 48 NICs to each other one, through two of 192 links at random each: unequal
/// bottlenecks, all of which hang together.
class UnequalRoutes {
 public:
  UnequalRoutes() {
    for (int i = 0; i < 2 * nics + links; ++i) told.capacities.push_back(25);
    for (const double capacity : told.capacities) rates.add_resource(capacity);
    for (int from = 0; from < nics; ++from)
      for (int to = 0; to < nics; ++to)
        if (from != to) add(from, to);
    rates.solve();
  }
  void leave_one_in(int so_many) {
    for (auto flow = told.flows.begin(); flow != told.flows.end();) {
      const bool leaves = random_() % static_cast<unsigned>(so_many) == 0;
      if (leaves) left_.insert(*flow);
      if (leaves) rates.leave(flow->first);
      flow = leaves ? told.flows.erase(flow) : std::next(flow);
    }
  }
  void return_all() {
    for (const auto& [flow, uses] : left_) {
      rates.set_uses(flow, uses);
      rates.join(flow);
    }
    told.flows.merge(left_);
  }
  std::size_t parts() const { return 4 * told.flows.size(); }
  Told told;
  MaxMin rates;

 private:
  static constexpr int nics = 48, links = 192;
  void add(int from, int to) {
    const int up = static_cast<int>(random_() % (links / 2)) + 2 * nics;
    const int down = static_cast<int>(random_() % (links / 2)) + 2 * nics + links / 2;
    const int flow = static_cast<int>(told.flows.size());
    const auto& uses = told.flows[flow] = {{from, 1}, {up, 1}, {down, 1}, {nics + to, 1}};
    rates.set_uses(flow, uses);
    rates.join(flow);
  }
  std::mt19937 random_{3};
  std::map<int, std::vector<Use>> left_;
};

// Were each followed by itself, all would be settled again and again: up to 11 operations in place
// of 3, and more for flows that join.
TEST(MaxMin, many_changes_at_once_cost_a_few_operations_for_each_use_of_a_flow) {
  UnequalRoutes routes;
  for (int round = 0; round < 20; ++round) {
    const std::size_t parts = routes.parts();
    const std::uint64_t before = routes.rates.operations();
    routes.leave_one_in(10);
    routes.rates.solve();
    EXPECT_LE(routes.rates.operations() - before, 4 * parts) << "round " << round;
    expect_fair(routes.told, routes.rates);
  }
  const std::uint64_t before = routes.rates.operations();
  routes.return_all();
  routes.rates.solve();
  EXPECT_LE(routes.rates.operations() - before, 4 * routes.parts());
}

/// Flows from each of 16 NICs over a link of its own to all others, whose links are as fast: either
/// end might hold a flow back.
class AllToAll {
 public:
  AllToAll() {
    for (int i = 0; i < 2 * nics; ++i) told.capacities.push_back(240);
    for (const double capacity : told.capacities) rates.add_resource(capacity);
    for (int round = 1; round < nics; ++round)
      for (int from = 0; from < nics; ++from) join(from, round);
    rates.solve();
  }
  void leave_round(int round) {
    for (int from = 0; from < nics; ++from) {
      told.flows.erase(flow(from, round));
      rates.leave(flow(from, round));
    }
    rates.solve();
  }
  void join(int from, int round) {
    const auto& uses =
        told.flows[flow(from, round)] = {{from, 1}, {nics + (from + round) % nics, 1}};
    rates.set_uses(flow(from, round), uses);
    rates.join(flow(from, round));
  }
  static int flow(int from, int round) { return round * nics + from; }
  static constexpr int nics = 16;
  Told told;
  MaxMin rates;
};

TEST(MaxMin, double_bottleneck_is_fair_for_any_order_of_exits) {
  AllToAll flows;
  std::mt19937 random(5);
  while (flows.told.flows.size() > 10) {
    for (auto leaves = 1 + random() % 8; leaves > 0; --leaves) {
      const auto any = std::next(flows.told.flows.begin(),
                                 static_cast<std::ptrdiff_t>(random() % flows.told.flows.size()));
      flows.rates.leave(any->first);
      flows.told.flows.erase(any);
    }
    flows.rates.solve();
    expect_fair(flows.told, flows.rates);
  }
}

TEST(MaxMin, a_saturation_lasts_while_all_of_a_resource_is_used) {
  AllToAll flows;
  for (int id = 0; id < 2 * AllToAll::nics; ++id) {
    const std::uint64_t saturation = flows.rates.saturation(id);
    EXPECT_NE(saturation, 0u) << id;
  }
  const std::uint64_t at_sender = flows.rates.saturation(0),
                      at_receiver = flows.rates.saturation(AllToAll::nics);
  flows.leave_round(3);
  EXPECT_EQ(flows.rates.saturation(0), at_sender);
  EXPECT_EQ(flows.rates.saturation(AllToAll::nics), at_receiver);
  for (int round = 1; round < AllToAll::nics; ++round)
    if (round != 3) flows.rates.leave(AllToAll::flow(0, round));
  flows.rates.solve();
  EXPECT_EQ(flows.rates.saturation(0), 0u);  // idle
  for (int from = 1; from < AllToAll::nics; ++from) EXPECT_NE(flows.rates.saturation(from), 0u);
}

// A flow that leaves for later leaves to nobody what it had.
TEST(MaxMin, a_saturation_ends_when_others_take_over_late_what_a_flow_leaves) {
  MaxMin rates;
  const int link = rates.add_resource(1);
  for (int flow = 0; flow < 2; ++flow) {
    const Use uses[] = {{link, 1}};
    rates.set_uses(flow, uses);
    rates.join(flow);
  }
  rates.solve();
  const std::uint64_t saturation = rates.saturation(link);
  EXPECT_TRUE(rates.leave_for_later(0));
  rates.tell();
  EXPECT_EQ(rates.saturation(link), 0u);
  rates.follow_leaves();
  rates.solve();
  EXPECT_GT(rates.saturation(link), saturation);
}

TEST(MaxMin, unchanged_system_is_solved) {
  Ring ring(8);
  const MaxMin::Changes changes = ring.rates.solve();
  EXPECT_TRUE(changes.moved.empty());
  EXPECT_TRUE(changes.groups.empty());
}

}  // namespace
}  // namespace ringscope::sim
