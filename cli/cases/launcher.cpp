#include "cli/cases/launcher.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>
#include <vector>

#include "cli/terminal/failure.hpp"
#include "sim/studies/crew.hpp"

namespace ringscope {
namespace {

namespace fs = std::filesystem;
constexpr auto patience = std::chrono::seconds(10);

using Variable = const char* (*)(const char*);

int number_in(Variable variable, const char* name, int otherwise) {
  const char* text = variable(name);
  return text == nullptr ? otherwise : std::max(0, std::atoi(text));
}

/// The program of that MPI beside this one; "" where there is none.
std::string program_of(const std::string& mpi) {
  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
  // The MPI that CMake found has the short name.
  for (const std::string& name : {mpi, std::string("mpi")}) {
    const fs::path program = folder / ("ringscope-" + name);
    if (!name.empty() && ::access(program.c_str(), X_OK) == 0) return program.string();
  }
  return "";
}

[[noreturn]] void become(const std::string& program, std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execv(program.c_str(), arguments.data());
  fmt::print(stderr, "{}: cannot be started: {}\n", program, std::strerror(errno));
  ::_exit(static_cast<int>(ExitCode::stuck));
}

/// The workers, and our process that is their link to the job: it ends when the socket closes.
class LaunchedCrew final : public RemoteWorkers {
 public:
  LaunchedCrew(int socket, pid_t relay) : crew_(std::make_unique<Crew>(socket)), relay_(relay) {}
  ~LaunchedCrew() override {
    crew_.reset();
    const auto end = std::chrono::steady_clock::now() + patience;
    while (::waitpid(relay_, nullptr, WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() > end) ::kill(relay_, SIGKILL);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
  LaunchedCrew(const LaunchedCrew&) = delete;
  LaunchedCrew& operator=(const LaunchedCrew&) = delete;

  bool has_room() const override { return crew_->has_room(); }
  bool hand_out(std::uint64_t task, const Scenario& scenario, bool skip) override {
    return crew_->hand_out(task, scenario, skip);
  }
  std::vector<RemoteAnswer> answers(std::chrono::milliseconds wait) override {
    return crew_->answers(wait);
  }
  int workers() const override { return crew_->workers(); }
  int threads() const override { return crew_->threads(); }
  std::string strangers() const override { return crew_->strangers(); }

 private:
  std::unique_ptr<Crew> crew_;
  pid_t relay_;
};

}  // namespace

std::optional<Launch> launch_of(Variable variable) {
  Launch launch;
  const auto set = [variable](const char* name) { return variable(name) != nullptr; };
  if (set("OMPI_COMM_WORLD_SIZE") && set("OMPI_COMM_WORLD_RANK")) {
    launch = {number_in(variable, "OMPI_COMM_WORLD_RANK", 0),
              number_in(variable, "OMPI_COMM_WORLD_SIZE", 1),
              number_in(variable, "OMPI_COMM_WORLD_LOCAL_SIZE", 1), "openmpi"};
  } else if (set("SLURM_PROCID") && (set("PMIX_RANK") || set("PMI_RANK") || set("PMI_FD"))) {
    // srun; in a batch script without it there is no PMI, and nobody else.
    launch = {number_in(variable, "SLURM_PROCID", 0), number_in(variable, "SLURM_NTASKS", 1),
              number_in(variable, "SLURM_TASKS_PER_NODE", 1), set("PMIX_RANK") ? "openmpi" : ""};
  } else if (set("PMI_SIZE") && set("PMI_RANK")) {
    launch = {number_in(variable, "PMI_RANK", 0), number_in(variable, "PMI_SIZE", 1),
              number_in(variable, "MPI_LOCALNRANKS", 1), "mpich"};
  }
  if (launch.size <= 1) return {};
  return launch;
}

int threads_here(int local_size) {
  // Cores that this process is bound to, or all.
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const int all = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
  const bool bound = cores < all;
  return std::max(1, bound ? cores : cores / std::max(1, local_size));
}

std::shared_ptr<RemoteWorkers> join(const Launch& launch, int threads) {
  const std::string program = program_of(launch.mpi);
  if (program.empty()) {
    if (launch.rank > 0) std::exit(static_cast<int>(ExitCode::ok));
    fmt::print(stderr, "no ringscope-mpi is beside this program: {} of {} processes do nothing\n",
               launch.size - 1, launch.size);
    return nullptr;
  }
  const std::string number = std::to_string(threads);
  if (launch.rank > 0) become(program, {program, "relay", "--threads", number});
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw Failure(ExitCode::stuck, fmt::format("no socket: {}", std::strerror(errno)));
  const pid_t relay = ::fork();
  if (relay < 0)
    throw Failure(ExitCode::stuck, fmt::format("no process: {}", std::strerror(errno)));
  if (relay == 0) {
    const std::string inherited = std::to_string(::dup(ends[1]));  // not closed by exec
    become(program, {program, "relay", "--socket", inherited});
  }
  ::close(ends[1]);
  return std::make_shared<LaunchedCrew>(ends[0], relay);
}

}  // namespace ringscope
