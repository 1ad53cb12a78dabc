// SPDX-License-Identifier: LGPL-2.1-or-later
// Is a printed report readable, and do the differences add up as they are printed?
#include "scenarios/answer/text/report_text.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "scenarios/answer/explain/explain.hpp"
#include "scenarios/answer/report_samples_for_test.hpp"
#include "scenarios/answer/text/table.hpp"

namespace ringscope {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(PrintRun, one_case_on_one_screen) {
  const std::vector<Report> reports = {sample_report()};
  EXPECT_EQ(print_run(reports), R"(lesson 4-2-2: 500 ms, algbw 134.2 MB/s, busbw 134.2 MB/s
  allreduce ring of 64 MiB on 2 ranks, placed 1-1, on two_hosts with ideal
  4 messages, 128 MiB sent, 128 MiB of it between hosts

  Where the time of each rank went
  rank  host     finish    reduce      copy   in_send   in_wait     idle
     0  host0  500.0 ms  125.0 ms         -  250.0 ms  125.0 ms        -
     1  host1  437.5 ms  125.0 ms  250.0 ms         -   62.5 ms  62.5 ms

  Causes of blocking (in_send, in_wait)
  rank  host       wire  progress
     0  host0  250.0 ms  125.0 ms
     1  host1   62.5 ms         -

  Phases
  phase              start       end  duration
  reduce-scatter       0 s  250.0 ms  250.0 ms
  allgather       250.0 ms  500.0 ms  250.0 ms

  The busiest resources
  resource              kind    busy
  host0/nic0->switch    link  87.5 %
  host1/core0 (rank 1)  core  50.0 %

  Why it took that long: the critical path
      time   share  cause
  375.0 ms  75.0 %  link host0/nic0->switch
   62.5 ms  12.5 %  reducing on host1/core0 (rank 1)
   62.5 ms  12.5 %  waiting for progress of rank 0
)");
}

TEST(PrintRun, repetitions_show_their_range_and_the_seed) {
  Report report = sample_report();
  report.times_s = {0.5, 0.25, 0.75};
  EXPECT_EQ(lines_of(print_run({&report, 1}))[2],
            "  4 messages, 128 MiB sent, 128 MiB of it between hosts; "
            "median of 3 from 250 ms to 750 ms, seed 1");
}

TEST(PrintRun, domains_are_named_where_ranks_use_more_than_the_first) {
  Report report = sample_report();
  report.rank_reports[1].numa = 1;
  EXPECT_EQ(lines_of(print_run({&report, 1}))[7].substr(0, 19), "     1  host1/numa1");
}

TEST(PrintRun, of_many_ranks_it_shows_sixteen_and_says_so) {
  Report report = sample_report();
  report.rank_reports.resize(1000, report.rank_reports[0]);
  EXPECT_NE(print_run({&report, 1}).find("  ... and 984 more ranks: --json has them all\n"),
            std::string::npos);
}

TEST(PrintRun, the_widest_screen_keeps_to_100_columns) {
  Report report = sample_report();
  report.time_s = 1234.5678;
  for (RankReport& rank : report.rank_reports) {
    rank.numa = 1;
    rank.seconds.fill(123.456);
    rank.waited_for.fill(123.456);
  }
  for (const std::string& line : lines_of(print_run({&report, 1}))) {
    EXPECT_LE(line.size(), 100U) << line;
  }
}

TEST(PrintRun, a_run_that_took_no_time_divides_by_nothing) {
  Report report = sample_report();
  report.time_s = report.algbw = report.busbw = 0;
  EXPECT_EQ(print_run({&report, 1}).find("nan"), std::string::npos);
}

TEST(PrintCompare, the_reason_stands_in_one_sentence_above_the_differences) {
  const std::vector<Report> reports = {sample_report(), slower_report()};
  EXPECT_EQ(print_compare(reports), R"(case     time    ratio       algbw       busbw
4-2-2  500 ms  1.000 x  134.2 MB/s  134.2 MB/s
4-3-1  875 ms  1.750 x   76.7 MB/s   76.7 MB/s

4-3-1 takes 1.75x as long as 4-2-2: +437.5 ms CPU copy on host1/core0 (rank 1), busy 50 %
  difference     4-3-1     4-2-2  cause
   +437.5 ms  437.5 ms         -  CPU copy on host1/core0 (rank 1)
    -62.5 ms  312.5 ms  375.0 ms  link host0/nic0->switch
     +0.0 ms  125.0 ms  125.0 ms  2 smaller causes
   +375.0 ms  875.0 ms  500.0 ms  sum
)");
}

TEST(PrintCompare, an_order_that_intervals_leave_open_is_a_prediction) {
  std::vector<Report> reports = {sample_report(), slower_report()};
  reports[0].likely = {0.25, 1};
  reports[1].likely = {0.5, 2};
  reports[1].chosen = "channel_trees, LL, 8 channels";
  std::vector<std::string> lines = lines_of(print_compare(reports));
  EXPECT_EQ(lines[0], "case     time  90 % of such machines    ratio       algbw       busbw");
  EXPECT_EQ(lines[1], "4-2-2  500 ms          250 ms to 1 s  1.000 x  134.2 MB/s  134.2 MB/s");
  EXPECT_EQ(lines[4],
            "4-3-1 is predicted to take 1.75x as long as 4-2-2: +437.5 ms CPU copy on host1/core0 "
            "(rank 1)"
            ", busy 50 %");
  EXPECT_EQ(lines[5],
            "order not certain within the 90 % intervals: other algorithm, protocol or channels");
  reports[1].time_s = reports[0].time_s;
  EXPECT_EQ(lines_of(print_compare(reports))[4],
            "4-3-1 is predicted to take as long as 4-2-2 (+0.00 %)");
  reports[1].likely = {};
  reports[1].time_s = 0.875;
  EXPECT_EQ(lines_of(print_compare(reports))[2],
            "4-3-1  875 ms                      -  1.750 x   76.7 MB/s   76.7 MB/s");
}

TEST(PrintCompare, an_order_that_intervals_decide_or_a_shared_error_keeps_is_stated) {
  std::vector<Report> reports = {sample_report(), slower_report()};
  for (Report& report : reports) report.likely = {0.25, 1};
  EXPECT_TRUE(lines_of(print_compare(reports))[4].starts_with("4-3-1 takes 1.75x as long"));
  reports[1].chosen = "channel_trees, LL, 8 channels";
  reports[1].likely = {1.5, 2};
  EXPECT_TRUE(lines_of(print_compare(reports))[4].starts_with("4-3-1 takes 1.75x as long"));
}

TEST(PrintCompare, a_faster_case_names_what_it_saves) {
  const std::vector<Report> reports = {slower_report(), sample_report()};
  EXPECT_EQ(lines_of(print_compare(reports))[4],
            "4-2-2 takes 0.57x as long as 4-3-1 (1.75x speedup): -437.5 ms CPU copy on host1/core0 "
            "(rank 1)");
}

TEST(PrintCompare, within_one_percent_two_cases_take_as_long) {
  std::vector<Report> reports = {sample_report(), sample_report()};
  reports[1].name = "lesson again";
  reports[1].time_s = 0.5 * 1.0025;
  EXPECT_EQ(lines_of(print_compare(reports))[4], "again takes as long as 4-2-2 (+0.25 %)");
}

TEST(PrintCompare, one_case_alone_is_only_a_table) {
  const Report report = sample_report();
  EXPECT_EQ(print_compare({&report, 1}),
            "case            time    ratio       algbw       busbw\n"
            "lesson 4-2-2  500 ms  1.000 x  134.2 MB/s  134.2 MB/s\n");
}

TEST(PrintCompare, a_warning_names_its_cases_where_not_all_have_it) {
  std::vector<Report> reports = {sample_report(), slower_report()};
  reports[0].warnings = {"everybody"};
  reports[1].warnings = {"it may hang", "everybody"};
  const std::vector<std::string> lines = lines_of(print_compare(reports));
  ASSERT_GE(lines.size(), 7U);
  EXPECT_EQ(lines[3], "");
  EXPECT_EQ(lines[4], "warning: everybody");
  EXPECT_EQ(lines[5], "warning: 4-3-1: it may hang");
  EXPECT_EQ(lines[6], "");
}

TEST(ShortNames, keep_a_number_with_its_unit) {
  std::vector<Report> reports = {sample_report(), sample_report()};
  reports[0].name = "05-deadlock 1 KiB";
  reports[1].name = "05-deadlock 1 MiB";
  EXPECT_EQ(short_names(reports), (std::vector<std::string>{"1 KiB", "1 MiB"}));
}

TEST(ShortNames, keep_a_word_that_all_cases_share) {
  std::vector<Report> reports = {sample_report(), sample_report()};
  reports[0].name = "17-groups tensor inside, data across";
  reports[1].name = "17-groups tensor across, data inside";
  EXPECT_EQ(short_names(reports),
            (std::vector<std::string>{"tensor inside, data across", "tensor across, data inside"}));
}

TEST(ShortNames, of_labels_are_whole) {
  std::vector<Report> reports = {sample_report(), sample_report()};
  reports[0].name = "wire has half its rate";
  reports[1].name = "wire is gone on one host";
  for (Report& report : reports) report.labelled = true;
  EXPECT_EQ(short_names(reports),
            (std::vector<std::string>{"wire has half its rate", "wire is gone on one host"}));
}

TEST(ShortHeadings, differ) {
  using Two = std::array<std::string, 2>;
  EXPECT_EQ(short_headings("4-2-2", "4-3-1"), (Two{"4-2-2", "4-3-1"}));
  EXPECT_EQ(short_headings("tensor inside, data across", "tensor across, data inside"),
            (Two{"tensor inside,..", "tensor across,.."}));
  EXPECT_EQ(short_headings("tensor groups in a host", "tensor groups in a rack"),
            (Two{"..groups in a host", "..groups in a rack"}));
  EXPECT_EQ(short_headings("a very long name of one case", "a very long name of one case"),
            (Two{"a very long name..", "a very long name.."}));
}

TEST(ShortHeadings, are_cut_between_letters) {
  // Sixteen bytes would end within the first of these letters of two bytes.
  EXPECT_EQ(short_headings("fifteen letters\u00e4\u00e4\u00e4", "b")[0], "fifteen letters..");
}

TEST(ShortNames, of_two_scenarios_are_whole) {
  std::vector<Report> reports = {sample_report(), sample_report()};
  reports[0].name = "a 4-2-2";
  reports[1].name = "b 4-2-2";
  EXPECT_EQ(short_names(reports), (std::vector<std::string>{"a 4-2-2", "b 4-2-2"}));
}

TEST(Differences, the_seconds_of_all_add_up_to_the_difference_of_the_times) {
  Report other = slower_report();
  other.time_s = 1.25;  // 0.375 s more than its path accounts for
  double sum = 0;
  for (const Difference& difference : differences(sample_report(), other)) {
    sum += difference.seconds();
  }
  EXPECT_EQ(sum, 1.25 - 0.5);
  const Difference outside = differences(sample_report(), other)[1];
  EXPECT_EQ(outside.spent_on, "outside the critical path");
  EXPECT_EQ(outside.cause, "");
}

TEST(Differences, a_cause_is_one_difference_wherever_it_was_spent) {
  Report other = sample_report();
  other.path = {{Cause::wire, -1, {"host1/nic0->switch"}, 0.5},
                {Cause::wire, -1, {"switch"}, 0.25}};
  const Difference wire = differences(sample_report(), other)[0];
  EXPECT_EQ(wire.spent_on, "link, most of it host1/nic0->switch");
  EXPECT_EQ(wire.cause, "wire");
  EXPECT_EQ(wire.resource, ResourceId{"host1/nic0->switch"});
  EXPECT_EQ(wire.seconds(), 0.75 - 0.375);
}

// A parameter server: the hub in one placement is another host in the other.
TEST(Differences, blame_the_place_that_the_sentence_above_blames) {
  Report first = sample_report(), other = sample_report();
  first.path = {{Cause::wire, -1, {"host6/nic0->switch"}, 0.5}};
  other.path = {{Cause::wire, -1, {"host8/nic0->switch"}, 0.25}};
  first.time_s = 0.5;
  other.time_s = 0.25;
  const std::vector<std::string> names = {"one", "two"};
  for (const auto& [a, b] : {std::pair(first, other), std::pair(other, first)}) {
    EXPECT_EQ(differences(a, b)[0].resource, ResourceId{"host6/nic0->switch"});
    EXPECT_NE(difference_reason(a, b, names).find("host6/nic0->switch"), std::string::npos);
  }
}

TEST(Differences, the_digits_shown_add_up_too) {
  Report first = sample_report(), other = sample_report();
  first.path.clear();
  other.path.clear();
  first.time_s = 1;
  other.time_s = 3;
  // Thirds round down three times, and their sum does not.
  for (int rank = 0; rank < 6; ++rank) other.path.push_back({Cause::copy, rank, {}, 1.0 / 3});
  other.path.push_back({Cause::wire, -1, {}, 1});
  first.path.push_back({Cause::wire, -1, {}, 1});
  double sum = 0, total = 0;
  for (const std::string& line : lines_of(print_compare(std::vector{first, other}))) {
    if (line.size() < 5 || line.find(" s  ") == std::string::npos) continue;
    if (line.find('+') == std::string::npos || line[0] != ' ') continue;
    const double shown = std::strtod(line.c_str(), nullptr);
    (line.ends_with("sum") ? total : sum) += shown;
  }
  EXPECT_EQ(total, 2.0);
  EXPECT_NEAR(sum, total, 1e-12);
}

TEST(SegmentText, says_on_what_or_on_whom) {
  EXPECT_EQ(segment_text({Cause::copy, 7, {"host2/core0", 7}, 1}),
            "CPU copy on host2/core0 (rank 7)");
  EXPECT_EQ(segment_text({Cause::lock, 7, {"endpoint 0"}, 1}),
            "waiting for the lock of endpoint 0 (rank 7)");
  EXPECT_EQ(segment_text({Cause::partner, 3, {}, 1}), "waiting for the call of rank 3");
  EXPECT_EQ(segment_text({Cause::latency, -1, {}, 1}), "latency");
}

TEST(SegmentText, has_the_cause_and_the_place_apart) {
  using Words = std::array<std::string, 3>;
  EXPECT_EQ(segment_words({Cause::copy, 2, {"host0/gpu2/thread1", 2}, 1}),
            (Words{"copy", " on", "host0/gpu2/thread1 (rank 2)"}));
  EXPECT_EQ(segment_words({Cause::wire, -1, {"a->b"}, 1}), (Words{"link", "", "a->b"}));
}

TEST(TimeScale, the_largest_time_has_four_digits) {
  EXPECT_EQ(TimeScale(0.4123).text(0.4123), "412.3 ms");
  EXPECT_EQ(TimeScale(0.4123).text(0.00004), "0.0 ms");
  EXPECT_EQ(TimeScale(0.4123).text(0), "-");
  EXPECT_EQ(TimeScale(12.5e-6).text(12.5e-6), "12.50 us");
  EXPECT_EQ(TimeScale(1.5e-9).text(1.5e-9), "1.500 ns");
  EXPECT_EQ(TimeScale(5210).text(5210.4), "5210 s");
  EXPECT_EQ(TimeScale(0).text(0), "-");
  EXPECT_EQ(TimeScale(1).difference(-0.25), "-0.250 s");
  EXPECT_EQ(TimeScale(1).difference(-1e-9), "+0.000 s");
}

TEST(TextTable, cells_align_and_long_ones_are_cut) {
  TextTable table({text_column("name"), "n"});
  table.add({"\xC3\xA9", "10"});
  table.add({std::string(60, 'x'), "1"});
  EXPECT_EQ(table.text(1), " name" + std::string(52, ' ') + "   n\n" +          //
                               " \xC3\xA9" + std::string(55, ' ') + "  10\n" +  //
                               " " + std::string(54, 'x') + "..   1\n");
}

// The whole chain of a long run: a width looked for in all rows, for each row, would take minutes.
TEST(TextTable, a_hundred_thousand_rows_take_no_longer_each_than_a_few) {
  constexpr std::size_t rows = 100'000;
  TextTable table({text_column("name"), "n"});
  for (std::size_t i = 0; i < rows; ++i) table.add({"a", std::to_string(i)});
  const std::string text = table.text(0);
  EXPECT_EQ(text.size(), (rows + 1) * std::string("name  99999\n").size());
}

}  // namespace
}  // namespace ringscope
