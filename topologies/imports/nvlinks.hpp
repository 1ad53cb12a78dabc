// SPDX-License-Identifier: LGPL-2.1-or-later
// The NVLinks of a machine, whose two ends may both report them.
#pragma once

#include <map>

#include "topologies/imports/imported_host.hpp"

namespace ringscope {

class NvLinks {
 public:
  /// Adds a link between two GPUs, each direction; the other end may report the same pair again.
  void add(int gpu, int other, Bandwidth bandwidth);
  /// Adds a link into the switch that all NVSwitches of the machine are taken for.
  void add_to_switch(int gpu, Bandwidth bandwidth);

  bool empty() const { return pairs_.empty() && to_switch_.empty(); }
  /// Adds them to the machine, with what is guessed of them.
  void connect(ImportedHost& machine) const;

 private:
  std::map<std::pair<int, int>, Bandwidth> pairs_;
  std::map<int, Bandwidth> to_switch_;
};

}  // namespace ringscope
