// SPDX-License-Identifier: LGPL-2.1-or-later
// Contract of every kernel: advance time, and let activities share resources max-min fairly.
//
// Everything that takes time is a timer or an activity. An activity is an amount of work that uses
// some resources, each with a weight. All activities advance together at the max-min fair rates x:
// for each resource, the sum over its activities of weight * x is at most its capacity.
//
// Instant: it begins with the first thing that is due, at now(), and holds all that is due within
// instant.hpp's width of that date: what only rounding parts happens at once.
//
// Order: timers come first, in the order in which they were set, with those that they set for this
// very instant; then the activities that are done, in the order in which they were started; then
// whatever those set for this instant, timers first again. What is done is found when the instant
// begins: pausing or stopping it then only holds back its callback. Rates are solved once, when all
// has happened.
//
// Digits: a rate is the double nearest to the true one. What is left of an activity is reckoned
// when its rate changes, left - rate * (now - since), with the digits of Exact, and it is due
// at the double nearest to since + left / rate. So every kernel gives the same answer to the last
// bit, in whatever order it adds.
#pragma once

#include <qd/dd_real.h>

#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringscope::sim {

/// One resource of an activity. A weight is how many units of the resource's capacity one unit of
/// the activity takes; small positive integers, so that every kernel can honour them exactly.
struct Use {
  int resource = 0;
  int weight = 1;
  bool operator==(const Use&) const = default;
};

/// A started activity. Its id is free for reuse once it has completed or was cancelled.
struct ActivityId {
  int slot = -1;
  explicit operator bool() const { return slot >= 0; }
};

/// Callback: a member function of an object with one number. Trivial, so that nothing allocates.
struct Callback {
  void (*function)(void* object, std::uint64_t argument) = nullptr;
  void* object = nullptr;
  std::uint64_t argument = 0;

  template <auto member, class Object>
  static Callback to(Object* object, std::uint64_t argument = 0) {
    return {[](void* self, std::uint64_t value) { (static_cast<Object*>(self)->*member)(value); },
            object, argument};
  }
  void operator()() const { function(object, argument); }
};

class Kernel {
 public:
  virtual ~Kernel() = default;
  Kernel& operator=(Kernel&&) = delete;  ///< neither copied nor moved
  virtual std::string_view name() const = 0;

  /// Seconds since the start.
  double now() const { return *clock_; }
  /// Address of now().
  const double* clock() const { return clock_; }

  /// Capacity in units per second, positive.
  virtual int add_resource(const std::string& name, double capacity) = 0;
  /// Units of a resource that activities have used up to now, since the clock stood at 0.
  virtual double used(int resource) const = 0;
  /// Sets the capacity from now on; it may be tiny but not 0.
  virtual void set_capacity(int resource, double capacity) = 0;

  /// Starts `amount` (>= 0) units of work. With no uses, or nothing to do, it completes at this
  /// instant, as a timer of 0 seconds would fire. `done` is called once, never from inside start().
  virtual ActivityId start(double amount, std::span<const Use> uses, Callback done) = 0;
  /// Units of work left at this instant.
  virtual double remaining(ActivityId) const = 0;
  /// A suspended activity keeps what is left, uses nothing, and completes after resume() at the
  /// earliest. Suspending twice is an error of ours, and so is resuming what is not suspended.
  virtual void suspend(ActivityId) = 0;
  virtual void resume(ActivityId) = 0;
  /// Forgets the activity; its callback is never called.
  virtual void cancel(ActivityId) = 0;

  /// Calls `callback` in `delay` (>= 0) seconds.
  virtual void after(double delay, Callback callback) = 0;

  /// Runs until nothing is left to happen. Suspended activities do not hold it up.
  virtual void run() = 0;
  /// Calls back after a number of instants, for those who watch or end a run that is long; what it
  /// throws is thrown by run(). By default never. The callback must start nothing.
  virtual void every_so_often(Callback) {}
  /// Puts now() back to 0 once nothing is left to happen, so that what comes next has the digits
  /// that it would have had at first.
  virtual void rewind() = 0;

