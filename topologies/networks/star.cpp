// SPDX-License-Identifier: LGPL-2.1-or-later
// All hosts on one switch.
#include <unordered_set>

#include "topologies/input/characters.hpp"
#include "topologies/networks/networks.hpp"

namespace ringscope {
namespace {

/// `hosts: 8`, or `hosts: [ann, bob]`.
std::vector<std::string> read_host_names(const Value& hosts) {
  std::vector<std::string> names;
  if (hosts.kind() != Value::Kind::list) {
    const std::int64_t count = hosts.integer(1, most_hosts);
    for (std::int64_t i = 0; i < count; ++i) names.push_back(host_name(i));
    return names;
  }
  std::unordered_set<std::string> known = {"switch"};
  for (const Value& item : hosts.items()) {
    const std::string name = item.text();
    require_host_name(item.place(), name);
    if (!known.insert(name).second) item.fail("the name '{}' is taken", name);
    names.push_back(name);
  }
  if (names.empty()) hosts.fail("expected at least one host");
  return names;
}

}  // namespace

void build_star(Fields& fields, const HostMaker& make_host, Topology& topology) {
  const Value& hosts = fields.required("hosts");
  const auto names = read_host_names(hosts);
  make_host.check_room(hosts, std::ssize(names), 1);
  const LinkPair cable = read_cable(fields, "link");
  const Vertex middle = add_switch(topology, "switch");
  for (const std::string& name : names) add_host(make_host, name, middle, cable, topology);
}

}  // namespace ringscope
