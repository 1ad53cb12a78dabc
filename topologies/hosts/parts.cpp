// SPDX-License-Identifier: LGPL-2.1-or-later
#include <fmt/format.h>

#include <algorithm>

#include "base/table.hpp"
#include "topologies/input/characters.hpp"

#include "topologies/hosts/hosts.hpp"

namespace ringscope {
namespace {

constexpr int most_cores = 65536, most_sockets = 64, most_nics = 128;

/// Name of an interface. A placement tells it from a NIC's number, and from its other words.
std::string read_interface(const Value& value) {
  const std::string name = value.text();
  require_host_name(value.place(), name);
  if (name == "nearest" || name == "all" ||
      name.find_first_not_of("0123456789") == std::string::npos)
    value.fail("expected an interface's name such as enp216s0, got \"{}\"", name);
  return name;
}

Attachment read_nic(Fields& fields, int domains, int switches) {
  Attachment nic;
  if (const Value* name = fields.optional("name")) nic.name = read_interface(*name);
  nic.to_switch = switches > 0 && fields.optional("switch");
  if (nic.to_switch && fields.has("domain"))
    fields.required("domain").fail("a NIC hangs off a domain or a switch, not both");
  nic.index = nic.to_switch ? fields.required("switch").whole(0, switches - 1)
                            : fields.value_or("domain", "0").whole(0, domains - 1);
  nic.link = read_link_or_none(fields);
  fields.finish();
  return nic;
}

}  // namespace

Sockets read_one_socket(Fields& fields) {
  Sockets sockets;
  sockets.cores = fields.value_or("cores", "1").whole(1, most_cores);
  sockets.memory = fields.value_or("memory_bandwidth", "unlimited").bandwidth();
  if (const Value* memory = fields.optional("memory")) sockets.capacity = memory->bytes();
  return sockets;
}

Sockets read_sockets(Fields& fields) {
  const int count = fields.value_or("sockets", "2").whole(1, most_sockets);
  Sockets sockets = read_one_socket(fields);
  sockets.count = count;
  Fields link(fields.value_or("socket_link", "{}"), "socket_link");
  sockets.link.forward = link.value_or("bandwidth", "unlimited").bandwidth();
  sockets.link.backward = sockets.link.forward;
  sockets.link.latency = link.value_or("latency", "0 s").seconds();
  if (const Value* both = link.optional("both")) sockets.link.both = both->bandwidth();
  const Value* pairs = link.optional("pairs");
  sockets.linked = read_pairs(pairs ? *pairs : Value::scalar_at({}, "all"), count, "socket");
  link.finish();
  fields.resolve("socket_link", link.resolved());
  return sockets;
}

std::vector<Vertex> add_sockets(const Sockets& sockets, Topology& topology, int host) {
  const std::string name = topology.hosts()[host].name;
  Table<Vertex> domains;
  for (int i = 0; i < sockets.count; ++i) {
    const Vertex domain = topology.add_component({.kind = ComponentKind::numa_domain,
                                                  .name = fmt::format("{}/numa{}", name, i),
                                                  .host = host,
                                                  .cores = sockets.cores,
                                                  .memory = sockets.memory,
                                                  .capacity = sockets.capacity,
                                                  .socket = i});
    domains.push_back(domain);
  }
  for (const auto& [one, other] : sockets.linked)
    topology.connect(domains[one], domains[other], sockets.link);
  return domains;
}

std::vector<Attachment> read_nics(Fields& fields, int domains, int switches) {
  if (!fields.optional("nics")) {
    Fields nic(fields.value_or("nic", "{}"), "nic");
    const Attachment only = read_nic(nic, domains, switches);
    fields.resolve("nic", nic.resolved());
    return {only};
  }
  if (fields.has("nic")) fields.required("nic").fail("'nic' and 'nics' exclude each other");
  const Value& list = fields.required("nics");
  if (list.kind() != Value::Kind::list || list.items().empty() || list.items().size() > most_nics)
    list.fail("expected a list of 1 to {} NICs", most_nics);
  std::vector<Attachment> nics;
  for (const Value& item : list.items()) {
    Fields nic(item, fmt::format("nics[{}]", nics.size()));
    nics.push_back(read_nic(nic, domains, switches));
    const std::string& name = nics.back().name;
    if (!name.empty() && std::ranges::count(nics, name, &Attachment::name) > 1)
      item.find("name")->fail("duplicate NIC '{}'", name);
  }
  return nics;
}

std::vector<Vertex> add_nics(const std::vector<Attachment>& nics, Topology& topology, int host,
                             View<const Vertex> domains, View<const Vertex> switches) {
  const std::string name = topology.hosts()[host].name;
  std::vector<Vertex> added;
  for (const Attachment& nic : nics) {
    const Vertex vertex = topology.add_component(
        {.kind = ComponentKind::nic,
         .name = nic.name.empty() ? fmt::format("{}/nic{}", name, added.size())
                                  : fmt::format("{}/{}", name, nic.name),
         .host = host});
    const View<const Vertex> parents = nic.to_switch ? switches : domains;
    topology.connect(parents[nic.index], vertex, reversed(nic.link));
    added.push_back(vertex);
  }
  return added;
}

}  // namespace ringscope
