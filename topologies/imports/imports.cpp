// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/imports/imports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "topologies/input/characters.hpp"
#include "topologies/input/read_file.hpp"

namespace ringscope {

#define IMPORT(name) MachineFormat describe_##name();
#include "topologies/imports/imports.def"
#undef IMPORT

namespace {

constexpr std::size_t most_mebibytes = 16;  // large machines fill a few of hwloc XML

const MachineFormat& format_of(const std::shared_ptr<const Source>& source, const std::string& as) {
  const auto formats = machine_formats();
  if (!as.empty()) {
    std::vector<std::string> names;
    for (const MachineFormat& format : formats) names.push_back(format.name);
    const Place place{std::make_shared<const Source>(Source{"--as", as}), 0, 0};
    return formats[Value::scalar_at(place, as).one_of("format", names)];
  }
  const auto format = std::ranges::find_if(
      formats, [&](const MachineFormat& candidate) { return candidate.recognises(source->text); });
  if (format != formats.end()) return *format;
  std::string known;
  for (const MachineFormat& candidate : formats)
    known += fmt::format("{}{} ({})", known.empty() ? "" : ", ", candidate.name, candidate.summary);
  throw InputError({source, 0, 0}, "no known description of a machine; expected one of: " + known +
                                       "; of a network: `ringscope import-fabric`");
}

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
  std::string text = read_file(path, most_mebibytes);
  if (text.empty()) refuse_file(path, "is empty");
  return parse_machine({path, std::move(text)}, as);
}

ImportedHost parse_machine(const Source& source, const std::string& as) {
  const auto shared = std::make_shared<const Source>(source);
  require_utf8(shared);
  const MachineFormat& format = format_of(shared, as);
  try {
    ImportedHost machine = format.read(shared);
    complete(machine);
    return machine;
  } catch (const std::length_error& error) {
    throw InputError({shared, 0, 0}, fmt::format("the machine is too large: {}", error.what()));
  }
}

}  // namespace ringscope