  // Fast-forward, of kernels that can_skip():
  struct Alarm {
    double in = 0;  ///< seconds from now
    Callback callback;
  };
  /// All that are set, in the order of their dates.
  virtual std::vector<Alarm> timers() const { return {}; }
  /// Calls back once, when all of this instant has happened. The callback must start nothing.
  virtual void at_end_of_instant(Callback) {}
  /// Moves now and all that is to come by this many seconds, from such a call.
  virtual void skip(double /*seconds*/) {}

 protected:
  Kernel() = default;
  /// A kernel that shares the clock of another, which outlives it.
  explicit Kernel(const double* clock) : clock_(clock) {}

  double now_ = 0;

 private:
  const double* clock_ = &now_;
};

/// A kernel by name. Throws std::invalid_argument for a name that is not in kernel_names(), and
/// std::logic_error for a second "simgrid" in one process: SimGrid's engine is a singleton.
/// `tolerance`: activities that begin or end within that share of their own time of each other do
/// so together. The fluid kernel's; std::invalid_argument for another than 0 elsewhere.
std::unique_ptr<Kernel> make_kernel(std::string_view name, double tolerance = 0);
std::span<const std::string_view> kernel_names();
/// True if this kernel supports fast-forward: its timers may be asked for, and time skipped.
bool can_skip(std::string_view name);

// The kernels, each made by a function of its own.

/// A max-min kernel of our own: many in a process, each for one thread at a time. What
/// begins or ends within a share `tolerance` of its own time of others does so with them.
std::unique_ptr<Kernel> make_fluid_kernel(double tolerance);

/// The kernel that others are held against: slow, and nothing in it but what kernel.hpp says. It
/// looks at everything at every instant: for some thousand messages, not for a million.
std::unique_ptr<Kernel> make_reference_kernel();

/// The kernel whose rates SimGrid finds: the check of ours. Throws std::logic_error when the
/// process has made one before: SimGrid's engine is a singleton; std::runtime_error without the
/// module that holds SimGrid.
std::unique_ptr<Kernel> make_simgrid_kernel();

/// Whether the module that holds SimGrid can be loaded; it is, to find out.
bool simgrid_module_found();

// Length of an instant: what happens closer together happens at once.
//
// Dates that are equal on paper differ in the last digits of a double, by how they were reckoned.
// A kernel that took these digits for an order would answer by them. So an instant begins with the
// first thing that is due, and holds all that is due within a billionth of a thousandth of the
// date.

/// Relative to the date at which it begins, so that time can be counted in any unit.
constexpr double instant_width = 1e-12;

constexpr double end_of_instant(double begin) { return begin * (1 + instant_width); }

// The numbers in which rates are solved.

/// At least 106 bits. A rate is the double that is nearest to the true one: in whatever order a
/// solver adds, its error is some 2^-50 of the gap between two doubles, so that all solvers give
/// the same one. It matters since fair sharing magnifies: a flow that begins d earlier than another
/// one that it meets on a link ends 2 d earlier, and hundreds of meetings in a row make of the 16th
/// digit the second (kernel_sharing_test.cpp).
using Exact = dd_real;

/// The nearest double; halfway between two, up to the error of sums, the even one: which side of
/// the middle a sum ends on depends on the order in which it was added.
inline double rounded(const Exact& number) {
  constexpr double error = 0x1p-40;  // of half a gap; sums of 2^-106 leave 2^-52 of it
  const double nearest = number.x[0];
  const double other = nearest + number.x[1] * (1 + error);
  return other == nearest || (std::bit_cast<std::uint64_t>(nearest) & 1) == 0 ? nearest : other;
}

/// Date at which `left` is done, begun at `since`.
inline double date_of(double since, const Exact& left, double rate) {
  return rounded(since + left / rate);
}

}  // namespace ringscope::sim
