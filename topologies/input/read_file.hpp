// SPDX-License-Identifier: LGPL-2.1-or-later
// Files of users as text, and errors about a file as a whole.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace ringscope {

/// Throws InputError "path: why".
[[noreturn]] void refuse_file(const std::string& path, const std::string& why);

/// The bytes of a file of at most so many MiB. What is wrong with it goes to `refuse`, which
/// throws.
std::string read_file(const std::string& path, std::size_t most_mebibytes,
                      const std::function<void(const std::string& why)>& refuse);

/// Likewise, by refuse_file().
std::string read_file(const std::string& path, std::size_t most_mebibytes);

}  // namespace ringscope
