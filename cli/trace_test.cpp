// SPDX-License-Identifier: LGPL-2.1-or-later
// Do the traces hold the run, in forms that their readers take?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/program_for_test.hpp"
#include "scenarios/answer/formats/report_formats.hpp"
#include "scenarios/answer/path_chain.hpp"
#include "sim/simulation.hpp"

namespace ringscope::trace_test {
namespace {

std::vector<Report> traced(const std::string& name = "03-anomaly") {
  RunOptions options;
  options.kernel = "fluid";
  options.record_spans = options.record_chain = true;
  std::vector<Report> reports;
  for (const Scenario& scenario : read_scenarios(name, {parse_override("job.bytes=64KiB")}))
    reports.push_back(simulate(scenario, options));
  return reports;
}

struct Slice {
  double from = 0, to = 0;
};

using Track = std::pair<int, int>;

std::map<Track, std::vector<Slice>> slices_of(const Json& events) {
  std::map<Track, std::vector<Slice>> slices;
  for (const Json& one : events)
    if (one["ph"] == "X") {
      const double from = one["ts"];
      slices[{one["pid"], one["tid"]}].push_back({from, from + one["dur"].get<double>()});
    }
  return slices;
}

TEST(Trace, the_critical_path_is_one_flow_inside_slices_in_the_order_of_time) {
  const std::vector<Report> reports = traced();
  const Json events = Json::parse(to_trace(reports))["traceEvents"];
  const auto slices = slices_of(events);
  std::map<int, std::vector<Json>> flows;
  for (const Json& one : events)
    if (one.value("cat", "") == "critical path" && one.contains("id"))
      flows[one["id"]].push_back(one);
  ASSERT_EQ(flows.size(), reports.size());
  for (const auto& [id, flow] : flows) {
    ASSERT_GE(flow.size(), 2);
    EXPECT_EQ(flow.front()["ph"], "s");
    EXPECT_EQ(flow.back()["ph"], "f");
    EXPECT_EQ(flow.back()["bp"], "e");
    for (std::size_t i = 1; i + 1 < flow.size(); ++i) EXPECT_EQ(flow[i]["ph"], "t");
    for (std::size_t i = 1; i < flow.size(); ++i)
      EXPECT_LT(flow[i - 1]["ts"].get<double>(), flow[i]["ts"].get<double>());
    for (const Json& one : flow) {
      const auto& track = slices.at({one["pid"], one["tid"]});
      const double at = one["ts"];
      EXPECT_EQ(
          std::count_if(track.begin(), track.end(),
                        [at](const Slice& slice) { return slice.from < at && at < slice.to; }),
          1);
      EXPECT_LT(one["tid"].get<int>(), 8) << "a rank's track";
    }
  }
}

TEST(Trace, each_message_is_a_flow_from_its_send_to_the_end_of_its_receive) {
  const std::vector<Report> reports = traced();
  const Json events = Json::parse(to_trace(reports))["traceEvents"];
  const auto slices = slices_of(events);
  std::map<int, std::vector<Json>> flows;
  for (const Json& one : events)
    if (one.value("cat", "") == "message") flows[one["id"]].push_back(one);
  EXPECT_EQ(flows.size(), 2 * 8 * 14);  // a ring of 8 sends 14 from each rank
  for (const auto& [id, flow] : flows) {
    ASSERT_EQ(flow.size(), 2);
    const Json &start = flow[0], &end = flow[1];
    EXPECT_EQ(std::pair(start["ph"], end["ph"]), std::pair(Json("s"), Json("f")));
    EXPECT_EQ(end["bp"], "e");
    EXPECT_EQ(start["pid"], end["pid"]);
    EXPECT_EQ(end["tid"].get<int>(), (start["tid"].get<int>() + 1) % 8) << "the next of the ring";
    EXPECT_EQ(start["args"]["bytes"], 8192);
    EXPECT_LT(start["ts"].get<double>(), end["ts"].get<double>());
    for (const Json& one : flow) {
      const auto& track = slices.at({one["pid"], one["tid"]});
      const double at = one["ts"];
      EXPECT_EQ(std::ranges::count_if(
                    track, [at](const Slice& slice) { return slice.from < at && at < slice.to; }),
                1);
    }
  }
}

TEST(Trace, messages_of_neighbours_are_not_drawn) {
  const std::vector<Report> reports = traced("13-neighbours");
  const Json events = Json::parse(to_trace(reports))["traceEvents"];
  std::map<int, int> starts;
  for (const Json& one : events)
    if (one.value("cat", "") == "message" && one["ph"] == "s") ++starts[one["pid"]];
  // Each case has a ring of 8, and all but the first a background job beside it.
  EXPECT_EQ(starts.size(), reports.size());
  for (const auto& [process, count] : starts) EXPECT_EQ(count, 8 * 14) << process;
}

TEST(Trace, the_path_has_a_track_that_covers_the_time) {
  const std::vector<Report> reports = traced();
  const auto slices = slices_of(Json::parse(to_trace(reports))["traceEvents"]);
  for (int process = 0; process < 2; ++process) {
    double sum = 0;
    for (const Slice& slice : slices.at({process, 8})) sum += slice.to - slice.from;
    const double time_s = reports[static_cast<std::size_t>(process)].time_s;
    EXPECT_NEAR(sum, 1e6 * time_s, 1e-3 * time_s);
  }
}

std::size_t lines_with(const std::string& text, const std::string& start) {
  std::istringstream lines(text);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line);) count += line.starts_with(start);
  return count;
}

TEST(Paje, pj_dump_reads_what_was_recorded) {
  if (ended("command -v pj_dump").code != 0) GTEST_SKIP() << "pj_dump is not installed (pajeng)";
  const std::vector<Report> reports = traced();
  const std::string path = testing::TempDir() + "ringscope_trace_test.paje";
  std::ofstream(path) << to_paje(reports);
  const Ended dump = ended("pj_dump " + path + " 2>&1");
  std::filesystem::remove(path);
  ASSERT_EQ(dump.code, 0) << dump.text.substr(0, 1000);
  // 2 cases, their 16 ranks and 2 paths, below a root.
  EXPECT_EQ(lines_with(dump.text, "Container, "), 21);
  std::size_t messages = 0, segments = 0;
  for (const Report& report : reports) {
    messages += report.chain->messages.size();
    segments += report.chain->segments.size();
  }
  EXPECT_EQ(messages, 2 * 8 * 14);  // a ring of 8 sends 14 from each rank
  EXPECT_EQ(lines_with(dump.text, "Link, "), messages);
  EXPECT_EQ(lines_with(dump.text, "State, c0path") + lines_with(dump.text, "State, critical path"),
            segments);
}

TEST(Paje, lines_stand_in_the_order_of_their_times) {
  std::istringstream lines(to_paje(traced()));
  double last = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] < '4' || line[0] > '8') continue;
    const double at = std::stod(line.substr(2));
    EXPECT_GE(at, last);
    last = at;
  }
  EXPECT_GT(last, 0);
}

}  // namespace
}  // namespace ringscope::trace_test
