// SPDX-License-Identifier: LGPL-2.1-or-later
// Foreign load: CPU that other programs use on the machines of a measurement.
#pragma once

#include <istream>
#include <optional>
#include <span>
#include <string>

namespace ringscope {

/// Foreign load in cores above which a measurement is disturbed; the same limit as that of
/// `ringscope validate --foreign`.
inline constexpr double most_foreign_cores = 0.3;

/// CPU time of a machine, as its kernel counts it.
struct MachineCpu {
  double busy_s = 0;  ///< of all cores, since some moment
  int cores = 0;      ///< that are online
};

/// Reads the text of /proc/stat; nullopt where it is none. Stolen time counts, time of interrupts
/// does not: most of it belongs to the measured network.
std::optional<MachineCpu> machine_cpu_of(std::istream& stat);

/// CPU time of this machine; nullopt where the system does not offer it.
std::optional<MachineCpu> machine_cpu();

/// Same text for all processes of one machine, whatever their host is called.
std::string machine_id();

/// CPU use of one process and of its machine in the same interval of time.
struct CpuUse {
  std::string machine;
  double seconds = 0;  ///< length of the interval
  double busy_s = 0;   ///< of the machine
  double own_s = 0;    ///< of the process
  int cores = 0;       ///< of the machine
};

struct ForeignLoad {
  double used = 0;  ///< cores
  int cores = 0;    ///< of that machine
};

/// Foreign load of the machine that has the most of it; `processes` are all that were measured.
/// nullopt for intervals too short for the kernel's clock ticks.
std::optional<ForeignLoad> foreign_load(std::span<const CpuUse> processes);

/// Warning about a load above the limit; "" for any other.
std::string foreign_load_text(const ForeignLoad& load);

}  // namespace ringscope
