// SPDX-License-Identifier: LGPL-2.1-or-later
#include <fmt/format.h>

#include "cli/cuda/open_gpus.hpp"

namespace ringscope::cuda {
namespace {

void print_gpu(const Gpus& gpus, int gpu) {
  const GpuInfo info = gpus.info(gpu);
  constexpr double mib = 1024 * 1024;
  fmt::print("GPU {}: {} at {}, sm_{}{}, {:.0f} of {:.0f} MiB free, {} copy engines\n", gpu,
             info.name, info.bus_id, info.major, info.minor,
             static_cast<double>(info.free_bytes) / mib,
             static_cast<double>(info.memory_bytes) / mib, info.copy_engines);
}

void print_peers(const Gpus& gpus, int gpu) {
  std::string peers;
  for (int other = 0; other < gpus.count(); ++other)
    if (other != gpu && gpus.peer_access(gpu, other)) peers += fmt::format(" {}", other);
  if (gpus.count() > 1)
    fmt::print("  peer access to {}\n", peers.empty() ? "no other GPU" : "GPU" + peers);
}

void devices_command() {
  const std::unique_ptr<Gpus> gpus = open_gpus();
  fmt::print("{}\n", gpus->info(0).driver);
  for (int gpu = 0; gpu < gpus->count(); ++gpu) {
    print_gpu(*gpus, gpu);
    print_peers(*gpus, gpu);
  }
}

}  // namespace

void add_devices(Command& program, const std::string&) {
  program.add_subcommand("devices").callback(devices_command);
}

}  // namespace ringscope::cuda
