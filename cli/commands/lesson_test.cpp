// SPDX-License-Identifier: LGPL-2.1-or-later
// Is the data of a lesson's page what the run said, in few bytes?
#include "cli/lesson/lesson_case.hpp"

#include <gmock/gmock.h>

#include "cli/lesson/lesson_page.hpp"
#include "scenarios/answer/recording.hpp"
#include "scenarios/answer/report_samples_for_test.hpp"

namespace ringscope::lesson {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Base64, is_that_of_rfc_4648) {
  for (const auto& [plain, coded] :
       std::vector<std::pair<std::string, std::string>>{{"", ""},
                                                        {"f", "Zg=="},
                                                        {"fo", "Zm8="},
                                                        {"foo", "Zm9v"},
                                                        {"foob", "Zm9vYg=="},
                                                        {"fooba", "Zm9vYmE="},
                                                        {"foobar", "Zm9vYmFy"}})
    EXPECT_EQ(base64(plain), coded);
}

TEST(Ticks, are_millionths_of_the_run_and_stay_in_it) {
  EXPECT_EQ(tick(0.25, 0.5), ticks / 2);
  EXPECT_EQ(tick(0.5, 0.5), ticks);
  EXPECT_EQ(tick(0.6, 0.5), ticks);
  EXPECT_EQ(tick(0, 0), 0);
}

// 10 units/s, used whole from 1 s to 2 s and half from 2 s to 4 s, of a run of 4 s.
Recording recording_of_one_load() {
  Recording recording;
  recording.loads.push_back({{"wire"}, ResourceKind::link, 10, {{1, 0}, {2, 10}, {4, 20}}});
  recording.loads.push_back({{"unused"}, ResourceKind::link, 10, {}});
  return recording;
}

TEST(Loads, are_the_means_over_equal_parts_in_half_percents) {
  const Json loads = loads_json(recording_of_one_load(), 4, 2);
  const int bins = loads.at("bins");
  ASSERT_EQ(bins % 4, 0);
  const auto quarter = static_cast<std::size_t>(bins / 4);
  const std::string expected =
      std::string(quarter, '\0') + std::string(quarter, '\xc8') + std::string(2 * quarter, '\x64');
  ASSERT_EQ(loads.at("resources").size(), 1u);
  EXPECT_EQ(loads.at("resources")[0].at("bins"), base64(expected));
  EXPECT_EQ(loads.at("resources")[0].at("mean"), 20.0 / 40);
}

Report report_of_spans(std::vector<Span> spans) {
  Report report;
  report.ranks = 2;
  report.time_s = 1;
  report.phases = {{"up", 0, 1}};
  report.spans = std::move(spans);
  return report;
}

TEST(Spans, are_counted_from_where_the_last_one_ended) {
  const Json spans =
      spans_json(report_of_spans({{0, RankActivity::in_send, 0, 0, 1, 0.25, 0.5, Cause::wire},
                                  {0, RankActivity::reduce, 0, 1, -1, 0.75, 1, {}},
                                  {1, RankActivity::in_wait, 0, 0, 0, 0, 1, Cause::copy}}));
  EXPECT_EQ(spans.at("places"), Json::parse(R"([["up", 0, "", 0], ["up", 1, "", 0]])"));
  EXPECT_EQ(spans.at("rows"),
            Json::parse("[[250000, 250000, 4, 5, 0, 1, 250000, 250000, 1, -1, 1, -1],"
                        " [0, 1000000, 5, 3, 0, 0]]"));
}

TEST(Spans, name_the_lines_of_their_verbs_from_the_root_of_the_sources) {
  Span span;
  span.end_s = 1;
  span.where = {"/no/algorithms/of/mine/nccl/kernels/rings.cpp", 7};
  EXPECT_EQ(spans_json(report_of_spans({span})).at("places"),
            Json::parse(R"([["", 0, "nccl/kernels/rings.cpp", 7]])"));
  span.where = {scenario_source, 9};
  EXPECT_EQ(spans_json(report_of_spans({span})).at("places"),
            Json::parse(R"([["", 0, "scenario.yaml", 9]])"));
}

