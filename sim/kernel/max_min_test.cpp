// Are the rates max-min fair, however little of the system is solved again?
#include <gtest/gtest.h>

#include <algorithm>
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

/// Each flow has a full resource on which nobody is faster; no resource is overfull. There is only
/// one such allocation (Bertsekas, Gallager: Data Networks, 1992, section 6.5.2).
void expect_fair(const Told& told, const MaxMin& rates) {
  constexpr double rounding = 1e-9;
  std::vector<double> used(told.capacities.size()), fastest(told.capacities.size());
  for (const auto& [flow, uses] : told.flows)
    for (const Use& use : uses) {
      const auto resource = static_cast<std::size_t>(use.resource);
      used[resource] += use.weight * rates.rate(flow);
      fastest[resource] = std::max(fastest[resource], rates.rate(flow));
    }
  for (std::size_t i = 0; i < used.size(); ++i)
    ASSERT_LE(used[i], told.capacities[i] * (1 + rounding)) << "resource " << i;
  for (const auto& [flow, uses] : told.flows)
    ASSERT_TRUE(std::any_of(uses.begin(), uses.end(),
                            [&, id = flow](const Use& use) {
                              const auto resource = static_cast<std::size_t>(use.resource);
                              return used[resource] >= told.capacities[resource] * (1 - rounding) &&
                                     rates.rate(id) >= fastest[resource] * (1 - rounding);
                            }))
        << "flow " << flow << " at " << rates.rate(flow);
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
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(ring.rates.rate(i), 0.5);
}

// The neighbours of a flow that ends are still held back by the cores at their other ends.
TEST(MaxMin, a_change_in_a_long_ring_touches_its_neighbours_only) {
  Ring ring(1000);
  ring.rates.leave(500);
  EXPECT_TRUE(ring.rates.solve().empty());
  ring.send(500);
  EXPECT_EQ(ring.rates.solve().size(), 1u);
  EXPECT_EQ(ring.rates.rate(500), 0.5);
}

TEST(MaxMin, what_nobody_changed_is_solved) {
  Ring ring(8);
  EXPECT_TRUE(ring.rates.solve().empty());
}

}  // namespace
}  // namespace ringscope::sim
