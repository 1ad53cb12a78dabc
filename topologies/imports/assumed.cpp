// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/imports/assumed.hpp"

#include <algorithm>
#include <iterator>

namespace ringscope {
namespace {

constexpr Bandwidth gigabytes(double per_second) { return {per_second * 1e9}; }

struct CpuRow {
  std::string_view vendor;
  int family = 0, model = 0;
  AssumedCpu cpu;
};

/// Lanes of a package that work side by side, each with 1e9 transfers/s.
struct Lanes {
  double count = 0, gigatransfers = 0;
};

/// Memory: channels x transfers/s x 8 B. Links: links x transfers/s x 2 B (QPI, UPI carry 16 data
/// bits a transfer), or x 2 B for a x16 xGMI link.
constexpr CpuRow cpu(std::string_view vendor, int family, int model, std::string_view name,
                     Lanes channels, Lanes links, std::string_view source) {
  return {vendor,
          family,
          model,
          {name, gigabytes(channels.count * channels.gigatransfers * 8),
           gigabytes(links.count * links.gigatransfers * 2), source}};
}

constexpr std::string_view intel = "GenuineIntel", amd = "AuthenticAMD";

constexpr CpuRow cpus[] = {
    cpu(intel, 6, 26, "Nehalem-EP", {3, 1.066}, {1, 6.4},
        "Intel ARK, Xeon X5570: 3 x DDR3-1066, QPI at 6.4 GT/s"),
    cpu(intel, 6, 44, "Westmere-EP", {3, 1.333}, {1, 6.4},
        "Intel ARK, Xeon X5650: 3 x DDR3-1333, QPI at 6.4 GT/s"),
    cpu(intel, 6, 45, "Sandy Bridge-EP", {4, 1.6}, {2, 8.0},
        "Intel ARK, Xeon E5-2680: 4 x DDR3-1600, 2 QPI at 8 GT/s"),
    cpu(intel, 6, 62, "Ivy Bridge-EP", {4, 1.866}, {2, 8.0},
        "Intel ARK, Xeon E5-2680 v2: 4 x DDR3-1866, 2 QPI at 8 GT/s"),
    cpu(intel, 6, 63, "Haswell-EP", {4, 2.133}, {2, 9.6},
        "Intel ARK, Xeon E5-2680 v3: 4 x DDR4-2133, 2 QPI at 9.6 GT/s"),
    cpu(intel, 6, 79, "Broadwell-EP", {4, 2.4}, {2, 9.6},
        "Intel ARK, Xeon E5-2698 v4: 4 x DDR4-2400, 2 QPI at 9.6 GT/s"),
    cpu(intel, 6, 85, "Skylake-SP or Cascade Lake", {6, 2.666}, {2, 10.4},
        "Intel ARK, Xeon Gold 6148: 6 x DDR4-2666, UPI at 10.4 GT/s, taken as 2 links"),
    cpu(intel, 6, 106, "Ice Lake-SP", {8, 3.2}, {3, 11.2},
        "Intel ARK, Xeon Platinum 8380: 8 x DDR4-3200, 3 UPI at 11.2 GT/s"),
    cpu(intel, 6, 143, "Sapphire Rapids", {8, 4.8}, {3, 16.0},
        "Intel ARK, Xeon Platinum 8480+: 8 x DDR5-4800, UPI at 16 GT/s, taken as 3 links"),
    cpu(amd, 23, 1, "EPYC 7001 (Naples)", {8, 2.666}, {4, 9.5},
        "AMD EPYC 7001 data sheet: 8 x DDR4-2666, 4 x16 links of 38 GB/s in both directions"),
    cpu(amd, 23, 49, "EPYC 7002 (Rome)", {8, 3.2}, {4, 16.0},
        "AMD EPYC 7002 data sheet: 8 x DDR4-3200, 4 x16 xGMI-2 at 16 GT/s"),
    cpu(amd, 25, 1, "EPYC 7003 (Milan)", {8, 3.2}, {4, 16.0},
        "AMD EPYC 7003 data sheet: 8 x DDR4-3200, 4 x16 xGMI-2 at 16 GT/s"),
    cpu(amd, 25, 17, "EPYC 9004 (Genoa)", {12, 4.8}, {4, 32.0},
        "AMD EPYC 9004 data sheet: 12 x DDR5-4800, 4 x16 xGMI-3 at 32 GT/s"),
};

constexpr AssumedCpu other_cpu = {"a processor that is not in the table", gigabytes(4 * 2.4 * 8),
                                  gigabytes(2 * 9.6 * 2),
                                  "as Broadwell-EP: 4 x DDR4-2400, 2 QPI at 9.6 GT/s"};

}  // namespace

const AssumedCpu& assumed_cpu(std::string_view vendor, int family, int model) {
  const auto row = std::ranges::find_if(cpus, [&](const CpuRow& one) {
    return one.vendor == vendor && one.family == family && one.model == model;
  });
  return row == std::end(cpus) ? other_cpu : row->cpu;
}

Assumed<Bandwidth> assumed_pcie_lane(double transfers_per_second) {
  // x16 of 8 GT/s is 12 GB/s, and every generation doubles the one before.
  return {{transfers_per_second / 8e9 * gigabytes(12.0 / 16).bytes_per_second},
          "NCCL, src/graph/topo.h: PCI_BW is 12 GB/s for 16 lanes of 8 GT/s"};
}

Assumed<Bandwidth> assumed_pcie_link(int compute_capability) {
  if (compute_capability >= 90)
    return {gigabytes(48),
            "NCCL, src/graph/topo.h: PCI_BW, at 32 GT/s, as in the data sheets of H100 and MI300X"};
  if (compute_capability >= 80)
    return {gigabytes(24),
            "NCCL, src/graph/topo.h: PCI_BW, at 16 GT/s, as in the data sheets of A100 and MI250"};
  return {gigabytes(12), "NCCL, src/graph/topo.h: PCI_BW, 16 lanes of 8 GT/s"};
}

Assumed<int> assumed_capability(int nvlinks) {
  constexpr std::string_view source =
      "NVIDIA's data sheets: 6 NVLinks of a V100, 12 of an A100, 18 of an H100";
  // A few may be down.
  if (nvlinks > 12) return {90, source};
  if (nvlinks > 6) return {80, source};
  return {nvlinks == 6 ? 70 : 0, source};
}

Assumed<Bandwidth> assumed_nvlink(int compute_capability) {
  constexpr std::string_view source =
      "NVIDIA's data sheets: an NVLink of a P100 carries 20 GB/s in each direction, of a V100, an "
      "A100 or an H100 25, of a B200 50, of an A40 112.5/8";
  if (compute_capability >= 100) return {gigabytes(50), source};
  if (compute_capability == 86 || compute_capability == 89) return {gigabytes(112.5 / 8), source};
  if (compute_capability >= 70 || compute_capability == 0) return {gigabytes(25), source};
  return {gigabytes(20), source};
}

Assumed<Bandwidth> assumed_xgmi(bool is_mi300x) {
  if (is_mi300x)
    return {gigabytes(64),
            "AMD's data sheet of the MI300X Platform: seven links, 896 GB/s in both directions"};
  return {gigabytes(50),
          "AMD's data sheet of the MI250X: 100 GB/s in both directions; between its two dies there "
          "are four links (CDNA 2 white paper), which the matrix does not tell"};
}

}  // namespace ringscope
