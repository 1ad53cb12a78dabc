// The NVLinks of a machine, whose two ends may both report them.
#pragma once

#include <map>
#include <utility>

#include "topologies/imports/machine.hpp"

namespace ringscope {

class NvLinks {
 public:
  /// Between two GPUs, each direction; what the other end reports of the same pair is the same.
  void add(int gpu, int other, Bandwidth bandwidth);
  /// Into the switch that all NVSwitches of the machine are taken for.
  void add_to_switch(int gpu, Bandwidth bandwidth);

  bool empty() const { return pairs_.empty() && to_switch_.empty(); }
  /// Adds them to the machine, with what is guessed of them.
  void connect(Machine& machine) const;

 private:
  std::map<std::pair<int, int>, Bandwidth> pairs_;
  std::map<int, Bandwidth> to_switch_;
};

}  // namespace ringscope
