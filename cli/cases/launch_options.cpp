// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/cases/launch_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/terminal/failure.hpp"
#include "cli/terminal/output_file.hpp"

namespace ringscope {

std::string LaunchFiles::gpu_file() const {
  const auto gpus = std::ranges::find(launch_formats(), "gpus", &LaunchFormat::name);
  return names[gpus - launch_formats().begin()];
}

bool LaunchFiles::empty() const {
  return std::ranges::all_of(names, [](const std::string& name) { return name.empty(); });
}

std::vector<std::pair<std::string, std::string>> LaunchFiles::flags() const {
  std::vector<std::pair<std::string, std::string>> flags;
  for (std::size_t i = 0; i < names.size(); ++i)
    flags.emplace_back(fmt::format("--{}", launch_formats()[i].name), names[i]);
  return flags;
}

// Ranks on GPUs are started by two files, or by one that says both.
void LaunchFiles::require_for(SlotKind slot_kind) const {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) continue;
    const LaunchFormat& format = launch_formats()[i];
    if (format.says == LaunchSays::gpu && slot_kind != SlotKind::gpu)
      throw Failure(ExitCode::bad_input,
                    fmt::format("--{}: the ranks are on cores and have no GPUs; they are placed on "
                                "them by --on gpu, or 'on: gpu' in the scenario's placement",
                                format.name));
    if (format.says == LaunchSays::host && slot_kind == SlotKind::gpu && gpu_file().empty())
      throw Failure(
          ExitCode::bad_input,
          fmt::format("--{}: says the host of each rank, and not its GPU: add --gpus FILE, "
                      "a script that gives each rank its own, or take --torchrun FILE",
                      format.name));
  }
}

void LaunchFiles::write(LaunchTask launch) const {
  launch.gpu_file = gpu_file();
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!names[i].empty())
      if (const auto text = launch_formats()[i].text(launch)) write_output(names[i], *text);
}

void LaunchFiles::require_written(LaunchTask launch) const {
  launch.gpu_file = gpu_file();
  for (std::size_t i = 0; i < names.size(); ++i)
    if (const LaunchFormat& format = launch_formats()[i]; !names[i].empty() && !format.text(launch))
      throw Failure(ExitCode::bad_input,
                    fmt::format("--{}: not written: {}", format.name, format.cannot));
}

std::string LaunchFiles::lines(LaunchTask launch) const {
  launch.gpu_file = gpu_file();
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const LaunchFormat& format = launch_formats()[i];
    if (names[i].empty() || !format.text(launch)) continue;
    const std::string command = format.command(launch, names[i]);
    if (!command.empty()) text += command + '\n';
  }
  return text;
}

}  // namespace ringscope
