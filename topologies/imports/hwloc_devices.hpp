// SPDX-License-Identifier: LGPL-2.1-or-later
// The I/O objects of a topology that libhwloc has loaded.
#pragma once

#include <hwloc.h>

#include <functional>
#include <string>

#include "topologies/imports/imported_host.hpp"

namespace ringscope {

/// The domain, as "numa0", that a device with that label hangs off, by the object that is around it
/// and no I/O.
using DomainOf = std::function<std::string(hwloc_obj_t around, const std::string& label)>;

/// Adds GPUs, NICs, the PCIe switches above them, and NVLinks.
void hang_devices(hwloc_topology_t topology, const DomainOf& domain_of, ImportedHost& machine);

}  // namespace ringscope
