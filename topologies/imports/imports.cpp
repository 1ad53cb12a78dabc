// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/imports/imports.hpp"

#include <stdexcept>

namespace ringscope {

namespace {

constexpr std::size_t most_mebibytes = 16;  // large machines fill a few of hwloc XML

}  // namespace

std::span<const MachineFormat> machine_formats() {
  static const MachineFormat list[] = {
      {"hwloc", "hwloc's XML, as lstopo writes it", {{"<topology"}}, read_hwloc_xml},
      {"nccl", "NCCL's topology XML", {{"<system"}, {"<cpu"}}, read_nccl},
      {"nvidia_smi",
       "output of `nvidia-smi topo -m`",
       {{"GPU0"}, {"CPU Affinity"}},
       read_nvidia_smi},
      {"rocm_smi",
       "what `rocm-smi --showtopo` prints",
       {{"ROCm System Management Interface", "Link Type between two GPUs"}},
       read_rocm_smi},
      {"amd_smi",
       "output of `amd-smi topology`",
       {{"LINK TYPE TABLE"}, {"HOPS TABLE"}},
       read_amd_smi},
  };
  return list;
}

ImportedHost read_machine(const std::string& path, const std::string& as) {
  return parse_machine(source_of(path, most_mebibytes), as);
}

ImportedHost parse_machine(const Source& source, const std::string& as) {
  const auto shared = std::make_shared<const Source>(source);
  require_utf8(shared);
  const MachineFormat& format = format_of(shared, as, machine_formats(), "machine",
                                          "; of a network: `ringscope import-fabric`");
  try {
    ImportedHost machine = format.read(shared);
    complete(machine);
    return machine;
  } catch (const std::length_error& error) {
    throw InputError({shared, 0, 0}, "the machine is too large: {}", error.what());
  }
}

}  // namespace ringscope