// More spans than slots: each has less than one; three parts of sending to one of reducing.
TEST(Spans, excess_spans_are_merged_to_the_dominant_activity) {
  std::vector<Span> spans;
  constexpr int many = 16'000;
  for (int i = 0; i < many; ++i) {
    const double start = 0.5 * i / many, end = 0.5 * (i + 1) / many;
    const RankActivity activity = i % 4 == 0 ? RankActivity::reduce : RankActivity::in_send;
    spans.push_back({1, activity, 0, i, -1, start, end, {}});
    spans.back().where = {"algorithms/up.cpp", i < many / 2 ? 3 : 5};
    if (activity == RankActivity::in_send) spans.back().cause = Cause::compute;
  }
  const Json json = spans_json(report_of_spans(spans));
  const auto half = json.at("slots").get<std::size_t>() / 2;
  ASSERT_EQ(json.at("rows").size(), 2u);
  EXPECT_EQ(json.at("rows")[1], std::string(half, 'h') + std::string(half, 'g'));
  const std::string at = json.at("at")[1];
  EXPECT_EQ(at.substr(0, half / 2 - 1), std::string(half / 2 - 1, '0'));
  EXPECT_EQ(at.substr(half / 2 + 1, half / 2 - 2), std::string(half / 2 - 2, '1'));
  EXPECT_EQ(at.substr(half + 1), std::string(half - 1, ' '));
  EXPECT_EQ(
      json.at("lines"),
      Json::parse(R"([["up", 0, "algorithms/up.cpp", 3], ["up", 0, "algorithms/up.cpp", 5]])"));
}

TEST(Steps, last_from_the_first_rank_in_to_the_last_rank_out) {
  const Json steps =
      steps_json(report_of_spans({{0, RankActivity::in_send, 0, 0, 1, 0, 0.25, {}},
                                  {0, RankActivity::in_send, 0, 1, 1, 0.25, 0.5, {}},
                                  {1, RankActivity::in_wait, 0, 0, 0, 0, 0.75, {}},
                                  {1, RankActivity::in_wait, 0, 1, 0, 0.75, 1, {}}}));
  EXPECT_EQ(steps, Json::parse(R"([
    {"phase": "up", "step": 0, "start": 0, "end": 750000},
    {"phase": "up", "step": 1, "start": 250000, "end": 1000000}])"));
}

TEST(Words, are_the_comment_above_the_scenario_by_paragraphs) {
  EXPECT_EQ(words_above("# One\n# two.\n#\n# Three.\nquestion: why?\n# no\n"),
            Json::parse(R"(["One two.", "Three."])"));
  EXPECT_EQ(words_above("question: why?\n"), Json::array());
}

TEST(Page, is_one_file_that_no_text_of_the_data_breaks_out_of) {
  const Json data = {{"question", "is 1 < 2 & </script>?"}, {"cases", Json::array()}};
  const std::string text = page(data, "");
  EXPECT_THAT(text, HasSubstr("<title>is 1 &lt; 2 &amp; &lt;/script>?</title>"));
  EXPECT_THAT(text, HasSubstr(R"({"question":"is 1 \u003c 2 & \u003c/script>?",)"));
  EXPECT_THAT(text, Not(HasSubstr("<!-- scripts")));
  EXPECT_THAT(text, HasSubstr("class MatrixView"));
}

TEST(Page, has_the_sources_of_the_lines_at_which_ranks_are) {
  const Json places = Json::parse(R"([["up", 0, "algorithms/allreduce/ring_allreduce.cpp", 20]])");
  const Json one = {{"spans", {{"places", places}}}};
  const std::string text = page({{"question", "why?"}, {"cases", Json::array({one})}}, "");
  EXPECT_THAT(text, HasSubstr("Task ring_allreduce(Communicator comm"));
}

}  // namespace
}  // namespace ringscope::lesson
