// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/cuda/open_gpus.hpp"

#include "cli/replays/measuring.hpp"

namespace ringscope::cuda {

Provenance provenance_on(Gpus& gpus, std::span<const int> devices, const std::string& command) {
  Provenance where = provenance_here(command, "ringscope-cuda");
  where.hosts.assign(devices.size(), host_name());
  for (const int gpu : devices) where.devices.push_back(gpus.info(gpu).name);
  where.driver = gpus.info(devices.front()).driver;
  where.start = "one process";
  where.timer_s = reading_s([&gpus] { return gpus.now(); });
  return where;
}

}  // namespace ringscope::cuda
