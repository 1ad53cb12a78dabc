// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/imports/fabrics/fabrics.hpp"

#include <algorithm>

namespace ringscope {

namespace {

constexpr std::size_t most_mebibytes_of_fabric = 64;  // 10,000 adapters fill 6 of ibnetdiscover's

}  // namespace

std::span<const FabricFormat> fabric_formats() {
  static const FabricFormat list[] = {
      {"ibnetdiscover",
       "output of ibnetdiscover or iblinkinfo",
       {{"switchguid=", "caguid=", ")==>"}},
       read_ibnetdiscover},
      {"slurm_conf",
       "Slurm's topology.conf",
       {{"switchname=", "blockname="}},
       read_slurm_conf,
       true},
      {"slurm_yaml",
       "Slurm's topology.yaml",
       {{"topology:"}, {"tree:", "block:"}},
       read_slurm_yaml},
      {"topograph", "a model of NVIDIA's topograph", {{"\nblocks:"}, {"switch:"}}, read_topograph},
      {"kubernetes", "`kubectl get nodes -o json`", {{"\"items\""}, {"\"Node\""}}, read_kubernetes},
      {"nvidia_smi_q",
       "`nvidia-smi -q` of several hosts, as pdsh prints it",
       {{"ClusterUUID"}},
       read_nvidia_smi_q},
      {"ec2", "`aws ec2 describe-instance-topology`", {{"\"NetworkNodes\""}}, read_ec2},
  };
  return list;
}

Fabric read_fabric(const std::string& path, const std::string& as, const FabricLabels& labels) {
  return parse_fabric(source_of(path, most_mebibytes_of_fabric), as, labels);
}

Fabric parse_fabric(const Source& source, const std::string& as, const FabricLabels& labels) {
  const auto shared = std::make_shared<const Source>(source);
  require_utf8(shared);
  const FabricFormat& format = format_of(shared, as, fabric_formats(), "network");
  if (!labels.empty() && format.name != "kubernetes")
    typed("--label", labels.front()).fail("{} has no nodes of Kubernetes", source.name);
  Fabric fabric = format.read(shared, labels);
  if (fabric.hosts.empty()) throw InputError({shared, 0, 0}, "no host is plugged into a switch");
  std::ranges::sort(fabric.hosts, {}, &Fabric::Host::name);
  return fabric;
}

}  // namespace ringscope
