// SPDX-License-Identifier: LGPL-2.1-or-later
// Is a library read with its base under it, and does what is resolved stand on its own?
#include "scenarios/library/library.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "scenarios/answer/formats/report_formats.hpp"
#include "topologies/input/complaint_for_test.hpp"
#include "topologies/input/data_files.hpp"

namespace ringscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Library read(const std::string& text) { return read_library(Value::from_text("x", text)); }

TEST(Library, every_file_of_ours_is_read_and_says_what_it_is_about) {
  const std::vector<std::string> names = names_in("scenarios/libraries");
  EXPECT_GE(names.size(), 6U);
  for (const std::string& name : names) {
    EXPECT_EQ(read(name).name, name);
    EXPECT_NE(read(name).about, "a library without a description") << name;
  }
}

TEST(Library, resolved_library_reads_back_unchanged) {
  for (const std::string& name : names_in("scenarios/libraries")) {
    const Json resolved = to_json(read(name).resolved);
    EXPECT_EQ(to_json(read(resolved.dump()).resolved), resolved) << name;
    EXPECT_FALSE(resolved.contains("base")) << name;
  }
}

TEST(Library, the_ideal_one_costs_nothing) {
  const Library ideal = read("ideal");
  EXPECT_EQ(ideal.progress, Progress::nic);
  for (const Transport& transport : ideal.transports) {
    EXPECT_EQ(transport.latency, Seconds(0));
    EXPECT_EQ(transport.send_cost, ByteCost{0});
    EXPECT_EQ(transport.recv_cost, ByteCost{0});
    EXPECT_EQ(transport.driver, Driver::nic);
  }
  EXPECT_EQ(ideal.reduce_cost, ByteCost{0});
}

TEST(Library, a_base_gives_what_is_not_overridden) {
  const Library tcp = read("openmpi_tcp"), slow = read("slow_tcp");
  EXPECT_EQ(slow.transport(Way::network).send_cost, ByteCost{8e-9});
  EXPECT_EQ(slow.transport(Way::network).latency, tcp.transport(Way::network).latency);
  EXPECT_EQ(slow.transport(Way::shm).recv_cost, tcp.transport(Way::shm).recv_cost);
}

const Transport& between_hosts(const Library& library) {
  return library.blocks->costs(Protocol::ll).between_hosts;
}

TEST(Library, a_transport_is_laid_over_a_base_and_under_what_changes_it) {
  const Library infiniband = read("nccl_h100"), efa = read("{base: nccl_h100, transport: efa_p5}"),
                changed = read(
                    "{base: {base: nccl_h100, transport: efa_p5}, "
                    "blocks: {LL: {hop_between_hosts: 1 us, message_gap: 2 us}}}");
  EXPECT_EQ(infiniband.transport_name, "infiniband");
  EXPECT_EQ(infiniband.name, "nccl_h100");
  EXPECT_EQ(efa.transport_name, "efa_p5");
  EXPECT_EQ(efa.name, "nccl_h100 over efa_p5");
  EXPECT_EQ(efa.about, infiniband.about);
  EXPECT_GT(between_hosts(efa).latency.at(8), between_hosts(infiniband).latency.at(8));
  EXPECT_EQ(efa.blocks->launch, infiniband.blocks->launch);
  EXPECT_EQ(changed.name, "nccl_h100 over efa_p5*");
  EXPECT_EQ(between_hosts(changed).latency, Seconds(1e-6));
  EXPECT_EQ(between_hosts(changed).message_gap, Seconds(2e-6));
  const Library copied =
      read("{base: nccl_h100, blocks: {LL: {message_gap: [{time: 1 us, cost: 2 ns/B}]}}}");
  EXPECT_DOUBLE_EQ(between_hosts(copied).message_gap.at(1000), 1e-6 + 1000 * 2e-9);
  EXPECT_EQ(to_json(read(to_json(changed.resolved).dump()).resolved), to_json(changed.resolved));
}

TEST(Library, every_transport_of_ours_is_read_with_each_of_its_profiles) {
  for (const std::string& name : names_in("scenarios/transports"))
    for (const char* base : {"nccl_a100", "nccl_h100"}) {
      const std::string text = fmt::format("{{base: {}, transport: {}}}", base, name);
      EXPECT_EQ(read(text).transport_name, name);
    }
}

