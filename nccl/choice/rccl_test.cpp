// SPDX-License-Identifier: LGPL-2.1-or-later
// Is RCCL's choice on MI300X that of its source, which has no LL128 inside a host?
#include "nccl/choice/rccl.hpp"

#include <gtest/gtest.h>

namespace ringscope::nccl {
namespace {

constexpr auto tree = Pattern::tree, ring = Pattern::ring;
/// Seven links of 48 GB/s each, shared by 28 rings.
const Platform mi300x = {
    .generation = Generation::cdna3, .version = 226, .rings = {.inside = {28, 12.0}}};
const Platform several = {
    .generation = Generation::cdna3,
    .version = 226,
    .rings = {.inside = {28, 12.0}, .pair = {28, 12.0}, .between = {28, 12.0}}};
constexpr KernelCall one_host = {.ranks = 8, .nodes = 1};

KernelCall call_of(Function function, int nodes = 1) {
  return {.ranks = 8 * nodes, .nodes = nodes, .function = function};
}

// 14 steps around the ring; 7 along a chain, and back.
TEST(Rccl, latencies_of_one_host_are_those_of_the_source) {
  EXPECT_NEAR(latency(ring, Protocol::ll, one_host, mi300x), 12 + 14 * 0.8, 1e-9);
  EXPECT_NEAR(latency(ring, Protocol::simple, one_host, mi300x), 17 + 14 * 2.1, 1e-9);
  EXPECT_NEAR(latency(tree, Protocol::ll, one_host, mi300x), 12 + 2 * 7 * 0.9, 1e-9);
  EXPECT_NEAR(latency(ring, Protocol::ll, call_of(Function::broadcast), mi300x), 12 + 0.8, 1e-9);
}

// A vector crosses 14/8 times around a ring, twice in a tree; 336 GB/s in all.
TEST(Rccl, bandwidths_of_one_host_are_shares_of_all_links) {
  EXPECT_NEAR(bandwidth(ring, Protocol::ll, one_host, mi300x), 336 * 0.08 * 8 / 14, 1e-9);
  EXPECT_NEAR(bandwidth(ring, Protocol::simple, one_host, mi300x), 336.0 * 8 / 14, 1e-9);
  EXPECT_NEAR(bandwidth(tree, Protocol::ll, one_host, mi300x), 336 * 0.06 / 2, 1e-9);
  EXPECT_NEAR(bandwidth(ring, Protocol::ll, call_of(Function::broadcast), mi300x),
              336 * 0.08 * 1.65, 1e-9);
}

// 1 MiB is 2^14 times 64 B: trees with LL are expected to reach all of their rate, below 4 KiB a
// tenth.
TEST(Rccl, corrects_trees_by_size_and_rings_only_between_hosts) {
  EXPECT_NEAR(time(tree, Protocol::ll, one_host, 1 << 20, mi300x),
              12 + 12.6 + (1 << 20) / (1000 * 336 * 0.03), 1e-6);
  EXPECT_NEAR(time(tree, Protocol::ll, one_host, 64, mi300x),
              12 + 12.6 + 64 / (1000 * 336 * 0.03 * 0.1), 1e-6);
  EXPECT_NEAR(time(ring, Protocol::simple, one_host, 1 << 20, mi300x),
              17 + 14 * 2.1 + (1 << 20) / (1000 * 336.0 * 8 / 14), 1e-6);
  EXPECT_NEAR(time(ring, Protocol::simple, call_of(Function::allreduce, 2), 1 << 20, several),
              17 + 28 * 6.0 + 2 * 320 + (1 << 20) / (1000 * 336.0 * 16 / 30 * 0.1), 1e-6);
}

TEST(Rccl, has_no_ll128_inside_a_host_at_any_size) {
  for (int function = 0; function < 5; ++function)
    for (std::uint64_t bytes = 8; bytes <= std::uint64_t{1} << 34; bytes *= 2)
      EXPECT_NE(choose(call_of(static_cast<Function>(function)), bytes, mi300x).protocol,
                Protocol::ll128);
  EXPECT_FALSE(is_known({ring, Protocol::ll128}, one_host, mi300x));
  EXPECT_FALSE(is_known({tree, Protocol::simple}, one_host, mi300x));
  EXPECT_EQ(choose(one_host, 1024, mi300x).protocol, Protocol::ll);
  EXPECT_EQ(choose(one_host, 1 << 30, mi300x).protocol, Protocol::simple);
}

// The chunk of a rank decides, whatever the times expected.
TEST(Rccl, takes_ll_for_short_chunks_of_a_reduce_scatter) {
  const KernelCall call = call_of(Function::reduce_scatter);
  EXPECT_EQ(choose(call, 8 * 352'128, mi300x).protocol, Protocol::ll);
  EXPECT_EQ(choose(call, 8 * 352'136, mi300x).protocol, Protocol::simple);
}

TEST(Rccl, takes_protocols_between_hosts_by_size_alone) {
  const auto protocol = [](Function function, int nodes, std::uint64_t bytes, int version = 226) {
    Platform machine = several;
    machine.version = version;
    return choose(call_of(function, nodes), bytes, machine).protocol;
  };
  EXPECT_EQ(protocol(Function::allreduce, 2, 1'048'576), Protocol::ll);
  EXPECT_EQ(protocol(Function::allreduce, 2, 1'048'577), Protocol::ll128);
  EXPECT_EQ(protocol(Function::allreduce, 2, 9'437'185), Protocol::simple);
  EXPECT_EQ(protocol(Function::allreduce, 4, 9'437'185), Protocol::ll128);
  EXPECT_EQ(protocol(Function::allreduce, 2, 1'048'577, 222), Protocol::simple);
  EXPECT_EQ(protocol(Function::allgather, 2, 16 * 98'304), Protocol::ll);
  EXPECT_EQ(protocol(Function::allgather, 2, 16 * 98'304 + 16), Protocol::ll128);
}

// 256 threads with 64 B each.
TEST(Rccl, opens_channels_for_blocks_of_256_threads) {
  Platform machine = mi300x;
  machine.most = 56;
  EXPECT_EQ(channels({ring, Protocol::simple}, one_host, 10 * 256 * 64, machine), 10);
  EXPECT_EQ(channels({ring, Protocol::simple}, one_host, 1 << 30, machine), 56);
}

}  // namespace
}  // namespace ringscope::nccl
