// Worker that simulates for a study elsewhere: tasks come in by a socket, answers go back. No MPI.
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "cli/mpi/subcommands.hpp"
#include "scenarios/answer/formats/report_formats.hpp"
#include "sim/studies/crew_frame.hpp"
#include "sim/studies/evaluator.hpp"
#include "sim/studies/key.hpp"

namespace ringscope::mpi {
namespace {

struct Arguments {
  int socket = -1;
  int threads = 1;
};

class StudyWorker {
 public:
  explicit StudyWorker(const Arguments& arguments) : socket_(arguments.socket) {
    std::string hello;
    Json::to_msgpack(Json{arguments.threads, model_version()}, hello);
    send({0, CrewFrame::Kind::hello, hello});
    for (int i = 0; i < arguments.threads; ++i) threads_.emplace_back([this] { work(); });
  }

  /// Runs until the other end is gone. Then nobody wants the rest.
  void run() {
    FrameStream frames;
    char bytes[65536];
    while (true) {
      const ssize_t count = ::recv(socket_, bytes, sizeof bytes, 0);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) ::_exit(0);
      frames.append({bytes, static_cast<std::size_t>(count)});
      while (auto frame = frames.next()) {
        if (frame->kind == CrewFrame::Kind::quit) ::_exit(0);
        const std::lock_guard lock(mutex_);
        tasks_.push_back(std::move(frame->payload));
      }
      changed_.notify_all();
    }
  }

 private:
  void work() {
    TaskReader reader;
    while (true) {
      std::string task;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return !tasks_.empty(); });
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      std::optional<Outcome> outcome;
      try {
        outcome = simulated_outcome(reader.scenario_of(task), "fluid", TaskReader::skips(task));
      } catch (const std::exception&) {
        // The program of the study simulates it itself, and says what is wrong.
      }
      send({0, CrewFrame::Kind::answer, pack_answer(TaskReader::task_of(task), outcome)});
    }
  }

  void send(const CrewFrame& frame) {
    const std::string bytes = to_bytes(frame);
    const std::lock_guard lock(sending_);
    for (std::size_t sent = 0; sent < bytes.size();) {
      const ssize_t count = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) ::_exit(0);
      sent += static_cast<std::size_t>(count);
    }
  }

  int socket_;
  std::mutex mutex_, sending_;
  std::condition_variable changed_;
  std::deque<std::string> tasks_;
  std::vector<std::jthread> threads_;
};

}  // namespace

void add_study_worker(Command& program, const std::string&) {
  const auto arguments = std::make_shared<Arguments>();
  Command command = program.add_subcommand("study-worker", "Simulate for a study");
  command.hide();
  command.add_option("--socket", arguments->socket, "where tasks come from").required();
  command.add_option("--threads", arguments->threads, "that simulate");
  command.callback([arguments] {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    StudyWorker(*arguments).run();
  });
}

}  // namespace ringscope::mpi