TEST(Library, a_spread_has_bands_by_rising_size) {
  const Library some = read(
      "{base: ideal, spread: {one_host: [{up_to: 1 KiB, low: 0.5, high: 3}, {low: 0.9, high: 1}], "
      "several_hosts: [{up_to: 4 KiB, low: 1, high: 2}]}}");
  EXPECT_EQ(some.spread.band(false, 1024)->high, 3);
  EXPECT_EQ(some.spread.band(false, 1025)->low, 0.9);
  EXPECT_EQ(some.spread.band(true, 1024)->high, 2);
  EXPECT_EQ(some.spread.band(true, 4097), nullptr);
  EXPECT_EQ(read("ideal").spread.band(false, 8), nullptr);
  for (const char* bands : {"[]", "1", "[{low: 2, high: 1}]", "[{low: 1}]",
                            "[{low: 1, high: 2}, {up_to: 1 KiB, low: 1, high: 2}]"})
    EXPECT_THROW(read(fmt::format("{{base: ideal, spread: {{one_host: {}}}}}", bands)), InputError)
        << bands;
}

TEST(Library, only_what_goes_between_hosts_has_a_nic) {
  const Library read_back =
      read("{base: ideal, network: {message_gap: 1 us, interrupt_interval: 20 us}}");
  EXPECT_EQ(read_back.transport(Way::network).message_gap, Seconds(1e-6));
  EXPECT_EQ(read_back.transport(Way::network).interrupt_interval, Seconds(20e-6));
  EXPECT_EQ(to_json(read(to_json(read_back.resolved).dump()).resolved),
            to_json(read_back.resolved));
  for (const std::string key : {"message_gap", "interrupt_interval"}) {
    EXPECT_FALSE(to_json(read("ideal").resolved)["network"].contains(key));
    EXPECT_THROW(read("{base: ideal, shm: {" + key + ": 1 us}}"), InputError);
  }
}

TEST(Library, only_a_nic_that_moves_the_data_needs_pinned_buffers) {
  const Library read_back =
      read("{base: rdma, network: {registration: [{time: 10 us, cost: 0.06 ns/B}]}}");
  EXPECT_DOUBLE_EQ(read_back.transport(Way::network).registration.at(1'000'000), 70e-6);
  EXPECT_EQ(to_json(read(to_json(read_back.resolved).dump()).resolved),
            to_json(read_back.resolved));
  EXPECT_FALSE(to_json(read("rdma").resolved)["network"].contains("registration"));
  EXPECT_THROW(read("{base: rdma, shm: {registration: 1 us}}"), InputError);
  EXPECT_THROW(read("{base: openmpi_tcp, network: {registration: 1 us}}"), InputError);
}

TEST(Library, only_between_hosts_are_there_connections_to_poll) {
  const Library read_back =
      read("{base: ideal, match_cost: 2 ns, network: {connection_cost: 100 ns}}");
  EXPECT_EQ(read_back.transport(Way::network).connection_cost, Seconds(100e-9));
  EXPECT_EQ(read_back.match_cost, Seconds(2e-9));
  EXPECT_EQ(to_json(read(to_json(read_back.resolved).dump()).resolved),
            to_json(read_back.resolved));
  EXPECT_FALSE(to_json(read("ideal").resolved).contains("match_cost"));
  EXPECT_FALSE(to_json(read("ideal").resolved)["network"].contains("connection_cost"));
  EXPECT_THROW(read("{base: ideal, shm: {connection_cost: 1 us}}"), InputError);
}

TEST(Library, detours_stand_in_the_resolved_library_where_it_has_them) {
  const Library read_back = read("{base: ideal, detours: {every: 10 ms, takes: 100 us}}");
  EXPECT_EQ(read_back.detours.every, Seconds(10e-3));
  EXPECT_EQ(read_back.detours.takes, Seconds(100e-6));
  EXPECT_EQ(to_json(read(to_json(read_back.resolved).dump()).resolved),
            to_json(read_back.resolved));
  EXPECT_FALSE(to_json(read("ideal").resolved).contains("detours"));
  EXPECT_THROW(read("{base: ideal, detours: {every: 0 s, takes: 1 us}}"), InputError);
  EXPECT_THROW(read("{base: ideal, detours: {every: 1 s}}"), InputError);
}

