// SPDX-License-Identifier: LGPL-2.1-or-later
// The loopback executor: all ranks in one thread, with real data and no clock. The oracle for what
// an algorithm computes and what it costs; it also refuses programs that break MPI's rules.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "base/table.hpp"

namespace ringscope {

struct LoopbackOptions {
  /// A send completes only when a receive has matched it, as a rendezvous does. Otherwise every
  /// message is buffered and its send complete at once.
  bool synchronous_sends = false;
  /// 0: ranks run in turn; any other value: in an order drawn from this seed.
  std::uint64_t seed = 0;
  /// The longest message from one rank to another, in items, that is buffered although sends are
  /// synchronous: an eager limit. Empty: none is.
  std::function<std::size_t(int from, int to)> eager_items{};
};

struct LoopbackResult {
  Table<std::vector<float>> data;     ///< of each rank, after the run
  Table<std::vector<float>> scratch;  ///< of each rank, after the run
  Cost counted;
  std::size_t scratch_used = 0;  ///< items from the front of scratch that any rank wrote
  /// heard[a][b]: rank a ended after it had heard from rank b, directly or through others.
  std::vector<std::vector<bool>> heard;
  /// sent[a][b]: how many messages rank a sent to rank b.
  std::vector<std::vector<int>> sent;
  /// Everything that the program observed, in the order in which it did.
  std::map<std::string, std::vector<double>> observed;
};

/// Ranks that can never go on.
class LoopbackDeadlock : public std::runtime_error {
 public:
  struct Blocked {
    int rank = 0;
    int thread = 0;
    std::string waits_for;  ///< "4 items from rank 0"
    std::string phase;      ///< "" before the first
    int step = 0;
  };
  explicit LoopbackDeadlock(std::vector<Blocked> blocked);
  const std::vector<Blocked>& blocked() const { return blocked_; }

 private:
  std::vector<Blocked> blocked_;
};

/// A program that breaks a rule: a range outside its buffer, a message longer than its receive, a
/// buffer changed while it is in flight, a request waited for twice or never, a message nobody
/// receives.
class Misuse : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

using InitialItem = std::function<float(int rank, std::size_t index)>;

/// Runs the algorithm on `items` items per rank and exactly the scratch space that it declares.
/// Scratch starts as NaN, so that what is read before it is written shows. Throws LoopbackDeadlock,
/// Misuse, what the algorithm throws, and std::invalid_argument for fewer ranks than the algorithm
/// takes or options out of their range.
LoopbackResult run_loopback(const Algorithm& algorithm, int ranks, std::size_t items,
                            const Options& options, const InitialItem& initial,
                            const LoopbackOptions& how = {});

}  // namespace ringscope
