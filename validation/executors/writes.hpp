// SPDX-License-Identifier: LGPL-2.1-or-later
// Record of the last writers, so that a wrong result can name the verb that left it there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "algorithms/verbs/communicator.hpp"

namespace ringscope {

/// The verbs of one rank that wrote into its data, in their order.
class Writes {
 public:
  /// Does nothing for a verb that writes nothing there.
  void note(const Operation& operation, std::string_view phase, int step);
  void clear() { writes_.clear(); }
  /// The last verb that wrote an item: "reduce-scatter, step 2, reduce"; "" when none did.
  std::string last(std::size_t item) const;

 private:
  struct Write {
    Verb verb;
    Range range;
    std::string_view phase;
    int step;
  };
  std::vector<Write> writes_;
};

}  // namespace ringscope
