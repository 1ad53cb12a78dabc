// SPDX-License-Identifier: LGPL-2.1-or-later
// Program of the fuzzers: runs `ringscope` once per request in a fork of itself, so that loading
// and linking it is paid once. Most of what a small input costs is that, and the more so with
// sanitizers.
//
// A request on standard input is a count and so many strings, each ended by a zero byte: a folder
// to run in, files for what it writes on standard output and on standard error, seconds of CPU,
// bytes of memory, a count of settings NAME=VALUE of the environment, these settings, the words.
// The answer is the process, then how it ended as waitpid() has it, or "memory", each on a line.

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "cli/program.hpp"
#include "sim/kernel/kernel.hpp"

namespace ringscope {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

struct ForkRequest {
  std::string folder;
  std::string out;
  std::string err;
  rlim_t cpu_s = 0;
  rlim_t memory_bytes = 0;
  std::vector<std::string> settings;
  std::vector<std::string> words;
};

bool read(ForkRequest& request) {
  std::string text;
  if (!std::getline(std::cin, text, '\0')) return false;
  std::vector<std::string> parts(std::stoul(text));
  for (std::string& part : parts) std::getline(std::cin, part, '\0');
  request.folder = parts.at(0);
  request.out = parts.at(1);
  request.err = parts.at(2);
  request.cpu_s = std::stoul(parts.at(3));
  request.memory_bytes = std::stoul(parts.at(4));
  const auto settings = parts.begin() + 6;
  const auto words = settings + std::stol(parts.at(5));
  request.settings.assign(settings, words);
  request.words.assign(words, parts.end());
  return true;
}

void limit(int what, rlim_t most, rlim_t at_last) {
  const rlimit both{.rlim_cur = most, .rlim_max = at_last};
  setrlimit(static_cast<__rlimit_resource>(what), &both);
}

void redirect(const std::string& path, int flags, int to) {
  const int file = open(path.c_str(), flags, 0600);
  if (file < 0 || dup2(file, to) < 0) _exit(127);
  close(file);
}

[[noreturn]] void run(ForkRequest& request) {
  setsid();
  if (chdir(request.folder.c_str()) != 0) _exit(127);
  redirect("/dev/null", O_RDONLY, STDIN_FILENO);
  redirect(request.out, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
  redirect(request.err, O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
  limit(RLIMIT_CPU, request.cpu_s, request.cpu_s + 5);
  limit(RLIMIT_CORE, 0, 0);
  // A sanitizer reserves more addresses than there is memory: its memory is watched instead.
  if (!sanitized) limit(RLIMIT_AS, request.memory_bytes, request.memory_bytes);
  for (std::string& setting : request.settings) putenv(setting.data());
  std::vector<char*> words;
  for (std::string& word : request.words) words.push_back(word.data());
  words.push_back(nullptr);
  const int code = run_program(static_cast<int>(request.words.size()), words.data());
  if (sanitized) std::exit(code);  // leaks are looked for at the end
  // Without libraries' destructors: those of SimGrid's ns-3 take as long as a small run.
  std::cout.flush();
  std::fflush(nullptr);
  _exit(code);
}

rlim_t resident_bytes(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/statm");
  rlim_t whole = 0;
  rlim_t resident = 0;
  file >> whole >> resident;
  return resident * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

/// How the process ended; "memory" where it had too much, and was ended for it.
std::string wait(pid_t process, rlim_t memory_bytes) {
  int status = 0;
  auto pause = std::chrono::microseconds(500);
  while (waitpid(process, &status, sanitized ? WNOHANG : 0) == 0) {
    if (resident_bytes(process) > memory_bytes) {
      kill(-process, SIGKILL);
      waitpid(process, &status, 0);
      return "memory";
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::microseconds(20'000));
  }
  return std::to_string(status);
}

void serve() {
  sim::simgrid_module_found();  // loads it, for all forks; this program cannot be without
  ForkRequest request;
  while (read(request)) {
    const pid_t process = fork();
    if (process == 0) run(request);
    std::cout << process << std::endl;
    std::cout << wait(process, request.memory_bytes) << std::endl;
  }
}

}  // namespace
}  // namespace ringscope

// With words it is the program: commands in Python start their own program again.
int main(int count, char** words) {
  if (count > 1) return ringscope::run_program(count, words);
  ringscope::serve();
  return 0;
}
