// SPDX-License-Identifier: LGPL-2.1-or-later
// Is a user warned of what the answer leaves out, and of nothing else?
#include "scenarios/warnings/job_warnings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/question/scenario_tree.hpp"

namespace ringscope {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> warnings_of(const std::string& cluster, const std::string& placement,
                                     const std::string& algorithm,
                                     const std::string& library = "cuda_pinned") {
  const std::string text =
      "question: q\nlibrary: " + library + "\ncluster: " + cluster + "\nplacement: " + placement +
      "\njob: {collective: allreduce, bytes: 1 MiB, algorithm: " + algorithm + "}";
  return job_warnings(read_tree(Value::from_text("test", text), "test").front());
}

TEST(JobWarnings, nccl_is_one_channel_where_a_host_has_several_nics) {
  EXPECT_THAT(warnings_of("{base: dgx1v, about: eight GPUs}", "{hosts: 8-8, on: gpu}", "nccl"),
              ElementsAre(AllOf(HasSubstr("nccl is simulated as one channel"),
                                HasSubstr("4 NICs of host0"), HasSubstr("{rings: 4}"))));
  EXPECT_THAT(warnings_of("gpu4x4_25g", "{hosts: 4-4, on: gpu}", "nccl"), IsEmpty());
}

TEST(JobWarnings, nccl_has_a_library_for_gpus_that_are_called_by_their_name) {
  for (const char* placement : {"{hosts: 8, on: gpu}", "{hosts: 8-8, on: gpu}"})
    EXPECT_THAT(
        warnings_of("a100_nvswitch", placement, "nccl"),
        ElementsAre(AllOf(HasSubstr("cuda_pinned does not state the costs of NCCL's blocks"),
                          HasSubstr("'library: nccl_a100'"))));
  for (const char* cluster : {"v100x4_pcie", "{base: dgx1v, hosts: 1}"})
    EXPECT_THAT(warnings_of(cluster, "{hosts: 4, on: gpu}", "nccl"),
                ElementsAre(HasSubstr("'library: nccl_v100_nvlink' or 'nccl_v100_pcie'")));
  EXPECT_THAT(warnings_of("a100_nvswitch", "{hosts: 8-8, on: gpu}", "nccl", "nccl_a100"),
              IsEmpty());
  EXPECT_THAT(warnings_of("mi300x", "{hosts: 8, on: gpu}", "nccl", "nccl_a100"),
              ElementsAre(AllOf(HasSubstr("costs of Ampere GPUs"),
                                HasSubstr("'library: rccl_mi300x' is for these"))));
  EXPECT_THAT(warnings_of("mi300x", "{hosts: 8, on: gpu}", "nccl", "rccl_mi300x"), IsEmpty());
}

TEST(JobWarnings, ranks_run_on_cores_where_gpus_are_forgotten) {
  EXPECT_THAT(warnings_of("h100_nvswitch", "8", "ring"),
              ElementsAre(AllOf(HasSubstr("no rank has a GPU"),
                                HasSubstr("'placement: {hosts: 8, on: gpu}'"))));
  EXPECT_THAT(warnings_of("h100_nvswitch", "{hosts: 8-8, on: core}", "nccl", "nccl_h100"),
              ElementsAre(HasSubstr("no rank has a GPU")));
  for (const char* placement : {"8-8", "{hosts: 8-8}", "{hosts: 8-8, on: gpu}"})
    EXPECT_THAT(warnings_of("h100_nvswitch", placement, "nccl", "nccl_h100"), IsEmpty());
  EXPECT_THAT(warnings_of("rack3", "4-4", "nccl", "openmpi_tcp"), IsEmpty());
}

TEST(JobWarnings, a_size_that_a_schedule_cannot_cut_is_reported) {
  const auto scenarios =
      read_tree(Value::from_text("test",
                                 "question: q\nlibrary: ideal\ncluster: pair\nplacement: 1-1\n"
                                 "job: {schedule: ring_2.xml, bytes: [96 B, 97 B]}"),
                "test");
  EXPECT_THAT(job_warnings(scenarios[0]), IsEmpty());
  EXPECT_THAT(job_warnings(scenarios[1]),
              ElementsAre("97 B cannot be cut into the 2 equal chunks of ring_2.xml: NCCL's own "
                          "choice is simulated instead"));
}

TEST(JobWarnings, stragglers_change_nothing_on_hosts_without_ranks) {
  const auto slow = [](const std::string& hosts) {
    return warnings_of(
        "rack3", "4-4",
        "ring, overlap: 1 ms, noise: {stragglers: {hosts: [" + hosts + "], slowdown: 2}}");
  };
  EXPECT_THAT(slow("host1, host2"), ElementsAre(HasSubstr("computations on host2, where no rank")));
  EXPECT_THAT(slow("host0, host1"), IsEmpty());
  EXPECT_THAT(warnings_of("star8", "4-4",
                          "ring, overlap: 1 ms, noise: {stragglers: {hosts: [host3, host4, host5, "
                          "host6, host7], slowdown: 2}}"),
              ElementsAre(HasSubstr("on host3, host4, host5 and 2 more, where")));
}

TEST(JobWarnings, stragglers_change_nothing_where_nothing_is_computed) {
  const std::string noise = "noise: {stragglers: {ranks: [1], slowdown: 2}}";
  EXPECT_THAT(warnings_of("rack3", "4-3-1", "ring, " + noise),
              ElementsAre(HasSubstr("'stragglers' slow computations down")));
  EXPECT_THAT(warnings_of("rack3", "4-3-1", "ring, overlap: 1 ms, " + noise), IsEmpty());
}

TEST(JobWarnings, kernels_between_hosts_want_to_know_the_network) {
  const std::string named = "h100_nvswitch", unnamed = "{base: h100_nvswitch, link: {kind: null}}";
  EXPECT_THAT(warnings_of(named, "{hosts: 8-8, on: gpu}", "nccl", "nccl_h100"), IsEmpty());
  EXPECT_THAT(warnings_of(unnamed, "{hosts: 8-0, on: gpu}", "nccl", "nccl_h100"), IsEmpty());
  EXPECT_THAT(warnings_of(unnamed, "{hosts: 8-8, on: gpu}", "nccl", "nccl_h100"),
              ElementsAre(AllOf(HasSubstr("infiniband is assumed"), HasSubstr("efa_p5"))));
}

TEST(JobWarnings, sockets_want_hosts_without_gpudirect) {
  const std::string socket = "{base: h100_nvswitch, link: {kind: socket}";
  EXPECT_THAT(warnings_of(socket + "}", "{hosts: 8-8, on: gpu}", "nccl", "nccl_h100"),
              ElementsAre(HasSubstr("'cluster.host.gpudirect: false'")));
  EXPECT_THAT(warnings_of(socket + ", host: {gpudirect: false}}", "{hosts: 8-8, on: gpu}", "nccl",
                          "nccl_h100"),
              IsEmpty());
}

TEST(JobWarnings, costs_of_another_gpu_are_named_with_those_of_this_one) {
  EXPECT_THAT(warnings_of("h100_nvswitch", "{hosts: 8-8, on: gpu}", "nccl", "nccl_a100"),
              ElementsAre(AllOf(HasSubstr("nccl_a100 has the costs of Ampere GPUs"),
                                HasSubstr("'library: nccl_h100'"))));
  EXPECT_THAT(warnings_of("h100_nvswitch", "{hosts: 8-8, on: gpu}", "nccl", "nccl_h200"),
              IsEmpty());
  EXPECT_THAT(warnings_of("{base: gpu_pair, about: two hosts, link: {kind: infiniband}}",
                          "{hosts: 4-4, on: gpu}", "nccl", "nccl_a100"),
              IsEmpty());
}

TEST(JobWarnings, keys_that_change_nothing_are_named) {
  const auto named = [](const std::string& key) {
    return ElementsAre(AllOf(HasSubstr('\'' + key), HasSubstr("changes nothing")));
  };
  EXPECT_THAT(warnings_of("rack3", "4-3-1", "ring, seed: 2", "rdma"), named("seed'"));
  EXPECT_THAT(warnings_of("rack3", "4-3-1", "ring, seed: 2, skew: 1 us, repetitions: 9", "rdma"),
              IsEmpty());
  EXPECT_THAT(warnings_of("rack3", "4-3-1", "ring", "{base: rdma, endpoints: 2}"),
              named("endpoints'"));
  EXPECT_THAT(warnings_of("rack3", "4-3-1", "ring_threads", "{base: rdma, endpoints: 2}"),
              IsEmpty());
  EXPECT_THAT(warnings_of("rack3", "4-3-1", "ring", "{base: rdma, progress_core: shared}"),
              named("progress_core'"));
  EXPECT_THAT(warnings_of("rack3", "{hosts: 4-4, nics: all}", "ring", "rdma"), named("nics: all'"));
  EXPECT_THAT(warnings_of("rack3", "{hosts: 4-4, map_by: numa}", "ring", "rdma"),
              named("map_by: numa'"));
  EXPECT_THAT(warnings_of("{base: rack3, hash_seed: 2}", "4-4", "ring", "rdma"),
              named("hash_seed'"));
  EXPECT_THAT(warnings_of("rack3", "4-4", "ring, cuda_graph: true", "rdma"), named("cuda_graph'"));
  EXPECT_THAT(
      warnings_of("h100_nvswitch", "{hosts: 8-8, on: gpu}", "nccl, cuda_graph: true", "nccl_h100"),
      IsEmpty());
}

TEST(JobWarnings, a_gpu_without_a_number_of_multiprocessors_loses_none_to_blocks) {
  const auto warnings = [](const std::string& cluster) {
    return warnings_of(cluster, "{hosts: 4, on: gpu}", "nccl, needs: {sms: 0.5}", "nccl_a100");
  };
  EXPECT_THAT(warnings("gpu4x4_25g"), Contains(HasSubstr("'cluster.host.gpu.sms'")));
  EXPECT_THAT(warnings("a100_nvswitch"), IsEmpty());
}

TEST(JobWarnings, a_provider_with_one_endpoint_gives_two_threads_nothing) {
  const auto limited =
      ElementsAre(AllOf(HasSubstr("intel_mpi_mlx"), HasSubstr("has 1 endpoint ('most_endpoints')"),
                        HasSubstr("two threads gain nothing with one endpoint"),
                        HasSubstr("{base: intel_mpi, endpoints: 2}")));
  EXPECT_THAT(warnings_of("rack3", "4-3-1", "ring_two_threads", "intel_mpi_mlx"), limited);
  EXPECT_THAT(
      warnings_of("rack3", "4-3-1", "ring_two_threads", "{base: intel_mpi_mlx, endpoints: 2}"),
      limited);
  EXPECT_THAT(warnings_of("rack3", "4-3-1", "ring", "intel_mpi_mlx"), IsEmpty());
  EXPECT_THAT(warnings_of("rack3", "4-3-1", "ring_two_threads", "{base: intel_mpi, endpoints: 2}"),
              IsEmpty());
}

TEST(JobWarnings, endpoints_beyond_the_threads_are_idle) {
  EXPECT_THAT(warnings_of("rack3", "4-3-1", "ring_two_threads", "{base: rdma, endpoints: 9}"),
              ElementsAre(HasSubstr("7 of 9 endpoints are idle: a rank has 2 threads")));
  EXPECT_THAT(warnings_of("rack3", "4-3-1", "ring", "{base: rdma, thread_multiple: 1 us}"),
              ElementsAre(HasSubstr("'thread_multiple' changes nothing")));
}

TEST(JobWarnings, jitter_asks_for_repetitions_where_a_message_has_it) {
  const std::string jitter = "{base: rdma, network: {jitter: 1 us}}";
  EXPECT_THAT(warnings_of("rack3", "4-3-1", "ring", jitter),
              ElementsAre(HasSubstr("'job.repetitions: 20'")));
  EXPECT_THAT(warnings_of("rack3", "4-3-1", "ring, repetitions: 2", jitter), IsEmpty());
  EXPECT_THAT(warnings_of("rack3", "4", "ring", jitter), IsEmpty());
}

// A step of the ring sends 1 MiB / 8 in 5 us + 131072 B / (1.25 GB/s) = 109.9 us or more. The
// latest of 8 messages is late by 1 + 1/2 + ... 1/8 = 2.72 times the jitter: 1 % at 0.404 us.
TEST(JobWarnings, jitter_that_adds_less_than_a_percent_asks_for_nothing) {
  const auto found = [](const std::string& jitter) {
    return warnings_of("rack3", "4-3-1", "ring",
                       "{base: rdma, network: {latency: 5 us, jitter: " + jitter + "}}");
  };
  EXPECT_THAT(found("0.40 us"), IsEmpty());
  EXPECT_THAT(found("0.41 us"), ElementsAre(HasSubstr("'job.repetitions: 20'")));
}

TEST(JobWarnings, slips_of_units_are_named_with_what_was_meant) {
  EXPECT_THAT(warnings_of("{base: rack3, link: {latency: 5 ms}}", "4-4", "ring", "rdma"),
              ElementsAre(AllOf(HasSubstr("1000 km"), HasSubstr("did you mean 5 us?"))));
  EXPECT_THAT(warnings_of("rack3", "4-4", "ring", "{base: rdma, network: {send_cost: 8 us/B}}"),
              ElementsAre(AllOf(HasSubstr("125 kB/s"), HasSubstr("did you mean 8 ns/B?"))));
}

TEST(JobWarnings, a_number_of_hosts_for_ranks_is_named) {
  EXPECT_THAT(warnings_of("star8", "8", "ring", "rdma"), ElementsAre(HasSubstr("'1x8'")));
  for (const char* placement : {"1x8", "8x1", "7", "8-0"})
    EXPECT_THAT(warnings_of("star8", placement, "ring", "rdma"), IsEmpty()) << placement;
}

TEST(JobWarnings, a_protocol_is_forced_in_vain_where_the_library_has_no_blocks) {
  const std::string on = "{hosts: 4, on: gpu}", forced = "nccl, options: {protocol: LL}";
  EXPECT_THAT(warnings_of("a100x4_nvlink", on, forced),
              ElementsAre(AllOf(HasSubstr("change nothing"), HasSubstr("cuda_pinned"))));
  EXPECT_THAT(warnings_of("a100x4_nvlink", on, "nccl, options: {algorithm: tree}"),
              ElementsAre(Not(HasSubstr("change nothing"))));
  EXPECT_THAT(warnings_of("a100x4_nvlink", on, forced, "nccl_a100"), IsEmpty());
}

TEST(JobWarnings, groups_take_one_channel_where_ranks_share_a_gpu) {
  const auto warnings_of_program = [](const std::string& library, const std::string& placement) {
    const std::string text =
        "question: q\nlibrary: " + library + "\ncluster: a100x4_nvlink\nplacement: " + placement +
        "\njob: {groups: {order: a-b, a: 2, b: 2}, program: [{allreduce: 1 MiB, group: a}]}";
    return job_warnings(read_tree(Value::from_text("test", text), "test").front());
  };
  const std::string own = "{hosts: 4, on: gpu}",
                    shared =
                        "[{host: 0, gpu: 0}, {host: 0, gpu: 0}, {host: 0, gpu: 1}, "
                        "{host: 0, gpu: 1}]";
  const auto sharing = HasSubstr("rank 0 and rank 1 share host0/gpu0");
  EXPECT_THAT(warnings_of_program("nccl_a100", shared),
              ElementsAre(sharing, AllOf(HasSubstr("one channel each"), HasSubstr("nccl_a100"))));
  EXPECT_THAT(warnings_of_program("nccl_a100", own), IsEmpty());
  EXPECT_THAT(warnings_of_program("cuda_pinned", shared), ElementsAre(sharing));
}

TEST(JobWarnings, a_ring_leaves_nics_idle) {
  // It comes to GPU 0 and leaves by GPU 7, which have a NIC each.
  EXPECT_THAT(warnings_of("a100_nvswitch", "{hosts: 8-8, on: gpu}", "ring"),
              ElementsAre(AllOf(HasSubstr("by 2 of its 8 NICs (host0/nic0, host0/nic7)"),
                                HasSubstr("nics: all"), HasSubstr("{rings: 8}"))));
  // Rings of ranks on cores may meet at one NIC.
  EXPECT_THAT(warnings_of("a100_nvswitch", "8-8", "ring", "rdma"),
              ElementsAre(AllOf(HasSubstr("nics: all"), Not(HasSubstr("parallel_rings")))));
  EXPECT_THAT(warnings_of("a100_nvswitch", "{hosts: 8-8, on: gpu, nics: all}", "ring"), IsEmpty());
  EXPECT_THAT(warnings_of("a100_nvswitch", "{hosts: 8, on: gpu}", "ring"), IsEmpty());
  EXPECT_THAT(warnings_of("a100_nvswitch", "{hosts: 8-8, on: gpu}", "rabenseifner"), IsEmpty());
  EXPECT_THAT(warnings_of("rack3", "4-3-1", "ring"), IsEmpty());
}

/// Two hosts with a slow NIC and one of 100 Gbit/s.
std::vector<std::string> warnings_of_unequal(const std::string& slow, const std::string& nics,
                                             const std::string& domains,
                                             const std::string& name = "") {
  return warnings_of(
      "{network: star, hosts: 2, link: {bandwidth: 100 Gbit/s, latency: 1 us}, "
      "host: {type: numa, sockets: 2, cores: 4, socket_link: {bandwidth: 20 GB/s, latency: 100 "
      "ns}, "
      "nics: [{domain: 0, bandwidth: " +
          slow + "}, {" + name + "domain: 1, bandwidth: 12.5 GB/s}]}}",
      "{hosts: 1-1, nics: " + nics + domains + "}", "ring", "openmpi_tcp");
}

TEST(JobWarnings, the_fastest_nic_is_named_where_they_differ) {
  EXPECT_THAT(warnings_of_unequal("125 MB/s", "nearest", ""),
              ElementsAre(AllOf(HasSubstr("the ring comes to host0 and leaves it by host0/nic0"),
                                HasSubstr("host0/nic1 (12.5 GB/s) alone is faster than all"),
                                HasSubstr("'placement.nics: [1]'"))));
  EXPECT_THAT(warnings_of_unequal("125 MB/s", "all", ""),
              ElementsAre(AllOf(HasSubstr("host0/nic0 (125 MB/s) sets the pace"),
                                HasSubstr("'placement.nics: [1]'"))));
  EXPECT_THAT(warnings_of_unequal("125 MB/s", "[1]", ""), IsEmpty());
  EXPECT_THAT(warnings_of_unequal("125 MB/s", "all", "", "name: ib0, "),
              ElementsAre(AllOf(HasSubstr("host0/ib0 (12.5 GB/s) alone"),
                                HasSubstr("'placement.nics: [ib0]'"))));
  // Two of 10 and 12.5 GB/s are faster than one.
  EXPECT_THAT(warnings_of_unequal("10 GB/s", "nearest", ""),
              ElementsAre(HasSubstr("'placement.nics: all'")));
  EXPECT_THAT(warnings_of_unequal("10 GB/s", "all", ""), IsEmpty());
}

TEST(JobWarnings, peers_that_hang_behind_an_iommu_are_named) {
  const std::string iommu = "{base: gtx1080ti_x4, host: {iommu: true}}";
  EXPECT_THAT(warnings_of(iommu, "{hosts: 4, on: gpu}", "ring"),
              ElementsAre(AllOf(HasSubstr("is known to hang"), HasSubstr("intel_iommu=off"))));
  EXPECT_THAT(warnings_of(iommu, "4", "ring"), ElementsAre(HasSubstr("no rank has a GPU")));
  EXPECT_THAT(warnings_of(iommu, "{hosts: 1, on: gpu}", "ring"), IsEmpty());
}

TEST(JobWarnings, threads_without_a_core_are_counted) {
  const auto with_cores = [](int cores, const std::string& algorithm) {
    return warnings_of("{base: star8, host: {cores: " + std::to_string(cores) + "}}", "1-1",
                       algorithm, "slow_tcp");
  };
  EXPECT_THAT(
      with_cores(1, "ring_two_threads"),
      ElementsAre("host0 starts 1 thread more than one per rank, and has no spare core for them: "
                  "they share the cores of their ranks"));
  EXPECT_THAT(
      with_cores(3, "ring_threads, options: {threads: 4}"),
      ElementsAre("host0 starts 3 threads more than one per rank, and has 2 spare cores for them: "
                  "they share them"));
  EXPECT_THAT(with_cores(2, "ring_two_threads"), IsEmpty());
  EXPECT_THAT(with_cores(1, "ring"), IsEmpty());
}

std::vector<std::string> warnings_of_fitted(const std::string& placement, const std::string& bytes,
                                            const std::string& collectives = "[]") {
  const std::string text =
      "question: q\nlibrary: {base: openmpi_tcp, name: rack3, fitted: {least: 8 B, most: 1 MiB, "
      "hosts: 2, ranks_per_host: 1, collectives: " +
      collectives + "}}\ncluster: {base: rack3, hosts: 4}\nplacement: " + placement +
      "\njob: {collective: allreduce, algorithm: ring, bytes: " + bytes + "}";
  return job_warnings(read_tree(Value::from_text("test", text), "test").front());
}

TEST(JobWarnings, a_job_beyond_what_a_fit_has_seen_extrapolates) {
  EXPECT_THAT(warnings_of_fitted("1-1", "1 MiB"), IsEmpty());
  EXPECT_THAT(warnings_of_fitted("1-1", "2 MiB"),
              ElementsAre("extrapolates to 2 MiB: the fit of rack3 covers 2 hosts, 1 rank on a "
                          "host, 8 B to 1 MiB"));
  EXPECT_THAT(warnings_of_fitted("1-1-2", "4 B"),
              ElementsAre(HasSubstr("extrapolates to 3 hosts, 2 ranks on a host, 4 B: ")));
  EXPECT_THAT(warnings_of_fitted("1-1", "1 MiB", "[alltoall, allreduce]"), IsEmpty());
  EXPECT_THAT(warnings_of_fitted("1-1", "1 MiB", "[alltoall]"),
              ElementsAre(HasSubstr("extrapolates to allreduce: ")));
}

}  // namespace
}  // namespace ringscope
