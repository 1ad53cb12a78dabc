// SPDX-License-Identifier: LGPL-2.1-or-later
// Files that may be packed by gzip.
#pragma once

#include <string>

namespace ringscope {

/// The bytes, unpacked where they are. Throws InputError.
std::string read_packed_file(const std::string& path);

}  // namespace ringscope
