// SPDX-License-Identifier: LGPL-2.1-or-later
// Activities with a memory: how much of each resource was used, and which one held an activity up.
//
// A `activity` is the number of an activity. While it runs its window is open; when it completes,
// is paused or is stopped, the ledger knows the bottleneck of that window: the resource that was
// used most (by everybody), of equals the one that this activity used most, and of equals again the
// one that it named first.
#pragma once

#include <vector>

#include "base/pool.hpp"
#include "base/small_table.hpp"
#include "base/table.hpp"
#include "scenarios/question/scenario.hpp"
#include "sim/machine/state_record.hpp"

namespace ringscope::sim {

struct Resource {
  ResourceId id;
  ResourceKind kind{};
  double capacity = 0;  ///< units per second
  int rank = -1;        ///< as `id` has it, but numbered over all jobs
};

/// A resource that an activity uses as one that stands for another, behind `before` of its uses.
struct SecondUse {
  Use use;
  std::size_t before = 0;
};

class Ledger {
 public:
  explicit Ledger(Kernel& kernel, Speedup speedup = {})
      : kernel_(&kernel), speedup_(std::move(speedup)) {}
  Kernel& kernel() const { return *kernel_; }
  double now() const { return kernel_->now(); }

  int add(Resource resource);
  const Resource& resource(int id) const { return resources_[id]; }
  int resource_count() const { return static_cast<int>(accounts_.size()); }
  /// Units of the resource used up to now by activities that have ended.
  double used(int id) const { return accounts_[id].used; }
  /// Likewise, with what activities in activity have done, as other jobs have when one ends.
  double carried(int id) const;

  /// Activities that use the resource now, or are paused in doing so.
  int users(int id) const { return static_cast<int>(accounts_[id].active.size()); }

  /// Scratch buffer, cleared. Valid until the next call.
  std::vector<Use>& fresh_uses() {
    uses_.clear();
    return uses_;
  }
  /// As Kernel::start. The returned number is free for reuse when `done` is called.
  int start(double amount, std::span<const Use> uses, Callback done);
  /// Marks uses that a folded activity traverses a second time, behind its first `skipped` uses.
  /// They outlive it.
  void passes_again(int activity, std::span<const SecondUse> uses, std::size_t skipped = 0);
  void pause(int activity);
  void resume(int activity);
  /// Ends the activity before its time; `done` is not called. Returns the amount that it did.
  double stop(int activity);
  /// True while any activity goes on.
  bool flows() const { return flowing_ > 0; }
  /// Units per second.
  double capacity(int id) const { return accounts_[id].capacity; }
  /// Reduces the resource to this share, above 0, of its capacity from now on.
  void slow(int id, double share) { kernel_->set_capacity(id, accounts_[id].capacity * share); }
  /// Units that queue before a link: where its activities have kept it busy, the remainder of each,
  /// up to `most_each`; of those that passed no busy link before, where they would queue.
  double queued(int id, double most_each) const;
  /// Everything that will call back: the kernel's timers, and all activities.
  std::vector<Agenda::Entry> agenda() const;
  /// Puts the clock and every account back, between two runs.
  void rewind();
  /// So many units of a resource were used that no activity has taken.
  void use(int id, double units);
  /// Time has moved by `seconds`, in which each resource was used by this many units.
  void skip(double seconds, View<const double> used);
  /// Bottleneck of the window that closed last: a resource, or -1 when nothing limited it.
  int bottleneck() const { return bottleneck_; }
  /// Start of that window.
  double window_start() const { return window_start_; }

 private:
  struct Part {  ///< one resource of an activity
    Use use;
    int position = 0;          ///< in the account's list of activities
    double served_before = 0;  ///< by the resource, when the window opened
  };
  struct Activity {
    ActivityId id;
    double amount = 0;
    double moved_before = 0;  ///< when the window opened
    double opened = 0;
    bool paused = false;
    Callback done;  ///< of nobody where the number is free
    SmallTable<Part, 2> parts;
  };
  /// Cache of one instant: valid where `at` is now.
  template <class Value>
  struct Found {
    double at = -1;
    Value value{};
  };
  struct alignas(64) Account {
    double capacity = 0;
    double used = 0;
    SmallTable<std::pair<int, int>, 1> active;  ///< activities, their parts
    double skipped = 0;                         ///< units that the kernel does not know of
    mutable Found<double> served;               ///< whatever starts and ends at that instant
  };

  double moved(const Activity& activity) const;
  double served(int id) const;
  bool busy(int id) const;
  bool passes_busy(const Activity& activity, const Part* until) const;
  void no_longer_flows(const Activity& activity);
  void forget_instant();
  void open_window(Activity& activity);
  void close_window(const Activity& activity, double moved);
  void release(int id, double moved);
  void on_done(std::uint64_t id);

  Kernel* kernel_;
  Speedup speedup_;
  Table<Resource> resources_;
  Table<Account> accounts_;          ///< by resource
  mutable Table<Found<bool>> busy_;  ///< by resource; until an activity is paused or ends
  mutable double busy_at_ = -1;      ///< when busy() was asked last
  Table<Activity> activities_;
  std::vector<int> free_;  ///< of these
  /// Uses that the activity passes again, and how many come before, up to the last that has any.
  Table<std::pair<std::span<const SecondUse>, std::size_t>> later_;
  int flowing_ = 0;  ///< activities that are not paused
  std::vector<Use> uses_;
  int bottleneck_ = -1;
  double window_start_ = 0;
};

}  // namespace ringscope::sim
