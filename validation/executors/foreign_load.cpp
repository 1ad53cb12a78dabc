// SPDX-License-Identifier: LGPL-2.1-or-later
#include "validation/executors/foreign_load.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "validation/executors/measurement.hpp"

namespace ringscope {
namespace {

constexpr double shortest_s = 0.2;  ///< 20 ticks of 10 ms: a tick more or less is 0.05 cores

}  // namespace

std::optional<MachineCpu> machine_cpu_of(std::istream& stat) {
  const double tick_s = 1 / static_cast<double>(sysconf(_SC_CLK_TCK));
  MachineCpu found;
  for (std::string line; std::getline(stat, line) && line.starts_with("cpu");) {
    std::istringstream words(line);
    std::string name;
    double user = 0, nice = 0, system = 0, idle = 0, waiting = 0, irq = 0, softirq = 0, stolen = 0;
    words >> name >> user >> nice >> system >> idle >> waiting >> irq >> softirq >> stolen;
    if (!words) return std::nullopt;
    if (name == "cpu")
      found.busy_s = (user + nice + system + stolen) * tick_s;
    else
      ++found.cores;
  }
  if (found.cores == 0) return std::nullopt;
  return found;
}

std::optional<MachineCpu> machine_cpu() {
  std::ifstream stat("/proc/stat");
  return machine_cpu_of(stat);
}

std::string machine_id() {
  std::string id;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
  return id.empty() ? host_name() : id;
}

std::optional<ForeignLoad> foreign_load(std::span<const CpuUse> processes) {
  std::map<std::string, CpuUse> machines;
  for (const CpuUse& one : processes) {
    CpuUse& all = machines[one.machine];
    all.seconds = std::max(all.seconds, one.seconds);
    all.busy_s = std::max(all.busy_s, one.busy_s);
    all.own_s += one.own_s;
    all.cores = one.cores;
  }
  std::optional<ForeignLoad> most;
  for (const auto& [name, all] : machines) {
    if (all.seconds < shortest_s) continue;
    const double used = std::max(0.0, all.busy_s - all.own_s) / all.seconds;
    if (!most || used > most->used) most = {used, all.cores};
  }
  return most;
}

std::string foreign_load_text(const ForeignLoad& load) {
  if (load.used <= most_foreign_cores) return "";
  return fmt::format("others used {:.1f} of {} cores meanwhile: measure again", load.used,
                     load.cores);
}

}  // namespace ringscope
