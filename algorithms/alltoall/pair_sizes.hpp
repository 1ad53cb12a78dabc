// SPDX-License-Identifier: LGPL-2.1-or-later
// Sizes of what each pair of ranks exchanges, where they differ: MPI_Alltoallv's counts.
//
// A rank's vector is cut into a chunk for each rank, from the front on; the chunks may end before
// the vector does. Piece r of rank j, in scratch space, is chunk j of rank r. Ends of chunks are
// rounded to whole items, each alike for the rank that sends and the one that receives.
#pragma once

#include <cassert>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "base/table.hpp"

namespace ringscope {

class PairSizes {
 public:
  /// All ranks cut their vectors alike: the chunk for rank j is in proportion to weights[j], and
  /// all together are the vector. Requires weights from 0, one above 0.
  explicit PairSizes(const std::vector<double>& weights);
  /// Rank r sends rows[r][j] to rank j, in any unit: the largest sum of a row is a vector. Requires
  /// as many columns as rows, numbers from 0, one above 0.
  explicit PairSizes(const std::vector<std::vector<double>>& rows);

  int ranks() const { return static_cast<int>(ends_.front().size()) - 1; }
  bool all_cut_alike() const { return ends_.size() == 1; }
  Range chunk(int from, int to, Range vector) const;

 private:
  Table<Table<double>> ends_;  ///< of chunks, in parts of the vector; alike: one row
};

/// Chunks that a rank sends; equal ones where the job does not say their sizes.
class ChunksByPair {
 public:
  ChunksByPair(Range vector, int self, int ranks, const Options& options)
      : equal_(vector, ranks), sizes_(options.sizes), vector_(vector), self_(self) {
    assert((sizes_ == nullptr || sizes_->ranks() == ranks) && "sizes are of all pairs");
  }
  Range operator[](int to) const {
    return sizes_ != nullptr ? sizes_->chunk(self_, to, vector_) : equal_[to];
  }

 private:
  Chunks equal_;
  const PairSizes* sizes_;
  Range vector_;
  int self_;
};

/// Pieces that a rank receives, one after the other from the front of scratch space on. `items`: of
/// each rank's vector.
class PiecesByPair {
 public:
  PiecesByPair(Range scratch, std::size_t items, int self, int ranks, const Options& options);
  Range operator[](int from) const;
  std::size_t items() const { return (*this)[ranks_ - 1].offset + (*this)[ranks_ - 1].size; }

 private:
  Range scratch_;
  int ranks_;
  std::size_t each_ = 0;     ///< items of each piece, where all are of one size
  Table<std::size_t> ends_;  ///< else
};

/// Each rank sends P-1 messages, those of no item left out or not, and all but its own chunk.
Cost pairs_by_size_cost(int ranks, std::size_t items, const Options& options, bool empty_too);

/// The largest sum of the pieces of a rank.
std::size_t pieces_by_pair_items(int ranks, std::size_t items, Options options);

/// Run function of an alltoallv's program, which takes its rank's chunks and pieces.
template <Task (*program)(Communicator, ChunksByPair, PiecesByPair)>
Task on_chunks_by_pair(Communicator comm, Workspace work, Options options) {
  const int self = comm.rank(), size = comm.size();
  return program(comm, {work.data, self, size, options},
                 {work.scratch, work.data.size, self, size, options});
}

}  // namespace ringscope
