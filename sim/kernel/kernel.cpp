// SPDX-License-Identifier: LGPL-2.1-or-later
// Compiled twice: SimGrid and MPI cannot be linked into one program, since libsimgrid exports
// functions of MPI's names.
#include "sim/kernel/kernel.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace ringscope::sim {
namespace {

struct Entry {
  std::string_view name;
  std::unique_ptr<Kernel> (*make)(double tolerance);
  bool takes_tolerance = false;
  bool skips = true;
};

template <auto make>
std::unique_ptr<Kernel> exact(double) {
  return make();
}

constexpr std::array entries = {
#ifdef RINGSCOPE_SIMGRID
    // Checks runs without a step left out.
    Entry{"simgrid", exact<make_simgrid_kernel>, false, false},
#endif
    Entry{"fluid", make_fluid_kernel, true},
    Entry{"reference", exact<make_reference_kernel>},
};

constexpr auto names = [] {
  std::array<std::string_view, entries.size()> result;
  for (std::size_t i = 0; i < entries.size(); ++i) result[i] = entries[i].name;
  return result;
}();

}  // namespace

std::span<const std::string_view> kernel_names() { return names; }

bool can_skip(std::string_view name) {
  const auto entry = std::ranges::find(entries, name, &Entry::name);
  return entry != entries.end() && entry->skips;
}

std::unique_ptr<Kernel> make_kernel(std::string_view name, double tolerance) {
  for (const Entry& entry : entries) {
    if (entry.name != name) continue;
    if (tolerance > 0 && !entry.takes_tolerance)
      throw std::invalid_argument(
          fmt::format("the kernel '{}' is exact: it takes no tolerance", name));
    return entry.make(tolerance);
  }
  throw std::invalid_argument(
      fmt::format("unknown kernel '{}' (known: {})", name, fmt::join(kernel_names(), ", ")));
}

}  // namespace ringscope::sim
