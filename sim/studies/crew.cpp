#include "sim/studies/crew.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "scenarios/answer/formats/report_formats.hpp"
#include "sim/studies/key.hpp"

namespace ringscope {
namespace {

constexpr std::size_t most_room = 4096;
constexpr auto batch_time = std::chrono::milliseconds(100);
constexpr std::size_t most_outgoing = 1 << 22;  // bytes: whoever does not read gets no more

}  // namespace

Crew::Crew(int socket) : socket_(socket) {}

Crew::~Crew() { ::close(socket_); }

int Crew::threads() const {
  int sum = 0;
  for (const auto& [rank, worker] : workers_) sum += worker.threads;
  return sum;
}

std::string Crew::strangers() const {
  if (strangers_.empty()) return "";
  const auto& [rank, version] = *strangers_.begin();
  const std::size_t more = strangers_.size() - 1;
  const std::string others = more == 0   ? ""
                             : more == 1 ? ", nor does 1 other"
                                         : fmt::format(", nor do {} others", more);
  return fmt::format(
      "process {} takes no part{}: it was built from other sources, and its answers would be other "
      "ones; it is {}, this is {}",
      rank, others, version, model_version());
}

bool Crew::has_room() const {
  return outgoing_.size() < most_outgoing &&
         std::any_of(workers_.begin(), workers_.end(),
                     [](const auto& one) { return one.second.tasks.size() < one.second.room; });
}

bool Crew::hand_out(std::uint64_t task, const Scenario& scenario, bool skip) {
  const auto load = [](const Worker& worker) {
    return static_cast<double>(worker.tasks.size()) / static_cast<double>(worker.room);
  };
  auto chosen = workers_.end();
  for (auto one = workers_.begin(); one != workers_.end(); ++one) {
    const Worker& worker = one->second;
    if (worker.tasks.size() >= worker.room || worker.tasks.contains(task)) continue;
    if (chosen == workers_.end() || load(worker) < load(chosen->second)) chosen = one;
  }
  if (chosen == workers_.end() || broken_) return false;
  Worker& worker = chosen->second;
  if (worker.tasks.empty()) {
    worker.answered = 0;
    worker.since = Clock::now();
  }
  worker.tasks.insert(task);
  outgoing_ += to_bytes({chosen->first, CrewFrame::Kind::task, pack_task(task, scenario, skip)});
  write_some();
  return true;
}

std::vector<RemoteAnswer> Crew::answers(std::chrono::milliseconds patience) {
  std::vector<RemoteAnswer> answers;
  if (!broken_) {
    const short wanted = static_cast<short>(outgoing_.empty() ? POLLIN : POLLIN | POLLOUT);
    pollfd polled{socket_, wanted, 0};
    ::poll(&polled, 1, static_cast<int>(patience.count()));
    if (!write_some() || !read_some()) break_off();
  }
  while (const auto frame = incoming_.next()) take(*frame, answers);
  if (broken_)
    while (!workers_.empty()) forget(workers_.begin()->first, answers);
  return answers;
}

/// False where the other end is gone.
bool Crew::write_some() {
  while (!outgoing_.empty() && !broken_) {
    const ssize_t count =
        ::send(socket_, outgoing_.data(), outgoing_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0) return errno == EINTR || errno == EAGAIN;
    outgoing_.erase(0, static_cast<std::size_t>(count));
  }
  return true;
}

bool Crew::read_some() {
  char bytes[65536];
  while (true) {
    const ssize_t count = ::recv(socket_, bytes, sizeof bytes, MSG_DONTWAIT);
    if (count < 0) return errno == EINTR || errno == EAGAIN;
    if (count == 0) return false;
    incoming_.append({bytes, static_cast<std::size_t>(count)});
    if (static_cast<std::size_t>(count) < sizeof bytes) return true;
  }
}

void Crew::take(const CrewFrame& frame, std::vector<RemoteAnswer>& answers) {
  switch (frame.kind) {
    case CrewFrame::Kind::hello: {
      const Json hello = Json::from_msgpack(frame.payload);
      forget(frame.rank, answers);
      strangers_.erase(frame.rank);
      if (hello.at(1) != model_version()) {
        strangers_.emplace(frame.rank, hello.at(1).get<std::string>());
        return;
      }
      const int threads = hello.at(0).get<int>();
      workers_[frame.rank] = {threads, static_cast<std::size_t>(2 * threads), {}, 0, {}};
      return;
    }
    case CrewFrame::Kind::answer: {
      PackedAnswer answer = unpack_answer(frame.payload);
      if (const auto found = workers_.find(frame.rank); found != workers_.end()) {
        Worker& worker = found->second;
        worker.tasks.erase(answer.task);
        ++worker.answered;
        adapt(worker);
      }
      answers.push_back({answer.task, std::move(answer.outcome)});
      return;
    }
    case CrewFrame::Kind::died:
      forget(frame.rank, answers);
      return;
    default:
      return;
  }
}

/// Forgets a worker, whose tasks are lost.
void Crew::forget(int rank, std::vector<RemoteAnswer>& answers) {
  const auto worker = workers_.find(rank);
  if (worker == workers_.end()) return;
  for (const std::uint64_t task : worker->second.tasks) answers.push_back({task, {}});
  workers_.erase(worker);
}

void Crew::break_off() {
  broken_ = true;
  outgoing_.clear();
}

/// As many tasks as it does in a tenth of a second: enough not to wait for more, and few enough
/// that others do not wait for it in the end.
void Crew::adapt(Worker& worker) {
  const auto passed = Clock::now() - worker.since;
  if (passed < batch_time) return;
  const auto least = static_cast<std::size_t>(2 * worker.threads);
  const auto batches = static_cast<double>(passed.count()) /
                       static_cast<double>(Clock::duration(batch_time).count());
  worker.room = std::clamp(static_cast<std::size_t>(static_cast<double>(worker.answered) / batches),
                           least, most_room);
  worker.answered = 0;
  worker.since = Clock::now();
}

}  // namespace ringscope
