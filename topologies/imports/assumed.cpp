// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/imports/assumed.hpp"

#include "topologies/input/input.hpp"

namespace ringscope {

extern const char* const cpus_yml;

namespace {

constexpr Bandwidth gigabytes(double per_second) { return {per_second * 1e9}; }

}  // namespace

AssumedCpu assumed_cpu(std::string_view vendor, int family, int model) {
  static const Value cpus = Value::from_text("cpus.yml", cpus_yml);
  const Value* cpu = cpus.find(fmt::format("{} {} {}", vendor, family, model));
  if (cpu == nullptr) cpu = cpus.find("other");
  const auto moved = [&](const char* lanes, int bytes) {
    const auto& numbers = cpu->find(lanes)->items();
    return gigabytes(numbers[0].number(1, 64) * numbers[1].number(1, 64) * bytes);
  };
  return {cpu->find("name")->text(), moved("memory", 8), moved("links", 2),
          cpu->find("source")->text()};
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
