// SPDX-License-Identifier: LGPL-2.1-or-later
// Files that are there whole or not at all.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace ringscope {

/// Writes beside `path` and renames, so that no reader sees half a file and a failed write leaves
/// what was there before. "-" is standard output; devices and pipes are written straight.
/// Throws Failure (bad_input) with the system's reason.
void write_output(const std::string& path, std::string_view text);

/// Writes likewise a file that `make` writes under the name that it is called with. What `make`
/// throws is thrown, and nothing is left then.
void make_output(const std::string& path, const std::function<void(const std::string&)>& make);

/// Checks before a long run: throws what `write_output` would for a folder in the place of `path`,
/// or one around it that is missing or not writable.
void require_writable(const std::string& path);

}  // namespace ringscope
