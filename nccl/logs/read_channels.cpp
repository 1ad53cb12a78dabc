// SPDX-License-Identifier: LGPL-2.1-or-later
#include "nccl/logs/read_channels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "topologies/imports/xml.hpp"
#include "topologies/input/data_files.hpp"

namespace ringscope {
namespace {

using nccl::Distance;
using nccl::Found;
using nccl::FoundChannel;
using nccl::HostChannels;
using nccl::HostGraph;
using nccl::Shape;

constexpr std::size_t most_mebibytes = 64;
constexpr int most_parts = 1 << 16;

/// The file of NCCL_GRAPH_DUMP_FILE. Source of its form: NCCL 2.31, src/graph/search.cc,
/// ncclTopoGetXmlFromGraph; the numbers of shapes: src/include/graph.h.
class GraphFile {
 public:
  explicit GraphFile(const std::shared_ptr<const Source>& source) : xml_(source, "graphs") {}

  HostChannels channels_of(const HostGraph& host) const {
    HostChannels channels;
    channels.ring = found(host, 0, true);
    channels.tree = found(host, 1, false);
    if (channels.tree.channels.empty()) channels.tree = channels.ring;
    channels.multicast = found(host, nvls, false);
    return channels;
  }

 private:
  static constexpr int nvls = 3;

  Found found(const HostGraph& host, int id, bool required) const {
    Found found;
    for (const pugi::xml_node graph : xml_.root().children("graph")) {
      if (xml_.integer(graph, "id", 0, most_parts) != id) continue;
      read(graph, found);
      for (const pugi::xml_node channel : graph.children("channel"))
        found.channels.push_back(channel_of(host, channel, id == nvls));
    }
    if (required && found.channels.empty())
      xml_.fail(xml_.root(), "<graphs>: expected a <graph id=\"0\"> with a <channel>: the rings");
    return found;
  }

  double rate(pugi::xml_node graph, const char* name) const {
    const std::string text = xml_.required(graph, name);
    const double value = graph.attribute(name).as_double(-1);
    if (!(value >= 0 && value <= nccl::unlimited_rate))
      xml_.fail(graph, "<graph>: expected GB/s from 0 to {} as '{}', got \"{}\"",
                nccl::unlimited_rate, name, text);
    return value;
  }

  Distance distance(pugi::xml_node graph, const char* name) const {
    const std::string text = xml_.required(graph, name);
    for (int i = 0; i <= static_cast<int>(Distance::sockets); ++i)
      if (name_of(static_cast<Distance>(i)) == text) return static_cast<Distance>(i);
    return Distance::sockets;
  }

  void read(pugi::xml_node graph, Found& found) const {
    constexpr int balanced = 1, split = 2, chain = 3;
    const int pattern = xml_.integer(graph, "pattern", 0, most_parts);
    if (pattern == balanced || pattern == split) found.shape = Shape::balanced;
    if (pattern == chain) found.shape = Shape::chain;
    found.inside = rate(graph, "speedintra");
    found.outside = rate(graph, "speedinter");
    found.latency = graph.attribute("latencyinter").as_double();
    found.farthest_gpu = distance(graph, "typeintra");
    found.farthest_port = distance(graph, "typeinter");
    found.port_pairs = graph.attribute("crossnic").as_int() > 0;
    found.same = graph.attribute("samechannels").as_int() > 0;
  }

  int index_of(pugi::xml_node part, const std::vector<int>& numbers, const char* kind) const {
    const int number = xml_.integer(part, "dev", 0, most_parts);
    const auto at = std::ranges::find(numbers, number);
    if (at == numbers.end())
      xml_.fail(part, "<{}>: {} {} is none of the job's: {}", part.name(), kind, number,
                fmt::join(numbers, ", "));
    return static_cast<int>(at - numbers.begin());
  }

  FoundChannel channel_of(const HostGraph& host, pugi::xml_node node, bool first_only) const {
    FoundChannel channel;
    std::size_t nets = 0;
    for (const pugi::xml_node part : node.children()) {
      const std::string_view name = part.name();
      if (name == "gpu") channel.gpus.push_back(index_of(part, host.numbers, "GPU"));
      if (name == "net" && nets < channel.ports.size() && host.several_hosts)
        channel.ports[nets++] = index_of(part, host.nics, "NIC");
    }
    if (nets == 1) channel.ports[1] = channel.ports[0];
    Table<int> sorted = channel.gpus;
    std::ranges::sort(sorted);
    const bool enough = first_only ? !sorted.empty() : std::ssize(sorted) == std::ssize(host.gpus);
    if (!enough || std::ranges::adjacent_find(sorted) != sorted.end())
      xml_.fail(node, "<channel>: expected each of the job's GPUs once: {}",
                fmt::join(host.numbers, ", "));
    return channel;
  }

  Xml xml_;
};

/// Lines name the rank that passes on what leaves; here it is its GPU. NICs have to be there.
void place_nics(Table<Table<nccl::ChannelNics>>& channels, const Topology& topology,
                std::span<const nccl::GpuPlace> ranks, const Place& place) {
  for (auto& by_rank : channels)
    for (std::size_t rank = 0; rank < by_rank.size(); ++rank) {
      const Host& host = topology.hosts()[ranks[rank].host];
      nccl::ChannelNics& own = by_rank[rank];
      if (const int nic = std::max(own.in, own.out); nic >= std::ssize(host.nics))
        throw InputError(place, "rank {} uses NIC {}, and {} has {}", rank, nic, host.name,
                         host.nics.size());
      if (own.relay < 0) continue;
      const auto relay = static_cast<std::size_t>(own.relay);
      const bool beside = relay < ranks.size() && ranks[relay].host == ranks[rank].host;
      own.relay = beside ? ranks[relay].gpu : -1;
    }
}

}  // namespace

std::shared_ptr<const Source> channels_source(const Value& path) {
  return read_named(path, "file of NCCL's rings", path_from(path.place(), path.text()),
                    most_mebibytes);
}

nccl::JobChannels read_channels(const std::shared_ptr<const Source>& source,
                                const Topology& topology, std::span<const nccl::GpuPlace> ranks,
                                const nccl::FindOfHost& of_host) {
  if (source->text.find("<graphs") != std::string::npos) {
    const GraphFile file(source);
    nccl::JobChannels channels = nccl::find_channels(
        topology, ranks, [&](const HostGraph& host) { return file.channels_of(host); });
    channels.logged = true;
    return channels;
  }
  NcclLines lines = read_nccl_lines(source, static_cast<int>(ranks.size()));
  nccl::JobChannels channels = nccl::find_channels(topology, ranks, of_host);
  channels.logged = true;
  channels.rings = std::move(lines.rings);
  channels.trees = std::move(lines.trees);
  channels.nics = std::move(lines.nics);
  place_nics(channels.nics, topology, ranks, {source, 0, 0});
  return channels;
}

}  // namespace ringscope
