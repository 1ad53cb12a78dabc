// SPDX-License-Identifier: LGPL-2.1-or-later
// A machine as the YAML of a cluster.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "topologies/imports/imported_host.hpp"

namespace ringscope {
namespace {

/// The text as a comment may hold it: on one line, and nothing that could drive a terminal.
std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < 0x20 || c >= 0x7f; }, '?');
  return text;
}

/// `name: N`, each device's label in a comment above.
void append_count(std::string& yaml, std::string_view name, std::string_view kind,
                  const std::vector<ImportedHost::Device>& devices) {
  if (devices.empty()) return;
  std::string labels;
  for (std::size_t i = 0; i < devices.size(); ++i)
    labels += fmt::format("  # {}{}: {}\n", kind, i, one_line(devices[i].label));
  yaml += fmt::format("{}  {}: {}\n", labels, name, devices.size());
}

void append_domains(std::string& yaml, const ImportedHost& machine) {
  yaml += "  domains:\n";
  for (std::size_t i = 0; i < machine.domains.size(); ++i) {
    const ImportedHost::Domain& domain = machine.domains[i];
    const std::string memory =
        domain.memory.count == 0 ? "" : fmt::format(", memory: {}", to_text(domain.memory));
    yaml += fmt::format("    - {{cores: {}, socket: {}, memory_bandwidth: {}{}}}  # numa{}\n",
                        domain.cores, domain.socket, to_text(domain.memory_bandwidth), memory, i);
  }
}

void append_gpus(std::string& yaml, const ImportedHost& machine) {
  if (machine.gpus.empty()) return;
  yaml += "  gpus:\n";
  for (std::size_t i = 0; i < machine.gpus.size(); ++i) {
    const ImportedHost::Device& gpu = machine.gpus[i];
    const std::string memory =
        gpu.memory.count == 0 ? "" : fmt::format("memory: {}", to_text(gpu.memory));
    yaml += fmt::format("    - {{{}}}  # gpu{}: {}\n", memory, i, one_line(gpu.label));
  }
}

void append_links(std::string& yaml, const ImportedHost& machine) {
  if (machine.links.empty()) return;
  yaml += "  links:\n";
  for (const ImportedHost::Link& link : machine.links)
    yaml += fmt::format("    - {{from: {}, to: {}, bandwidth: {}, latency: {}}}\n", link.from,
                        link.to, to_text(link.bandwidth), to_text(link.latency));
}

Bandwidth cable_of(ImportedHost& machine, std::optional<Bandwidth> link) {
  if (link) return *link;
  return machine.port ? *machine.port : guessed_cable(machine);
}

}  // namespace

Bandwidth guessed_cable(Noted& of) {
  of.note("guessed: links of {}, because neither the file nor --link specifies it: {}",
          to_text(assumed_port.value), assumed_port.source);
  return assumed_port.value;
}

std::string yaml_head(std::string_view command, const std::string& origin, const Noted& of) {
  std::string head =
      fmt::format("# Imported by `ringscope {}` from {}.\n", command, one_line(origin));
  for (const std::string& note : of.notes) head += fmt::format("# {}\n", one_line(note));
  return head;
}

std::string cluster_yaml(ImportedHost& machine, const std::string& origin, int hosts,
                         std::optional<Bandwidth> link) {
  const Bandwidth cable = cable_of(machine, link);
  const Seconds half = assumed_cable_latency.value / 2;
  machine.note("guessed: {} of latency for a link, because no file specifies it: {}", to_text(half),
               assumed_cable_latency.source);
  std::string yaml = yaml_head("import-machine", origin, machine);
  yaml += fmt::format(
      "network: star\nabout: hosts like an imported machine\nhosts: {}\n"
      "link: {{{}bandwidth: {}, latency: {}}}\nhost:\n  type: custom\n",
      hosts, machine.network.empty() ? "" : "kind: " + machine.network + ", ", to_text(cable),
      to_text(half));
  append_domains(yaml, machine);
  append_count(yaml, "switches", "pcie", machine.switches);
  append_gpus(yaml, machine);
  append_count(yaml, "nics", "nic", machine.nics);
  append_count(yaml, "nvswitches", "nvswitch", machine.nvswitches);
  append_links(yaml, machine);
  return yaml;
}

}  // namespace ringscope
