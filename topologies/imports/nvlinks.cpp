// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/imports/nvlinks.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ringscope {

void NvLinks::add(int gpu, int other, Bandwidth bandwidth) {
  Bandwidth& pair = pairs_[std::minmax(gpu, other)];
  pair = std::max(pair, bandwidth);
}

void NvLinks::add_to_switch(int gpu, Bandwidth bandwidth) {
  to_switch_[gpu].bytes_per_second += bandwidth.bytes_per_second;
}

void NvLinks::connect(ImportedHost& machine) const {
  if (empty()) return;
  const auto latency = assumed_nvlink_latency;
  machine.note("guessed: {} from GPU to GPU over NVLink, because no file specifies it: {}",
               to_text(latency.value), latency.source);
  for (const auto& [gpus, bandwidth] : pairs_)
    machine.links.push_back({fmt::format("gpu{}", gpus.first), fmt::format("gpu{}", gpus.second),
                             bandwidth, latency.value});
  if (to_switch_.empty()) return;
  machine.nvswitches.push_back({.label = "all NVSwitches of the machine"});
  machine.note(
      "guessed: all NVSwitches are one that never is a bottleneck itself, because every "
      "GPU is linked to all of them");
  for (const auto& [gpu, bandwidth] : to_switch_)
    machine.links.push_back({fmt::format("gpu{}", gpu), "nvswitch0", bandwidth, latency.value / 2});
}

}  // namespace ringscope
