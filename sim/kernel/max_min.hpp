// SPDX-License-Identifier: LGPL-2.1-or-later
// Max-min fair rates, solved again only where something has changed, by bottlenecks and not by
// flows.
//
// A flow is held back by its bottleneck: a resource that is full, and on which no flow is faster.
// Rates are max-min fair exactly when each flow has one. All flows of a bottleneck have the same
// rate, its level: what its other users leave of the capacity, shared by weight. So the state is
// one level per full resource, and on each resource its users sorted into bundles: those of one
// bottleneck. When a level changes, the full resources on which that bottleneck has a bundle follow
// at once. A resource that is not full need not be looked at: each of its bundles has a level up to
// which it is safe, such that the resource is not overfull as long as no bundle is above its own.
// One that is nearly full would be looked at all the time: it is tight, and follows as full ones
// do.
//
// After a change this goes on from the lowest level upwards, as in progressive filling, since a
// level hangs on lower ones only: thousands of flows over one resource cost no more than one.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/pool.hpp"
#include "base/small_table.hpp"
#include "base/table.hpp"
#include "sim/kernel/bundle_table.hpp"
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
  /// Lets a flow flow from the next solve() on, or stops it.
  void join(int flow);
  void leave(int flow);
  /// Leaves what the flow had to nobody before follow_leaves(). Returns whether anybody wants it.
  bool leave_for_later(int flow);
  void follow_leaves();

  /// Groups are numbered as resources: flows with one bottleneck, and therefore one rate.
  int group(int flow) const { return flows_[flow].bottleneck; }
  /// Units per second of each flow of the group, after solve().
  double rate(int group) const { return resources_[group].told; }

  /// Whether nothing flows through what a flow uses that does not flow yet.
  bool is_uncontended(int flow) const;
  /// Units per second that it would get at most: an estimate.
  double likely_rate(int flow) const;

  /// Flows and groups that differ from what the last call said; valid until the next one.
  struct Changes {
    std::span<const int> moved;   ///< flows with another group, new ones among them
    std::span<const int> groups;  ///< with another rate; those of moved flows need not be here
  };
  Changes solve();
  /// Whether solve() would find nothing to do.
  bool is_solved() const {
    return queue_.empty() && joining_.empty() && touched_.empty() && moved_.empty() &&
           to_recheck_.empty();
  }
  /// As solve() where all that has joined found what it uses idle.
  Changes tell();

  /// Id of the resource's current saturation interval; 0: it is not saturated, or unknown.
  std::uint64_t saturation(int id) const { return resources_[id].saturation; }

  /// Uses of a flow: a range of values with a `resource` and a `weight`.
  const auto& uses(int flow) const { return flows_[flow].parts; }
  /// Calls visit(group, weight) for all that flows through a resource: sum of weights by group.
  template <class Visit>
  void visit_groups(int resource, Visit visit) const {
    for (const Share& share : resources_[resource].shares) visit(share.bottleneck, share.weight);
  }
  /// The statement of the invariant (max_min_levels.cpp) that does not hold after solve(); "" where
  /// all hold.
  std::string_view broken_statement() const;
  /// Bundles and flows that were touched so far: what the work grows with.
  std::uint64_t operations() const { return operations_; }

 private:
  struct Part {  ///< one resource of a flow
    int resource = 0, weight = 1;
    int bundle = -1;   ///< -1: of none, the flow does not flow
    int position = 0;  ///< among the bundle's users
  };
  struct Flow {
    SmallTable<Part, 6> parts;
    int bottleneck = -1;  ///< -1: it does not flow
    bool moved = false;   ///< since the last solve()
  };
  struct User {
    int flow = 0, part = 0;
  };
  /// The users of a resource that have one bottleneck.
  struct Bundle {
    int resource = 0, bottleneck = 0;
    std::int64_t weight = 0;  ///< sum over the users
    std::size_t size = 0;     ///< number of users
    int position = 0;         ///< among the resource's bundles
    int follower = -1;        ///< among the followers of the bottleneck; -1: it has a safe level
    std::uint64_t since = 0;  ///< stamp of the safe level; others are void
    Exact safe = 0;           ///< level of the bottleneck up to which the resource is not overfull
    /// May hold stale entries, removed lazily: finding each when it ends costs as much as the rest.
    SmallTable<User, 2> users;
  };
  struct Share {  ///< what is asked most of a bundle, in one piece with that of its neighbours
    int bottleneck = 0;
    std::int64_t weight = 0;
  };
  struct Safe {  ///< entry of a heap, lowest first
    Exact level = 0;
    int bundle = 0;
    std::uint64_t since = 0;
    bool operator<(const Safe& other) const { return level > other.level; }
  };
  struct Resource {
    double capacity = 0;
    bool full = false;             ///< it is a bottleneck
    bool tight = false;            ///< it holds nobody back, but might soon
    bool waits = false;            ///< in the queue of those to be settled
    double due = 0;                ///< as its entry there says; others are void
    bool touched = false;          ///< its level may have changed since the last solve()
    bool to_recheck = false;       ///< it is tight, and more or less of it may be used now
    std::uint64_t saturation = 0;  ///< see saturation()
    bool overtaken = false;        ///< a bundle has come that may be faster than its own flows
    int own = -1;                  ///< bundle of the flows that it holds back; -1: none
    std::uint64_t settled = 0;     ///< number of the solve() in which it was settled last
    SmallTable<int, 2> bundles;
    SmallTable<Share, 2> shares;  ///< of those, in the same places
    int place = -1;               ///< among the resources in use; -1: it has no bundle
    BundleTable by_bottleneck;    ///< those, where they are many
    // A bottleneck's state:
    Exact level = 0;
    /// Units per second of the users that are held back elsewhere; where it is neither full nor
    /// tight, at most: with each bundle at its safe level.
    Exact others = 0;
    double told = 0;                               ///< rate that the caller knows
    SmallTable<int, 2> followers;                  ///< bundles on other full or tight resources
    boost::container::small_vector<Safe, 1> safe;  ///< a heap, of bundles on all others
    std::size_t most_safe = 64;  ///< entries of that heap before it is looked through
  };
  struct Filled {  ///< a resource, as levels rise
    double left = 0;
    std::int64_t weight = 0;      ///< of flows that nobody holds back yet
    double level = 0;             ///< at which it was full; 0: it was not
    int chain = -1;               ///< first of those that join, in chains_; -1: none
    std::uint32_t foresight = 0;  ///< the last that looked at it
  };
  struct Waiting {  ///< entry of a heap, lowest level first
    double level = 0;
    int resource = 0;
    bool operator<(const Waiting& other) const {
      return level != other.level ? level > other.level : resource > other.resource;
    }
  };

  /// Shares of its capacity from which on a resource is tight, and until which it stays so.
  static constexpr double tight_from = 0.8, tight_until = 0.6;

  Resource& resource(int id) { return resources_[id]; }
  Bundle& bundle(int id) { return bundles_[id]; }
  static bool is_watched(const Resource& resource) { return resource.full || resource.tight; }
  Exact level_of(const Bundle& bundle) const { return resources_[bundle.bottleneck].level; }

  // Bundles (max_min.cpp)
  bool is_user(int bundle, int position) const {
    const User& user = bundles_[bundle].users[position];
    const auto& parts = flows_[user.flow].parts;
    return user.part < std::ssize(parts) && parts[user.part].bundle == bundle &&
           parts[user.part].position == position;
  }
  void drop_gone(int bundle);
  /// Calls visit(flow) for each user of a bundle; it may not change who these are.
  template <class Visit>
  void visit_users(int id, Visit visit) {
    if (bundle(id).users.size() > 2 * bundle(id).size) drop_gone(id);
    const auto& users = bundle(id).users;
    for (int i = 0; i < std::ssize(users); ++i)
      if (is_user(id, i)) visit(users[i].flow);
  }
  int find_bundle(int resource, int bottleneck) const;
  int open_bundle(int resource, int bottleneck);
  void close_bundle(int id);
  void add_user(int flow, int part);
  void drop_user(int flow, int part);
  void follow(int id);
  void follow_no_longer(int id);
  void make_safe(int id, Exact level);
  void admit(int bundle, Exact level);
  void note_moved(int id) {
    if (!std::exchange(flows_[id].moved, true)) moved_.push_back(id);
  }
  void touch(int id) {
    if (!std::exchange(resource(id).touched, true)) touched_.push_back(id);
  }
  const Part& slowest_part(const Flow& flow) const;
  void join_alone(int flow);
  void make_idle(int id) {
    Resource& idle = resource(id);
    idle.full = idle.tight = idle.overtaken = false;
    idle.saturation = 0;
    idle.level = idle.others = 0.0;
    idle.safe.clear();
    touch(id);
  }
  void drop_out(int flow);
  void recheck(int id) {
    if (resource(id).tight && !std::exchange(resource(id).to_recheck, true))
      to_recheck_.push_back(id);
  }
  void recheck_all();

  bool has_sound_bundles() const;
  bool check_is_due();

  // Levels (max_min_levels.cpp)
  /// Level that it would get now. Resources that are not full are looked at last: by then nobody's
  /// level changes any more.
  double due(const Resource& resource) const {
    if (resource.own < 0) return std::numeric_limits<double>::infinity();
    return (resource.capacity - rounded(resource.others)) /
           static_cast<double>(bundles_[resource.own].weight);
  }
  void wait(int resource);
  void settle_next();
  void settle(int resource);
  void settle_level(int resource);
  void settle_idle(int resource);
  void keep_safe(int resource, Exact used);
  static bool stays_tight(const Resource& resource) {
    return resource.others <= resource.capacity &&
           rounded(resource.others) >= tight_until * resource.capacity;
  }
  void make_full(int resource);
  void set_level(int resource, Exact level);
  void tell_followers(int resource, Exact before);
  void check_safe(int resource);
  int fastest_other(const Resource& resource);
  void take(int bundle);
  void move(int flow, int to);
  /// A resource that holds nobody back any more, and is to be settled as such: nobody uses the
  /// level that it had.
  void lose_all(int id) {
    if (!resource(id).full) return;
    make_idle(id);
    for (const int each : resource(id).bundles) follow_no_longer(each);
    wait(id);
  }

  // Foresight (max_min_foresight.cpp)
  int likely_bottleneck(const Flow& flow) const;
  void begin_guessed(int flow);
  void begin(int flow, int bottleneck, Exact safe);
  bool let_join();
  void foresee();
  void fill();
  Filled& filled(int resource);
  void fill_in_joining();
  void hold_back(int resource, double level);
  void hold(int flow, int bottleneck, double level);

  Table<Resource> resources_;
  Table<Flow> flows_;
  Pool<Bundle> bundles_;
  Table<int> in_use_;  ///< resources with bundles
  std::uint64_t stamps_ = 0;
  std::vector<Waiting> queue_;
  std::vector<int> left_;     ///< resources, for follow_leaves()
  std::vector<int> joining_;  ///< flows, for solve()
  std::vector<int> moved_, touched_, to_recheck_, taken_, told_, groups_;
  std::uint64_t operations_ = 0, next_check_ = 0;

  static double level_of(const Filled& resource) {
    return resource.left / static_cast<double>(resource.weight);
  }
  static bool is_full_at(const Filled& resource, double level) {
    constexpr double rounding = 1e-9;
    return resource.level > 0 && resource.level <= level * (1 + rounding);
  }
  struct Chained {
    int flow = 0, next = -1;
  };
  struct Foreseen {
    int flow = 0, bottleneck = 0;
    double level = 0;
  };
  std::uint64_t solves_ = 0;
  std::uint64_t again_ = 0;  ///< operations of this solve() on what it had settled before
  int entangled_ = 0;        ///< joins to foresee, since settling again has cost enough
  std::size_t parts_ = 0;    ///< of all that flows
  Table<Filled> filled_;
  Table<Chained> chains_;
  std::uint32_t foresights_ = 0;
  Table<std::uint32_t> held_back_;  ///< by flow: the last that foresaw its bottleneck
  std::vector<Waiting> filling_;
  std::vector<int> rising_;         ///< resources that will be full, lowest level first
  std::vector<Foreseen> foreseen_;  ///< of flows that join or will have another bottleneck
};

}  // namespace ringscope::sim
