// SPDX-License-Identifier: LGPL-2.1-or-later
// Do files take their time, on the disk of a host and on a server that the others reach over the
// network, and what does a rank that sleeps leave to others?
#include <fmt/core.h>

#include "sim/tests/scenario_for_test.hpp"

namespace ringscope::storage_test {
namespace {

constexpr double ms = 1e-3;
constexpr double bytes = 10e6;
constexpr double cable = 1e9;  ///< B/s, each direction

/// Four hosts of two cores each on a star; files as `storage` says.
Scenario with_files(const std::string& storage, const std::string& placement,
                    const std::string& library = "ideal", const std::string& memory = "unlimited") {
  return scenario_of(fmt::format(R"(
cluster:
  network: star
  hosts: [ann, bob, cy, dee]
  link: {{bandwidth: 1 GB/s, latency: 10 us}}
  host: {{type: simple, cores: 2, memory_bandwidth: {}}}
library: {}
placement: {}
storage: {}
job: {{collective: pingpong, algorithm: blocking, bytes: 10 MB}}
)",
                                 memory, library, placement, storage));
}

Task load_all(Communicator comm, Workspace work, Options) { co_await comm.load(work.data.size); }
Task store_all(Communicator comm, Workspace work, Options) { co_await comm.store(work.data.size); }

double seconds(const Report& report, int rank, Cause cause) {
  return report.rank_reports.at(static_cast<std::size_t>(rank))
      .waited_for[static_cast<std::size_t>(cause)];
}

class LocalDisk : public SimulationTest {};

const std::string disk = "{bandwidth: 100 MB/s}";
constexpr double disk_rate = 100e6;

TEST_F(LocalDisk, is_shared_by_the_ranks_of_its_host_alone) {
  const Report report = run(with_files(disk, "2-1"), load_all);
  expect_seconds(finish(report, 0), 2 * bytes / disk_rate);
  expect_seconds(finish(report, 1), 2 * bytes / disk_rate);
  expect_seconds(finish(report, 2), bytes / disk_rate);
}

TEST_F(LocalDisk, is_written_as_fast_as_read) {
  const Report report = run(with_files(disk, "2-1"), store_all);
  expect_seconds(finish(report, 0), 2 * bytes / disk_rate);
  expect_seconds(finish(report, 2), bytes / disk_rate);
}

TEST_F(LocalDisk, is_what_its_ranks_wait_for) {
  const Report report = run(with_files(disk, "1-1"), load_all);
  expect_seconds(seconds(report, 0, Cause::storage), bytes / disk_rate);
  ASSERT_FALSE(report.path.empty());
  EXPECT_EQ(report.path.front().cause, Cause::storage);
  EXPECT_EQ(report.path.front().resource, ResourceId{"ann/storage"});
}

TEST_F(LocalDisk, takes_no_time_for_nothing) {
  const Text text = [](Communicator comm, Workspace, Options) -> Task { co_await comm.load(0); };
  EXPECT_EQ(run(with_files(disk, "1-1"), text).time_s, 0);
}

// A file is copied to or from the buffers of the system.
TEST_F(LocalDisk, disk_faster_than_a_copy_takes_the_copy_time) {
  const Scenario scenario =
      with_files("{bandwidth: 1 GB/s}", "1-1", "{base: ideal, copy_cost: 2 ns/B}");
  expect_seconds(run(scenario, store_all).time_s, bytes * 2e-9);
}

TEST_F(LocalDisk, disk_faster_than_memory_takes_one_access_per_byte) {
  const Scenario scenario = with_files("{bandwidth: 1 GB/s}", "1-1", "ideal", "0.5 GB/s");
  expect_seconds(run(scenario, load_all).time_s, bytes / 0.5e9);
}

TEST_F(LocalDisk, without_a_limit_is_the_copy_alone) {
  Scenario scenario = with_files(disk, "1-1", "{base: ideal, copy_cost: 2 ns/B}");
  scenario.storage = {};
  expect_seconds(run(scenario, load_all).time_s, bytes * 2e-9);
}

const std::string one_core = "[{host: 0, numa: 0, core: 0}, {host: 0, numa: 0, core: 0}]";

// 20 ms of copies and as much computation share a core: the disk alone would take 10 ms.
TEST_F(LocalDisk, takes_turns_with_others_on_the_core_that_copies) {
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    if (comm.rank() == 0) co_await comm.store(work.data.size);
    if (comm.rank() == 1) co_await comm.compute(Duration(20 * ms));
  };
  const Report report =
      run(with_files("{bandwidth: 1 GB/s}", one_core, "{base: ideal, copy_cost: 2 ns/B}"), text);
  expect_seconds(finish(report, 0), 20 * ms + bytes * 2e-9);
  expect_seconds(finish(report, 1), 20 * ms + bytes * 2e-9);
}

