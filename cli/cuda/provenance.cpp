#include "cli/cuda/provenance.hpp"

namespace ringscope::cuda {

Provenance provenance_on(Gpus& gpus, std::span<const int> devices, const std::string& command) {
  Provenance where = provenance_here(command, "ringscope-cuda");
  where.hosts.assign(devices.size(), host_name());
  for (const int gpu : devices) where.devices.push_back(gpus.info(gpu).name);
  where.driver = gpus.info(devices.front()).driver;
  where.start = "one process";
  constexpr int readings = 1000;
  const double start_s = gpus.now();
  for (int i = 0; i < readings; ++i) gpus.now();
  where.timer_s = (gpus.now() - start_s) / readings;
  return where;
}

}  // namespace ringscope::cuda
