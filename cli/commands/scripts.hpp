// SPDX-License-Identifier: LGPL-2.1-or-later
// Programs of the project that are Python.
#pragma once

#include <string>
#include <vector>

namespace ringscope {

/// Becomes the script at that path of the project, such as plots/plot. Throws Failure where that
/// cannot be.
[[noreturn]] void run_script(const std::string& path, const std::vector<std::string>& arguments);

}  // namespace ringscope