TEST(Library, only_between_hosts_do_eager_messages_go_in_pieces) {
  const Library read_back = read("{base: ideal, network: {eager_piece: 4 KiB}}");
  EXPECT_EQ(read_back.transport(Way::network).eager_piece.count, 4096U);
  EXPECT_EQ(to_json(read(to_json(read_back.resolved).dump()).resolved),
            to_json(read_back.resolved));
  EXPECT_FALSE(to_json(read("ideal").resolved)["network"].contains("eager_piece"));
  EXPECT_THROW(read("{base: ideal, shm: {eager_piece: 4 KiB}}"), InputError);
  EXPECT_THROW(read("{base: ideal, network: {eager_piece: 0 B}}"), InputError);
}

TEST(Library, vectors_that_the_caches_do_not_hold_have_costs_of_their_own) {
  Library library = read(
      "{base: openmpi_tcp, reduce_cost: 1 ns/B, shm: {recv_cost: 2 ns/B}, uncached:"
      " [{above: 1 KiB, reduce_cost: 3 ns/B}, {above: 1 MiB, shm: {recv_cost: 4 ns/B}}]}");
  const Json resolved = to_json(library.resolved);
  const auto expect = [&](std::uint64_t bytes, double reduce_cost, double recv_cost) {
    take_vectors(library, {bytes});
    EXPECT_EQ(library.reduce_cost, ByteCost{reduce_cost}) << bytes;
    EXPECT_EQ(library.transport(Way::shm).recv_cost, ByteCost{recv_cost}) << bytes;
    EXPECT_EQ(to_json(library.resolved), resolved);
  };
  expect(1 << 20, 3e-9, 2e-9);
  expect((1 << 20) + 1, 3e-9, 4e-9);
  expect(1025, 3e-9, 2e-9);
  expect(1024, 1e-9, 2e-9);
  EXPECT_EQ(to_json(read(resolved.dump()).resolved), resolved);
}

TEST(Library, shared_memory_that_is_off_costs_what_the_network_does) {
  const Library off = read(
      "{base: openmpi_tcp, shm: network, network: {goodput: 0.9, interrupt_interval: 1 us}, "
      "uncached: [{above: 1 KiB, reduce_cost: 1 ns/B, shm: {recv_cost: 9 ns/B}}]}");
  const Transport& shm = off.transport(Way::shm);
  const Transport& network = off.transport(Way::network);
  EXPECT_EQ(shm.latency, network.latency);
  EXPECT_EQ(shm.send_cost, network.send_cost);
  EXPECT_EQ(shm.eager_limit, network.eager_limit);
  EXPECT_EQ(shm.buffer, network.buffer);
  EXPECT_EQ(shm.driver, Driver::caller);
  EXPECT_EQ(shm.goodput, 1);
  EXPECT_EQ(shm.interrupt_interval, Seconds(0));
  EXPECT_EQ(to_json(off.resolved)["shm"], "network");
  EXPECT_EQ(to_json(read(to_json(off.resolved).dump()).resolved), to_json(off.resolved));
  Library uncached = off;
  take_vectors(uncached, {1 << 20});
  EXPECT_EQ(uncached.reduce_cost, ByteCost{1e-9});
  EXPECT_EQ(uncached.transport(Way::shm).recv_cost, network.recv_cost);
  EXPECT_THAT(complaint_of([] { read("{base: rdma, shm: off}"); }),
              HasSubstr("1:19: expected the costs of a transport, or 'network'"));
}

TEST(Library, open_mpi_names_are_rejected_with_the_equivalent_key) {
  for (const std::string name : {"vader", "sm", "tcp"})
    EXPECT_THAT(complaint_of([&] { read("{base: rdma, shm: {driver: " + name + "}}"); }),
                AllOf(HasSubstr("'" + name + "' is a BTL of Open MPI"),
                      HasSubstr("'driver: receiver'"), HasSubstr("'shm: network'")));
}

TEST(Library, a_provider_may_have_fewer_endpoints_than_are_asked_for) {
  const Library capped = read("{base: intel_mpi_mlx, endpoints: 4}");
  EXPECT_EQ(capped.endpoints, 1);
  EXPECT_EQ(capped.wanted_endpoints, 4);
  EXPECT_EQ(read("{base: intel_mpi, endpoints: 4}").endpoints, 4);
  EXPECT_EQ(to_json(read(to_json(capped.resolved).dump()).resolved), to_json(capped.resolved));
}

