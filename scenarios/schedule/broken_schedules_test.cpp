// SPDX-License-Identifier: LGPL-2.1-or-later
// Does each wrong schedule draw the message that tells a person what to do?
//
// broken_schedules.txt holds the wrong ones, each as a good one with a text replaced, and the
// messages.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "scenarios/schedule/schedule_file.hpp"
#include "topologies/input/complaint_for_test.hpp"
#include "topologies/input/sections_for_test.hpp"

namespace ringscope {
namespace {

std::string good(const std::string& name) {
  std::ifstream file(std::string(schedules_folder) + "/" + name);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string complaint_about(const std::string& name, const std::string& text) {
  return complaint_of([&] {
    ScheduleFile file;
    read_schedule_text(std::make_shared<const Source>(Source{name, text}), file);
  });
}

TEST(BrokenSchedules, say_what_is_wrong_and_where) {
  int wrong = 0;
  for (const Section& one : sections_of("scenarios/schedule/broken_schedules.txt")) {
    ++wrong;
    const std::string file = one.part("file");
    std::string text = good(file);
    const std::string right = one.part("replace");
    const std::size_t at = text.find(right);
    ASSERT_NE(at, std::string::npos) << one.name << ": " << right;
    text.replace(at, right.size(), one.part("by"));
    EXPECT_EQ(complaint_about(file, text), one.part("message")) << one.name;
  }
  EXPECT_GE(wrong, 20);
}

std::vector<std::string> good_files() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(schedules_folder))
    if (entry.path().extension() != ".md") names.push_back(entry.path().filename().string());
  return names;
}

TEST(GoodSchedules, are_read_and_compute_what_they_promise) {
  EXPECT_GE(good_files().size(), 3u);
  for (const std::string& name : good_files()) EXPECT_EQ(complaint_about(name, good(name)), "");
}

TEST(GoodSchedules, have_no_limit_where_most_bytes_are_0) {
  std::string text = good("ar_tree_12_LL.xml");
  const std::string most = "maxBytes=\"617472\"";
  text.replace(text.find(most), most.size(), "maxBytes=\"0\"");
  ScheduleFile file;
  read_schedule_text(std::make_shared<const Source>(Source{"x.xml", text}), file);
  EXPECT_EQ(file.least_bytes, 96u);
  EXPECT_EQ(file.most_bytes, std::uint64_t{std::numeric_limits<std::int64_t>::max()});
}

// Each prefix of a file is another broken file.
TEST(BrokenSchedules, truncated_schedules_are_rejected_at_any_length) {
  const std::string text = good("ring_2.xml");
  for (std::size_t end = 0; end + 2 < text.size(); end += 3)
    EXPECT_NE(complaint_about("ring_2.xml", text.substr(0, end)), "") << end;
}

}  // namespace
}  // namespace ringscope
