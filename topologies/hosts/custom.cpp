// SPDX-License-Identifier: LGPL-2.1-or-later
// A host spelled out: its components by kind and number, and the links between them.
//
// Components are named by their kind and index: numa0, pcie0, gpu0, nic0, nvswitch0.
#include <fmt/format.h>

#include <map>
#include <set>

#include "topologies/hosts/hosts.hpp"

namespace ringscope {
namespace {

constexpr int most_of_a_kind = 1024;

struct CustomLink {
  std::size_t from = 0, to = 0;  ///< indices into the components
  LinkPair pair;
};

struct CustomHost {
  std::vector<Component> components;  ///< their names without the host's
  std::vector<CustomLink> links;
  GpuRules rules;
};

const std::vector<Value>& list_of(const Value& value, std::string_view what, std::size_t least) {
  if (value.kind() != Value::Kind::list || value.items().size() < least ||
      value.items().size() > most_of_a_kind)
    value.fail("expected a list of {} to {} {}", least, most_of_a_kind, what);
  return value.items();
}

/// The component's name is that of its kind.
void add(Component component, int index, CustomHost& host) {
  component.name += std::to_string(index);
  host.components.push_back(std::move(component));
}

/// `domains: [{cores: 8, memory_bandwidth: 100 GB/s, memory: 64 GiB, socket: 0}, ...]`
void read_domains(Fields& fields, CustomHost& host) {
  int index = 0;
  for (const Value& item : list_of(fields.required("domains"), "NUMA domains", 1)) {
    Fields domain(item, fmt::format("domains[{}]", index));
    const Sockets one = read_one_socket(domain);
    const Bytes memory = domain.value_or("memory", "0 B").bytes();
    const Value* socket = domain.optional("socket");
    add({.kind = ComponentKind::numa_domain,
         .name = "numa",
         .cores = one.cores,
         .memory = one.memory,
         .capacity = memory,
         .socket = socket ? socket->whole(0, most_of_a_kind - 1) : -1},
        index++, host);
    domain.finish();
  }
}

/// `gpus: [{memory: 32 GiB, ...}, ...]`
int read_gpus(Fields& fields, CustomHost& host) {
  int index = 0;
  for (const Value& item : list_of(fields.value_or("gpus", "[]"), "GPUs", 0)) {
    Fields gpu(item, fmt::format("gpus[{}]", index));
    Component component{.kind = ComponentKind::gpu, .name = "gpu"};
    read_gpu(gpu, component);
    gpu.finish();
    add(component, index++, host);
  }
  return index;
}

/// `switches: 4`
void read_count(Fields& fields, std::string_view key, const std::string& by_default, int least,
                ComponentKind kind, const std::string& stem, CustomHost& host) {
  const auto count = fields.value_or(key, by_default).integer(least, most_of_a_kind);
  for (int index = 0; index < count; ++index) add({.kind = kind, .name = stem}, index, host);
}

/// Names by which links call their ends.
class Names {
 public:
  explicit Names(const std::vector<Component>& components) {
    for (const Component& component : components) {
      numbers_.emplace(component.name, names_.size());
      names_.push_back(component.name);
    }
  }

  std::size_t read(const Value& value) const {
    const auto known = numbers_.find(value.text());
    if (known == numbers_.end())
      value.fail(unknown_name("component of the host", value.text(), names_));
    return known->second;
  }

 private:
  std::vector<std::string> names_;
  std::map<std::string, std::size_t> numbers_;
};

/// `links: [{from: numa0, to: pcie0, bandwidth: 12 GB/s, latency: 250 ns}, ...]`; what it sends
/// goes from `from` to `to`.
void read_links(Fields& fields, CustomHost& host) {
  const Names names(host.components);
  const Value& list = fields.value_or("links", "[]");
  constexpr std::size_t most_links = 65536;
  if (list.kind() != Value::Kind::list || list.items().size() > most_links)
    list.fail("expected a list of at most {} links", most_links);
  std::set<std::pair<std::size_t, std::size_t>> joined;
  for (const Value& item : list.items()) {
    Fields fields_of_link(item, fmt::format("links[{}]", host.links.size()));
    CustomLink link;
    link.from = names.read(fields_of_link.required("from"));
    const Value& to = fields_of_link.required("to");
    link.to = names.read(to);
    if (link.from == link.to) to.fail("a link joins two components, and both ends are this one");
    if (!joined.insert(std::minmax(link.from, link.to)).second)
      to.fail("'{}' and '{}' are linked already; a link carries both directions",
              host.components[link.from].name, host.components[link.to].name);
    link.pair = read_link(fields_of_link);
    fields_of_link.finish();
    host.links.push_back(link);
  }
}

BuiltHost build(const CustomHost& custom, Topology& topology, const std::string& name) {
  const int host = topology.add_host(name);
  std::vector<Vertex> vertices;
  for (Component component : custom.components) {
    component.host = host;
    component.name = fmt::format("{}/{}", name, component.name);
    vertices.push_back(topology.add_component(std::move(component)));
  }
  for (const CustomLink& link : custom.links)
    topology.connect(vertices[link.from], vertices[link.to], link.pair);
  apply(custom.rules, topology, host);
  return {topology.hosts()[host].nics};
}

}  // namespace

MakeHost read_custom(Fields& fields) {
  CustomHost host;
  read_domains(fields, host);
  read_count(fields, "switches", "0", 0, ComponentKind::pcie_switch, "pcie", host);
  const int gpus = read_gpus(fields, host);
  read_count(fields, "nics", "1", 1, ComponentKind::nic, "nic", host);
  read_count(fields, "nvswitches", "0", 0, ComponentKind::nvswitch, "nvswitch", host);
  read_links(fields, host);
  host.rules = read_gpu_rules(fields, gpus);
  if (host.rules.nvswitch && fields.has("nvswitches"))
    fields.required("nvswitch").fail("'nvswitch' and 'nvswitches' exclude each other");
  return
      [host](Topology& topology, const std::string& name) { return build(host, topology, name); };
}

}  // namespace ringscope
