// SPDX-License-Identifier: LGPL-2.1-or-later
// Main function of the test programs: runs each selected case in a forked process of its own.
//
// SimGrid's engine exists once per process. A case that crashes, or changes what its process has,
// disturbs no other; and a fork is quicker than a program's start.
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

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
#include <sanitizer/lsan_interface.h>
const bool ringscope::sanitized = true;
#else
const bool ringscope::sanitized = false;
#endif

namespace {

/// Whether this process has lost memory, which the sanitizers' build prints.
bool leaks() {
#ifdef __SANITIZE_ADDRESS__
  return __lsan_do_recoverable_leak_check() != 0;
#else
  return false;
#endif
}

/// "" for a case that passed in the process `child`, else how that ended.
std::string failure_of(pid_t child) {
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return "no process to run it";
  if (WIFSIGNALED(status)) return std::string("killed by: ") + ::strsignal(WTERMSIG(status));
  return WEXITSTATUS(status) == 0 ? "" : "exit code " + std::to_string(WEXITSTATUS(status));
}

/// Forks where a case starts: the child runs it and ends, the parent waits and skips it. gtest then
/// selects cases once; each child that did it again would copy the pages of all of them.
class CaseProcesses : public testing::EmptyTestEventListener {
 public:
  explicit CaseProcesses(testing::TestEventListener* printer) : printer_(printer) {}

  void OnTestStart(const testing::TestInfo& info) override {
    // A single case runs in this process: a debugger sees it, and a death test's child ends here.
    if (testing::UnitTest::GetInstance()->test_to_run_count() == 1)
      return printer_->OnTestStart(info);
    std::fflush(nullptr);
    ++started_;
    child_ = ::fork();
    if (child_ != 0) {
      if (const std::string failure = failure_of(child_); !failure.empty())
        failed_.push_back(std::string(info.test_suite_name()) + "." + info.name() + " (" + failure +
                          ")");
      GTEST_SKIP();
    }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // ctest's time limit ends the parent alone
    printer_->OnTestStart(info);
  }

  void OnTestPartResult(const testing::TestPartResult& part) override {
    if (child_ <= 0 || !part.skipped()) printer_->OnTestPartResult(part);
  }

  void OnTestEnd(const testing::TestInfo& info) override {
    if (child_ > 0) return;
    printer_->OnTestEnd(info);
    if (child_ < 0) return;
    std::fflush(nullptr);
    // Looking for leaks takes as long as a case does, and others of its suite take the same paths.
    const bool leaking = started_ % 4 == 1 && leaks();
    ::_exit(info.result()->Failed() || leaking ? 1 : 0);  // destroying all would copy their pages
  }

  /// Names of the cases whose processes failed, and how.
  const std::vector<std::string>& failed() const { return failed_; }

 private:
  std::unique_ptr<testing::TestEventListener> printer_;
  std::vector<std::string> failed_;
  int started_ = 0;   ///< cases
  pid_t child_ = -1;  ///< of the running case; 0 in the child itself, -1 where none was forked
};

/// Exit code of a run of `cases`, which `code` ended.
int report(int cases, int code, std::vector<std::string> failed) {
  const std::size_t passed = static_cast<std::size_t>(cases) - failed.size();
  if (cases == 0) failed.emplace_back("no case matches the filter");
  std::printf("[==========] %zu of %d cases passed.\n", passed, cases);
  for (const std::string& line : failed) std::printf("[  FAILED  ] %s\n", line.c_str());
  return failed.empty() ? code : 1;
}

}  // namespace

int main(int count, char** words) {
  testing::InitGoogleTest(&count, words);
  if (count > 1) {
    if (std::string_view(words[1]) == "--help") return 0;
    std::fprintf(stderr, "unknown argument '%s', see --help\n", words[1]);
    return 2;
  }
  testing::UnitTest& program = *testing::UnitTest::GetInstance();
  testing::TestEventListeners& listeners = program.listeners();
  auto* const processes = new CaseProcesses(listeners.Release(listeners.default_result_printer()));
  listeners.Append(processes);  // which owns it
  const int code = RUN_ALL_TESTS();
  if (GTEST_FLAG_GET(list_tests)) return code;
  const int cases = program.test_to_run_count();
  return cases == 1 ? code : report(cases, code, processes->failed());
}
