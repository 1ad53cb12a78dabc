// SPDX-License-Identifier: LGPL-2.1-or-later
// `nvidia-smi -q` of several hosts, each line behind its host's name: hosts whose GPUs are in one
// NVLink domain.
//
//   n1:     Fabric
//   n1:         State                             : Completed
//   n1:         Status                            : Success
//   n1:         CliqueId                          : 32766
//   n1:         ClusterUUID                       : 8f1e2d3c-0000-4a5b-9c8d-7e6f5a4b3c2d
//
// A GPU in no domain beyond its host has N/A, or zeros. Sources: NVML's API reference, "Fabric
// definitions": clique and cluster hold once the state is completed without an error.
#include <map>
#include <set>

#include "topologies/imports/fabrics/fabric.hpp"
#include "topologies/placement/hostfile.hpp"

namespace ringscope {
namespace {

/// GPUs of a host as they are read.
struct FabricGpus {
  Place place;
  std::map<std::string, std::string, std::less<>> said{};  ///< of the GPU that is being read
  std::multiset<std::string> domains{};  ///< of each GPU that has been read; "": none

  bool says(std::string_view key, std::string_view value) const {
    const auto found = said.find(key);
    return found == said.end() || found->second == value;
  }

  void end_gpu() {
    const std::string& uuid = said.at("ClusterUUID");
    const bool is_domain = says("State", "Completed") && says("Status", "Success") &&
                           uuid != "N/A" && uuid.find_first_not_of("0-") != uuid.npos;
    domains.insert(is_domain ? uuid + '.' + said.at("CliqueId") : "");
    said.clear();
  }
};

void read_fabric_line(const Value& line, std::map<std::string, FabricGpus>& hosts) {
  static const std::set<std::string> keys = {"Fabric", "State", "Status", "CliqueId",
                                             "ClusterUUID"};
  const std::vector<Value> words = words_of(line);
  if (words.size() < 2 || !words[0].scalar().ends_with(':')) return;
  const std::string &name = words[0].scalar(), &key = words[1].scalar();
  if (!keys.contains(key)) return;
  FabricGpus& host =
      hosts.try_emplace(name.substr(0, name.size() - 1), FabricGpus{line.place()}).first->second;
  const std::string& value = words.back().scalar();
  if (key == "Fabric") host.said.clear();
  host.said.insert_or_assign(key, value);
  if (host.said.contains("ClusterUUID") && host.said.contains("CliqueId")) host.end_gpu();
}

}  // namespace

Fabric read_nvidia_smi_q(const std::shared_ptr<const Source>& source, const FabricLabels&) {
  std::map<std::string, FabricGpus> read;
  each_line(source, [&](const Value& line) { read_fabric_line(line, read); });
  if (read.empty())
    throw InputError({source, 0, 0},
                     "expected lines behind the names of their hosts, as `pdsh -w n[1-18] "
                     "nvidia-smi -q` prints them");
  std::vector<LabelledHost> hosts;
  std::string split;
  for (const auto& [name, gpus] : read) {
    const std::set<std::string> domains(gpus.domains.begin(), gpus.domains.end());
    if (domains.size() > 1) split += ' ' + name;
    hosts.push_back({.name = name,
                     .place = gpus.place,
                     .values = {domains.size() == 1 ? *domains.begin() : ""},
                     .gpus = static_cast<int>(gpus.domains.size())});
  }
  Fabric fabric = fabric_of_labels({"ClusterUUID and CliqueId"}, hosts);
  if (!split.empty())
    fabric.note("omitted: NVLink domains of hosts whose GPUs are in several:{}", split);
  return fabric;
}

}  // namespace ringscope
