// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/hosts/hosts.hpp"

#include <algorithm>

#include "topologies/graph/topology.hpp"
#include "topologies/input/data_files.hpp"

namespace ringscope {
namespace {

LinkPair times(LinkPair pair, int count) {
  for (Bandwidth* one : {&pair.forward, &pair.backward, &pair.both}) one->bytes_per_second *= count;
  return pair;
}

/// Overlays what differs on what is usual; another type of host stands by itself. NICs are replaced
/// as a whole: `nic` and `nics` exclude each other.
Value laid_over(const Value& usual, const Value& differs) {
  if (differs.kind() != Value::Kind::map || differs.find("type") != nullptr) return differs;
  Value merged = usual;
  const bool own_nics = differs.find("nic") != nullptr || differs.find("nics") != nullptr;
  for (const char* key : {"nic", "nics"})
    if (own_nics && merged.find(key) != nullptr) merged.set(key, Value());
  merged.merge(differs);
  return merged;
}

/// The name of a machine whose host is wanted is that of a cluster.
void refuse_cluster(const Value& type) {
  if (type.kind() != Value::Kind::scalar) return;
  const std::string& name = type.scalar();
  if (std::ranges::binary_search(names_in("topologies/clusters"), name))
    type.fail(
        "'{}' is a cluster, not a host type: for several of its hosts 'base: {}' in place of "
        "'network' and 'host', and 'hosts: N'",
        name, name);
}

}  // namespace

HostMaker::HostMaker(Fields& fields, Topology& topology) : topology_(&topology) {
  fields.expect("hosts");
  const Value& host = fields.required("host");
  kinds_.push_back(read_kind(host));
  fields.resolve("host", kinds_.front().resolved);
  read_unlike(fields, host);
}

HostMaker::Kind HostMaker::read_kind(const Value& host) {
  Fields fields(host, "host");
  const Value& named = fields.required("type");
  refuse_cluster(named);
  const auto types = host_types();
  const HostType& type = types[named.one_of("host type", each_of(types, &HostType::name))];
  Kind kind{type.read(fields), 0, 0, {}, {}};
  fields.finish();
  kind.resolved = fields.resolved();
  Topology alone;
  kind.nics = static_cast<int>(kind.make(alone, "host").nics.size());
  kind.components = std::ssize(alone.graph());
  return kind;
}

void HostMaker::read_unlike(Fields& fields, const Value& host) {
  const Value* list = fields.optional("unlike");
  if (list == nullptr) return;
  for (const Value& item : list->listed("a list such as [{hosts: [host2], host: {cores: 2}}]", 0)) {
    Fields one(item, "unlike");
    const Value& names = one.required("hosts");
    if (names.kind() != Value::Kind::list || names.items().empty())
      names.fail("expected a list of hosts such as [host2, host3]");
    const Value* differs = one.optional("host");
    const Value* link = one.optional("link");
    if (differs == nullptr && link == nullptr)
      item.fail("unlike: expected what differs, 'host' or 'link'");
    one.finish();
    kinds_.push_back(read_kind(differs ? laid_over(host, *differs) : host));
    if (link != nullptr) kinds_.back().link = *link;
    for (const Value& name : names.items())
      if (!unlike_.try_emplace(name.text(), Unlike{kinds_.size() - 1, name}).second)
        name.fail("duplicate '{}'", name.text());
  }
}

const HostMaker::Kind& HostMaker::kind_of(const std::string& name) const {
  const auto found = unlike_.find(name);
  return kinds_[found == unlike_.end() ? 0 : found->second.kind];
}

BuiltHost HostMaker::operator()(const std::string& name) const {
  return kind_of(name).make(*topology_, name);
}

LinkPair HostMaker::cable(const std::string& name, const LinkPair& usual) const {
  const Value& link = kind_of(name).link;
  if (link.is_null()) return usual;
  Fields fields(link, "unlike.link");
  const LinkPair own = read_link_or(fields, usual);
  fields.finish();
  return own;
}

LinkPair HostMaker::cables(const std::string& name, const LinkPair& usual) const {
  return times(cable(name, usual), kind_of(name).nics);
}

void HostMaker::check_room(const Value& at, std::int64_t hosts, std::int64_t switches) const {
  const std::int64_t each = kinds_.front().components, all = hosts * each + switches;
  if (all > Topology::most_components)
    at.fail(
        "the cluster is too large: {} hosts of {} components and the switches make {}, more than "
        "{} components",
        hosts, each, all, Topology::most_components);
}

void HostMaker::require_all() const {
  if (unlike_.empty()) return;
  const std::vector<std::string> names = each_of(topology_->hosts(), &Host::name);
  for (const auto& [name, unlike] : unlike_) {
    if (std::ranges::find(names, name) == names.end())
      unlike.name.fail(unknown_name("host", name, names));
  }
}

}  // namespace ringscope
