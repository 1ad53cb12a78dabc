// SPDX-License-Identifier: LGPL-2.1-or-later
// Does a broken quantity say what it should look like?
#include <gtest/gtest.h>

#include "topologies/cluster.hpp"
#include "topologies/input/complaint_for_test.hpp"

namespace ringscope::quantities_test {
namespace {

const Broken broken[] = {
    // Values that would become infinite, or 0, or no number, on the way through a simulation.
    {"network: star\n"
     "hosts: 3\n"
     "link: {bandwidth: 1e-300 B/s, latency: 1 us}\n"
     "host: {type: simple}\n",
     "x.yaml:3:19: expected a bandwidth such as \"10 Gbit/s\", got \"1e-300 B/s\", which is below "
     "1e-06 B/s\n"
     "  link: {bandwidth: 1e-300 B/s, latency: 1 us}\n"
     "                    ^"},
    {"network: star\n"
     "hosts: 3\n"
     "link: {bandwidth: 1e300 B/s, latency: 1 us}\n"
     "host: {type: simple}\n",
     "x.yaml:3:19: expected a bandwidth such as \"10 Gbit/s\", got \"1e300 B/s\", which is above "
     "1e+21 B/s\n"
     "  link: {bandwidth: 1e300 B/s, latency: 1 us}\n"
     "                    ^"},
    {"network: star\n"
     "hosts: 3\n"
     "link: {bandwidth: 1 B/s, latency: 1e300 s}\n"
     "host: {type: simple}\n",
     "x.yaml:3:35: expected a time such as \"1.5 us\", got \"1e300 s\", which is above 1e+12 s\n"
     "  link: {bandwidth: 1 B/s, latency: 1e300 s}\n"
     "                                    ^"},
    {"network: star\n"
     "hosts: 3\n"
     "link: {bandwidth: 1 B/s, latency: 5e-324 s}\n"
     "host: {type: simple}\n",
     "x.yaml:3:35: expected a time such as \"1.5 us\", got \"5e-324 s\", which is below 1e-24 s\n"
     "  link: {bandwidth: 1 B/s, latency: 5e-324 s}\n"
     "                                    ^"},
    {"network: star\n"
     "hosts: 3\n"
     "link: {bandwidth: 10G, latency: 1 us}\n"
     "host: {type: simple}\n",
     "x.yaml:3:19: expected a bandwidth such as \"10 Gbit/s\", got \"10G\"; the units are bit/s to "
     "Tbit/s, B/s to TB/s, KiB/s to TiB/s\n"
     "  link: {bandwidth: 10G, latency: 1 us}\n"
     "                    ^"},
    {"network: star\n"
     "hosts: 3\n"
     "link: {bandwidth: 10, latency: 1 us}\n"
     "host: {type: simple}\n",
     "x.yaml:3:19: expected a bandwidth such as \"10 Gbit/s\", got \"10\", which has no unit\n"
     "  link: {bandwidth: 10, latency: 1 us}\n"
     "                    ^"},
    {"network: star\n"
     "hosts: 3\n"
     "link: {bandwidth: 0 GB/s, latency: 1 us}\n"
     "host: {type: simple}\n",
     "x.yaml:3:19: expected a bandwidth such as \"10 Gbit/s\", got \"0 GB/s\", which is not "
     "positive\n"
     "  link: {bandwidth: 0 GB/s, latency: 1 us}\n"
     "                    ^"},
    {"network: star\n"
     "hosts: 3\n"
     "link: {bandwidth: -1 GB/s, latency: 1 us}\n"
     "host: {type: simple}\n",
     "x.yaml:3:19: expected a bandwidth such as \"10 Gbit/s\", got \"-1 GB/s\", which is negative\n"
     "  link: {bandwidth: -1 GB/s, latency: 1 us}\n"
     "                    ^"},
    {"network: star\n"
     "hosts: 3\n"
     "link: {bandwidth: [1, 2], latency: 1 us}\n"
     "host: {type: simple}\n",
     "x.yaml:3:19: expected a bandwidth such as \"10 Gbit/s\", got a list\n"
     "  link: {bandwidth: [1, 2], latency: 1 us}\n"
     "                    ^"},
    {"network: star\n"
     "hosts: 3\n"
     "link: {bandwidth: 1 GB/s, latency: 1 GB/s}\n"
     "host: {type: simple}\n",
     "x.yaml:3:36: expected a time such as \"1.5 us\", got \"1 GB/s\"; the units are s, ms, us, "
     "ns, ps\n"
     "  link: {bandwidth: 1 GB/s, latency: 1 GB/s}\n"
     "                                     ^"},
    {"network: star\n"
     "hosts: 3\n"
     "link: {bandwidth: 1 GB/s, latency: 5}\n"
     "host: {type: simple}\n",
     "x.yaml:3:36: expected a time such as \"1.5 us\", got \"5\", which has no unit\n"
     "  link: {bandwidth: 1 GB/s, latency: 5}\n"
     "                                     ^"},
    {"network: star\n"
     "hosts: 3\n"
     "link: {bandwidth: 1 GB/s, latency: }\n"
     "host: {type: simple}\n",
     "x.yaml:3:7: link: the key 'latency' is missing\n"
     "  link: {bandwidth: 1 GB/s, latency: }\n"
     "        ^"},
    {"network: star\n"
     "hosts: 3\n"
     "link: {bandwidth: 1 GB/s, latency: 1 us, width: 2}\n"
     "host: {type: simple}\n",
     "x.yaml:3:42: link: unknown key 'width' (known: bandwidth, latency, send_bandwidth, "
     "receive_bandwidth, "
     "both, kind)\n"
     "  link: {bandwidth: 1 GB/s, latency: 1 us, width: 2}\n"
     "                                           ^"},
    {"network: star\n"
     "hosts: 3\n"
     "link: 10 Gbit/s\n"
     "host: {type: simple}\n",
     "x.yaml:3:7: link: expected a map of keys and values, got a text; did you mean its "
     "'bandwidth', 10 Gbit/s?\n"
     "  link: 10 Gbit/s\n"
     "        ^"},
};

TEST(Quantities, say_what_was_expected_and_what_is_missing) {
  for (const auto& [input, complaint] : broken) {
    const auto read = [&text = input] { read_cluster(Value::from_text("x.yaml", text)); };
    EXPECT_EQ(complaint_of(read), complaint) << input;
  }
}

}  // namespace
}  // namespace ringscope::quantities_test
