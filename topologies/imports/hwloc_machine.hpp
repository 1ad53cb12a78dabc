// SPDX-License-Identifier: LGPL-2.1-or-later
// libhwloc's description of a machine, read from XML.
#pragma once

#include <optional>
#include <string>

#include "topologies/imports/imported_host.hpp"

namespace ringscope {

/// The XML of hwloc 1 or 2; nothing where libhwloc refuses it. Malformed XML may crash libhwloc.
std::optional<ImportedHost> read_hwloc(const std::string& xml);

}  // namespace ringscope
