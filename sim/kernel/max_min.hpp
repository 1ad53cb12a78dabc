// Max-min fair rates, solved again only where something has changed.
//
// A flow is held back by its bottleneck: a resource that is full, and on which no flow is faster.
// Rates are max-min fair exactly when each flow has one. So after a change only these flows are
// solved again: the new ones, those whose bottleneck has changed, and then, as long as there are
// any, those whose bottleneck is one no longer because of what the others now do.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sim/kernel/exact.hpp"
#include "sim/kernel/kernel.hpp"

namespace ringscope::sim {

class MaxMin {
 public:
  /// Capacity in units per second, positive. Resources are numbered from 0.
  int add_resource(double capacity);
  void set_capacity(int resource, double capacity);

  /// A flow of the caller's number; small numbers, since there is room for all below it. It must
  /// not flow meanwhile.
  void set_uses(int flow, std::span<const Use> uses);
  /// Lets a flow flow from now on, or stops it.
  void join(int flow);
  void leave(int flow);
  /// Units per second, after solve(), of a flow that flows.
  double rate(int flow) const { return static_cast<double>(flows_[index(flow)].rate); }

  /// The flows that have another rate than they had after the last call, or are new; valid until
  /// the next call.
  std::span<const int> solve();

 private:
  struct Part {  ///< one resource of a flow
    int resource = 0, weight = 1;
    int position = 0;  ///< among the resource's users
  };
  struct Flow {
    boost::container::small_vector<Part, 2> parts;
    Exact rate = 0;
    int bottleneck = -1;
    bool flows = false;
    bool told = false;  ///< its owner knows this rate
    // While it is solved again:
    int next_bottleneck = -1;
    Exact next_rate = 0;
    std::uint64_t epoch = 0;  ///< of that solve()
  };
  struct User {
    int flow = 0, part = 0;
  };
  struct Resource {
    double capacity = 0;
    boost::container::small_vector<User, 1> users;
    bool changed = false;     ///< less used, or of another capacity, than at the last solve()
    std::uint64_t epoch = 0;  ///< of the last solve() that looked at it
    // While flows are being filled up:
    Exact left = 0;           ///< of the capacity
    std::int64_t weight = 0;  ///< of its users that have no rate yet
    Exact level = -1;         ///< at which its users were held back; -1: none was
  };
  struct Level {
    Exact level = 0;
    int resource = 0;
    bool operator<(const Level& other) const {
      return level != other.level ? level > other.level : resource > other.resource;
    }
  };

  static std::size_t index(int id) { return static_cast<std::size_t>(id); }
  void report(int flow);
  void note_change(int resource);
  void include(int flow);
  void include_changed();
  void include_users();
  void fill();
  void hold_back(int resource, Exact level);
  bool expand();
  void check(int resource);

  std::vector<Resource> resources_;
  std::vector<Flow> flows_;
  std::vector<int> new_flows_, changed_;  ///< since the last solve(); flows, resources
  std::vector<int> alone_;                ///< new flows that found everything idle
  std::uint64_t epoch_ = 0;
  std::vector<int> again_, looked_at_, faster_;  ///< flows, resources, flows
  std::vector<int> reported_;
  std::vector<Level> levels_;  ///< a heap, lowest first
};

}  // namespace ringscope::sim
