// The question: a job on a cluster, with a library, placed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "scenarios/library.hpp"
#include "topologies/cluster.hpp"
#include "topologies/placement.hpp"

namespace ringscope {

struct Job {
  const Algorithm* algorithm = nullptr;
  Options options;
  Bytes bytes{};        ///< of the vector on each rank
  int repetitions = 1;  ///< each starts when all ranks have ended the one before
  std::uint64_t seed = 1;
  Seconds skew{};  ///< each rank starts late by a random time in [0, skew)
};

/// One case to simulate: a scenario with one vector size.
struct Scenario {
  std::string name;  ///< "03-anomaly 4-2-2 64 MiB": stem, case, and size where several
  std::string question;
  Cluster cluster;
  Library library;
  Placement placement;
  Job job;
  Value resolved;  ///< the whole tree, defaults filled in, `job.bytes` this case's size
};

struct Override {
  std::string key;  ///< dotted path
  std::string text;
};

/// "job.bytes=64MiB" into its parts; throws InputError.
Override parse_override(const std::string& argument);

/// Reads one scenario file, lays the overrides over it, and gives one Scenario per `job.bytes`.
/// `cases: [{name: ..., set: {placement: 4-2-2}}, ...]` in the file multiplies it likewise.
/// `name` is a path, or the name of a file in scenarios/.
std::vector<Scenario> read_scenarios(const std::string& name,
                                     const std::vector<Override>& overrides);

}  // namespace ringscope
