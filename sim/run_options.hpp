// SPDX-License-Identifier: LGPL-2.1-or-later
// How a case is simulated: by which kernel, how exactly, and what is kept of it.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>

namespace ringscope {

/// A limit of paths that keeps every segment of all but huge runs: some hundred megabytes.
inline constexpr std::size_t long_path_limit = 4'000'000;

/// Below it all ranks are simulated even where they are alike: that takes well under a second, and
/// the report names the ranks and resources of every host.
inline constexpr int fewest_folded_ranks = 128;
/// Blocks of NCCL's kernels that count as one rank of these.
inline constexpr int blocks_of_rank = 8;
/// Below it they are alike only where all chunks have one size, and all times are exact. From here
/// on few runs of all ranks end, and ranks rarely divide a model's gradients.
inline constexpr int fewest_uneven_ranks = 1024;
/// The same of NCCL's collectives, whose ranks send several times in each step: messages.
inline constexpr std::int64_t fewest_uneven_messages = 1 << 18;
inline constexpr int never_fold = std::numeric_limits<int>::max();

struct RunOptions {
  std::string_view kernel = "fluid";
  /// Periods of a steady state, equal collectives inside hosts, and repetitions in which nothing is
  /// random, where that is possible.
  bool skip = true;
  bool known_collectives = true;  ///< of these, the collectives
  /// Activities that begin or end within that share of their own time of each other do so together;
  /// of the fluid kernel only.
  double tolerance = 0;
  /// Ranks from which on those that are alike are simulated once.
  int fold_from = fewest_folded_ranks;
  /// The same where the chunks of a ring differ by one item.
  int fold_uneven_from = fewest_uneven_ranks;
  /// Channels of NCCL's kernels that are alike are simulated once.
  bool fold_channels = true;
  /// Sets what users choose; without `folds` every rank and channel is simulated.
  void set_exactness(bool skips, bool folds, double share) {
    skip = skips;
    tolerance = share;
    if (folds) return;
    fold_from = fold_uneven_from = never_fold;
    fold_channels = false;
  }
  bool record = false;        ///< fill Report::recording
  bool record_spans = false;  ///< fill Report::spans
  bool record_chain = false;  ///< fill Report::chain
  bool shows_messages() const { return record || record_spans || record_chain; }
  /// A run that cannot go on is reported up to then, with the reason; without this it throws.
  bool keep_deadlock = false;
  /// Segments of critical paths kept one by one, beside those at which ranks and messages stand;
  /// older ones are summed. 0: no critical path.
  std::size_t path_limit = 16'384;
  /// Called now and then with the share of the messages that have been received; never less than
  /// before. Those in flight do not count: of an all-to-all that is posted at once, that is all.
  std::function<void(double)> progress{};
  /// Called after a number of instants, also where nothing is received for long. What it throws
  /// ends the run, and is thrown.
  std::function<void()> every_so_often{};
};

}  // namespace ringscope
