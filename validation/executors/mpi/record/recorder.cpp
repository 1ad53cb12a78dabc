// SPDX-License-Identifier: LGPL-2.1-or-later
#include "validation/executors/mpi/record/recorder.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "validation/executors/mpi/record/handles.hpp"
#include "validation/executors/program_name.hpp"

namespace ringscope::record {
namespace {

constexpr std::size_t full_bytes = 1 << 18;
constexpr double moment_s = 0.2;
/// Polls that follow each other sooner than this wait; what is longer computes.
constexpr double poll_gap_s = 10e-6;

/// Polls in vain since the last line.
struct Polls {
  std::int64_t calls = 0;
  double gap_s = 0, took_s = 0;
};

struct ThreadState {
  int number = -1;  ///< in the order of their first calls
  int depth = 0;
  double left_s = 0;  ///< clock when it last came out of MPI
  Polls polls{};
};

thread_local ThreadState here;
int threads = 0;
bool is_cpu_clock = false;
double began_s = 0;

double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Clock of what a program does between its calls.
double compute_s() { return is_cpu_clock ? seconds_of(CLOCK_THREAD_CPUTIME_ID) : wall_s(); }

std::string nanoseconds(double seconds) {
  return std::to_string(std::llround(std::max(0.0, seconds) * 1e9));
}

[[noreturn]] void refuse(const std::string& message) {
  std::fprintf(stderr, "ringscope-mpi record: %s\n", message.c_str());
  std::fflush(stderr);
  LIBRARY(Abort)(MPI_COMM_WORLD, 1);
  std::_Exit(1);
}

/// Name of the program and its words; line ends in them are blanks.
std::string command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string words{std::istreambuf_iterator<char>(file), {}};
  if (!words.empty() && words.back() == '\0') words.pop_back();
  const std::size_t end = std::min(words.find('\0'), words.size());
  words.replace(0, end, recorded_program(words.substr(0, end)));
  std::ranges::replace(words, '\0', ' ');
  std::ranges::replace(words, '\n', ' ');
  return words;
}

std::string library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  PMPI_Get_library_version(text, &length);
  std::string version = std::string(text).substr(0, std::string(text).find_first_of(",\n"));
  std::ranges::replace(version, '\t', ' ');
  return version;
}

std::string head_of(int rank, int size) {
  char host[MPI_MAX_PROCESSOR_NAME] = {};
  int length = 0;
  PMPI_Get_processor_name(host, &length);
  return "ringscope-calls 1\nrank " + std::to_string(rank) + " of " + std::to_string(size) +
         "\nhost " + host + "\nmpi " + library_version() + "\nprogram " + command_line() +
         "\nclock " + (is_cpu_clock ? "cpu" : "wall") + "\n";
}

/// Records of a longer job of before would be taken for this one's.
void remove_others(const std::string& folder, int size) {
  for (int rank = size;; ++rank)
    if (unlink((folder + "/calls." + std::to_string(rank)).c_str()) != 0) return;
}

}  // namespace

void* behind_recorder(const char* name) {
  if (void* own = dlsym(RTLD_NEXT, name)) return own;
  std::fprintf(stderr, "ringscope-mpi record: %s\n", dlerror());
  std::_Exit(1);
}

Recorder& recorder() {
  static Recorder& only = *new Recorder;
  return only;
}

double wall_s() { return seconds_of(CLOCK_MONOTONIC); }

void Recorder::begin() {
  const char* folder = std::getenv("RINGSCOPE_RECORD");
  if (folder == nullptr || is_on()) return;
  const char* clock = std::getenv("RINGSCOPE_RECORD_CLOCK");
  is_cpu_clock = clock != nullptr && std::strcmp(clock, "cpu") == 0;
  int rank = 0, size = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  const std::string path = std::string(folder) + "/calls." + std::to_string(rank);
  const int opened = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (opened < 0) refuse(path + ": cannot be written: " + std::strerror(errno));
  if (rank == 0) remove_others(folder, size);
  file_ = opened;
  buffer_.reserve(2 * full_bytes);
  began_s = written_s_ = wall_s();
  write(head_of(rank, size));
  communicators().add(MPI_COMM_WORLD);
  put();
  here.left_s = compute_s();
}

