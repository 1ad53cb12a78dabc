// SPDX-License-Identifier: LGPL-2.1-or-later
// A fabric as the YAML of a cluster.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "topologies/imports/fabrics/fabric.hpp"
#include "topologies/imports/imported_host.hpp"

namespace ringscope {
namespace {

/// "true", "1.5" and the like would be no names.
std::string in_quotes(const std::string& name) { return fmt::format("\"{}\"", name); }

std::string plural(int count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

int nics_of(const Fabric& fabric) {
  int count = 0;
  for (const Fabric::Host& host : fabric.hosts) count += static_cast<int>(host.nics.size());
  return count;
}

/// "31 leaves, 9 spines, 582 adapters (40 of them inside switches), 191 hosts"
std::string about(const Fabric& fabric) {
  constexpr std::string_view ones[] = {"leaf", "spine", "core"},
                             manies[] = {"leaves", "spines", "cores"};
  std::map<int, int> counts;
  for (const int level : levels_of(fabric))
    if (level > 0) ++counts[level];
  std::string text;
  for (const auto& [level, count] : counts) {
    text += (level <= std::ssize(ones) ? plural(count, ones[level - 1], manies[level - 1])
                                       : fmt::format("{} switches of level {}", count, level)) +
            ", ";
  }
  text += plural(nics_of(fabric) + fabric.inner_adapters, "adapter", "adapters");
  if (fabric.inner_adapters > 0)
    text += fmt::format(" ({} of them inside switches)", fabric.inner_adapters);
  return text + ", " + plural(static_cast<int>(fabric.hosts.size()), "host", "hosts");
}

/// Every adapter as a host of its own, by the host's name and the adapter's.
void split_hosts(Fabric& fabric) {
  FabricNames names;
  std::vector<Fabric::Host> split;
  for (const std::string& name : fabric.switches) names.add(name, "switch");
  for (const Fabric::Host& host : fabric.hosts)
    for (std::size_t i = 0; i < host.nics.size(); ++i) {
      const Fabric::Nic& nic = host.nics[i];
      const std::string adapter = nic.adapter.empty() ? std::to_string(i) : nic.adapter;
      const std::string name =
          host.nics.size() == 1 ? host.name : fmt::format("{}.{}", host.name, adapter);
      split.push_back({names.add(name, std::to_string(i)), {nic}});
    }
  fabric.hosts = std::move(split);
  std::ranges::sort(fabric.hosts, {}, &Fabric::Host::name);
}

/// The most frequent of the cables' rates, that of most hosts.
std::optional<Bandwidth> usual_rate(const Fabric& fabric) {
  std::map<double, int> counts;
  for (const Fabric::Host& host : fabric.hosts)
    for (const Fabric::Nic& nic : host.nics)
      if (nic.bandwidth) ++counts[nic.bandwidth->bytes_per_second];
  if (counts.empty()) return {};
  return Bandwidth{
      std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; })->first};
}

Bandwidth cable_of(Fabric& fabric, const FabricOptions& options) {
  if (const auto rate = usual_rate(fabric)) {
    if (options.link)
      fabric.note("omitted: --link, because the file specifies the speed of its links");
    return *rate;
  }
  return options.link ? *options.link : guessed_cable(fabric);
}

std::string host_yaml(Fabric& fabric, const FabricOptions& options) {
  if (!options.host.empty()) return "";
  std::size_t nics = 1;
  for (const Fabric::Host& host : fabric.hosts) nics = std::max(nics, host.nics.size());
  fabric.note(
      "guessed: {} cores in one NUMA domain of each host, and memory that is never the bottleneck, "
      "because no file of a network specifies it; --cores, or --host with the cluster that "
      "`ringscope import-machine` wrote",
      options.cores);
  std::string list;
  for (std::size_t i = 0; i < nics; ++i) list += i == 0 ? "{}" : ", {}";
  return fmt::format("host: {{type: numa, sockets: 1, cores: {}, nics: [{}]}}\n", options.cores,
                     list);
}

std::string hosts_yaml(const Fabric& fabric, Bandwidth usual) {
  std::string yaml = "hosts:\n";
  for (const Fabric::Host& host : fabric.hosts) {
    std::string ends;
    for (const Fabric::Nic& nic : host.nics) {
      const std::string leaf = in_quotes(fabric.switches[nic.leaf]);
      if (!ends.empty()) ends += ", ";
      ends += !nic.bandwidth || *nic.bandwidth == usual
                  ? leaf
                  : fmt::format("{{switch: {}, link: {{bandwidth: {}}}}}", leaf,
                                to_text(*nic.bandwidth));
    }
    yaml += fmt::format("  - {{name: {}, to: [{}]}}\n", in_quotes(host.name), ends);
  }
  return yaml;
}

std::string trunks_yaml(Fabric& fabric, const FabricOptions& options, Bandwidth usual) {
  if (fabric.trunks.empty()) return "";
  const std::vector<int> levels = levels_of(fabric);
  std::string yaml = "trunks:\n";
  for (const Fabric::Trunk& trunk : fabric.trunks) {
    std::size_t from = trunk.from, to = trunk.to;
    if (levels[from] > levels[to]) std::swap(from, to);
    Bandwidth bandwidth = usual;
    if (trunk.bandwidth) bandwidth = *trunk.bandwidth;
    if (!trunk.bandwidth) bandwidth.bytes_per_second *= trunk.share / options.oversubscription;
    const std::string link =
        bandwidth == usual ? "" : fmt::format(", link: {{bandwidth: {}}}", to_text(bandwidth));
    const std::string cables = trunk.cables == 1 ? "" : fmt::format(", cables: {}", trunk.cables);
    yaml += fmt::format("  - {{from: {}, to: {}{}{}}}\n", in_quotes(fabric.switches[from]),
                        in_quotes(fabric.switches[to]), cables, link);
  }
  const auto unknown = [](const Fabric::Trunk& trunk) { return !trunk.bandwidth; };
  if (std::ranges::any_of(fabric.trunks, unknown))
    fabric.note(
        "guessed: the uplinks of a switch carry together as much as the links of the hosts below "
        "it, divided by {} (--oversubscription), because the file does not specify their number",
        options.oversubscription);
  return yaml;
}

}  // namespace

std::string fabric_yaml(Fabric& fabric, const FabricOptions& options) {
  const std::string summary = about(fabric);
  if (options.adapters) split_hosts(fabric);
  const Bandwidth usual = cable_of(fabric, options);
  const auto hop = assumed_hop_latency;
  const Seconds half = assumed_cable_latency.value / 2;
  fabric.note("guessed: {} of latency for the link of a host, because no file specifies it: {}",
              to_text(half), assumed_cable_latency.source);
  fabric.note(
      "guessed: {} of latency for a link between switches, because no file specifies it: {}",
      to_text(hop.value), hop.source);
  std::string body = options.host.empty() ? "" : fmt::format("base: {}\n", in_quotes(options.host));
  body += fmt::format(
      "network: fabric\nabout: {}\nlink: {{bandwidth: {}, latency: {}}}\ntrunk: {{latency: {}}}\n",
      in_quotes(summary), to_text(usual), to_text(half), to_text(hop.value));
  body += host_yaml(fabric, options) + "switches:\n";
  for (const std::string& name : fabric.switches) body += fmt::format("  - {}\n", in_quotes(name));
  body += hosts_yaml(fabric, usual) + trunks_yaml(fabric, options, usual);
  return yaml_head("import-fabric", options.origin, fabric) + body;
}

}  // namespace ringscope
