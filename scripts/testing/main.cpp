// SPDX-License-Identifier: LGPL-2.1-or-later
// Main function of the test programs: runs each selected case in a forked process of its own.
//
// SimGrid's engine exists once per process. A case that crashes, or changes what its process has,
// disturbs no other; and a fork is quicker than a program's start.
#include <fnmatch.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scripts/testing/sanitized.hpp"

#ifdef __SANITIZE_ADDRESS__
const bool ringscope::sanitized = true;
#else
const bool ringscope::sanitized = false;
#endif

namespace {

using Names = std::vector<std::string>;

/// gtest's output about a case, without its lines about the program.
class CaseOutput : public testing::EmptyTestEventListener {
 public:
  explicit CaseOutput(testing::TestEventListener* printer) : printer_(printer) {}
  void OnTestStart(const testing::TestInfo& info) override { printer_->OnTestStart(info); }
  void OnTestPartResult(const testing::TestPartResult& part) override {
    printer_->OnTestPartResult(part);
  }
  void OnTestEnd(const testing::TestInfo& info) override { printer_->OnTestEnd(info); }

 private:
  std::unique_ptr<testing::TestEventListener> printer_;
};

/// Whether one of `patterns`, which colons separate, matches `name`.
bool matches(const std::string& name, std::string_view patterns) {
  while (!patterns.empty()) {
    const std::string pattern(patterns.substr(0, patterns.find(':')));
    if (::fnmatch(pattern.c_str(), name.c_str(), 0) == 0) return true;
    patterns.remove_prefix(std::min(pattern.size() + 1, patterns.size()));
  }
  return false;
}

/// gtest's rule: patterns, and after the first '-' patterns of exceptions.
bool is_selected(const std::string& name) {
  const std::string filter = GTEST_FLAG_GET(filter);
  const std::size_t minus = filter.find('-');
  const std::string wanted = filter.substr(0, minus);
  const std::string unwanted = minus == std::string::npos ? "" : filter.substr(minus + 1);
  return (wanted.empty() || matches(name, wanted)) && !matches(name, unwanted);
}

/// Number in a variable of the environment, which is unset: forked cases are not sharded again.
std::size_t taken_number(const char* variable, std::size_t otherwise) {
  const char* const text = std::getenv(variable);
  const std::size_t number = text == nullptr ? otherwise : std::stoul(text);
  ::unsetenv(variable);
  return number;
}

/// Cases of the filter, and of the shard that gtest's variables ask for.
Names selected_cases() {
  const std::size_t shards = taken_number("GTEST_TOTAL_SHARDS", 1);
  const std::size_t shard = taken_number("GTEST_SHARD_INDEX", 0);
  const testing::UnitTest& program = *testing::UnitTest::GetInstance();
  Names result;
  std::size_t number = 0;
  for (int i = 0; i < program.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *program.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) {
      const std::string name = std::string(suite.name()) + "." + suite.GetTestInfo(j)->name();
      if (is_selected(name) && number++ % shards == shard) result.push_back(name);
    }
  }
  return result;
}

[[noreturn]] void run_alone(const std::string& name) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // ctest's time limit ends the parent alone
  GTEST_FLAG_SET(filter, name);
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  listeners.Append(new CaseOutput(listeners.Release(listeners.default_result_printer())));
  std::exit(RUN_ALL_TESTS());
}

/// "" for a case that passed, else how its process ended.
std::string failure_of(const std::string& name) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) run_alone(name);
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return "no process to run it";
  if (WIFSIGNALED(status)) return std::string("killed by: ") + ::strsignal(WTERMSIG(status));
  return WEXITSTATUS(status) == 0 ? "" : "exit code " + std::to_string(WEXITSTATUS(status));
}

int run_each(const Names& cases) {
  Names failed;
  for (const std::string& name : cases)
    if (const std::string failure = failure_of(name); !failure.empty())
      failed.push_back(name + " (" + failure + ")");
  const std::size_t passed = cases.size() - failed.size();
  if (cases.empty()) failed.emplace_back("no case matches the filter");
  std::printf("[==========] %zu of %zu cases passed.\n", passed, cases.size());
  for (const std::string& line : failed) std::printf("[  FAILED  ] %s\n", line.c_str());
  return failed.empty() ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  testing::InitGoogleTest(&count, words);
  if (count > 1) {
    if (std::string_view(words[1]) == "--help") return 0;
    std::fprintf(stderr, "unknown argument '%s', see --help\n", words[1]);
    return 2;
  }
  if (GTEST_FLAG_GET(list_tests)) return RUN_ALL_TESTS();
  const Names cases = selected_cases();
  // A single case runs in this process: a debugger sees it, and a death test's child ends here.
  if (cases.size() == 1) {
    GTEST_FLAG_SET(filter, cases.front());
    return RUN_ALL_TESTS();
  }
  return run_each(cases);
}
