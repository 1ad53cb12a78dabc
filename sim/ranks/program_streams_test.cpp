// SPDX-License-Identifier: LGPL-2.1-or-later
// Do streams of a program run beside each other, and wait for what their steps name?
#include <fmt/format.h>

#include "sim/tests/programs_for_test.hpp"

namespace ringscope {
namespace {

using programs_for_test::mega;
using programs_for_test::on_hosts;
using programs_for_test::ring;

class ProgramStreams : public SimulationTest {};

/// A computation beside a ring.
std::string beside_a_ring(int milliseconds) {
  return fmt::format(R"(
  program:
    - {{compute: {} ms}}
    - {{allreduce: 8 MB, stream: comm, name: sum}}
)",
                     milliseconds);
}

// The streams wait for each other at the end alone.
TEST_F(ProgramStreams, take_as_long_as_they_compute_where_that_is_longer) {
  expect_seconds(run(on_hosts(4, beside_a_ring(30))).time_s, 30e-3);
}

TEST_F(ProgramStreams, take_as_long_as_they_exchange_where_that_is_longer) {
  const Report exposed = run(on_hosts(4, beside_a_ring(5)));
  expect_seconds(exposed.time_s, ring(4, 8 * mega));
  ASSERT_EQ(exposed.streams.size(), 2u);
  EXPECT_EQ(exposed.streams[0].name, "main");
  EXPECT_EQ(exposed.streams[1].spent[0].on, "exchanging in all groups");
  expect_seconds(exposed.streams[1].spent[0].mean_s, ring(4, 8 * mega));
}

// Buckets of a step: each is summed behind its part of backward, one after the other.
TEST_F(ProgramStreams, hide_all_buckets_but_the_last_behind_backward) {
  const Report report = run(on_hosts(4, R"(
  values: {buckets: 5, backward: 20 ms}
  program:
    - repeat: buckets
      steps:
        - {compute: backward, name: backward}
        - {allreduce: 10 MB, stream: comm, after: backward, name: sum}
    - {wait: sum}
    - {compute: 3 ms}
)"));
  expect_seconds(report.time_s, 5 * 20e-3 + ring(4, 10 * mega) + 3e-3);
  EXPECT_EQ(report.streams[0].spent[1].on, "exchanging in all groups");
  expect_seconds(report.streams[0].spent[1].mean_s, ring(4, 10 * mega));
}

// Behind a computation of 20 ms on the other stream there is nothing to exchange before.
TEST_F(ProgramStreams, exchange_in_no_group_while_their_stream_waits_for_another) {
  const Report report = run(on_hosts(4, R"(
  program:
    - {compute: 20 ms, name: backward}
    - {allreduce: 10 MB, stream: comm, after: backward}
)"));
  ASSERT_EQ(report.streams.size(), 2u);
  const auto& spent = report.streams[1].spent;
  ASSERT_EQ(spent.size(), 2u);
  EXPECT_EQ(spent[0].on, "exchanging in all groups");
  expect_seconds(spent[0].mean_s, ring(4, 10 * mega));
  EXPECT_EQ(spent[1].on, "waiting otherwise");
  expect_seconds(spent[1].mean_s, 20e-3);
}

// With the exchange longer than a part of backward, they are all that is left behind the first.
TEST_F(ProgramStreams, take_as_long_as_their_buckets_where_these_are_longer) {
  const Report report = run(on_hosts(4, R"(
  program:
    - repeat: 5
      steps:
        - {compute: 1 ms, name: backward}
        - {allreduce: 10 MB, stream: comm, after: backward, name: sum}
    - {wait: [sum]}
)"));
  expect_seconds(report.time_s, 1e-3 + 5 * ring(4, 10 * mega));
}

TEST_F(ProgramStreams, have_a_row_of_the_timeline_for_each_stream) {
  RunOptions options;
  options.record_spans = true;
  const Report report = simulate(on_hosts(2, R"(
  program:
    - {compute: 2 ms, name: work}
    - {allreduce: 8 MB, stream: comm}
)"),
                                 options);
  ASSERT_EQ(report.stream_names, (std::vector<std::string>{"main", "comm"}));
  double seconds[2] = {};
  for (const Span& span : report.spans)
    if (span.rank == 1) seconds[span.stream] += span.end_s - span.start_s;
  expect_seconds(seconds[0], ring(2, 8 * mega));  // 2 ms of work, then it waits for the other
  expect_seconds(seconds[1], ring(2, 8 * mega));
  // At the end the first stream waits for the other one, which is the rank's own.
  const auto after = std::ranges::find(report.spans, 1, &Span::stream);
  EXPECT_EQ((after - 1)->activity, RankActivity::in_wait);
  EXPECT_EQ((after - 1)->peer, after->rank);
}

}  // namespace
}  // namespace ringscope
