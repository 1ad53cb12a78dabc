// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/placement/search/symmetry.hpp"

#include "topologies/placement/search/machine_parts.hpp"

namespace ringscope {
namespace {

/// The index of each host's first bin, and the number of all.
Table<int> first_bins(std::span<const Bin> bins, std::size_t hosts) {
  Table<int> first(hosts + 1);
  for (const Bin& bin : bins) ++first[bin.host + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  return first;
}

/// A rank has its core, or one core's worth of the domain or of the host that it is bound to; and
/// its GPU, which several may share.
void take_away(std::vector<Bin>& bins, SlotKind slot_kind, std::span<const Location> taken) {
  std::set<std::array<int, 3>> seen;
  for (const Location& rank : taken) {
    const bool on_core = rank.binding == Binding::core;
    if (slot_kind == SlotKind::gpu ? rank.gpu < 0
                                   : rank.binding == Binding::host && slot_kind == SlotKind::core)
      continue;
    if (slot_kind == SlotKind::gpu && !seen.insert({rank.host, rank.gpu, 0}).second) continue;
    if (slot_kind != SlotKind::gpu && on_core &&
        !seen.insert({rank.host, rank.numa, rank.core}).second)
      continue;
    for (Bin& bin : bins) {
      const bool here = slot_kind == SlotKind::gpu    ? bin.gpu == rank.gpu
                        : slot_kind == SlotKind::core ? bin.numa == rank.numa
                                                      : true;
      if (bin.host == rank.host && here) bin.capacity = std::max(0, bin.capacity - 1);
    }
  }
}

}  // namespace

std::vector<Bin> bins_of(const Topology& topology, SlotKind slot_kind,
                         std::span<const Location> taken) {
  std::vector<Bin> bins;
  for (int host = 0; host < static_cast<int>(topology.hosts().size()); ++host) {
    const Host& parts = topology.hosts()[host];
    int cores = 0, number = 0;
    for (const Vertex domain : parts.numa_domains) {
      cores += topology.graph()[domain].cores;
      if (slot_kind == SlotKind::core)
        bins.push_back({host, number++, -1, topology.graph()[domain].cores});
    }
    if (slot_kind == SlotKind::host) bins.push_back({host, 0, -1, cores});
    for (const Vertex gpu : parts.gpus) {
      if (slot_kind != SlotKind::gpu) break;
      const auto near = std::ranges::find(parts.numa_domains, topology.nearest_domain(gpu));
      bins.push_back({host, static_cast<int>(near - parts.numa_domains.begin()), number++, 1});
    }
  }
  take_away(bins, slot_kind, taken);
  return bins;
}

Symmetry::Symmetry(const Topology& topology, const SymmetryRules& rules)
    : bins_(bins_of(topology, rules.slot_kind, rules.taken)),
      first_bin_(first_bins(bins_, topology.hosts().size())),
      hosts_(std::make_unique<NoSymmetry>()) {
  const std::size_t hosts = topology.hosts().size();
  inside_.assign(hosts, std::make_shared<NoSymmetry>());
  const MachineParts parts(topology, rules);
  only_routes_ = parts.only_routes();
  hosts_ = only_routes_ ? parts.symmetry_of_hosts() : parts.symmetry_on_switches();
  if (!only_routes_ || !rules.inside_hosts) return;
  std::map<int, std::shared_ptr<const PointSymmetry>> of_kind;
  for (std::size_t host = 0; host < hosts; ++host) {
    if (first_bin_[host + 1] - first_bin_[host] < 2 || rules.has_others(static_cast<int>(host)))
      continue;
    auto& symmetry = of_kind[parts.kind_of(static_cast<int>(host))];
    if (!symmetry) symmetry = parts.symmetry_inside(static_cast<int>(host));
    inside_[host] = symmetry;
  }
}

Symmetry::Touched Symmetry::split(std::span<const int> bins) const {
  Touched touched;
  for (const int bin : bins) {
    const int host = bins_[bin].host;
    const auto found = std::ranges::find(touched.hosts, host);
    const auto place = found - touched.hosts.begin();
    if (found == touched.hosts.end()) {
      touched.hosts.push_back(host);
      touched.inside.emplace_back();
    }
    touched.inside[place].push_back(bin - first_bin_[host]);
  }
  return touched;
}

// A host goes to one of its kind, whose bins have the same indices; then each host's bins go where
// what is inside it takes them.
std::vector<int> Symmetry::first_image(std::span<const int> bins) const {
  const Touched touched = split(bins);
  const Table<int> to = hosts_->first_image(touched.hosts);
  Table<std::vector<int>> inside;
  Table<int> place(first_bin_.size(), -1);
  for (std::size_t i = 0; i < to.size(); ++i) {
    inside.push_back(inside_[touched.hosts[i]]->first_image(touched.inside[i]));
    std::ranges::reverse(inside.back());
    place[touched.hosts[i]] = static_cast<int>(i);
  }
  std::vector<int> image;
  for (const int bin : bins) {
    const int i = place[bins_[bin].host];
    image.push_back(first_bin_[to[i]] + inside[i].back());
    inside[i].pop_back();
  }
  return image;
}

Count Symmetry::images(std::span<const int> bins) const {
  const Touched touched = split(bins);
  Count images = hosts_->images(touched.hosts);
  for (std::size_t i = 0; i < touched.hosts.size(); ++i)
    images *= inside_[touched.hosts[i]]->images(touched.inside[i]);
  return images;
}

Count Symmetry::images_of_hosts(std::span<const int> bins) const {
  return hosts_->images(split(bins).hosts);
}

}  // namespace ringscope
