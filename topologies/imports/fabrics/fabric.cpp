// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/imports/fabrics/fabric.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "topologies/input/characters.hpp"

namespace ringscope {
namespace {

constexpr std::size_t most_mebibytes_of_fabric = 64;  // 10,000 adapters fill 6 of ibnetdiscover's

}  // namespace

std::vector<int> levels_of(const Fabric& fabric) {
  std::vector<int> levels(fabric.switches.size());
  std::vector<std::vector<std::size_t>> beside(fabric.switches.size());
  for (const Fabric::Trunk& trunk : fabric.trunks) {
    beside[trunk.from].push_back(trunk.to);
    beside[trunk.to].push_back(trunk.from);
  }
  std::vector<std::size_t> open;
  for (const Fabric::Host& host : fabric.hosts)
    for (const Fabric::Nic& nic : host.nics)
      if (std::exchange(levels[nic.leaf], 1) == 0) open.push_back(nic.leaf);
  for (std::size_t i = 0; i < open.size(); ++i)
    for (const std::size_t next : beside[open[i]])
      if (levels[next] == 0) {
        levels[next] = levels[open[i]] + 1;
        open.push_back(next);
      }
  return levels;
}

std::string FabricNames::add(std::string_view wanted, std::string_view otherwise) {
  const auto clean = [](std::string_view text) {
    std::string name(text);
    std::ranges::replace_if(
        name,
        [](unsigned char c) { return std::isalnum(c) == 0 && c != '.' && c != '_' && c != '-'; },
        '-');
    return name;
  };
  std::string name = clean(wanted);
  if (name.empty() || taken_.contains(name))
    name = fmt::format("{}{}{}", name, name.empty() ? "" : "-", clean(otherwise));
  while (!taken_.insert(name).second) name += "_";
  return name;
}

/// Cables of hosts below each switch; where a switch has several above it, each has its part.
class SwitchTree::Shares {
 public:
  explicit Shares(const SwitchTree& tree) : tree_(tree) {
    for (const auto& [name, one] : tree.switches_)
      for (const Child& child : one.children) ++parents_[child.name];
  }

  double below(const std::string& name) {
    const auto known = known_.find(name);
    if (known != known_.end()) return known->second;
    const Switch& here = tree_.switches_.at(name);
    way_.push_back(name);
    double sum = static_cast<double>(here.hosts.size());
    for (const Child& child : here.children) {
      if (std::ranges::find(way_, child.name) != way_.end())
        throw InputError(child.place, "the switch '{}' is below itself: {}, {}", child.name,
                         fmt::join(way_, ", "), child.name);
      if (way_.size() > deepest)
        throw InputError(child.place, "more than {} levels of switches", deepest);
      sum += below(child.name) / parents(child.name);
    }
    way_.pop_back();
    known_.emplace(name, sum);
    return sum;
  }

  int parents(const std::string& name) const {
    const auto found = parents_.find(name);
    return found == parents_.end() ? 0 : found->second;
  }

 private:
  static constexpr std::size_t deepest = 64;

  const SwitchTree& tree_;
  std::map<std::string, int> parents_;
  std::map<std::string, double> known_;
  std::vector<std::string> way_;
};

void SwitchTree::add(const Value& name) {
  if (!switches_.emplace(name.text(), Switch{name.place(), {}, {}}).second)
    name.fail("duplicate switch '{}'", name.text());
  names_.push_back(name.text());
}

void SwitchTree::add_host(const std::string& above, const std::string& name, const Place& place) {
  count_one(place);
  require_host_name(place, name);
  if (!switches_.at(above).hosts.insert(name).second)
    throw InputError(place, "duplicate '{}' below '{}'", name, above);
}

void SwitchTree::add_child(const std::string& above, const std::string& name, const Place& place) {
  count_one(place);
  switches_.at(above).children.push_back({name, place});
}

void SwitchTree::count_one(const Place& place) {
  constexpr std::size_t most = 1 << 16;  // as in one list
  if (++below_ > most)
    throw InputError(place, "expected at most {} hosts and switches below switches", most);
}

Fabric SwitchTree::fabric() const {
  for (const auto& [name, one] : switches_)
    for (const Child& child : one.children)
      if (!switches_.contains(child.name))
        throw InputError(child.place, unknown_name("switch", child.name, names_));
  Shares shares(*this);
  Fabric fabric;
  FabricNames names;
  std::map<std::string, std::size_t> indices;
  std::vector<std::string> roots;
  std::map<std::string, Fabric::Host> hosts;
  for (const std::string& name : names_) {
    shares.below(name);
    indices.emplace(name, fabric.switches.size());
    fabric.switches.push_back(names.add(name, "switch"));
    if (shares.parents(name) == 0 && shares.below(name) > 0) roots.push_back(name);
    for (const std::string& host : switches_.at(name).hosts)
      hosts[host].nics.push_back({"", indices.at(name), {}});
  }
  for (auto& [name, host] : hosts) {
    host.name = names.add(name, "host");
    fabric.hosts.push_back(std::move(host));
  }
  const auto join = [&](const std::string& below, std::size_t above, int parents) {
    const double share = shares.below(below) / std::max(parents, 1);
    if (share > 0)
      fabric.trunks.push_back(
          {.from = indices.at(below), .to = above, .bandwidth = {}, .share = share});
  };
  for (const std::string& name : names_)
    for (const Child& child : switches_.at(name).children)
      join(child.name, indices.at(name), shares.parents(child.name));
  if (roots.size() > 1) {
    fabric.switches.push_back(names.add("above-all", "switch"));
    for (const std::string& root : roots) join(root, fabric.switches.size() - 1, 1);
    fabric.note("guessed: a switch 'above-all' joins {}, because nothing else does",
                fmt::join(roots, ", "));
  }
  return fabric;
}

const std::vector<Value>& items_of(const Value& list, std::string_view what) {
  return list.listed(fmt::format("a list of at least one {}", what));
}

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
