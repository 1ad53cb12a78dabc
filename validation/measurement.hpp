// The format of everything measured: validation/measurement.md documents it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ringscope {

/// Where and how something was measured.
struct Provenance {
  std::string program;      ///< name and version of what measured
  std::string command;      ///< its command line
  std::string date;         ///< UTC, ISO 8601
  std::string cpu, kernel;  ///< of rank 0's host
  std::string mpi;          ///< library and version; "" when none was involved
  std::string start;        ///< how the ranks' starts were synchronised
  double timer_s = 0;       ///< what one reading of the clock takes
  int warmups = 0;          ///< runs before the samples that were not kept
};

/// Of this process, at this moment.
Provenance provenance_here(int count, const char* const* words);

/// The order statistics that tables show: median, 10th and 90th percentile, of the samples sorted,
/// by linear interpolation between neighbours. Requires at least one sample, each not negative.
struct Spread {
  double median_s = 0, p10_s = 0, p90_s = 0;
};
Spread spread_of(std::vector<double> samples_s);

nlohmann::ordered_json to_json(const Provenance& provenance);

}  // namespace ringscope
