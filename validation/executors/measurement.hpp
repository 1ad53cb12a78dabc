// SPDX-License-Identifier: LGPL-2.1-or-later
// The format of everything measured: validation/measurement.md documents it.
#pragma once

#include <nlohmann/json.hpp>

#include <istream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringscope {

// Foreign load: CPU that other programs use on the machines of a measurement.

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

/// Place, time and means of a measurement.
struct Provenance {
  std::string program;               ///< name and version of what measured
  std::string command;               ///< its command line
  std::string date;                  ///< UTC, ISO 8601
  std::vector<std::string> hosts;    ///< one per rank
  std::string cpu, kernel;           ///< of rank 0's host
  std::vector<std::string> nic;      ///< its interfaces that are up: "eth0 10 Gbit/s"
  std::string mpi;                   ///< library and version; "" when none was involved
  std::vector<std::string> devices;  ///< the GPU of each rank; of probes, each GPU
  std::string driver;                ///< of the GPUs, and the runtime on it
  std::string start;                 ///< synchronisation of the ranks' starts
  double timer_s = 0;                ///< cost of reading the clock once
  double instrument_s = 0;           ///< cost of timing one verb; 0 where no verb was timed
  int warmups = 0;                   ///< runs before the samples that were not kept
  std::string link_bandwidth;        ///< nominal, as a quantity; "" when nobody said
  std::string emulated;              ///< emulated parts, in words; "" when all is real
  /// Use of CPU by others meanwhile; nullopt where it is unknown.
  std::optional<ForeignLoad> foreign;
};

/// Command line for a document. The absolute path of a program keeps its last folder only, as a
/// clone has it: build/ringscope-mpi. Requires at least one word.
std::string recorded_command(std::span<char* const> words);

/// Provenance of this process, at this moment; the rest is for the caller to fill in.
Provenance provenance_here(std::string command, std::string_view program = "ringscope-mpi");

/// Name of this machine, as the system knows it.
std::string host_name();

/// The order statistics that tables show: median, 10th and 90th percentile, of the samples sorted,
/// by linear interpolation between neighbours. Requires at least one sample, each not negative.
struct Spread {
  double median_s = 0, p10_s = 0, p90_s = 0;
};
Spread spread_of(std::vector<double> samples_s);

/// Ranks per host, hosts in the order of their first ranks: "4-3-1".
std::string placement_text(const std::vector<std::string>& hosts);
int hosts_count(const std::vector<std::string>& hosts);

nlohmann::ordered_json to_json(const Provenance& provenance);

/// One entry of `measurements`, with the samples' spread. Requires at least one sample.
nlohmann::ordered_json measurement_json(std::string_view what, nlohmann::ordered_json parameters,
                                        const std::vector<double>& samples_s);

/// The whole document; `kind` is "probes", "replay" or "trace".
nlohmann::ordered_json measurement_document(std::string_view kind, const Provenance& where,
                                            nlohmann::ordered_json measurements);

}  // namespace ringscope
