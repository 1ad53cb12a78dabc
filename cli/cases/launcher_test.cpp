// SPDX-License-Identifier: LGPL-2.1-or-later
// Is what launchers say in the environment understood, and what nobody meant left alone?
#include "cli/cases/study_options.hpp"

#include <gtest/gtest.h>

#include <map>

#include "cli/terminal/failure.hpp"

namespace ringscope {
namespace {

/// Variables that variable() finds: launch_of() takes a function such as std::getenv.
std::map<std::string, std::string> environment;

const char* variable(const char* name) {
  const auto found = environment.find(name);
  return found == environment.end() ? nullptr : found->second.c_str();
}

/// "3/8", "none", or what is wrong.
std::string shard_in(std::map<std::string, std::string> variables, bool asked = false) {
  environment = std::move(variables);
  try {
    const auto launch = launch_of(variable, asked);
    if (!launch) return "none";
    return std::to_string(launch->process.number) + '/' + std::to_string(launch->process.count);
  } catch (const Failure& failure) {
    return failure.what();
  }
}

TEST(Launcher, nobody_is_none) { EXPECT_EQ(shard_in({}), "none"); }

TEST(Launcher, open_mpi_and_pmi_count_from_0) {
  EXPECT_EQ(shard_in({{"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_SIZE", "8"}}), "3/8");
  EXPECT_EQ(shard_in({{"PMI_RANK", "7"}, {"PMI_SIZE", "8"}}), "8/8");
}

TEST(Launcher, mpirun_inside_of_slurm_counts_and_not_the_batch_script) {
  EXPECT_EQ(shard_in({{"SLURM_PROCID", "0"},
                      {"SLURM_NTASKS", "8"},
                      {"OMPI_COMM_WORLD_RANK", "5"},
                      {"OMPI_COMM_WORLD_SIZE", "6"}}),
            "6/6");
}

TEST(Launcher, srun_counts_and_a_batch_script_only_where_somebody_asks) {
  const std::map<std::string, std::string> batch = {{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "16"}};
  EXPECT_EQ(shard_in(batch), "none");
  EXPECT_EQ(shard_in(batch, true), "1/16");
  EXPECT_EQ(shard_in({{"SLURM_PROCID", "3"}, {"SLURM_NTASKS", "16"}, {"PMI_RANK", "3"}}), "4/16");
  EXPECT_EQ(
      shard_in({{"SLURM_PROCID", "3"}, {"SLURM_NTASKS", "16"}, {"SLURM_STEP_NUM_TASKS", "4"}}),
      "4/4");
}

std::map<std::string, std::string> array(const std::string& id, const std::string& count,
                                         const std::string& least, const std::string& step) {
  return {{"SLURM_ARRAY_TASK_ID", id},
          {"SLURM_ARRAY_TASK_COUNT", count},
          {"SLURM_ARRAY_TASK_MIN", least},
          {"SLURM_ARRAY_TASK_STEP", step}};
}

TEST(Launcher, an_array_begins_anywhere_and_goes_in_steps) {
  EXPECT_EQ(shard_in(array("0", "4", "0", "1")), "1/4");
  EXPECT_EQ(shard_in(array("16", "16", "1", "1")), "16/16");
  EXPECT_EQ(shard_in(array("15", "4", "5", "5")), "3/4");
}

TEST(Launcher, an_array_of_several_tasks_each_counts_them_all) {
  auto variables = array("3", "4", "1", "1");
  variables.insert({{"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}});
  EXPECT_EQ(shard_in(variables), "6/8");
  variables.at("SLURM_STEP_NUM_TASKS") = "1";
  variables.at("SLURM_PROCID") = "0";
  EXPECT_EQ(shard_in(variables), "3/4");
}

TEST(Launcher, uneven_arrays_and_numbers_that_are_none_are_refused) {
  EXPECT_NE(
      shard_in(array("7", "3", "1", "2")).find("is none of 3 numbers from 1 on in steps of 2"),
      std::string::npos);
  EXPECT_NE(shard_in(array("x", "3", "1", "1")).find("SLURM_ARRAY_TASK_ID=x: expected a whole"),
            std::string::npos);
  EXPECT_NE(shard_in({{"PMI_RANK", "8"}, {"PMI_SIZE", "8"}}).find("a rank below the number"),
            std::string::npos);
}

TEST(Launcher, cores_are_shared_with_the_tasks_of_this_host) {
  environment = {
      {"SLURM_PROCID", "3"}, {"SLURM_STEP_NUM_TASKS", "11"}, {"SLURM_TASKS_PER_NODE", "4(x2),3"}};
  EXPECT_EQ(launch_of(variable, false)->local_size, 4);
}

}  // namespace
}  // namespace ringscope
