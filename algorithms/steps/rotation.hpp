// SPDX-License-Identifier: LGPL-2.1-or-later
// The chunks of a vector in the order that begins with a rank's own: what collectives hold in
// scratch space where they send neighbouring chunks in one message and the last one's neighbour is
// the first.
#pragma once

#include "algorithms/catalogue.hpp"

namespace ringscope {

/// Lies in `space`, which has the items of all chunks.
class Rotation {
 public:
  /// Requires 0 <= first < chunk.count().
  Rotation(Range space, Chunks chunk, int first) : space_(space), chunk_(chunk), first_(first) {}

  /// Range of chunks first + begin, ..., first + begin + count - 1.
  Range span(int begin, int count) const {
    const std::size_t offset = items(begin);
    return {space_.buffer, space_.offset + offset, items(begin + count) - offset};
  }

 private:
  /// Items of the first `count` chunks in this order.
  std::size_t items(int count) const {
    const int above = chunk_.count() - first_;
    return count <= above ? chunk_.span(first_, count).size
                          : chunk_.span(first_, above).size + chunk_.span(0, count - above).size;
  }

  Range space_;
  Chunks chunk_;
  int first_;
};

}  // namespace ringscope
