// SPDX-License-Identifier: LGPL-2.1-or-later
// Is a repetition in which nothing is random the first one again, to the last bit?
#include "sim/tests/scenario_for_test.hpp"

namespace ringscope::repetitions_test {
namespace {

Report repeated(const std::string& yaml, const std::string& job, bool skip) {
  RunOptions options;
  options.skip = skip;
  return simulate(scenario_of(yaml + "\njob: {" + job + ", repetitions: 3}"), options);
}

const std::string tcp = "cluster: star8\nlibrary: openmpi_tcp\nplacement: 2x8";
const std::string rdma = "cluster: star64\nlibrary: rdma\nplacement: 1x32";
const std::string ring = "collective: allreduce, algorithm: ring, bytes: 1 MiB";

struct Case {
  std::string where, job;
};

const Case cases[] = {
    {tcp, ring},
    {tcp, "collective: alltoall, algorithm: posted, bytes: 3 MiB"},
    {tcp, "collective: allreduce, algorithm: rabenseifner, bytes: 100 KiB"},
    {rdma, "collective: alltoall, algorithm: posted, bytes: 32 MiB"},
    {rdma,
     "collective: parameter_server, algorithm: asynchronous, bytes: 4 MiB, "
     "options: {servers: 4, segment: 64 KiB, steps: 3}"},
    {"cluster: gpu4x4_25g\nlibrary: cuda_pinned\nplacement: {hosts: 4x4, on: gpu}",
     "collective: training, algorithm: horovod, options: {model: resnet50, steps: 2}"},
};

TEST(Repetitions, in_which_nothing_is_random_are_the_first_one_again) {
  for (const auto& [where, job] : cases) {
    const Report all = repeated(where, job, false), one = repeated(where, job, true);
    ASSERT_EQ(all.times_s.size(), 3u) << job;
    EXPECT_EQ(all.skipped_repetitions, 0u);
    EXPECT_EQ(one.skipped_repetitions, 2u);
    EXPECT_EQ(all.times_s, std::vector(3, all.times_s.front())) << job;
    EXPECT_EQ(one.times_s, std::vector(3, one.times_s.front()));
    EXPECT_NEAR(one.time_s, all.time_s, 1e-9 * all.time_s) << job;
    EXPECT_EQ(one.messages, all.messages);
  }
}

TEST(Repetitions, are_counted_beforehand) {
  const Scenario alike = scenario_of(tcp + "\njob: {" + ring + ", repetitions: 3}");
  const Scenario late = scenario_of(tcp + "\njob: {" + ring + ", repetitions: 3, skew: 1 us}");
  RunOptions each, simgrid, shown;
  each.skip = false;
  simgrid.kernel = "simgrid";
  shown.record_spans = true;
  EXPECT_EQ(simulated_repetitions(alike, {}), 1);
  for (const RunOptions& options : {each, simgrid, shown})
    EXPECT_EQ(simulated_repetitions(alike, options), 3);
  EXPECT_EQ(simulated_repetitions(late, {}), 3);
}

TEST(Repetitions, different_repetitions_are_simulated_separately) {
  EXPECT_EQ(repeated(tcp, ring + ", skew: 1 us", true).skipped_repetitions, 0u);
  EXPECT_EQ(repeated(tcp, ring + ", noise: {spread: 0.1}", true).skipped_repetitions, 0u);
  EXPECT_EQ(repeated("cluster: star8\nplacement: 1x8\n"
                     "library: {base: rdma, network: {jitter: 1 us}}",
                     ring, true)
                .skipped_repetitions,
            0u);
}

}  // namespace
}  // namespace ringscope::repetitions_test
