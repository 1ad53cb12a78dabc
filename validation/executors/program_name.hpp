// SPDX-License-Identifier: LGPL-2.1-or-later
// Names of programs in records, which name no folders of the machine.
#pragma once

#include <filesystem>
#include <string>

namespace ringscope {

/// The program without the path above its last folder, if that is absolute: build/halo.
inline std::string recorded_program(const std::filesystem::path& program) {
  if (!program.is_absolute()) return program.string();
  return (program.parent_path().filename() / program.filename()).string();
}

}  // namespace ringscope
