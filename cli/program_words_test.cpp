// SPDX-License-Identifier: LGPL-2.1-or-later
// Does the program call things by their names: a study a study, and one message one?
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/program_for_test.hpp"
#include "topologies/input/data_files.hpp"

namespace ringscope {
namespace {

Ended said_by(const std::string& arguments) {
  return ended(built_program() + " " + arguments + " 2>&1");
}

TEST(ProgramWords, verbose_version_names_compiler_and_libraries_but_no_path) {
  const std::string version = said_by("--version").text;
  const auto [code, text] = said_by("--version --verbose");
  EXPECT_EQ(code, 0);
  EXPECT_TRUE(text.starts_with(version)) << text;
  for (const char* line : {"\ncompiler:   ", "\nstandard:   C++ 20",
                           "\nbuild type: ", "\nsanitizers: ", "\nlibraries:  Boost 1.", ", fmt ",
                           ", nlohmann_json ", ", module found\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
  EXPECT_EQ(text.find('/'), std::string::npos) << text;
  EXPECT_EQ(text, said_by("--verbose --version").text);
  EXPECT_EQ(said_by("--verbose").code, 1);
}

TEST(ProgramWords, help_lists_every_subcommand_below_a_heading) {
  const std::string text = said_by("--help").text;
  for (const char* heading :
       {"\nSimulate:\n  run ", "\nSearch:\n  place ", "\nDescribe a machine:\n  init ",
        "\nMeasurements:\n  import ", "\nPresent:\n  lesson "}) {
    EXPECT_NE(text.find(heading), std::string::npos) << heading << text;
  }
  EXPECT_EQ(text.find("Subcommands:"), std::string::npos) << text;
}

TEST(ProgramWords, a_study_is_no_scenario_and_each_says_what_reads_it) {
  const auto says = [](const std::string& arguments, const std::string& words) {
    const auto [code, text] = said_by(arguments);
    EXPECT_EQ(code, 1);
    EXPECT_NE(text.find(words), std::string::npos) << text;
  };
  says("run cores-or-wires",
       "this is a study, and not a scenario: 'ringscope sweep cores-or-wires' reads it");
  says("run place-eight-on-three", "'ringscope place place-eight-on-three' reads it");
  says("sweep 03-anomaly --no-store",
       "this is a scenario, and not a study: 'ringscope run 03-anomaly' reads it");
  for (const char* command : {"check", "show"}) {
    says(std::string(command) + " cores-or-wires", "'ringscope sweep cores-or-wires' reads it");
    says(
        fmt::format("{} {}/scenarios/studies/place-eight-on-three.yaml", command, data_directory()),
        "this is a study, and not a scenario: 'ringscope place ");
  }
  says("sweep place-eight-on-three --no-store", "'ringscope place' reads it");
}

TEST(ProgramWords, an_option_that_a_subcommand_does_not_have_draws_those_that_it_has) {
  const auto [code, text] = said_by("run 01-two-hosts --jsn out.json");
  EXPECT_EQ(code, 1);
  EXPECT_EQ(text.substr(0, 54), "run: unknown option '--jsn'; did you mean '--json'? (k") << text;
  EXPECT_TRUE(text.ends_with("; 'ringscope run --help' describes all\n")) << text;
  EXPECT_EQ(said_by("place --rankfile").text,
            "place: --rankfile: 1 required TEXT missing; 'ringscope place --help' describes all\n");
}

TEST(ProgramWords, one_case_of_a_scenario_runs_alone) {
  const auto [code, text] = said_by("run 03-anomaly --case 4-3-1");
  EXPECT_EQ(code, 0) << text;
  EXPECT_EQ(text.substr(0, 18), "03-anomaly 4-3-1: ");
  EXPECT_EQ(text.find("4-2-2"), std::string::npos) << text;
  EXPECT_NE(said_by("run 03-anomaly --case 5-2-1").text.find("--case: unknown case '5-2-1'"),
            std::string::npos);
}

TEST(ProgramWords, one_message_is_said_in_the_singular) {
  const std::string job = "'job={collective: broadcast, algorithm: flat, bytes: 1 KiB}'";
  const auto [code, text] = said_by("run 01-two-hosts --set placement=1-1 --set " + job);
  EXPECT_EQ(code, 0) << text;
  EXPECT_NE(text.find("  1 message, 1 KiB sent, 1 KiB of it between hosts"), std::string::npos)
      << text;
}

}  // namespace
}  // namespace ringscope
