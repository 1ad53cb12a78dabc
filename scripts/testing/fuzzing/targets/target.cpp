// SPDX-License-Identifier: LGPL-2.1-or-later
// Parts shared by all fuzz targets: libFuzzer's entry point, and files for readers of files.
#include "scripts/testing/fuzzing/targets/target.hpp"

#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "topologies/input/input.hpp"

namespace ringscope::fuzzing {

namespace fs = std::filesystem;

constexpr std::size_t most_files = 8;

namespace {

constexpr int slower = 4;  // at least: NCCL's search takes 9 times as long as in Release
constexpr int most_s = 2 * slower;

void end_slow_input(int) {
  constexpr std::string_view text = "ERROR: an input takes more CPU time than its limit\n";
  if (::write(STDERR_FILENO, text.data(), text.size()) > 0) std::abort();
}

/// Ends the program with a finding if an input takes longer. libFuzzer's own limit is one of the
/// wall clock, which a busy machine exceeds.
class CpuLimit {
 public:
  CpuLimit() {
    static const auto known = std::signal(SIGPROF, end_slow_input);
    if (known != SIG_ERR) set(most_s);
  }
  ~CpuLimit() { set(0); }
  CpuLimit& operator=(CpuLimit&&) = delete;  ///< neither copied nor moved

 private:
  static void set(time_t seconds) {
    const itimerval timer{.it_interval = {}, .it_value = {.tv_sec = seconds, .tv_usec = 0}};
    setitimer(ITIMER_PROF, &timer, nullptr);
  }
};

}  // namespace

Folder::Folder()
    : path_(fs::temp_directory_path() / ("ringscope-fuzz-" + std::to_string(::getpid()))) {
  fs::create_directories(path_);
}

Folder::~Folder() { fs::remove_all(path_); }

void Folder::write(const std::string& name, std::string_view text) const {
  std::ofstream(path_ + "/" + name, std::ios::binary) << text;
}

int Folder::write_ranks(const std::string& text, const std::string& prefix,
                        const std::string& suffix) {
  for (const std::string& name : written_) fs::remove(path_ + "/" + name);
  written_.clear();
  std::string_view rest = text;
  std::size_t at = 0;
  do {
    at = written_.size() + 1 < most_files ? rest.find(separator) : std::string_view::npos;
    written_.push_back(prefix + std::to_string(written_.size()) + suffix);
    write(written_.back(), rest.substr(0, at));
    if (at != std::string_view::npos) rest.remove_prefix(at + separator.size());
  } while (at != std::string_view::npos);
  return static_cast<int>(written_.size());
}

}  // namespace ringscope::fuzzing

// Short stacks of allocations: unwinding them takes a fifth of the time.
extern "C" const char* __asan_default_options() { return "malloc_context_size=4"; }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ringscope::fuzzing::CpuLimit limit;
  try {
    ringscope::fuzzing::read({reinterpret_cast<const char*>(data), size});
  } catch (const ringscope::InputError&) {
    // rejected, with a place and a reason
  }
  return 0;
}
