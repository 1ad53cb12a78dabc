// SPDX-License-Identifier: LGPL-2.1-or-later
// Descriptions of real machines that other programs write.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "topologies/imports/format_of.hpp"
#include "topologies/imports/imported_host.hpp"
#include "topologies/input/input.hpp"

namespace ringscope {

/// Throws InputError.
using ReadMachine = ImportedHost(const std::shared_ptr<const Source>& source);

/// A format: imports/<name>.cpp, its reader's name below, and a row in imports.cpp.
using MachineFormat = Format<ReadMachine>;

ReadMachine read_hwloc_xml, read_nccl, read_nvidia_smi, read_rocm_smi, read_amd_smi;
std::span<const MachineFormat> machine_formats();

/// The machine that a file describes, in the format named by `as`, or, where that is empty, the one
/// that recognises the text. Throws InputError, for an `as` at the place "--format".
ImportedHost read_machine(const std::string& path, const std::string& as);
/// The same of a text.
ImportedHost parse_machine(const Source& source, const std::string& as);

}  // namespace ringscope
