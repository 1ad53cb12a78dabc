// SPDX-License-Identifier: LGPL-2.1-or-later
// Options in place of a scenario, and old names of options.
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/program_for_test.hpp"

namespace ringscope {
namespace {

Ended asked(const std::string& words) { return ended(built_program() + " " + words); }

const std::string parts =
    " --cluster star8 --library rdma --placement 1x4 --job allreduce/ring:1MiB";
const std::string keys =
    " --set cluster=star8 --set library=rdma --set placement=1x4 "
    "--set job='{collective: allreduce, algorithm: ring, bytes: 1MiB}'";

std::string said(const std::string& words) { return asked(words + " 2>&1").text; }

TEST(QuestionOptions, options_are_keys_that_are_set) {
  for (const char* command : {"run", "compare", "explain"})
    EXPECT_EQ(asked(command + parts).text, asked(command + keys).text) << command;
  EXPECT_EQ(asked("run 02-ring-of-8 --bytes 1KiB").text,
            asked("run 02-ring-of-8 --set job.bytes=1KiB").text);
}

TEST(QuestionOptions, commands_that_take_a_scenario_take_its_parts) {
  EXPECT_EQ(asked("show" + parts).text, asked("show" + keys).text);
  EXPECT_EQ(asked("show --cluster star8 --quiet").text, asked("show star8 --quiet").text);
  EXPECT_EQ(asked("check" + parts).text, "the job: 1 case, nothing to warn of\n");
  EXPECT_EQ(asked("check --cluster star8").text, asked("check star8 --quiet").text);
  const std::string search = "place --no-store --verify 0 --quiet";
  EXPECT_EQ(asked(search + parts).text, asked(search + keys).text);
  const std::string sweep = "sweep cores-or-wires --no-store --verify 0 --quiet --top 3";
  EXPECT_EQ(asked(sweep + " --bytes 1KiB").text, asked(sweep + " --set job.bytes=1KiB").text);
  EXPECT_NE(asked(sweep + " --bytes 1KiB").text, asked(sweep).text);
}

TEST(QuestionOptions, counts_place_a_job_by_nccl_on_gpus) {
  const std::string job =
      "run --cluster h100_nvswitch --library nccl_h100 --job allreduce/nccl:1MiB --placement ";
  EXPECT_EQ(asked(job + "4-4").text, asked(job + "'{hosts: 4-4, on: gpu}'").text);
  EXPECT_NE(said(job + "'{hosts: 4-4, on: core}'").find("no rank has a GPU"), std::string::npos);
  const auto beside = [&](const std::string& placement) {
    return asked(job + "2-2 --set 'neighbours={other: {placement: " + placement +
                 ", job: {collective: allreduce, algorithm: nccl, bytes: 1 MiB}}}'");
  };
  EXPECT_EQ(beside("2-2").code, 0);
  EXPECT_EQ(beside("2-2").text, beside("{hosts: 2-2, on: gpu}").text);
}

TEST(QuestionOptions, place_packs_the_ranks_of_nccl_on_gpus) {
  const std::string search =
      "place --cluster h100_nvswitch --library nccl_h100 --job allreduce/nccl:1MiB --ranks 4 "
      "--no-store --verify 0 --quiet";
  EXPECT_EQ(asked(search).text, asked(search + " --on gpu").text);
  EXPECT_NE(asked(search).text, asked(search + " --on core").text);
}

TEST(QuestionOptions, help_is_a_command_too) {
  EXPECT_EQ(asked("help run").text, asked("run --help").text);
  EXPECT_EQ(asked("help").text, asked("--help").text);
}

TEST(QuestionOptions, set_is_laid_over_the_other_options) {
  EXPECT_EQ(asked("run" + parts + " --set job.bytes=2MiB").text,
            asked("run" + parts + " --bytes 2MiB").text);
}

TEST(QuestionOptions, errors_name_the_option) {
  EXPECT_EQ(said("run 02-ring-of-8 --cluster star7").rfind("--cluster:1:1: unknown cluster", 0),
            0U);
  EXPECT_EQ(said("run 02-ring-of-8 --job ring").rfind("--job:1:1: expected a collective", 0), 0U);
  EXPECT_EQ(said("run --cluster star8 --job allreduce/ring:1MiB"),
            "ringscope: expected a scenario, or all of --cluster, --library, --placement, --job; "
            "missing: --library, --placement (ringscope list names both)\n");
  EXPECT_EQ(said("run 02-ring-of-8 --model rack3 --cluster star8"),
            "--model: expected one of the options that give the cluster, got --cluster, too\n");
  EXPECT_EQ(said("place --cluster star8 --library rdma --job allreduce/ring:1MiB"),
            "place: expected --ranks or --placement, or a scenario\n");
  EXPECT_NE(said("show star8 --bytes 1KiB").find("star8 is a cluster"), std::string::npos);
}

TEST(QuestionOptions, job_without_bytes_is_for_collectives_without_data) {
  const std::string barrier = " --job barrier/dissemination";
  EXPECT_EQ(asked("run --cluster star8 --library rdma --placement 1x4" + barrier).code, 0);
  EXPECT_EQ(asked("place --cluster star8 --library rdma --ranks 4 --no-store --verify 0" + barrier +
                  " 2>&1")
                .code,
            0);
  EXPECT_NE(said("run 02-ring-of-8 --job allreduce/ring").find("'bytes' is missing"),
            std::string::npos);
}

TEST(QuestionOptions, options_without_effect_are_refused) {
  EXPECT_NE(said("show star8 --case 4-3-1").find("star8 is a cluster"), std::string::npos);
  EXPECT_NE(said("check star8 --case 4-3-1").find("star8 is a cluster"), std::string::npos);
  EXPECT_NE(said("run 02-ring-of-8 --exact --fold-from 64").find("--exact"), std::string::npos);
  EXPECT_NE(said("run 02-ring-of-8 --exact --interval").find("--interval: "), std::string::npos);
  EXPECT_NE(said("list --json -").find("WHAT"), std::string::npos);
}

TEST(QuestionOptions, against_puts_a_case_first) {
  const std::string text = asked("compare 03-anomaly --against 4-3-1 --bytes 1MiB").text;
  EXPECT_LT(text.find("\n4-3-1"), text.find("\n4-2-2"));
  EXPECT_EQ(said("compare 03-anomaly --against 9").rfind("--against: unknown case '9'", 0), 0U);
}

TEST(QuestionOptions, old_names_work_with_a_note) {
  const std::string now = said("run 01-two-hosts --time-limit 60s");
  EXPECT_EQ(said("run 01-two-hosts --limit 60s"), "note: --limit is now --time-limit\n" + now);
  EXPECT_EQ(said("import no.log --as osu").find("note: "), std::string::npos);
  EXPECT_EQ(said("run 01-two-hosts --limit=60s"), "note: --limit is now --time-limit\n" + now);
}

TEST(QuestionOptions, exact_folds_no_ranks) {
  const std::string run =
      "run --cluster star64 --library rdma --placement 2x64 --job "
      "allreduce/ring:1MiB";
  EXPECT_NE(asked(run).text.find("Folded: "), std::string::npos);
  EXPECT_EQ(asked(run + " --exact").text, asked(run + " --no-skip --no-fold").text);
  EXPECT_EQ(asked(run + " --exact").text.find("Folded: "), std::string::npos);
}

TEST(Init, writes_files_that_are_read_and_keeps_existing_ones) {
  const std::string folder = testing::TempDir() + "init";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::pair<const char*, const char*> kinds[] = {
      {"scenario", "compare "}, {"cluster", "check "}, {"study", "sweep --no-store --verify 0 "}};
  for (const auto& [kind, command] : kinds) {
    const std::string file = folder + "/" + kind + ".yaml";
    EXPECT_EQ(asked(std::string("init ") + kind + " -o " + file).code, 0);
    EXPECT_EQ(asked(command + file).code, 0) << kind;
    EXPECT_EQ(asked(std::string("init ") + kind + " -o " + file).code, 1);
  }
  EXPECT_NE(said("init machine").find("known: cluster, scenario, study"), std::string::npos);
}

TEST(List, kinds_are_listed_with_their_counts) {
  EXPECT_NE(asked("list").text.find("\nstudies          4\n"), std::string::npos);
  EXPECT_NE(asked("list traces").text.find("ring_8.0.et.gz"), std::string::npos);
}

}  // namespace
}  // namespace ringscope