void Recorder::write(std::string_view line) {
  buffer_ += line;
  if (buffer_.size() >= full_bytes || wall_s() - written_s_ > moment_s) put();
}

void Recorder::put() {
  std::size_t done = 0;
  while (file_ >= 0 && done < buffer_.size()) {
    const ssize_t bytes = ::write(file_, buffer_.data() + done, buffer_.size() - done);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0) {
      std::fprintf(stderr, "ringscope-mpi record: %s; nothing more is recorded\n",
                   std::strerror(errno));
      close(std::exchange(file_, -1));
      break;
    }
    done += static_cast<std::size_t>(bytes);
  }
  buffer_.clear();
  written_s_ = wall_s();
}

void Recorder::flush() {
  const std::unique_lock lock(mutex, std::try_to_lock);
  if (lock && is_on()) put();
}

void Recorder::end() {
  put();
  if (is_on()) close(std::exchange(file_, -1));
}

/// A program that exits without MPI_Finalize: what it did is there, but for the end. One that began
/// MPI by a way of its own has no record, and is told so.
__attribute__((destructor)) void at_exit() {
  recorder().flush();
  int is_begun = 0;
  if (std::getenv("RINGSCOPE_RECORD") == nullptr || began_s > 0) return;
  if (PMPI_Initialized(&is_begun) == MPI_SUCCESS && is_begun != 0)
    std::fprintf(stderr,
                 "ringscope-mpi record: nothing of this program is recorded: it calls MPI by a way "
                 "that the recorder does not see (validation/executors/mpi/record/calls.md)\n");
}

Call::Call(std::string_view name) {
  outermost_ = here.depth++ == 0;
  if (!outermost_ || !recorder().is_on()) return;
  const double now = compute_s();
  if (here.number < 0) {
    const std::lock_guard lock(recorder().mutex);
    here.number = threads++;
    if (here.left_s == 0) here.left_s = is_cpu_clock ? 0 : began_s;
  }
  gap_s_ = now - here.left_s;
  text_ = name;
  began_s_ = wall_s();
}

int Call::over(int result) {
  if (began_s_ == 0) return result;
  took_s_ = wall_s() - began_s_;
  counts_ = result == MPI_SUCCESS;
  return result;
}

Call::~Call() {
  --here.depth;
  if (began_s_ == 0) return;
  Polls& polls = here.polls;
  if (in_vain_ && counts_) {
    const bool waits = polls.calls > 0 && gap_s_ < poll_gap_s;
    (waits ? polls.took_s : polls.gap_s) += gap_s_;
    polls.took_s += took_s_;
    ++polls.calls;
  } else if (counts_) {
    const std::lock_guard lock(recorder().mutex);
    const std::string thread = here.number > 0 ? " thread=" + std::to_string(here.number) : "";
    std::string lines;
    if (polls.calls > 0)
      lines = nanoseconds(polls.gap_s) + " " + nanoseconds(polls.took_s) +
              " poll calls=" + std::to_string(polls.calls) + thread + "\n";
    polls = {};
    lines += nanoseconds(gap_s_) + " " + nanoseconds(took_s_) + " " + text_ + thread + "\n";
    recorder().write(lines);
  }
  here.left_s = compute_s();
}

void Call::number(std::string_view key, std::int64_t value) { word(key, std::to_string(value)); }

void Call::word(std::string_view key, std::string_view value) {
  (((text_ += ' ') += key) += '=') += value;
}

void Call::rank(std::string_view key, int value) { word(key, rank_text(value)); }

void Call::tag(std::string_view key, int value) {
  word(key, value == MPI_ANY_TAG ? "any" : std::to_string(value));
}

void Call::bytes(std::string_view key, std::int64_t count, MPI_Datatype type) {
  number(key, bytes_of(count, type));
}

void Call::communicator(MPI_Comm comm) {
  const std::lock_guard lock(recorder().mutex);
  if (comm != MPI_COMM_WORLD) number("in", communicators().number_of(comm));
}

std::int64_t bytes_of(std::int64_t count, MPI_Datatype type) {
  int size = 0;
  if (count > 0) PMPI_Type_size(type, &size);
  return count * size;
}

std::string rank_text(int rank) {
  if (rank == MPI_PROC_NULL) return "none";
  return rank == MPI_ANY_SOURCE ? "any" : std::to_string(rank);
}

}  // namespace ringscope::record