class FileServer : public SimulationTest {};

const std::string slow_server = "{bandwidth: 100 MB/s, host: dee}";
const std::string fast_server = "{bandwidth: 100 GB/s, host: dee}";

TEST_F(FileServer, slow_server_is_shared_by_all) {
  const Report report = run(with_files(slow_server, "2-1-0-1"), load_all);
  for (const int rank : {0, 1, 2, 3}) expect_seconds(finish(report, rank), 4 * bytes / disk_rate);
}

TEST_F(FileServer, by_its_number_is_the_same) {
  const Report report = run(with_files("{bandwidth: 100 MB/s, host: 3}", "2-1-0-1"), load_all);
  expect_seconds(report.time_s, 4 * bytes / disk_rate);
}

TEST_F(FileServer, fast_server_is_limited_by_its_link) {
  const Report report = run(with_files(fast_server, "1-1-1"), load_all);
  for (const int rank : {0, 1, 2}) expect_seconds(finish(report, rank), 3 * bytes / cable);
}

// They have what the cable leaves of the server.
TEST_F(FileServer, needs_no_cable_for_ranks_of_its_own_host) {
  const Report report = run(with_files(fast_server, "1-0-0-1"), load_all);
  expect_seconds(finish(report, 0), bytes / cable);
  expect_seconds(finish(report, 1), bytes / (100e9 - cable));
}

TEST_F(FileServer, reads_by_one_direction_of_its_cable_and_writes_by_the_other) {
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    if (comm.rank() == 0) co_await comm.load(work.data.size);
    if (comm.rank() == 1) co_await comm.store(work.data.size);
  };
  const Report report = run(with_files(fast_server, "1-1"), text);
  expect_seconds(finish(report, 0), bytes / cable);
  expect_seconds(finish(report, 1), bytes / cable);
}

// Bytes from rank 1 to rank 0 come by the cable that rank 0 loads through.
TEST_F(FileServer, shares_the_cables_with_messages) {
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    if (comm.rank() == 0) {
      const Request incoming = comm.irecv(work.data, 1);
      co_await comm.load(work.data.size);
      co_await comm.wait(incoming);
    }
    if (comm.rank() == 1) co_await comm.send(work.data, 0);
  };
  const Report report = run(with_files(fast_server, "1-1"), text);
  const double latency = 2 * 10e-6;
  expect_seconds(finish(report, 0), 2 * bytes / cable + latency);
}

class Sleep : public SimulationTest {};

TEST_F(Sleep, leaves_its_core_to_others) {
  const Text text = [](Communicator comm, Workspace, Options) -> Task {
    if (comm.rank() == 0) co_await comm.sleep(Duration(10 * ms));
    if (comm.rank() == 1) co_await comm.compute(Duration(10 * ms));
  };
  const Report report = run(with_files(disk, one_core), text);
  expect_seconds(finish(report, 0), 10 * ms);
  expect_seconds(finish(report, 1), 10 * ms);
  expect_seconds(seconds(report, 0, Cause::sleep), 10 * ms);
  EXPECT_EQ(seconds(report, 1, Cause::sleep), 0);
}

// It is no call of MPI: a large message begins when the receiver awakes.
TEST_F(Sleep, makes_no_progress) {
  const Text text = [](Communicator comm, Workspace work, Options) -> Task {
    if (comm.rank() == 0) co_await comm.send(work.data, 1);
    if (comm.rank() == 1) {
      const Request incoming = comm.irecv(work.data, 0);
      co_await comm.sleep(Duration(5 * ms));
      co_await comm.wait(incoming);
    }
  };
  const std::string caller = "{base: ideal, progress: caller, network: {eager_limit: 0 B}}";
  const double latency = 2 * 10e-6;
  expect_seconds(run(with_files(disk, "1-1", caller), text).time_s,
                 5 * ms + latency + bytes / cable + latency);
}

}  // namespace
}  // namespace ringscope::storage_test
