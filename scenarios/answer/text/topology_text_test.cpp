// SPDX-License-Identifier: LGPL-2.1-or-later
// Is a machine printed as a person reads it?
#include "scenarios/answer/text/topology_text.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace ringscope {
namespace {

/// Two memories at the two ends of a NIC: 10 GB/s and 1 us, then 1 GB/s and 3 us.
struct Chain {
  Topology topology;
  std::vector<Endpoint> ends;
  Chain() {
    const int host = topology.add_host("h");
    const auto part = [&](ComponentKind kind, const char* name, int cores) {
      return topology.add_component({kind, name, host, cores, Bandwidth{20e9}, {}});
    };
    const Vertex left = part(ComponentKind::numa_domain, "h/numa0", 4);
    const Vertex middle = part(ComponentKind::nic, "h/nic0", 0);
    const Vertex right = part(ComponentKind::numa_domain, "h/numa1", 4);
    topology.connect(left, middle, Bandwidth{10e9}, Seconds(1e-6));
    topology.connect(middle, right, Bandwidth{1e9}, Seconds(3e-6));
    ends = {{"rank 0 on h/numa0", left}, {"rank 1 on h/numa1", right}};
  }
  /// From the first rank.
  std::string route(std::size_t to) const {
    return print_route(topology, topology.staged_route(ends[0].vertex, ends[to].vertex), ends[0],
                       ends[to]);
  }
};

TEST(TopologyText, parts_are_components_and_links) {
  EXPECT_EQ(print_parts(Chain().topology), R"(Components: 3
  component  kind         cores   memory
  h/numa0    NUMA domain      4  20 GB/s
  h/nic0     NIC
  h/numa1    NUMA domain      4  20 GB/s

Links, each direction by itself: 4
  link             bandwidth  latency
  h/numa0->h/nic0    10 GB/s     1 us
  h/nic0->h/numa0    10 GB/s     1 us
  h/nic0->h/numa1     1 GB/s     3 us
  h/numa1->h/nic0     1 GB/s     3 us
)");
}

TEST(TopologyText, parts_beyond_forty_are_left_out_unless_all_are_asked_for) {
  Topology topology;
  const int host = topology.add_host("h");
  for (int i = 0; i < 41; ++i)
    topology.add_component(
        {ComponentKind::nic, "h/nic" + std::to_string(i), host, 0, Bandwidth{20e9}, {}});
  const std::string some = print_parts(topology), all = print_parts(topology, true);
  EXPECT_NE(some.find("\n  ... and 1 more; --all shows them\n"), std::string::npos);
  EXPECT_EQ(some.find("h/nic40"), std::string::npos);
  EXPECT_NE(all.find("h/nic40"), std::string::npos);
  EXPECT_EQ(all.find("--all"), std::string::npos);
}

TEST(TopologyText, a_route_names_its_links_and_what_they_add_up_to) {
  const Chain chain;
  EXPECT_EQ(chain.route(1),
            R"(From rank 0 on h/numa0 to rank 1 on h/numa1: 1 GB/s, 4 us
  link             bandwidth  latency
  h/numa0->h/nic0    10 GB/s     1 us
  h/nic0->h/numa1     1 GB/s     3 us
)");
}

TEST(TopologyText, two_ranks_in_one_memory_need_no_link) {
  const Chain chain;
  EXPECT_EQ(chain.route(0), "From rank 0 on h/numa0 to rank 0 on h/numa0: in the same memory\n");
}

TEST(TopologyText, matrices_have_one_unit_each) {
  const Chain chain;
  EXPECT_EQ(print_matrices(chain.topology, chain.ends), R"( 0  rank 0 on h/numa0
 1  rank 1 on h/numa1

Bandwidth in GB/s, from the row's to the column's
to     0     1
 0     -  1.00
 1  1.00     -

Latency in us, from the row's to the column's
to     0     1
 0     -  4.00
 1  4.00     -
)");
}

TEST(TopologyText, of_many_endpoints_sixteen_fit_and_the_rest_is_counted) {
  const Chain chain;
  std::vector<Endpoint> many(1000, chain.ends[0]);
  for (std::size_t i = 0; i < many.size(); i += 2) many[i] = chain.ends[1];
  const std::string text = print_matrices(chain.topology, many);
  EXPECT_NE(text.find("... and 984 more, omitted from the matrices\n"), std::string::npos);
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) EXPECT_LE(line.size(), 100U) << line;
}

}  // namespace
}  // namespace ringscope
