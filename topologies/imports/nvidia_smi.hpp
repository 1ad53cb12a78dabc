// SPDX-License-Identifier: LGPL-2.1-or-later
// The matrix that `nvidia-smi topo -m` prints, and the tables of `rocm-smi`, as they stand there.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "topologies/imports/imported_host.hpp"
#include "topologies/input/input.hpp"

namespace ringscope {

// A table of devices: a head with their names, and a row for each.
using SmiLine = std::vector<Value>;  ///< the words of a line

/// Blanks stand for the escapes that underline a head: ESC [ ... m.
std::vector<SmiLine> smi_lines(const std::shared_ptr<const Source>& source);

struct SmiTable {
  std::vector<SmiLine> rows;  ///< each a name, a cell for each column, and what stands behind
  std::size_t columns = 0;
};
/// The table whose head is the first line that begins with GPU0. Throws InputError, where there is
/// none at `where`.
SmiTable read_smi_table(std::span<const SmiLine> lines, const Place& where,
                        std::size_t most_devices);

/// Relation of two devices, nearest first; the comments are nvidia-smi's own legend, cut.
enum class Relation {
  self,
  pix,   ///< at most a single PCIe bridge
  pxb,   ///< multiple PCIe bridges, and no host bridge
  phb,   ///< a host bridge, typically the CPU
  node,  ///< host bridges within a NUMA node
  sys,   ///< the interconnect between NUMA nodes
  nv,    ///< a bonded set of NVLinks; what PCIe there is between the two is not told
};

struct SmiDevice {
  std::string name;  ///< "GPU0", "NIC3 mlx5_3"
  bool is_gpu = false;
  std::string cpus;    ///< "0-19,40-59", empty where not told
  std::string domain;  ///< the NUMA node, or the text of `cpus` where it is not told
  Place place;
};

struct SmiCell {
  Relation relation{};
  int nvlinks = 0;
};

struct SmiMatrix {
  std::vector<SmiDevice> devices;
  std::vector<std::vector<SmiCell>> cells;  ///< symmetric
  bool is_xgmi = false;                     ///< AMD's: `nvlinks` are links of xGMI
};

/// Throws InputError at a list of CPUs.
ImportedHost machine_of(SmiMatrix matrix);
/// Throws InputError.
SmiMatrix read_smi_matrix(const std::shared_ptr<const Source>& source);

/// Number of CPUs that "0-19,40-59" names, and whether it is two ranges of one length, as the
/// hardware threads of whole cores are numbered. Throws InputError at `place`.
struct CpuList {
  int count = 0;
  bool twins = false;
};
CpuList read_cpu_list(const std::string& text, const Place& place);

}  // namespace ringscope
