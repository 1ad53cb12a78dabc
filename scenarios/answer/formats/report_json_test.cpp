// SPDX-License-Identifier: LGPL-2.1-or-later
// Does the JSON hold what schema.md says, and does it read back to the same report?
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>

#include "scenarios/answer/explain/explain.hpp"
#include "scenarios/answer/formats/report_formats.hpp"
#include "scenarios/answer/report_samples_for_test.hpp"

namespace ringscope {
namespace {

using Keys = std::set<std::string>;

/// Keys of all documents and keys in tables under `heading` of schema.md.
Keys documented_keys(const std::string& heading) {
  std::ifstream file("scenarios/schema.md");
  EXPECT_TRUE(file) << "this test runs in the root of the source tree";
  const std::regex head(R"(\| key(?: of `(\S+)`)? \|.*)"), row(R"(\| `([^`]+)` \|.*)");
  Keys keys;
  std::string object;
  std::smatch match;
  bool here = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## "))
      here = line == "## All documents" || line.find(heading) != std::string::npos;
    if (std::regex_match(line, match, head))
      object = match[1].matched ? match[1].str() + "." : "";
    else if (here && std::regex_match(line, match, row))
      keys.insert(object + match[1].str());
  }
  return keys;
}

void collect(const Json& json, const std::string& prefix, Keys& keys) {
  if (json.is_array()) {
    for (const Json& item : json) collect(item, prefix + "[]", keys);
  }
  // The scenario is the user's tree; the causes under waited_for_s are those that occurred.
  if (!json.is_object() || prefix.ends_with(".scenario") || prefix.ends_with(".waited_for_s")) {
    return;
  }
  for (const auto& [key, value] : json.items()) {
    const std::string path = prefix.empty() ? key : prefix + "." + key;
    keys.insert(path);
    collect(value, path, keys);
  }
}

TEST(Schema, the_json_has_exactly_the_documented_keys) {
  Keys keys;
  Report warned = slower_report();
  warned.warnings = {"what to beware of"};
  warned.likely = {0.25, 2};  // around the other's time, by another algorithm
  warned.algorithm = "tree";
  collect(comparison(std::vector{full_report(), warned}), "", keys);
  Keys of_stuck;
  collect(document(std::vector{stuck_report()}), "", of_stuck);
  for (const std::string& key : of_stuck) {
    const bool as_cases = key.starts_with("stuck[]") && keys.contains("cases" + key.substr(5));
    if (!as_cases) keys.insert(key);
  }
  EXPECT_EQ(keys, documented_keys("run --json"));
}

TEST(Schema, explanations_have_exactly_the_documented_keys) {
  Report report = slower_report();
  auto chain = std::make_shared<PathChain>();
  chain->segments = {{report.path.front(), 0, Cause::progress}};
  report.chain = chain;
  Keys keys;
  collect(explanation(std::vector{sample_report(), report, stuck_report()}), "", keys);
  std::erase_if(keys, [](auto& key) { return key.starts_with("stuck[].deadlock."); });
  // schema.md describes the keys of the chain in prose: they are those of the blames.
  std::erase_if(keys, [](auto& key) { return key.starts_with("cases[].chain[]."); });
  std::erase_if(keys, [](auto& key) { return key.starts_with("differences[].rows[]."); });
  // The subcommand adds NCCL's choice.
  const NcclOutcome outcome = {{{}, "ring", "LL", 0.25}, report};
  Json added;
  added["nccl"].push_back(nccl_choice_json(report, std::span(&outcome, 1)));
  collect(added, "", keys);
  EXPECT_EQ(keys, documented_keys("explain --json"));
}

TEST(Schema, gains_have_exactly_the_documented_keys) {
  const Report report = sample_report();
  const Candidate link = candidates(report, 1).at(0);
  const std::vector<Gain> gains = {{link, report}, {link, stuck_report()}};
  Json json = {{"schema", 1}, {"version", "x"}, {"cases", {gains_json(report, gains)}}};
  add_stuck(std::vector{report, stuck_report()}, json);
  Keys keys;
  collect(json, "", keys);
  std::erase_if(keys, [](auto& key) { return key.find("stuck[].deadlock.") != key.npos; });
  EXPECT_EQ(keys, documented_keys("what-if --json"));
}

TEST(Schema, the_differences_add_up_to_the_difference_of_the_times) {
  const Json json = comparison(std::vector{sample_report(), slower_report()});
  double sum = 0;
  for (const Json& cause : json["differences"][0]["causes"]) {
    sum += cause["difference_s"].get<double>();
  }
  EXPECT_EQ(sum, slower_report().time_s - sample_report().time_s);
}

TEST(Schema, the_document_names_the_schema_and_the_version) {
  const Json json = document({});
  EXPECT_EQ(json.dump(),
            R"({"schema":1,"version":")" + std::string(version()) + R"(","cases":[]})");
}

TEST(ReportJson, reads_back_to_the_same_report) {
  for (const Report& report : {sample_report(), full_report()}) {
    const Json json = to_json(report);
    EXPECT_EQ(to_json(report_from_json(Json::parse(json.dump()))), json);
  }
}

TEST(ReportJson, cases_that_are_stuck_stand_apart_and_read_back) {
  const Json json = document(std::vector{sample_report(), stuck_report()});
  ASSERT_EQ(json.at("cases").size(), 1U);
  EXPECT_EQ(json.at("cases")[0].at("name"), sample_report().name);
  ASSERT_EQ(json.at("stuck").size(), 1U);
  EXPECT_EQ(json.at("stuck")[0].at("deadlock").at("cycle"), Json({0, 1}));
  EXPECT_EQ(json.at("stuck")[0].at("deadlock").at("waits")[1].at("for_ranks"), Json::array({0}));
  EXPECT_EQ(to_json(report_from_json(json.at("stuck")[0])), json.at("stuck")[0]);
  EXPECT_FALSE(document(std::vector{sample_report()}).contains("stuck"));
}

TEST(ReportJson, doubles_read_back_to_the_last_digit) {
  Report report = sample_report();
  for (const double time : {1.0 / 3, 0.1, 4.9406564584124654e-324, 1e300, 123456789.123456789}) {
    report.time_s = time;
    const Json json = to_json(report);
    EXPECT_EQ(report_from_json(Json::parse(json.dump())).time_s, time);
    EXPECT_EQ(report_from_json(Json::from_msgpack(Json::to_msgpack(json))).time_s, time);
  }
}

TEST(ReportJson, only_the_causes_that_occurred_are_listed) {
  EXPECT_EQ(to_json(sample_report())["ranks"][1]["waited_for_s"].dump(), R"({"wire":0.0625})");
}

TEST(ReportJson, span_without_rank_or_resource_is_null) {
  const Json path = to_json(sample_report())["critical_path"];
  EXPECT_TRUE(path[0]["rank"].is_null());
  EXPECT_TRUE(path[2]["resource"].is_null());
}

TEST(ReportJson, a_document_of_another_shape_is_refused) {
  EXPECT_THROW((void)report_from_json(Json::object()), std::exception);
  Json json = to_json(sample_report());
  json["critical_path"][0]["cause"] = "bad luck";
  EXPECT_THROW((void)report_from_json(json), std::exception);
  json = to_json(sample_report());
  json["ranks"] = "many";
  EXPECT_THROW((void)report_from_json(json), std::exception);
}

TEST(ReportJson, spans_read_back) {
  const Json json = spans_to_json(report_with_spans().spans);
  EXPECT_EQ(spans_to_json(spans_from_json(json)), json);
  EXPECT_EQ(spans_from_json(json).size(), 3U);
}

TEST(ValueJson, whole_numbers_are_numbers_and_all_else_is_text) {
  const Value value =
      Value::from_text("x", "{a: 12, b: 64 MiB, c: [true, 0.5, 007, -3], d: 99999999999999999999}");
  EXPECT_EQ(to_json(value).dump(),
            R"({"a":12,"b":"64 MiB","c":["true","0.5","007",-3],"d":"99999999999999999999"})");
}

TEST(Csv, one_row_per_case) {
  EXPECT_EQ(to_csv(std::vector{sample_report(), report_with_spans()}),
            "case,collective,algorithm,cluster,library,placement,ranks,bytes,time_s,"
            "algbw_bytes_per_s,busbw_bytes_per_s,messages,bytes_on_wire,bytes_between_hosts,seed,"
            "kernel\n"
            "lesson 4-2-2,allreduce,ring,two_hosts,ideal,1-1,2,67108864,0.5,134217728,134217728,4,"
            "134217728,134217728,1,simgrid\n"
            "\"a, \"\"quoted\"\" case\",allreduce,ring,two_hosts,ideal,1-1,2,67108864,0.5,"
            "134217728,134217728,4,134217728,134217728,1,simgrid\n");
}

TEST(Csv, a_case_that_is_stuck_has_no_time_and_no_row) {
  EXPECT_EQ(to_csv(std::vector{stuck_report(), sample_report()}),
            to_csv(std::vector{sample_report()}));
}

TEST(Csv, comparison_has_the_ratio_to_the_first_finished_case) {
  Report longer = sample_report();
  longer.time_s = 4 * sample_report().time_s;
  const std::vector reports = {stuck_report(), sample_report(), longer};
  std::istringstream plain(to_csv(reports)), compared(comparison_csv(reports));
  for (const std::string last : {",ratio", ",1", ",4"}) {
    std::string line, more;
    std::getline(plain, line);
    std::getline(compared, more);
    EXPECT_EQ(more, line + last);
  }
  EXPECT_TRUE(comparison_csv(std::vector{stuck_report()}).ends_with(",kernel,ratio\n"));
}

TEST(Csv, intervals_are_written_with_both_ends) {
  Report likely = sample_report();
  likely.likely = {0.25, 2};
  const std::string text = comparison_csv(std::vector{likely, sample_report()});
  EXPECT_NE(text.find(",kernel,low_s,high_s,ratio\n"), std::string::npos);
  EXPECT_NE(text.find(",simgrid,0.25,2,1\n"), std::string::npos);
  EXPECT_TRUE(text.ends_with(",simgrid,,,1\n"));
}

TEST(TimelineCsv, a_case_that_is_stuck_says_so) {
  const std::string text = to_timeline_csv(std::vector{stuck_report()});
  EXPECT_NE(text.find("\nstuck (deadlock),0,in_send,"), std::string::npos) << text;
}

TEST(TimelineCsv, streams_of_a_rank_are_named) {
  Report report = report_with_spans();
  report.stream_names = {"main", "comm"};
  report.spans[1].stream = 1;
  const std::string text = to_timeline_csv(std::vector{report});
  EXPECT_TRUE(text.starts_with("case,rank,activity,phase,step,peer,start_s,end_s,cause,stream\n"));
  EXPECT_NE(text.find(",0,in_send,reduce-scatter,0,1,0,0.25,partner,main\n"), text.npos) << text;
  EXPECT_NE(text.find(",0,compute,,,,0.25,0.3333333333333333,,comm\n"), text.npos) << text;
}

TEST(Trace, each_stream_of_a_rank_has_a_track) {
  Report report = report_with_spans();
  report.stream_names = {"main", "unused", "comm"};
  report.spans[1].stream = 2;
  const Json trace = Json::parse(to_trace(std::vector{report}));
  std::vector<std::string> tracks;
  for (const Json& event : trace["traceEvents"])
    if (event["name"] == "thread_name") tracks.push_back(event["args"]["name"]);
  EXPECT_EQ(tracks, (std::vector<std::string>{"rank 0 (host0) main", "rank 0 (host0) comm",
                                              "rank 1 (host1) main", "rank 1 (host1) comm"}));
}

TEST(TimelineCsv, one_row_per_span_with_step_peer_and_cause_where_there_are_any) {
  EXPECT_EQ(to_timeline_csv(std::vector{report_with_spans()}),
            "case,rank,activity,phase,step,peer,start_s,end_s,cause\n"
            "\"a, \"\"quoted\"\" case\",0,in_send,reduce-scatter,0,1,0,0.25,partner\n"
            "\"a, \"\"quoted\"\" case\",0,compute,,,,0.25,0.3333333333333333,\n"
            "\"a, \"\"quoted\"\" case\",1,idle,,,,0.4375,0.5,\n");
}

TEST(Trace, is_json_with_one_process_per_case_and_one_track_per_rank) {
  const Json trace = Json::parse(to_trace(std::vector{report_with_spans(), report_with_spans()}));
  const Json& events = trace["traceEvents"];
  ASSERT_EQ(events.size(), 2U * (1 + 2 + 2));  // a process, two tracks, two spans that are not idle
  EXPECT_EQ(events[0]["args"]["name"], "a, \"quoted\" case");
  EXPECT_EQ(events[2]["args"]["name"], "rank 1 (host1)");
  EXPECT_EQ(
      events[3].dump(),
      R"({"ph":"X","name":"in_send","cat":"reduce-scatter","pid":0,"tid":0,"ts":0.0,)"
      R"("dur":250000.0,"args":{"phase":"reduce-scatter","step":0,"peer":1,"cause":"partner"}})");
  EXPECT_EQ(events[9]["pid"], 1);
}

}  // namespace
}  // namespace ringscope
