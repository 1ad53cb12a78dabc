// SPDX-License-Identifier: LGPL-2.1-or-later
// InfiniBand's ibnetdiscover and iblinkinfo. A host is what the descriptions of its adapters begin
// with: "n1 mlx5_0" and "n1 HCA-2" are two NICs of n1.
#include <algorithm>
#include <cctype>
#include <map>

#include "topologies/imports/fabrics/fabric.hpp"
#include "topologies/imports/fabrics/ib_listing.hpp"
#include "topologies/input/characters.hpp"

namespace ringscope {
namespace {

/// "MF0;A09-P1-IBLEAF-04-04:MQM9701/U1": the name that its manager was given, or as it stands.
std::string_view switch_name(std::string_view description) {
  if (const auto semicolon = description.find(';'); semicolon != std::string_view::npos) {
    description.remove_prefix(semicolon + 1);
    description = description.substr(0, description.find(':'));
  }
  return description;
}

/// Host and device of "n1 mlx5_0"; an empty host where the description names none, as that which
/// the maker gave the adapter.
struct AdapterName {
  std::string_view host, device;
};

AdapterName name_of(std::string_view description) {
  const std::size_t blank = description.find(' ');
  if (blank == std::string_view::npos) return {description, ""};
  const std::string_view host = description.substr(0, blank),
                         device = description.substr(blank + 1);
  const bool is_device = device.find(' ') == std::string_view::npos && !device.empty() &&
                         std::isdigit(static_cast<unsigned char>(device.back())) != 0 &&
                         std::isalpha(static_cast<unsigned char>(device.front())) != 0;
  if (!is_device) return {"", ""};
  return {host, device};
}

bool is_inside_switch(const IbNode& node) {
  return node.id[0] == 'H' && node.description.find("Aggregation Node") != std::string::npos;
}

/// Orders "HCA-2" before "HCA-10".
bool goes_before(const std::string& a, const std::string& b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

class IbnetdiscoverReader {
 public:
  explicit IbnetdiscoverReader(const std::shared_ptr<const Source>& source)
      : listing_(read_ib_listing(source)) {}

  Fabric read() {
    for (std::size_t node = 0; node < listing_.nodes.size(); ++node) {
      if (is_switch(node)) add_switch(node);
      if (is_inside_switch(listing_.nodes[node])) ++fabric_.inner_adapters;
    }
    std::map<std::pair<std::size_t, std::size_t>, std::vector<Bandwidth>> trunks;
    for (const IbCable& cable : listing_.cables) {
      const bool first = is_switch(cable.node[0]), second = is_switch(cable.node[1]);
      if (cable.node[0] == cable.node[1])
        fabric_.note("omitted: a link from a switch to itself");
      else if (first && second)
        trunks[std::minmax(switches_.at(cable.node[0]), switches_.at(cable.node[1]))].push_back(
            cable.bandwidth);
      else if (first || second)
        add_nic(cable, first ? 1 : 0);
      else
        fabric_.note("omitted: a link between two adapters, as no switch is on it");
    }
    name_hosts();
    for (auto& [ends, bandwidths] : trunks) add_trunks(ends.first, ends.second, bandwidths);
    say_what_was_left();
    return std::move(fabric_);
  }

 private:
  struct Port {
    std::size_t node = 0;
    int port = 0;
    Fabric::Nic nic;
  };

  bool is_switch(std::size_t node) const { return listing_.nodes[node].id[0] == 'S'; }

  void add_switch(std::size_t index) {
    const IbNode& node = listing_.nodes[index];
    switches_.emplace(index, fabric_.switches.size());
    fabric_.switches.push_back(names_.add(switch_name(node.description), node.id));
  }

  /// `end`: of the two, the adapter's.
  void add_nic(const IbCable& cable, int end) {
    const IbNode& node = listing_.nodes[cable.node[end]];
    if (is_inside_switch(node)) return;
    if (node.id[0] == 'R') return fabric_.note("omitted: the router {}", node.id);
    const AdapterName name = name_of(node.description);
    const std::string group(name.host.empty() ? node.id : name.host);
    require_host_name(node.place, group);
    unnamed_ += name.host.empty() ? 1 : 0;
    ports_[group].push_back(
        {cable.node[end],
         cable.port[end],
         {std::string(name.device), switches_.at(cable.node[1 - end]), cable.bandwidth}});
  }

  void name_hosts() {
    for (auto& [name, ports] : ports_) {
      std::ranges::sort(ports, [](const Port& a, const Port& b) {
        if (a.nic.adapter != b.nic.adapter) return goes_before(a.nic.adapter, b.nic.adapter);
        return std::pair(a.node, a.port) < std::pair(b.node, b.port);
      });
      if (is_one_host(ports)) {
        Fabric::Host& host = fabric_.hosts.emplace_back(Fabric::Host{names_.add(name, "host"), {}});
        for (const Port& port : ports) host.nics.push_back(port.nic);
        continue;
      }
      fabric_.note(
          "guessed: every adapter that is called '{}' is a separate host, because two of them "
          "have one name",
          listing_.nodes[ports[0].node].description);
      for (const Port& port : ports)
        fabric_.hosts.push_back({names_.add(name, listing_.nodes[port.node].id), {port.nic}});
    }
  }

  /// No two different adapters of one host have one name.
  static bool is_one_host(const std::vector<Port>& ports) {
    for (std::size_t i = 1; i < ports.size(); ++i)
      if (ports[i].nic.adapter == ports[i - 1].nic.adapter && ports[i].node != ports[i - 1].node)
        return false;
    return true;
  }

  void add_trunks(std::size_t a, std::size_t b, std::vector<Bandwidth>& bandwidths) {
    std::ranges::sort(bandwidths);
    for (auto begin = bandwidths.begin(); begin != bandwidths.end();) {
      const auto end = std::upper_bound(begin, bandwidths.end(), *begin);
      fabric_.trunks.push_back(
          {.from = a, .to = b, .cables = static_cast<int>(end - begin), .bandwidth = *begin});
      begin = end;
    }
  }

  void say_what_was_left() {
    if (fabric_.inner_adapters > 0)
      fabric_.note("omitted: {} aggregation nodes, which are adapters inside switches",
                   fabric_.inner_adapters);
    if (unnamed_ > 0)
      fabric_.note(
          "guessed: {} adapters are separate hosts, because their descriptions name no host",
          unnamed_);
  }

  IbListing listing_;
  Fabric fabric_;
  FabricNames names_;
  std::map<std::size_t, std::size_t> switches_;     ///< by node
  std::map<std::string, std::vector<Port>> ports_;  ///< by host
  int unnamed_ = 0;
};

}  // namespace

Fabric read_ibnetdiscover(const std::shared_ptr<const Source>& source, const FabricLabels&) {
  return IbnetdiscoverReader(source).read();
}

}  // namespace ringscope
