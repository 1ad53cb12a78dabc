// SPDX-License-Identifier: LGPL-2.1-or-later
// Does NCCL's model say here what its source says, and does the choice follow from it?
#include "nccl/choice/tuning.hpp"

#include <gtest/gtest.h>

#include "algorithms/catalogue.hpp"
#include "nccl/choice/choice.hpp"

namespace ringscope {
namespace {

constexpr auto tree = nccl::Pattern::tree, ring = nccl::Pattern::ring;
constexpr nccl::KernelCall eight_by_eight = {.ranks = 64, .nodes = 8};

// By hand from the constants of NCCL 2.21: 126 steps around the ring, 16 of them between hosts; 2 *
// 7 along the hosts' chains and 2 * 3 levels between them.
TEST(Nccl, latencies_are_those_of_the_source) {
  const auto latency = [](nccl::Pattern algorithm, Protocol protocol) {
    return nccl::latency(algorithm, protocol, eight_by_eight);
  };
  EXPECT_NEAR(latency(ring, Protocol::ll), 6.6 + 110 * 1.0 + 16 * 2.7, 1e-9);
  EXPECT_NEAR(latency(ring, Protocol::ll128), 14.0 + 110 * 1.9 + 16 * 4.0, 1e-9);
  EXPECT_NEAR(latency(ring, Protocol::simple), 8.4 + 110 * 3.4 + 16 * 14.0, 1e-9);
  EXPECT_NEAR(latency(tree, Protocol::ll), 6.8 + 14 * 0.6 + 6 * 5.0, 1e-9);
  EXPECT_NEAR(latency(tree, Protocol::ll128), 14.0 + 14 * 1.25 + 6 * 8.5, 1e-9);
  EXPECT_NEAR(latency(tree, Protocol::simple), 0.0 + 14 * 28.0 + 6 * 28.0, 1e-9);
}

// Two channels of 6 GB/s between hosts; a vector crosses 126/64 times around a ring, twice in
// trees.
TEST(Nccl, bandwidths_are_those_of_the_source) {
  const auto bandwidth = [](nccl::Pattern algorithm, Protocol protocol) {
    return nccl::bandwidth(algorithm, protocol, eight_by_eight);
  };
  EXPECT_NEAR(bandwidth(ring, Protocol::ll), 12.0 / 2 * 64 / 126, 1e-9);
  EXPECT_NEAR(bandwidth(ring, Protocol::ll128), 12.0 * 0.92 * 64 / 126, 1e-9);
  EXPECT_NEAR(bandwidth(ring, Protocol::simple), 12.0 * 64 / 126, 1e-9);
  EXPECT_NEAR(bandwidth(tree, Protocol::ll), 12.0 * 0.92 / 3.8 / 2, 1e-9);
  EXPECT_NEAR(bandwidth(tree, Protocol::ll128), 12.0 * 0.92 * 120 / 128 / 2, 1e-9);
  EXPECT_NEAR(bandwidth(tree, Protocol::simple), 12.0 * 0.92 / 2, 1e-9);
}

// 12 channels of 20 GB/s, of which LL has half, but at most 87.7 GB/s, and LL128 in trees seven
// ninths.
TEST(Nccl, one_host_goes_by_its_own_wires) {
  const nccl::KernelCall one_host = {.ranks = 8, .nodes = 1};
  EXPECT_NEAR(nccl::bandwidth(ring, Protocol::ll, one_host), 87.7 * 8 / 14, 1e-9);
  EXPECT_NEAR(nccl::bandwidth(tree, Protocol::ll128, one_host), 240.0 * 0.92 * 7 / 9 / 2, 1e-9);
  EXPECT_NEAR(nccl::latency(ring, Protocol::simple, one_host), 8.4 + 14 * 3.4, 1e-9);
}

// 63 of 64 chunks go round once, and 8 - 1 of the 63 steps are between hosts; a chain of 64 passes
// on the whole vector. NCCL 2.30.
TEST(Nccl, rings_of_other_collectives_take_fewer_steps) {
  const nccl::Platform machine = {.version = 230};
  const auto of = [](nccl::Function function) {
    return nccl::KernelCall{.ranks = 64, .nodes = 8, .function = function};
  };
  for (const auto function : {nccl::Function::allgather, nccl::Function::reduce_scatter}) {
    EXPECT_NEAR(nccl::bandwidth(ring, Protocol::simple, of(function), machine), 12.0 * 64 / 63,
                1e-9);
    EXPECT_NEAR(nccl::latency(ring, Protocol::ll, of(function), machine), 6.6 + 56 * 1.0 + 7 * 2.7,
                1e-9);
  }
  for (const auto function : {nccl::Function::broadcast, nccl::Function::reduce}) {
    EXPECT_NEAR(nccl::bandwidth(ring, Protocol::simple, of(function), machine), 12.0, 1e-9);
    EXPECT_NEAR(nccl::latency(ring, Protocol::ll, of(function), machine), 6.6 + 2.7, 1e-9);
    EXPECT_EQ(nccl::choose(of(function), 8, machine).algorithm, ring);
  }
}

// 256 MiB are 2^22 times 64 B: trees have 0.9 of their bandwidth, rings 1.4 of their latency.
TEST(Nccl, corrects_trees_for_size_and_long_rings_for_their_plateau) {
  constexpr std::uint64_t bytes = 256 << 20;
  EXPECT_NEAR(nccl::time(tree, Protocol::simple, eight_by_eight, bytes),
              560 + bytes / (1000 * 12 * 0.92 / 2 * 0.9), 1e-6);
  EXPECT_NEAR(nccl::time(ring, Protocol::simple, eight_by_eight, bytes),
              1.4 * 606.4 + bytes / (1000 * 12.0 * 64 / 126), 1e-6);
  EXPECT_NEAR(nccl::time(ring, Protocol::simple, eight_by_eight, 64),
              606.4 + 64 / (1000 * 12.0 * 64 / 126), 1e-9);
}

TEST(Nccl, takes_ll_for_short_vectors_and_then_ll128_and_simple) {
  const auto protocol = [](std::uint64_t bytes) {
    return nccl::choose(eight_by_eight, bytes).protocol;
  };
  EXPECT_EQ(protocol(8), Protocol::ll);
  EXPECT_EQ(protocol(1 << 20), Protocol::ll128);
  EXPECT_EQ(protocol(1 << 30), Protocol::simple);
}

// Four NVLinks between each two of 2 and 4 A100, NCCL 2.31: openfabric-systems/simllm measured
// where it goes over (validation/published/SPLIT.md).
constexpr nccl::KernelCall two = {.ranks = 2, .nodes = 1}, four = {.ranks = 4, .nodes = 1};
constexpr nccl::Graph four_channels = {.inside = {4, 20.0}};
const nccl::Platform two_a100 = {.version = 231, .rings = four_channels, .trees = four_channels};
const nccl::Platform four_a100 = {.version = 231};

TEST(Nccl, leaves_ll_on_a100_where_it_was_measured_to) {
  const auto protocol = [](nccl::KernelCall size, std::uint64_t bytes,
                           const nccl::Platform& machine) {
    const nccl::KernelChoice choice = nccl::choose(size, bytes, machine);
    EXPECT_EQ(choice.algorithm, ring);
    return choice.protocol;
  };
  EXPECT_EQ(protocol(two, 589'824, two_a100), Protocol::ll);
  EXPECT_EQ(protocol(two, 606'208, two_a100), Protocol::simple);
  EXPECT_EQ(protocol(four, 1'458'176, four_a100), Protocol::ll);
  EXPECT_EQ(protocol(four, 1'474'560, four_a100), Protocol::ll128);
}

TEST(Nccl, opens_as_many_channels_on_a100_as_were_counted) {
  const auto opened = [](nccl::KernelCall size, Protocol protocol, std::uint64_t bytes,
                         const nccl::Platform& machine) {
    return nccl::channels({ring, protocol}, size, bytes, machine);
  };
  EXPECT_EQ(opened(two, Protocol::ll, 589'824, two_a100), 8);
  EXPECT_EQ(opened(two, Protocol::simple, 606'208, two_a100), 8);
  EXPECT_EQ(opened(four, Protocol::ll, 1'458'176, four_a100), 24);
  // 512 threads with 8 B a rank each: 16 KiB.
  EXPECT_EQ(opened(four, Protocol::ll, 3 * 16'384, four_a100), 3);
  EXPECT_EQ(opened(four, Protocol::ll, 1, four_a100), 1);
}

// Eight heads of 45 GB/s, sixteen blocks: NCCL 2.30 takes 0.85 of them, seven of eight, both ways
// at once, and no more than the NICs; between hosts at most 45.5 GB/s.
TEST(Nccl, expects_of_nvls_what_its_source_says) {
  constexpr auto nvls = nccl::Pattern::nvls;
  nccl::Platform machine = {.generation = nccl::Generation::hopper,
                            .version = 230,
                            .heads = {8, 45.0},
                            .heads_between = 50.0,
                            .nvls_channels = 16};
  const nccl::KernelCall one_host = {.ranks = 8, .nodes = 1};
  EXPECT_NEAR(nccl::bandwidth(nvls, Protocol::simple, one_host, machine), 8 * 50.0 * 8 / 14, 1e-9);
  EXPECT_NEAR(nccl::latency(nvls, Protocol::simple, one_host, machine), 25, 1e-9);
  EXPECT_NEAR(nccl::bandwidth(nvls, Protocol::simple, eight_by_eight, machine), 8 * 45.5 * 64 / 126,
              1e-9);
  EXPECT_NEAR(nccl::latency(nvls, Protocol::simple, eight_by_eight, machine), 25 + 2 * 3 * 20.9,
              1e-9);
  machine.version = 222;
  EXPECT_NEAR(nccl::bandwidth(nvls, Protocol::simple, one_host, machine), 8 * 45.0 * 5 / 6, 1e-9);
  EXPECT_NEAR(nccl::bandwidth(nvls, Protocol::simple, eight_by_eight, machine), 8 * 25.0 * 5 / 6,
              1e-9);
  EXPECT_NEAR(nccl::latency(nvls, Protocol::simple, eight_by_eight, machine), 25 + 2 * 3 * 14.0,
              1e-9);
  EXPECT_EQ(nccl::channels({nvls, Protocol::simple}, one_host, 1, machine), 16);
  EXPECT_FALSE(nccl::is_known({nvls, Protocol::ll}, one_host, machine));
  machine.nvls_channels = 0;
  EXPECT_FALSE(nccl::is_known({nvls, Protocol::simple}, one_host, machine));
}

// Eight GPUs are a head each of their own chunk, seven of eight of whose bytes are others'.
TEST(Nccl, expects_of_nvls_for_chunks_what_its_source_says) {
  constexpr auto nvls = nccl::Pattern::nvls;
  nccl::Platform machine = {.generation = nccl::Generation::hopper,
                            .version = 230,
                            .heads = {8, 45.0},
                            .heads_between = 45.0,
                            .nvls_channels = 16};
  for (const auto function : {nccl::Function::allgather, nccl::Function::reduce_scatter}) {
    const nccl::KernelCall one_host = {.ranks = 8, .nodes = 1, .function = function};
    const nccl::KernelCall two_hosts = {.ranks = 16, .nodes = 2, .function = function};
    const auto of = [&](int version) {
      machine.version = version;
      return nccl::bandwidth(nvls, Protocol::simple, one_host, machine);
    };
    EXPECT_NEAR(of(230), 8 * 45.0 * .85 * 7 / 8 * 7 / 8, 1e-9);
    EXPECT_NEAR(of(227), 8 * 45.0 * 7 / 8, 1e-9);
    EXPECT_NEAR(of(226), 8 * 45.0, 1e-9);
    EXPECT_NEAR(of(222), 8 * 45.0 * 5 / 6, 1e-9);
    EXPECT_NEAR(nccl::latency(nvls, Protocol::simple, one_host, machine), 25, 1e-9);
    EXPECT_TRUE(nccl::is_known({nvls, Protocol::simple}, one_host, machine));
    EXPECT_FALSE(nccl::is_known({nvls, Protocol::simple}, two_hosts, machine));
    const nccl::KernelCall many = {.ranks = 72, .nodes = 1, .function = function};
    EXPECT_FALSE(nccl::is_known({nvls, Protocol::simple}, many, machine));
    machine.version = 218;
    EXPECT_FALSE(nccl::is_known({nvls, Protocol::simple}, one_host, machine));
  }
}

// Four V100 behind PCIe, by the tables of 2.10 to 2.17: six steps round a ring of 12 GB/s.
TEST(Nccl, before_218_takes_simple_later_and_no_trees_by_it) {
  constexpr nccl::Graph found = {
      .inside = {1, 12.0}, .nvlink = false, .direct = false, .ll128 = false};
  const nccl::Platform machine = {
      .generation = nccl::Generation::volta, .version = 212, .rings = found, .trees = found};
  const nccl::KernelCall four_v100 = {.ranks = 4, .nodes = 1};
  EXPECT_NEAR(nccl::latency(ring, Protocol::ll, four_v100, machine), 3.6 + 6 * 1.0, 1e-9);
  EXPECT_NEAR(nccl::bandwidth(ring, Protocol::ll, four_v100, machine), 12.0 / 4 * 4 / 6, 1e-9);
  EXPECT_NEAR(nccl::latency(tree, Protocol::simple, four_v100, machine), 6 * 28.0, 1e-9);
  const auto choice = [&](std::uint64_t bytes) { return nccl::choose(four_v100, bytes, machine); };
  EXPECT_EQ(choice(64 << 10).protocol, Protocol::ll);
  EXPECT_EQ(choice(128 << 10).protocol, Protocol::simple);
  EXPECT_EQ(choice(128 << 10).algorithm, ring);
}

// 8 + 3 * 14 / 3.5 + 10 * 2.8 us, three quarters of two channels of 6 GB/s, on hosts with one GPU
// each and from 2.23 on.
TEST(Nccl, takes_parallel_trees_for_short_chunks_of_hosts_with_a_gpu_each) {
  const nccl::Platform machine = {.version = 230};
  const nccl::KernelCall ten = {.ranks = 10, .nodes = 10, .function = nccl::Function::allgather};
  EXPECT_NEAR(nccl::latency(nccl::Pattern::pat, Protocol::simple, ten, machine), 48, 1e-9);
  EXPECT_NEAR(nccl::bandwidth(nccl::Pattern::pat, Protocol::simple, ten, machine), 0.75 * 12, 1e-9);
  EXPECT_EQ(nccl::choose(ten, 1 << 10, machine).algorithm, nccl::Pattern::pat);
  EXPECT_EQ(nccl::choose(ten, 1 << 30, machine).algorithm, ring);
  EXPECT_EQ(nccl::choose(ten, 1 << 10, {.version = 222}).algorithm, ring);
  const nccl::KernelCall pairs = {.ranks = 10, .nodes = 5, .function = nccl::Function::allgather};
  EXPECT_EQ(nccl::choose(pairs, 1 << 10, machine).algorithm, ring);
}

TEST(Nccl, versions_differ_in_ll_and_in_trees) {
  const auto of = [](int version) { return nccl::Platform{.version = version}; };
  const auto bandwidth = [&](int version) {
    return nccl::bandwidth(ring, Protocol::ll, eight_by_eight, of(version));
  };
  EXPECT_NEAR(bandwidth(220), 12.0 / 4 * 64 / 126, 1e-9);
  EXPECT_NEAR(bandwidth(221), 12.0 / 2 * 64 / 126, 1e-9);
  const auto latency = [&](int version) {
    return nccl::latency(tree, Protocol::simple, eight_by_eight, of(version));
  };
  EXPECT_NEAR(latency(218), 14 * 4.0 + 6 * 14.0, 1e-9);
  EXPECT_NEAR(latency(222), 14 * 28.0 + 6 * 28.0, 1e-9);
  EXPECT_NEAR(latency(223), 8.4 + 14 * 4.0 + 6 * 14.0, 1e-9);
}

TEST(Nccl, grants_each_generation_what_its_tables_say_of_one_host) {
  using enum nccl::Generation;
  EXPECT_EQ(nccl::granted(Protocol::ll, volta), 39.0);
  EXPECT_EQ(nccl::granted(Protocol::ll, hopper), 141.0);
  EXPECT_EQ(nccl::granted(Protocol::ll128, ampere), 20.0);
  EXPECT_EQ(nccl::granted(Protocol::simple, blackwell), 70.0);
}

TEST(Nccl, takes_what_is_forced_and_ll128_over_nvlink_alone) {
  constexpr nccl::Graph found = {.nvlink = false, .direct = false, .ll128 = false};
  const nccl::Platform pcie = {.rings = found, .trees = found};
  for (std::uint64_t bytes = 8; bytes <= 1 << 30; bytes *= 2) {
    EXPECT_NE(nccl::choose(four, bytes, pcie).protocol, Protocol::ll128);
    EXPECT_EQ(nccl::choose(four, bytes, pcie, {.algorithm = tree, .protocol = {}}).algorithm, tree);
    EXPECT_EQ(
        nccl::choose(four, bytes, pcie, {.algorithm = {}, .protocol = Protocol::ll128}).protocol,
        Protocol::ll128);
  }
}

TEST(Nccl, takes_trees_for_short_vectors_on_many_hosts_and_rings_for_long_ones) {
  std::vector<int> hosts;
  for (int rank = 0; rank < 64; ++rank) hosts.push_back(rank / 8);
  const Algorithm& nccl = *find_algorithm("allreduce", "nccl");
  EXPECT_EQ(nccl.chosen(64, 8, {.given = {.hosts = &hosts}}), "double_binary_tree");
  EXPECT_EQ(nccl.chosen(64, 1 << 30, {.given = {.hosts = &hosts}}), "ring");
  EXPECT_EQ(nccl.chosen(1, 8, {}), "ring");
}

TEST(Nccl, says_by_which_protocol_and_how_many_channels_where_it_knows_them) {
  const std::vector<int> one_host = {0, 0};
  const Options known = {.given = {.hosts = &one_host, .nccl = &two_a100}};
  const auto forced = [&](std::string_view protocol, int channels) {
    Options options = known;
    options.protocol = protocol;
    options.channels = channels;
    return nccl_choice_text("allreduce", 2, 600'000, options);
  };
  EXPECT_EQ(nccl_choice_text("allreduce", 2, 589'824, known), "LL, 8 channels");
  EXPECT_EQ(nccl_choice_text("allreduce", 2, 600'000, known), "Simple, 8 channels");
  EXPECT_EQ(forced("LL128", 1), "LL128, 1 channel");
  EXPECT_EQ(nccl_choice_text("allreduce", 2, 589'824, {.given = {.hosts = &one_host}}), "");
}

TEST(Nccl, goes_by_bytes_whatever_an_item_is) {
  const Algorithm& nccl = *find_algorithm("allreduce", "nccl");
  for (std::size_t bytes = 8; bytes <= 1 << 30; bytes *= 2)
    EXPECT_EQ(nccl.chosen(16, bytes / 4, {.given = {.item_bytes = 4}}), nccl.chosen(16, bytes, {}));
}

// 8 channels are 2 x 4; those of NVLS, which are more, are none of a send's.
TEST(Nccl, sends_of_sizes_that_differ_go_by_the_channels_of_equal_ones) {
  nccl::Platform machine;
  machine.rings.inside.count = machine.rings.between.count = 4;
  machine.nvls_channels = 24;
  Options options;
  options.given.nccl = &machine;
  for (const char* collective : {"alltoall", "alltoallv", "sendrecv"})
    EXPECT_EQ(threads_of(*find_algorithm(collective, "nccl"), options), 8) << collective;
}

}  // namespace
}  // namespace ringscope
