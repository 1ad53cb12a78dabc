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

TEST(MaxMin, what_nobody_changed_is_solved) {
  Ring ring(8);
  const MaxMin::Changes changes = ring.rates.solve();
  EXPECT_TRUE(changes.moved.empty());
  EXPECT_TRUE(changes.groups.empty());
}

}  // namespace
}  // namespace ringscope::sim
