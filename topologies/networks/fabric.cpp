// SPDX-License-Identifier: LGPL-2.1-or-later
// A fabric as it is cabled: switches, hosts and cables, each by its name.
#include <fmt/format.h>

#include <unordered_map>

#include "topologies/input/characters.hpp"
#include "topologies/networks/networks.hpp"

namespace ringscope {
namespace {

constexpr int most_cables = 1024;

/// Names of hosts and switches, no two alike, and the vertex of each switch.
class Names {
 public:
  std::string read_new(const Value& value) {
    const std::string name = value.text();
    if (name.find_first_of("/ \t\n\"#>") != std::string::npos)
      value.fail("a name in a fabric has no blank, quote, '/', '#' or '>', got '{}'", name);
    if (!places_.emplace(name, value.place()).second) value.fail("the name '{}' is taken", name);
    return name;
  }

  void add_switch(const Value& value, Topology& topology) {
    const std::string name = read_new(value);
    switches_.emplace(name, ringscope::add_switch(topology, name));
    names_.push_back(name);
  }

  Vertex switch_of(const Value& value) const {
    const auto found = switches_.find(value.text());
    if (found == switches_.end()) value.fail(unknown_name("switch", value.text(), names_));
    return found->second;
  }

 private:
  std::unordered_map<std::string, Place> places_;
  std::unordered_map<std::string, Vertex> switches_;
  std::vector<std::string> names_;
};

const std::vector<Value>& items_of(const Value& list, std::string_view example) {
  return list.listed(fmt::format("a list such as {}", example));
}

/// `usual`, where the map does not say `link` by itself.
LinkPair cable_of(Fields& fields, const LinkPair& usual) {
  const Value* own = fields.optional("link");
  if (own == nullptr) return usual;
  Fields link(*own, "link");
  const LinkPair cable = read_link_or(link, usual);
  link.finish();
  return cable;
}

/// One entry of `to`: the name of a switch, or `{switch: leaf1, link: {bandwidth: 1 GB/s}}`.
void plug_in(const Value& end, const Names& names, Vertex nic, const LinkPair& usual,
             Topology& topology) {
  if (end.kind() != Value::Kind::map) {
    topology.connect(nic, names.switch_of(end), usual);
    return;
  }
  Fields fields(end, "to");
  const Vertex to = names.switch_of(fields.required("switch"));
  topology.connect(nic, to, cable_of(fields, usual));
  fields.finish();
}

/// `{name: n1, to: [leaf1, leaf2]}`: NIC i is plugged into the i-th switch; NICs beyond these have
/// no cable.
void read_host(const Value& item, const HostMaker& make_host, const LinkPair& link, Names& names,
               Topology& topology) {
  Fields fields(item, "hosts");
  const Value& named = fields.required("name");
  require_host_name(named.place(), named.text());
  const std::string name = names.read_new(named);
  const Value& to = fields.required("to");
  const LinkPair cable = cable_of(fields, make_host.cable(name, link));
  fields.finish();
  const auto& ends = items_of(to, "[leaf1, leaf2], one switch a NIC");
  const std::vector<Vertex> nics = make_host(name).nics;
  if (ends.size() > nics.size())
    to.fail(
        "'{}' has {} of the {} NICs that these links need; name them in 'host', as in nics: "
        "[{{}}, {{}}] of type numa",
        name, nics.size(), ends.size());
  for (std::size_t i = 0; i < ends.size(); ++i) plug_in(ends[i], names, nics[i], cable, topology);
  const int host = static_cast<int>(topology.hosts().size()) - 1;
  topology.host(host).nics.assign(nics.begin(),
                                  nics.begin() + static_cast<std::ptrdiff_t>(ends.size()));
}

/// `{from: leaf1, to: spine1, cables: 2}`; forward is from `from` to `to`.
void read_trunk(const Value& item, const LinkPair& usual, const Names& names, Topology& topology) {
  Fields fields(item, "trunks");
  const Vertex from = names.switch_of(fields.required("from"));
  const Value& end = fields.required("to");
  const Vertex to = names.switch_of(end);
  if (from == to) end.fail("a link joins two switches, and both ends are this one");
  const Value* count = fields.optional("cables");
  const auto cables = count == nullptr ? 1 : count->integer(1, most_cables);
  const LinkPair cable = cable_of(fields, usual);
  fields.finish();
  for (int i = 0; i < cables; ++i) topology.connect(from, to, cable);
}

}  // namespace

void build_fabric(Fields& fields, const HostMaker& make_host, Topology& topology) {
  const Value& switches = fields.required("switches");
  const Value& hosts = fields.required("hosts");
  const LinkPair link = read_cable(fields, "link");
  const LinkPair trunk = read_cable_or(fields, "trunk", link);
  const Value* trunks = fields.optional("trunks");

  Names names;
  for (const Value& item : items_of(switches, "[leaf1, leaf2, spine1]"))
    names.add_switch(item, topology);
  for (const Value& item : items_of(hosts, "[{name: n1, to: [leaf1]}, {name: n2, to: [leaf2]}]"))
    read_host(item, make_host, link, names, topology);
  if (trunks == nullptr) return;
  for (const Value& item : items_of(*trunks, "[{from: leaf1, to: spine1, cables: 2}]"))
    read_trunk(item, trunk, names, topology);
}

}  // namespace ringscope
