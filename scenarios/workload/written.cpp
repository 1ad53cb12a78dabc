// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/workload/written.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "topologies/input/data_files.hpp"

namespace ringscope {

Written read_written(const Value& value, const std::string& folder, const std::string& kind) {
  const auto written_at = [&](const Value& name) -> Written {
    const std::string file = file_of(name, folder, kind);
    return {std::filesystem::path(file).stem().string(), Value::from_file(file)};
  };
  if (value.kind() == Value::Kind::scalar) return written_at(value);
  if (value.kind() != Value::Kind::map)
    value.fail(fmt::format("expected the name of a {}, or a map", kind));
  const Value* base = value.find("base");
  if (base == nullptr || base->is_null()) return {"inline", value};
  Written written = written_at(*base);
  for (const Value::Entry& entry : value.entries())
    if (entry.key != "base") written.map.set(entry.key, entry.value);
  written.name += "*";
  return written;
}

}  // namespace ringscope