TEST(Library, locks_of_several_threads_are_overhead_of_each_message) {
  Library library = read("{base: rdma, thread_multiple: 50 ns}");
  const Library before = library;
  lock_calls(library);
  const Transport& now = library.transport(Way::network);
  const Transport& then = before.transport(Way::network);
  EXPECT_DOUBLE_EQ(now.send_overhead.at(8), then.send_overhead.at(8) + 50e-9);
  EXPECT_DOUBLE_EQ(now.recv_overhead.at(8), then.recv_overhead.at(8) + 50e-9);
}

TEST(Library, bases_chain) {
  const Library thread = read("progress_thread");
  EXPECT_EQ(thread.progress, Progress::thread);
  EXPECT_EQ(thread.transport(Way::network).send_cost, ByteCost{8e-9});
  EXPECT_EQ(thread.transport(Way::shm).driver, Driver::receiver);
}

TEST(Library, a_changed_one_is_marked) {
  const Library changed = read("{base: rdma, endpoints: 2, network: {latency: 2 us}}");
  EXPECT_EQ(changed.name, "rdma*");
  EXPECT_EQ(changed.endpoints, 2);
  EXPECT_EQ(changed.transport(Way::network).latency, Seconds(2e-6));
  EXPECT_EQ(changed.transport(Way::network).driver, Driver::nic);
}

TEST(Library, a_time_may_go_by_size) {
  const Library sized = read(
      "{base: rdma, network: {latency: [{up_to: 1 KiB, time: 2 us}, "
      "{up_to: 1 MiB, time: 3 us, cost: 1 ns/B}, {time: 5 us}]}}");
  const SizedTime& latency = sized.transport(Way::network).latency;
  EXPECT_DOUBLE_EQ(latency.at(1024), 2e-6);
  EXPECT_DOUBLE_EQ(latency.at(1025), 3e-6 + 1025e-9);
  EXPECT_DOUBLE_EQ(latency.at((1 << 20) + 1), 5e-6);
  EXPECT_EQ(read(to_json(sized.resolved).dump()).transport(Way::network).latency, latency);
}

TEST(Library, a_calibrations_file_holds_one_beside_its_cluster) {
  const std::string file = testing::TempDir() + "/calibrated.yaml";
  std::ofstream(file) << "cluster: {network: star}\nlibrary: {base: rdma, endpoints: 3}\n"
                         "calibration: {date: today}\n";
  const Library library = read(file);
  EXPECT_EQ(library.name, "calibrated");
  EXPECT_EQ(library.endpoints, 3);
}

int version_of(const std::string& nccl) {
  return read("{base: nccl_a100, blocks: {nccl: " + nccl + "}}").blocks->version;
}

std::string complaint_of_version(const std::string& nccl) {
  return complaint_of([&] { version_of(nccl); });
}

TEST(Library, versions_of_nccl_are_words) {
  EXPECT_EQ(version_of("2.10"), 210);
  EXPECT_EQ(version_of("2.31"), 231);
  EXPECT_EQ(version_of("2.22.3"), 222);
  for (const char* before : {"2.2", "2.2.12", "2.9", "2.1", "2.09"})
    EXPECT_THAT(complaint_of_version(before),
                HasSubstr(fmt::format("expected NCCL 2.10 to 2.99, got {}: ", before)));
  for (const char* none : {"3.1", "2", "2.", "2.22-1", "new", "2.22.3.1", "-2.22", "2.100"})
    EXPECT_THAT(complaint_of_version(none),
                HasSubstr("expected a version of NCCL such as 2.22 or 2.22.3"));
}

TEST(Library, says_what_it_was_fitted_on) {
  const Library library =
      read("{base: rdma, fitted: {least: 0 B, most: 4 MiB, hosts: 2, ranks_per_host: 1}}");
  EXPECT_EQ(library.fitted->most.count, 4u << 20);
  EXPECT_FALSE(read("{base: rdma}").fitted.has_value());
  EXPECT_THROW(read("{base: rdma, fitted: {least: 0 B, most: 4 MiB, hosts: 2}}"), InputError);
  EXPECT_THROW(read("{base: rdma, fitted: {least: 8 B, most: 4 B, hosts: 2, ranks_per_host: 1}}"),
               InputError);
}

}  // namespace
}  // namespace ringscope
