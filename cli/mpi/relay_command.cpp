// The links between the program that runs a study and its workers.
//
// The study's program is no MPI process: SimGrid is linked with it. Nor are the workers: what
// simulates may die, and a launcher takes the whole job down where an MPI process does. Between
// them stands a relay in each process of the job. That of rank 0 speaks to the study's program
// through a socket, those of the others each to a worker that they start, and start again when it
// dies.
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <thread>

#include "cli/mpi/job.hpp"
#include "cli/mpi/post.hpp"
#include "cli/mpi/subcommands.hpp"
#include "cli/mpi/wire.hpp"
#include "cli/terminal/failure.hpp"

namespace ringscope::mpi {
namespace {

using Clock = std::chrono::steady_clock;
using Kind = CrewFrame::Kind;
using namespace std::chrono_literals;

constexpr auto nap = 1ms;
constexpr auto beat = 1s, silence = 10s, orphaned = 60s, farewell = 3s;
constexpr int most_quick_deaths = 5;

struct Arguments {
  int socket = -1;
  int threads = 1;
};

/// Relay of rank 0.
class Hub {
 public:
  explicit Hub(int socket)
      : wire_(socket), others_(static_cast<std::size_t>(size_of(MPI_COMM_WORLD))) {}

  void run() {
    while (wire_.go_on(nap)) {
      while (const auto frame = wire_.receive()) post_.send(frame->rank, to_bytes(*frame));
      while (const auto letter = post_.receive()) take(*letter);
      post_.go_on();
      if (Clock::now() < next_beat_) continue;
      next_beat_ = Clock::now() + beat;
      for (int rank = 1; rank < size_of(MPI_COMM_WORLD); ++rank) {
        if (post_.empty()) post_.send(rank, to_bytes({rank, Kind::alive, ""}));
        listen_for(rank);
      }
    }
    for (int rank = 1; rank < size_of(MPI_COMM_WORLD); ++rank)
      post_.send(rank, to_bytes({rank, Kind::quit, ""}));
    const auto end = Clock::now() + farewell;
    while (!post_.empty() && Clock::now() < end) {
      post_.go_on();
      while (post_.receive()) continue;
      std::this_thread::sleep_for(nap);
    }
  }

 private:
  struct Other {
    Clock::time_point heard;
    std::string hello;  ///< its last one, as bytes; "": none yet
    bool silent = false;
  };

  void take(const Post::Letter& letter) {
    Other& other = others_.at(static_cast<std::size_t>(letter.from));
    other.heard = Clock::now();
    FrameStream frames;
    if (other.silent) frames.append(other.hello);  // it was given up, and is there again
    other.silent = false;
    frames.append(letter.bytes);
    while (const auto frame = frames.next()) {
      if (frame->kind == Kind::hello) other.hello = to_bytes(*frame);
      if (frame->kind == Kind::died) other.hello.clear();
      if (frame->kind != Kind::alive) wire_.send(*frame);
    }
  }

  void listen_for(int rank) {
    Other& other = others_[static_cast<std::size_t>(rank)];
    if (other.silent || other.hello.empty() || Clock::now() - other.heard < silence) return;
    other.silent = true;
    wire_.send({rank, Kind::died, ""});
  }

  Wire wire_;
  Post post_;
  std::vector<Other> others_;
  Clock::time_point next_beat_;
};

/// Relay of any other rank.
class Spoke {
 public:
  explicit Spoke(int threads) : threads_(threads), rank_(rank_of(MPI_COMM_WORLD)) { start(); }
  ~Spoke() { stop(); }
  Spoke(const Spoke&) = delete;
  Spoke& operator=(const Spoke&) = delete;

  void run() {
    while (!over_ && Clock::now() - heard_ < orphaned) {
      if (!wire_) {
        std::this_thread::sleep_for(nap);
      } else if (!wire_->go_on(nap)) {
        bury();
      }
      while (wire_) {
        auto frame = wire_->receive();
        if (!frame) break;
        frame->rank = rank_;
        post_.send(0, to_bytes(*frame));
      }
      while (const auto letter = post_.receive()) take(*letter);
      post_.go_on();
      if (Clock::now() < next_beat_) continue;
      next_beat_ = Clock::now() + beat;
      if (post_.empty()) post_.send(0, to_bytes({rank_, Kind::alive, ""}));
    }
  }

 private:
  void start();
  void stop();

  /// The worker has died: what it had is lost, and another one may do better.
  void bury() {
    const bool quick = Clock::now() - started_ < 1s;
    quick_deaths_ = quick ? quick_deaths_ + 1 : 0;
    stop();
    post_.send(0, to_bytes({rank_, Kind::died, ""}));
    if (quick_deaths_ < most_quick_deaths) start();
  }

  void take(const Post::Letter& letter) {
    heard_ = Clock::now();
    FrameStream frames;
    frames.append(letter.bytes);
    while (const auto frame = frames.next()) {
      over_ = over_ || frame->kind == Kind::quit;
      if (frame->kind == Kind::task && wire_) wire_->send(*frame);
    }
  }

  int threads_, rank_;
  bool over_ = false;
  Post post_;
  std::unique_ptr<Wire> wire_;  ///< to the worker; null: there is none
  pid_t worker_ = -1;
  int quick_deaths_ = 0;
  Clock::time_point heard_ = Clock::now(), started_, next_beat_;
};

void Spoke::start() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
  started_ = Clock::now();
  worker_ = ::fork();
  if (worker_ == 0) {
    const std::string socket = std::to_string(::dup(ends[1])), count = std::to_string(threads_);
    ::execl("/proc/self/exe", "ringscope-mpi", "study-worker", "--socket", socket.c_str(),
            "--threads", count.c_str(), nullptr);
    ::_exit(1);
  }
  ::close(ends[1]);
  wire_ = std::make_unique<Wire>(ends[0]);
}

void Spoke::stop() {
  wire_.reset();
  if (worker_ <= 0) return;
  ::kill(worker_, SIGKILL);
  ::waitpid(worker_, nullptr, 0);
  worker_ = -1;
}

void relay(const Arguments& arguments) {
  start_mpi(false);
  if (rank_of(MPI_COMM_WORLD) == 0) {
    Hub(arguments.socket).run();
  } else {
    Spoke(arguments.threads).run();
  }
  // MPI_Finalize is collective; a dead peer blocks it.
  std::thread([] {
    std::this_thread::sleep_for(farewell);
    ::_exit(0);
  }).detach();
  MPI_Finalize();
  ::_exit(0);
}

}  // namespace

void add_relay(Command& program, const std::string&) {
  const auto arguments = std::make_shared<Arguments>();
  // Not for people: ringscope starts it.
  Command command = program.add_subcommand("relay", "Link a study to its workers");
  command.hide();
  command.add_option("--socket", arguments->socket, "to the program of the study");
  command.add_option("--threads", arguments->threads, "of the worker");
  command.callback([arguments] { relay(*arguments); });
}

}  // namespace ringscope::mpi
