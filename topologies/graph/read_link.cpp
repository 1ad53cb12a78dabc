// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/graph/topology.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace ringscope {
namespace {

void read_directions(Fields& fields, LinkPair& pair) {
  if (const Value* send = fields.optional("send_bandwidth")) pair.forward = send->bandwidth();
  if (const Value* receive = fields.optional("receive_bandwidth"))
    pair.backward = receive->bandwidth();
  if (const Value* both = fields.optional("both")) pair.both = both->bandwidth();
}

/// The links that a name stands for: that of one, or what several are numbered behind.
class Names {
 public:
  explicit Names(const Topology& topology) {
    for (int id = 0; id < topology.link_count(); ++id) {
      const std::string& name = topology.link(id).name;
      names_.push_back(name);
      links_[name].push_back(id);
      const auto number = name.find_last_not_of("0123456789");
      if (name[number] == '#') links_[name.substr(0, number)].push_back(id);
      if (topology.is_cable(id)) cables_.insert(name);
    }
  }

  const std::vector<int>& read(const Value& name) const {
    const auto found = links_.find(name.text());
    if (found == links_.end()) refuse(name);
    return found->second;
  }

 private:
  /// Names the links of the component, or of the host, that `name` begins with, its cable first.
  [[noreturn]] void refuse(const Value& name) const {
    const std::string text = name.text();
    const std::string end = text.substr(0, text.find("->")) + "->";
    const std::string host = text.substr(0, text.find('/') + 1);
    for (const std::string& start : {end, host}) {
      std::vector<std::string> near;
      for (const std::string& one : names_)
        if (!start.empty() && one.starts_with(start)) near.push_back(one);
      if (near.empty()) continue;
      const auto others =
          std::stable_partition(near.begin(), near.end(),
                                [this](const std::string& one) { return cables_.contains(one); });
      if (start == end && others == near.begin() + 1)
        name.fail("unknown link '{}'; did you mean '{}'? (known: {})", text, near.front(),
                  fmt::join(near, ", "));
      name.fail(unknown_name("link", text, near));
    }
    name.fail(unknown_name("link", text, names_));
  }

  std::vector<std::string> names_;
  std::map<std::string, std::vector<int>> links_;
  std::set<std::string> cables_;
};

/// Takes the dead ones away, which the machine must bear.
void remove(const std::vector<const Value*>& names, const std::set<int>& dead, Topology& topology) {
  topology.remove(dead);
  const std::string gap = topology.gap();
  if (gap.empty()) return;
  names.back()->fail(
      "without {} {}: where a link is dead, traffic needs another way, such as a second NIC, or "
      "another uplink",
      names.size() == 1 ? fmt::format("'{}'", names.back()->text()) : "the dead links", gap);
}

/// 0, or what can still be called a bandwidth.
double read_share(const Value& value) {
  constexpr double least = 1e-6;
  const double share = value.number(0, 1);
  if (share > 0 && share < least) value.fail("expected 0, for a dead link, or at least {}", least);
  return share;
}

}  // namespace

LinkPair read_link(Fields& fields) {
  LinkPair pair;
  pair.forward = pair.backward = fields.required("bandwidth").bandwidth();
  pair.latency = fields.required("latency").seconds();
  read_directions(fields, pair);
  return pair;
}

LinkPair read_link_or_none(Fields& fields) {
  LinkPair pair;
  pair.forward = pair.backward = fields.value_or("bandwidth", "unlimited").bandwidth();
  pair.latency = fields.value_or("latency", "0 s").seconds();
  read_directions(fields, pair);
  return pair;
}

LinkPair read_link_or(Fields& fields, const LinkPair& by_default) {
  LinkPair pair = by_default;
  pair.latency = fields.value_or("latency", to_text(by_default.latency)).seconds();
  if (const Value* bandwidth = fields.optional("bandwidth"))
    pair.forward = pair.backward = bandwidth->bandwidth();
  read_directions(fields, pair);
  return pair;
}

LinkPair reversed(LinkPair pair) {
  std::swap(pair.forward, pair.backward);
  return pair;
}

void read_degraded(const Value& list, Topology& topology) {
  const Names names(topology);
  std::vector<const Value*> dead_names;
  std::set<int> dead, told;
  for (const Value& item :
       list.listed("a list such as [{link: host0/nic0->switch, share: 0.5}]", 0)) {
    Fields one(item, "degraded");
    const Value& name = one.required("link");
    const std::vector<int>& links = names.read(name);
    const double share = read_share(one.required("share"));
    one.finish();
    if (share == 0) dead_names.push_back(&name);
    for (const int link : links) {
      if (!told.insert(link & ~1).second)
        name.fail("duplicate link '{}': an entry above states its share", topology.link(link).name);
      if (share > 0) topology.degrade(link, share);
      if (share == 0) dead.insert({link, link ^ 1});
    }
  }
  if (!dead.empty()) remove(dead_names, dead, topology);
}

}  // namespace ringscope
