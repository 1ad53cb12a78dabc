// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/imports/imports.hpp"

#include <stdexcept>

#include "topologies/imports/format_of.hpp"

namespace ringscope {

#define IMPORT(name) MachineFormat describe_##name();
#include "topologies/imports/imports.def"
#undef IMPORT

namespace {

constexpr std::size_t most_mebibytes = 16;  // large machines fill a few of hwloc XML

}  // namespace

std::span<const MachineFormat> machine_formats() {
  static const MachineFormat list[] = {
#define IMPORT(name) describe_##name(),
#include "topologies/imports/imports.def"
#undef IMPORT
  };
  return list;
}

ImportedHost read_machine(const std::string& path, const std::string& as) {
  return parse_machine(source_of(path, most_mebibytes), as);
}

ImportedHost parse_machine(const Source& source, const std::string& as) {
  const auto shared = std::make_shared<const Source>(source);
  require_utf8(shared);
  const MachineFormat& format = format_of(shared, as, machine_formats(), "machine",
                                          "; of a network: `ringscope import-fabric`");
  try {
    ImportedHost machine = format.read(shared);
    complete(machine);
    return machine;
  } catch (const std::length_error& error) {
    throw InputError({shared, 0, 0}, "the machine is too large: {}", error.what());
  }
}

}  // namespace ringscope
