#include "topologies/imports/assumed.hpp"

#include <algorithm>
#include <iterator>

namespace ringscope {
namespace {

constexpr Bandwidth gigabytes(double per_second) { return {per_second * 1e9}; }

struct CpuRow {
  std::string_view vendor;
  int family, first_model, last_model;
  AssumedCpu cpu;
};

// Memory: channels x transfers/s x 8 B. Links: links x transfers/s x 2 B (QPI, UPI carry 16 data
// bits a transfer), or x 2 B for a x16 xGMI link.
constexpr CpuRow cpus[] = {
    {"GenuineIntel",
     6,
     26,
     26,
     {"Nehalem-EP", gigabytes(3 * 1.066 * 8), gigabytes(1 * 6.4 * 2),
      "Intel ARK, Xeon X5570: 3 x DDR3-1066, QPI at 6.4 GT/s"}},
    {"GenuineIntel",
     6,
     44,
     44,
     {"Westmere-EP", gigabytes(3 * 1.333 * 8), gigabytes(1 * 6.4 * 2),
      "Intel ARK, Xeon X5650: 3 x DDR3-1333, QPI at 6.4 GT/s"}},
    {"GenuineIntel",
     6,
     45,
     45,
     {"Sandy Bridge-EP", gigabytes(4 * 1.6 * 8), gigabytes(2 * 8.0 * 2),
      "Intel ARK, Xeon E5-2680: 4 x DDR3-1600, 2 QPI at 8 GT/s"}},
    {"GenuineIntel",
     6,
     62,
     62,
     {"Ivy Bridge-EP", gigabytes(4 * 1.866 * 8), gigabytes(2 * 8.0 * 2),
      "Intel ARK, Xeon E5-2680 v2: 4 x DDR3-1866, 2 QPI at 8 GT/s"}},
    {"GenuineIntel",
     6,
     63,
     63,
     {"Haswell-EP", gigabytes(4 * 2.133 * 8), gigabytes(2 * 9.6 * 2),
      "Intel ARK, Xeon E5-2680 v3: 4 x DDR4-2133, 2 QPI at 9.6 GT/s"}},
    {"GenuineIntel",
     6,
     79,
     79,
     {"Broadwell-EP", gigabytes(4 * 2.4 * 8), gigabytes(2 * 9.6 * 2),
      "Intel ARK, Xeon E5-2698 v4: 4 x DDR4-2400, 2 QPI at 9.6 GT/s"}},
    {"GenuineIntel",
     6,
     85,
     85,
     {"Skylake-SP or Cascade Lake", gigabytes(6 * 2.666 * 8), gigabytes(2 * 10.4 * 2),
      "Intel ARK, Xeon Gold 6148: 6 x DDR4-2666, UPI at 10.4 GT/s, taken as 2 links"}},
    {"GenuineIntel",
     6,
     106,
     106,
     {"Ice Lake-SP", gigabytes(8 * 3.2 * 8), gigabytes(3 * 11.2 * 2),
      "Intel ARK, Xeon Platinum 8380: 8 x DDR4-3200, 3 UPI at 11.2 GT/s"}},
    {"GenuineIntel",
     6,
     143,
     143,
     {"Sapphire Rapids", gigabytes(8 * 4.8 * 8), gigabytes(3 * 16.0 * 2),
      "Intel ARK, Xeon Platinum 8480+: 8 x DDR5-4800, UPI at 16 GT/s, taken as 3 links"}},
    {"AuthenticAMD",
     23,
     1,
     1,
     {"EPYC 7001 (Naples)", gigabytes(8 * 2.666 * 8), gigabytes(4 * 9.5 * 2),
      "AMD EPYC 7001 data sheet: 8 x DDR4-2666, 4 x16 links of 38 GB/s both ways"}},
    {"AuthenticAMD",
     23,
     49,
     49,
     {"EPYC 7002 (Rome)", gigabytes(8 * 3.2 * 8), gigabytes(4 * 16.0 * 2),
      "AMD EPYC 7002 data sheet: 8 x DDR4-3200, 4 x16 xGMI-2 at 16 GT/s"}},
    {"AuthenticAMD",
     25,
     1,
     1,
     {"EPYC 7003 (Milan)", gigabytes(8 * 3.2 * 8), gigabytes(4 * 16.0 * 2),
      "AMD EPYC 7003 data sheet: 8 x DDR4-3200, 4 x16 xGMI-2 at 16 GT/s"}},
    {"AuthenticAMD",
     25,
     17,
     17,
     {"EPYC 9004 (Genoa)", gigabytes(12 * 4.8 * 8), gigabytes(4 * 32.0 * 2),
      "AMD EPYC 9004 data sheet: 12 x DDR5-4800, 4 x16 xGMI-3 at 32 GT/s"}},
};

constexpr AssumedCpu other_cpu = {"a processor that is not in the table", gigabytes(4 * 2.4 * 8),
                                  gigabytes(2 * 9.6 * 2),
                                  "as Broadwell-EP: 4 x DDR4-2400, 2 QPI at 9.6 GT/s"};

}  // namespace

const AssumedCpu& assumed_cpu(std::string_view vendor, int family, int model) {
  const auto row = std::ranges::find_if(cpus, [&](const CpuRow& cpu) {
    return cpu.vendor == vendor && cpu.family == family && cpu.first_model <= model &&
           model <= cpu.last_model;
  });
  return row == std::end(cpus) ? other_cpu : row->cpu;
}

Assumed<double> assumed_memory_share() {
  return {0.8, "STREAM results (cs.virginia.edu/stream): 75 to 85 % of the channels' peak"};
}

Assumed<Bandwidth> assumed_pcie_lane(double transfers_per_second) {
  // x16 of 8 GT/s is 12 GB/s, and every generation doubles the one before.
  return {{transfers_per_second / 8e9 * gigabytes(12.0 / 16).bytes_per_second},
          "NCCL, src/graph/topo.h: PCI_BW is 12 GB/s for 16 lanes of 8 GT/s"};
}

Assumed<double> assumed_pcie_share() {
  // 16 lanes of 8 GT/s in 128b/130b code signal 15.754 GB/s.
  return {12.0 / (16 * 8.0 / 8 * 128 / 130),
          "NCCL, src/graph/topo.h: PCI_BW is 12 GB/s of the 15.75 that 16 lanes of 8 GT/s signal"};
}

Assumed<Bandwidth> assumed_pcie_link() {
  return {gigabytes(12), "NCCL, src/graph/topo.h: PCI_BW, 16 lanes of 8 GT/s"};
}

Assumed<Bandwidth> assumed_nvlink(int compute_capability) {
  constexpr std::string_view source = "NCCL, src/graph/topo.h: SM60_NVLINK_BW to SM100_NVLINK_BW";
  if (compute_capability >= 100) return {gigabytes(40.1), source};
  if (compute_capability >= 90) return {gigabytes(20.6), source};
  if (compute_capability == 86 || compute_capability == 89) return {gigabytes(12), source};
  if (compute_capability >= 70 || compute_capability == 0) return {gigabytes(20), source};
  return {gigabytes(18), source};
}

Assumed<double> assumed_nvlink_share() {
  return {20.0 / 25, "NCCL, src/graph/topo.h: SM70_NVLINK_BW is 20 GB/s of the 25 signalled"};
}

Assumed<Bandwidth> assumed_port() {
  return {gigabytes(12.5), "NCCL, src/graph/topo.h: NET_BW stands for 100 Gbit/s"};
}

Assumed<Seconds> assumed_root_latency() {
  return {Seconds(0.25e-6),
          "Neugebauer et al., SIGCOMM 2018: half of the 0.5 us of a small read over PCIe"};
}

Assumed<Seconds> assumed_switch_latency() {
  return {Seconds(0.15e-6), "Broadcom PEX8700 product briefs: up to 150 ns through a switch"};
}

Assumed<Seconds> assumed_socket_latency() {
  return {Seconds(0.06e-6),
          "Intel Memory Latency Checker on two sockets: remote memory is some 60 ns farther"};
}

Assumed<Seconds> assumed_nvlink_latency() {
  return {Seconds(0.6e-6), "NCCL, src/graph/tuning.cc: hwLat, NVLink, ring, LL"};
}

Assumed<Seconds> assumed_cable_latency() {
  return {Seconds(0.6e-6), "NVIDIA ConnectX-5 and ConnectX-6 product briefs: 0.6 us"};
}

}  // namespace ringscope
