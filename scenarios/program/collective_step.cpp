// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/program/collective_step.hpp"

#include <fmt/format.h>

#include "algorithms/collectives.hpp"
#include "scenarios/workload/options.hpp"

namespace ringscope {
namespace {

/// A training step has streams and groups of its own.
bool is_of_one_vector(const Algorithm& algorithm) { return !reads(algorithm, "model"); }

std::vector<std::string> names_of(const std::string& collective) {
  std::vector<std::string> names;
  for (const Algorithm& one : catalogue())
    if (one.collective == collective && is_of_one_vector(one)) names.emplace_back(one.name);
  return names;
}

/// NCCL's, or the ring, where there is one; else the first in the catalogue that runs on one
/// thread.
std::string usual_name(const std::string& collective, bool nccl) {
  if (nccl && find_algorithm(collective, "nccl") != nullptr) return "nccl";
  if (find_algorithm(collective, "ring") != nullptr) return "ring";
  for (const Algorithm& one : catalogue())
    if (one.collective == collective && threads_of(one, {}) == 1 && one.nonblocking == 0)
      return std::string(one.name);
  return names_of(collective).front();
}

}  // namespace

std::vector<std::string> collectives_for_steps() {
  std::vector<std::string> names;
  for (const Collective& one : collectives())
    if (!names_of(std::string(one.name)).empty()) names.emplace_back(one.name);
  return names;
}

CollectiveStep read_collective_step(Fields& step, const std::string& collective, int ranks,
                                    bool nccl) {
  CollectiveStep read;
  const std::vector<std::string> names = names_of(collective);
  const Value& name = step.value_or("algorithm", usual_name(collective, nccl));
  read.algorithm =
      find_algorithm(collective, names[name.one_of("algorithm of " + collective, names)]);
  read.options = read_options(step, *read.algorithm, ranks).options;
  if (threads_of(*read.algorithm, read.options) > 1 || read.algorithm->nonblocking > 0)
    name.fail(
        fmt::format("a step is done by the one thread of its stream, and the {} {} uses "
                    "several: spread it over streams",
                    collective, read.algorithm->name));
  const Value* bytes = step.optional(collective);
  const bool no_data = collective_of(*read.algorithm).before == Held::nothing;
  if (no_data && bytes != nullptr)
    bytes->fail(fmt::format("a {0} carries no data: write '{0}:'", collective));
  if (!no_data && bytes == nullptr)
    step.map().fail(fmt::format("a step '{}' says how much: a size such as 4 MiB", collective));
  read.bytes = bytes;
  return read;
}

}  // namespace ringscope
