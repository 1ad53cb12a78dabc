#include "topologies/imports/imports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <vector>

#include "topologies/input/characters.hpp"

namespace ringscope {

#define IMPORT(name) MachineFormat describe_##name();
#include "topologies/imports/imports.def"
#undef IMPORT

namespace {

// Large machines fill a few MiB of hwloc XML.
constexpr std::size_t largest_text = 16 * 1024 * 1024;

std::string read_text(const std::string& path) {
  const auto refuse = [&](const std::string& message) {
    throw InputError({std::make_shared<const Source>(Source{path, ""}), 0, 0}, message);
  };
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) refuse("is a directory, expected a file");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(fmt::format("cannot be read: {}", std::strerror(errno)));
  std::string text(largest_text + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) refuse("cannot be read to its end");
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > largest_text) refuse("is larger than 16 MiB");
  if (text.empty()) refuse("is empty");
  return text;
}

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
  throw InputError({source, 0, 0}, "no known description of a machine; expected one of: " + known);
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

Machine read_machine(const std::string& path, const std::string& as) {
  return parse_machine({path, read_text(path)}, as);
}

Machine parse_machine(const Source& source, const std::string& as) {
  const auto shared = std::make_shared<const Source>(source);
  require_utf8(shared);
  const MachineFormat& format = format_of(shared, as);
  try {
    Machine machine = format.read(shared);
    complete(machine);
    return machine;
  } catch (const std::length_error& error) {
    throw InputError({shared, 0, 0}, fmt::format("the machine is too large: {}", error.what()));
  }
}

}  // namespace ringscope
