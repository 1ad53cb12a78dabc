// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/cases/study_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/terminal/failure.hpp"

namespace ringscope {
namespace {

std::vector<std::string> format_names() {
  return each_of<std::string>(launch_formats(), &LaunchFormat::name);
}

std::string flag_of(const LaunchFormat& format) {
  return fmt::format("--{}{}", format.has_flag ? "" : "format ", format.name);
}

}  // namespace

void LaunchFiles::add_options(Command& command) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (const LaunchFormat& one = launch_formats()[i]; one.has_flag)
      command.add_option(flag_of(one), names[i]).help(std::string(one.about));
  Option kind =
      command.add_option("--format", format)
          .help(fmt::format("format of the file of -o: {}", fmt::join(format_names(), ", ")));
  Option file = command.add_option("-o,--output", output);
  kind.needs(file);
  file.needs(kind);
}

void LaunchFiles::settle() {
  if (output.empty()) return;
  names[option_word("--format", format).one_of("format", format_names())] = output;
}

std::string LaunchFiles::gpu_file() const {
  const auto gpus = std::ranges::find(launch_formats(), "gpus", &LaunchFormat::name);
  return names.begin()[gpus - launch_formats().begin()];
}

bool LaunchFiles::empty() const {
  return std::ranges::all_of(names, [](const std::string& name) { return name.empty(); });
}

std::vector<std::pair<std::string, std::string>> LaunchFiles::flags() const {
  std::vector<std::pair<std::string, std::string>> flags;
  for (std::size_t i = 0; i < names.size(); ++i)
    flags.emplace_back(flag_of(launch_formats()[i]), names[i]);
  return flags;
}

// Ranks on GPUs are started by two files, or by one that says both.
void LaunchFiles::require_for(SlotKind slot_kind) const {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) continue;
    const LaunchFormat& one = launch_formats()[i];
    if (one.says == LaunchSays::gpu && slot_kind != SlotKind::gpu)
      throw BadInput(
          "{}: the ranks are on cores and have no GPUs; they are placed on "
          "them by --on gpu, or 'on: gpu' in the scenario's placement",
          flag_of(one));
    if (one.says == LaunchSays::host && slot_kind == SlotKind::gpu && gpu_file().empty())
      throw BadInput(
          "{}: contains the host of each rank, and not its GPU: add --gpus FILE, "
          "a script that gives each rank its own, or use --torchrun FILE",
          flag_of(one));
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
    if (const LaunchFormat& one = launch_formats()[i]; !names[i].empty() && !one.text(launch))
      throw BadInput("{}: not written: {}", flag_of(one), one.cannot);
}

std::string LaunchFiles::lines(LaunchTask launch) const {
  launch.gpu_file = gpu_file();
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const LaunchFormat& one = launch_formats()[i];
    if (names[i].empty() || !one.text(launch)) continue;
    const std::string command = one.command(launch, names[i]);
    if (!command.empty()) text += command + '\n';
  }
  return text;
}

}  // namespace ringscope
