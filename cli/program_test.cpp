// SPDX-License-Identifier: LGPL-2.1-or-later
// Does the program as a whole end with the right code and the right words?
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "cli/program_for_test.hpp"
#include "scripts/testing/sanitized.hpp"

namespace ringscope::program_test {
namespace {

Ended ringscope(const std::string& arguments) {
  return ended(built_program() + " " + arguments + " 2>&1");
}

/// Run of ringscope with a GiB of memory.
Ended limited_ringscope(const std::string& arguments) {
  return ended("ulimit -v 1048576; " + built_program() + " " + arguments + " 2>&1");
}

TEST(Program, says_its_version) {
  const auto [code, text] = ringscope("--version");
  EXPECT_EQ(code, 0);
  EXPECT_TRUE(text.starts_with("ringscope ")) << text;
}

TEST(Program, every_subcommand_has_help_with_examples) {
  for (const char* subcommand :
       {"", "run ", "compare ", "explain ", "what-if ", "sweep ", "show ", "check ", "list ",
        "lesson ", "export ", "import-machine ", "import-fabric "}) {
    const auto [code, text] = ringscope(std::string(subcommand) + "--help");
    EXPECT_EQ(code, 0);
    EXPECT_NE(text.find("Examples:\n  ringscope "), std::string::npos) << text;
  }
}

TEST(Program, an_unknown_subcommand_is_bad_input_with_a_suggestion) {
  const auto [code, text] = ringscope("comapre x");
  EXPECT_EQ(code, 1);
  EXPECT_TRUE(
      text.starts_with("unknown subcommand 'comapre'; did you mean 'compare'? "
                       "(known: run, compare, explain, what-if, "))
      << text;
}

// CLI11 takes a line break in a word for the end of a line of its own; a terminal obeys no more.
TEST(Program, arguments_are_escaped_for_the_terminal) {
  for (const char* words : {"\"$(printf 'run\\033[31m')\"", "run x \"$(printf -- '--j\\033[31m')\"",
                            "show \"$(printf '\\033[2J')\""}) {
    const auto [code, text] = ringscope(words);
    EXPECT_EQ(code, 1);
    EXPECT_EQ(text.find('\x1b'), std::string::npos) << words;
    EXPECT_NE(text.find("\\x1b["), std::string::npos) << text;
  }
}

TEST(Program, arguments_must_be_utf8) {
  const auto [code, text] = ringscope("run 01-two-hosts --set \"$(printf 'job.algorithm=\\377')\"");
  EXPECT_EQ(code, 1);
  EXPECT_EQ(text, "argument 4: expected text in UTF-8, got 'job.algorithm=\\xff'\n");
}

TEST(Program, long_runs_are_announced_and_end_at_the_limit) {
  const auto [code, text] = ringscope(
      "run 02-ring-of-8 --set job.bytes=1MiB --set job.repetitions=1000000 --time-limit '0.3 s' "
      "--kernel simgrid");
  EXPECT_EQ(code, 1);
  // 8 ranks of a ring send 2 x 7 messages each.
  EXPECT_NE(text.find(": 8 ranks that send 1.12e+08 messages, some "), std::string::npos) << text;
  EXPECT_NE(text.find(" had not ended after 300 ms: lower 'job.repetitions', the ranks of "
                      "'placement', or raise --time-limit"),
            std::string::npos)
      << text;
}

TEST(Program, memory_that_will_not_be_there_is_told_before) {
  if (sanitized) GTEST_SKIP() << "the sanitizer reserves more address space than the limit leaves";
  const auto [code, text] = limited_ringscope(
      "run 02-ring-of-8 --set cluster=star64 --set placement=3000x64 --set "
      "placement.oversubscribe=true --time-limit '5 s'");
  EXPECT_EQ(code, 1);
  EXPECT_NE(text.find(" of memory, and "), std::string::npos) << text;
}

TEST(Program, misuse_of_the_command_line_is_bad_input) {
  EXPECT_EQ(ringscope("").code, 1);
  EXPECT_EQ(ringscope("run").code, 1);
  EXPECT_EQ(ringscope("run x --jsn out.json").code, 1);
  EXPECT_EQ(ringscope("show x --from 0").code, 1);
}

TEST(Program, an_unknown_scenario_is_bad_input) {
  const auto [code, text] = ringscope("run no-such-scenario");
  EXPECT_EQ(code, 1);
  EXPECT_TRUE(text.starts_with("SCENARIO: unknown scenario 'no-such-scenario'")) << text;
}

TEST(Program, data_that_are_not_where_the_environment_says_are_an_error_and_no_empty_list) {
  ASSERT_EQ(::setenv("RINGSCOPE_DATA", "/none", 1), 0);
  const auto [code, text] = ringscope("list scenarios");
  ::unsetenv("RINGSCOPE_DATA");
  EXPECT_EQ(code, 1);
  EXPECT_EQ(text,
            "/none/scenarios/lessons: cannot be read: No such file or directory; "
            "RINGSCOPE_DATA points there\n");
}

TEST(Program, a_file_that_is_not_there_is_bad_input) {
  const auto [code, text] = ringscope("run ./none.yaml");
  EXPECT_EQ(code, 1);
  EXPECT_EQ(text, "./none.yaml: cannot be read: No such file or directory\n");
}

TEST(Program, an_unknown_kernel_and_an_unknown_list_are_bad_input) {
  const Ended kernel = ringscope("run x --kernel simgird");
  EXPECT_EQ(kernel.code, 1);
  EXPECT_TRUE(
      kernel.text.starts_with("--kernel: unknown kernel 'simgird'; did you mean 'simgrid'?"))
      << kernel.text;
  const Ended list = ringscope("list algoritms");
  EXPECT_EQ(list.code, 1);
  EXPECT_EQ(list.text,
            "list: unknown list 'algoritms'; did you mean 'algorithms'? "
            "(known: algorithms, clusters, collectives, gpus, hosts, language_models, libraries, "
            "models, networks, scenarios, schedules, servers, studies, traces, transports)\n");
}

TEST(Program, lists_what_clusters_are_built_from) {
  EXPECT_NE(ringscope("list networks").text.find("torus      one switch per host"),
            std::string::npos);
  EXPECT_NE(ringscope("list hosts").text.find("pcie_tree  sockets"), std::string::npos);
}

TEST(Program, only_one_file_can_be_standard_output) {
  const auto [code, text] = ringscope("run x --json - --csv -");
  EXPECT_EQ(code, 1);
  EXPECT_EQ(text, "only one file can go to standard output ('-')\n");
}

TEST(Program, no_two_outputs_go_to_one_file) {
  const auto [code, text] = ringscope("run x --json same --csv same");
  EXPECT_EQ(code, 1);
  EXPECT_EQ(text, "two outputs would go to 'same'\n");
}

TEST(Program, no_two_cases_have_one_name) {
  const auto [code, text] = ringscope(
      "run 01-two-hosts 01-two-hosts --set job.bytes='[1 B, 1 KiB, 1 B]' --csv - | cut -d, -f1");
  EXPECT_EQ(code, 0);
  EXPECT_EQ(text,
            "case\n01-two-hosts 1 B\n01-two-hosts 1 KiB\n01-two-hosts 1 B (2)\n"
            "01-two-hosts 1 B (3)\n01-two-hosts 1 KiB (2)\n01-two-hosts 1 B (4)\n");
}

TEST(Program, a_file_that_cannot_be_written_is_refused_before_the_run) {
  const auto [code, text] = ringscope("run 05-deadlock --json /none/x.json");  // would end with 3
  EXPECT_EQ(code, 1);
  EXPECT_EQ(text, "/none/x.json: cannot be written: No such file or directory\n");
}

std::string contents(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// 64 KiB is Open MPI's eager limit over TCP: the first size passes, the second cannot.
TEST(Program, a_deadlock_leaves_what_ended_and_what_was_until_then) {
  const std::string base = testing::TempDir() + "/stuck.";
  const auto [code, text] =
      ringscope("run 05-deadlock --set 'job.bytes=[1 KiB, 1 MiB]' --json " + base + "json --csv " +
                base + "csv --timeline " + base + "timeline --trace " + base + "trace");
  EXPECT_EQ(code, 3);
  EXPECT_NE(text.find("1 KiB"), std::string::npos) << text;
  EXPECT_NE(text.find("05-deadlock 1 MiB: deadlock at 17 us: rank 0 waits for rank 1"),
            std::string::npos)
      << text;
  const std::string json = contents(base + "json"), csv = contents(base + "csv");
  EXPECT_LT(json.find("\"05-deadlock 1 KiB\""), json.find("\"stuck\": ["));
  EXPECT_LT(json.find("\"stuck\": ["), json.find("\"05-deadlock 1 MiB\""));
  EXPECT_NE(csv.find("\n05-deadlock 1 KiB,"), std::string::npos) << csv;
  EXPECT_EQ(csv.find("1 MiB"), std::string::npos) << csv;
  EXPECT_NE(contents(base + "timeline").find("\n05-deadlock 1 MiB (deadlock),1,in_send,"),
            std::string::npos);
  EXPECT_NE(contents(base + "trace").find("1 MiB (deadlock)"), std::string::npos);
}

TEST(Program, a_lesson_on_a_deadlock_is_written_and_ends_with_3) {
  const std::string page = testing::TempDir() + "/deadlock.html";
  const auto [code, text] = ringscope("lesson 05-deadlock -o " + page);
  EXPECT_EQ(code, 3);
  EXPECT_TRUE(text.starts_with("deadlock at 17 us: rank 0 waits")) << text;
  EXPECT_NE(contents(page).find("\"cycle\":[0,1]"), std::string::npos);
}

TEST(Program, a_page_of_too_many_cases_names_their_scenarios) {
  const auto [code, text] = ringscope("lesson suspects 01-two-hosts -o -");
  EXPECT_EQ(code, 1);
  EXPECT_TRUE(text.starts_with("suspects, 01-two-hosts: a page shows at most 24")) << text;
}

TEST(Program, a_full_disk_is_said) { EXPECT_EQ(ringscope("list clusters > /dev/full").code, 1); }

TEST(Program, check_warns_of_peers_behind_an_iommu_and_succeeds) {
  const std::string file = testing::TempDir() + "/iommu.yaml";
  std::ofstream(file) << "base: gtx1080ti_x4\nhost: {iommu: true}\n";
  const auto [code, text] = ringscope("check gtx1080ti_x4 " + file);
  EXPECT_EQ(code, 0);
  EXPECT_NE(text.find("gtx1080ti_x4: 1 host, 18 links, nothing to warn of\n"), std::string::npos);
  EXPECT_NE(text.find("\nwarning: "), std::string::npos);
  EXPECT_NE(text.find("IOMMU"), std::string::npos) << text;
}

TEST(Program, check_warns_of_a_ring_that_leaves_nics_idle) {
  const std::string file = testing::TempDir() + "/ring.yaml";
  std::ofstream(file) << "question: q\ncluster: a100_nvswitch\nlibrary: cuda_pinned\n"
                         "placement: {hosts: 8-8, on: gpu}\n"
                         "job: {collective: allreduce, algorithm: ring, bytes: 1 MiB}\n";
  const auto [code, text] = ringscope("check " + file);
  EXPECT_EQ(code, 0);
  EXPECT_NE(text.find("\nwarning: the ring comes to host0 and leaves it by 2 of its 8 NICs"),
            std::string::npos)
      << text;
  const std::string run = "run " + file + " --set job.algorithm=nccl";
  EXPECT_NE(ringscope(run).text.find("\n  warning: cuda_pinned does not state the costs of NCCL"),
            std::string::npos);
  EXPECT_NE(ringscope(run + " --json -").text.find("\"warnings\": ["), std::string::npos);
  EXPECT_EQ(ringscope("run 01-two-hosts --json -").text.find("\"warnings\""), std::string::npos);
}

TEST(Program, check_refuses_what_cannot_be_read) {
  const auto [code, text] = ringscope("check 03-anomaly rak3");
  EXPECT_EQ(code, 1);
  EXPECT_NE(text.find("did you mean 'rack3'?"), std::string::npos) << text;
}

TEST(Program, show_prints_what_gpus_can_send_each_other) {
  const auto [code, text] = ringscope("show gtx1080ti_x4");
  EXPECT_EQ(code, 0);
  EXPECT_NE(text.find("GPU to GPU, peer access as granted: bandwidth in GB/s, one way"),
            std::string::npos);
  EXPECT_NE(text.find(" 1   10.28  354.00   11.00   11.00\n"), std::string::npos) << text;
}

// The NVLink of the machine; without peer access, both legs and the memory between them.
TEST(Program, show_says_how_gpus_reach_each_other_where_ranks_are_on_gpus) {
  const std::string file = testing::TempDir() + "/on_gpus.yaml";
  const auto route = [&](const std::string& cluster, const std::string& library) {
    std::ofstream(file) << "question: q\ncluster: " << cluster << "\nlibrary: " << library
                        << "\nplacement: {hosts: 2, on: gpu}\n"
                           "job: {collective: allreduce, algorithm: ring, bytes: 1 MiB}\n";
    return ringscope("show " + file + " --from 0 --to 1").text;
  };
  const std::string linked = route("dgx1v", "cuda_pinned");
  EXPECT_NE(linked.find("From rank 0 on host0/gpu0 to rank 1 on host0/gpu1: 25 GB/s"),
            std::string::npos)
      << linked;
  const std::string staged = route("dgx1v", "{base: cuda_pinned, gpu: {always_staged: true}}");
  EXPECT_NE(staged.find("  staged in host0/numa0"), std::string::npos) << staged;
}

TEST(Program, show_prints_the_rings_and_trees_of_nccl) {
  const std::string file = testing::TempDir() + "/nccl_rings.yaml";
  std::ofstream(file) << "question: q\ncluster: dgx1v\nlibrary: cuda_pinned\n"
                         "placement: {hosts: 8, on: gpu}\n"
                         "job: {collective: allreduce, algorithm: nccl, bytes: 1 MiB}\n";
  const auto [code, text] = ringscope("show " + file + " --nccl");
  EXPECT_EQ(code, 0);
  for (const char* line :
       {"rings: 6 channels of 20 GB/s (NVL)\n", "\n  0 1 6 7   0 3 2 1 5 6 7 4\n",
        "\n  0 1 6 7   0 > 3 > 2 > 1 > 5 > 6 > 7 > 4\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  const std::string tuning = ringscope("show " + file + " --nccl --tuning").text;
  for (const char* line :  // 6.6 us and 14 steps of 0.6 us
       {"\nNCCL 2.31 on 8 GPUs of 1 host\n", "\n  allreduce       ring LL              15.0 ",
        "  8 B  ", "\nExpected times in us: allgather, reduce_scatter\n"})
    EXPECT_NE(tuning.find(line), std::string::npos) << line << tuning;
  const std::string rccl = ringscope("show mi300x --nccl --tuning").text;
  for (const char* line :  // 12 us and 14 steps of 0.8 us
       {"\nRCCL on 8 GPUs of 1 host\n", "\n  allreduce       ring LL              23.2 "})
    EXPECT_NE(rccl.find(line), std::string::npos) << line << rccl;
  EXPECT_EQ(ringscope("show rack3 --nccl").text, "--nccl: no host of this cluster has a GPU\n");
  EXPECT_NE(ringscope("show 03-anomaly --nccl").text.find("rank 0 on host0/numa0 is not on a GPU"),
            std::string::npos);
}

TEST(Program, show_writes_peers_for_clusters_that_have_them) {
  EXPECT_EQ(ringscope("show gtx1080ti_x4 --peers -").text.substr(0, 45),
            "metric,src,dst,value\nlatency_us,0,0,0\nlatency");
  EXPECT_EQ(ringscope("show rack3 --peers -").code, 1);
}

}  // namespace
}  // namespace ringscope::program_test
