// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/imports/schedulers/node_lists.hpp"

#include "topologies/input/characters.hpp"
#include "topologies/placement/hostfile.hpp"

namespace ringscope {
namespace {

/// A format, by a text that only it holds; the first one that fits is taken.
struct NodeList {
  std::string_view program, mark;
  ReadNodes* read;
  bool of_jobs = false;  ///< it lists the nodes of jobs, of which there may be none
};

const NodeList node_lists[] = {
    {"kubectl get nodes -o json", "\"items\"", read_kubernetes_nodes},
    {"squeue --json", "\"jobs\"", read_squeue_json, true},
    {"scontrol show nodes", "NodeName=", read_scontrol_nodes},
    {"squeue", "NODELIST(REASON)", read_squeue_table, true},
    {"sinfo", "NODELIST", read_sinfo_table},
};

std::vector<FreeSlots> listed_slots(const NodeList& list, const SourcePointer& source,
                                    const Topology& topology) {
  const ListedNodes nodes = list.read(source);
  if (nodes.empty() && !list.of_jobs)
    throw InputError({source, 0, 0}, "expected nodes of '{}', got none", list.program);
  const HostNames names(topology);
  std::vector<FreeSlots> slots;
  for (const ListedNode& node : nodes) {
    require_host_name(node.place, node.name);
    if (const std::optional<int> host = names.find(node.name))
      slots.push_back({*host, node.cores, node.gpus});
  }
  if (slots.empty() && !nodes.empty()) names.index(nodes.front().name, nodes.front().place);
  return slots;
}

}  // namespace

std::vector<FreeSlots> read_free_slots(const Value& taken, const Topology& topology) {
  std::vector<FreeSlots> slots;
  if (taken.kind() == Value::Kind::scalar) {
    const SourcePointer source = read_source(taken, "hostfile");
    for (const NodeList& list : node_lists)
      if (source->text.find(list.mark) != std::string::npos)
        return listed_slots(list, source, topology);
    for (const HostSlots& host : read_hostfile(taken, topology)) slots.push_back({host.host});
    return slots;
  }
  for (const Value& host :
       taken.listed("a list of hosts such as [host3, host4], or a hostfile that names them", 0))
    slots.push_back({host_of(topology, host.text(), host.place())});
  return slots;
}

}  // namespace ringscope
