// SPDX-License-Identifier: LGPL-2.1-or-later
// A torus: one switch per host, linked to its two neighbours along each dimension. The last
// dimension counts fastest; a dimension of two has one link between its switches, not two.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "topologies/networks/networks.hpp"

namespace ringscope {
namespace {

std::vector<int> read_dimensions(const Value& list) {
  constexpr std::size_t most_dimensions = 16;
  if (list.kind() != Value::Kind::list || list.items().empty() ||
      list.items().size() > most_dimensions)
    list.fail("expected a list of 1 to {} sizes such as [4, 4, 4]", most_dimensions);
  std::vector<int> dimensions;
  int hosts = 1;
  for (const Value& item : list.items()) {
    dimensions.push_back(item.whole(1, most_hosts / hosts));
    hosts *= dimensions.back();
  }
  return dimensions;
}

}  // namespace

void build_torus(Fields& fields, const HostMaker& make_host, Topology& topology) {
  const Value& sizes = fields.required("dimensions");
  const auto dimensions = read_dimensions(sizes);
  const LinkPair cable = read_cable(fields, "link");
  const LinkPair host_cable =
      fields.optional("host_link") ? read_cable(fields, "host_link") : cable;
  int count = 1;
  for (const int size : dimensions) count *= size;
  make_host.check_room(sizes, count, count);

  Table<Vertex> switches;
  for (int i = 0; i < count; ++i) {
    switches.push_back(add_switch(topology, fmt::format("switch{}", i)));
    add_host(make_host, host_name(i), switches.back(), host_cable, topology);
  }
  int stride = count;
  for (const int size : dimensions) {
    stride /= size;
    for (int i = 0; i < count; ++i) {
      const int position = i / stride % size;
      if (size == 1 || (size == 2 && position == 1)) continue;
      const int next = i + stride * (position == size - 1 ? 1 - size : 1);
      topology.connect(switches[i], switches[next], cable);
    }
  }
}

}  // namespace ringscope
