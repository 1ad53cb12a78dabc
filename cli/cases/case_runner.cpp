// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/cases/cases.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <list>
#include <new>
#include <numeric>
#include <optional>
#include <thread>

#include "cli/terminal/frame.hpp"
#include "scenarios/answer/formats/report_formats.hpp"

namespace ringscope {
namespace {

using Clock = std::chrono::steady_clock;

/// A child that used more memory does no other case, whose peak would be this one's.
constexpr std::uint64_t most_bytes_kept = std::uint64_t{128} << 20;

struct Child {
  std::size_t index = 0;  ///< of its case
  pid_t process = -1;
  int socket = -1;
  std::string buffer;
  std::optional<Frame> answer;
  bool ready = false;  ///< for another case
  Clock::time_point begun = Clock::now();
};

std::uint64_t peak_rss_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;  // Linux counts in KiB
}

Frame failure_frame(ExitCode code, const std::string& message) {
  return {Frame::Kind::failure, static_cast<char>(code) + message};
}

/// A child ends when its parent does, however that ends. An interrupt is for the parent alone:
/// SimGrid would catch it, and go on or print a warning.
void end_with(pid_t parent) {
  sigset_t interrupt;
  ::sigemptyset(&interrupt);
  ::sigaddset(&interrupt, SIGINT);
  ::sigprocmask(SIG_BLOCK, &interrupt, nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // it ended before that was said
}

std::string no_memory_text(const Scenario& scenario) {
  return fmt::format("{}: there is not enough memory to simulate it: lower {}", scenario.name,
                     what_to_lower(scenario, 1));
}

std::string too_long_text(const Scenario& scenario, const RunOptions& options, Seconds limit) {
  return fmt::format("{}: had not ended after {}: lower {}, or raise --time-limit", scenario.name,
                     to_short_text(limit),
                     what_to_lower(scenario, simulated_repetitions(scenario, options)));
}

/// Simulates, and says how it went.
Frame answer_of(const Case& which, const RunOptions& options, const Simulate& one) {
  try {
    Report report = one(which, options);
    if (report.peak_rss_bytes == 0) report.peak_rss_bytes = peak_rss_bytes();
    const Json json = {
        {"report", to_json(report)},           {"spans", spans_to_json(report.spans)},
        {"stream_names", report.stream_names}, {"chain", chain_to_json(report.chain.get())},
        {"path_reduced", report.path_reduced}, {"attachment", report.attachment}};
    std::string packed;
    Json::to_msgpack(json, packed);
    return {Frame::Kind::report, packed};
  } catch (const InputError& error) {
    return failure_frame(ExitCode::bad_input, error.what());
  } catch (const Failure& error) {
    return failure_frame(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return failure_frame(ExitCode::bad_input, no_memory_text(*which.scenario));
  } catch (const std::exception& error) {
    // A DeadlockError speaks for itself; anything else is a run that could not go on either.
    return failure_frame(ExitCode::stuck, error.what());
  }
}

/// Reports the progress of the simulation, at most a hundred times.
std::function<void(double)> progress_into(int pipe) {
  return [pipe, next = 0.01](double done) mutable {
    if (done < next) return;
    next = done + 0.01;
    write_frame(pipe, {Frame::Kind::progress, fmt::format("{}", done)});
  };
}

/// True where the child may do another case: after a failure, or with SimGrid's engine, it may not.
bool may_go_on(const Frame& answer, const RunOptions& options) {
  return answer.kind == Frame::Kind::report && options.kernel != "simgrid" &&
         peak_rss_bytes() < most_bytes_kept;
}

/// The child's whole life but its exit: its case, and others that the parent hands it. False where
/// nobody listens.
bool work(int socket, std::size_t index, std::span<const Case> cases, const RunOptions& options,
          const Simulate& one) {
  while (true) {
    RunOptions own = options;
    if (own.progress) own.progress = progress_into(socket);
    const Frame answer = answer_of(cases[index], own, one);
    if (!write_frame(socket, answer)) return false;
    if (!may_go_on(answer, options)) return true;
    if (!write_frame(socket, {Frame::Kind::ready, ""})) return false;
    if (::recv(socket, &index, sizeof index, MSG_WAITALL) != sizeof index) return true;
  }
}

Child start(std::size_t index, std::span<const Case> cases, const RunOptions& options,
            const Simulate& one) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw Failure(ExitCode::stuck, fmt::format("no socket: {}", std::strerror(errno)));
  std::fflush(nullptr);  // or both processes would print what is buffered
  const pid_t parent = ::getpid();
  const pid_t process = ::fork();
  if (process < 0)
    throw Failure(ExitCode::stuck, fmt::format("no process: {}", std::strerror(errno)));
  if (process == 0) {
    end_with(parent);
    ::close(ends[0]);
    const bool sent = work(ends[1], index, cases, options, one);
    std::fflush(nullptr);
    ::_exit(sent ? 0 : 1);  // the parent's destructors are the parent's
  }
  ::close(ends[1]);
  return {index, process, ends[0], {}, {}};
}

/// Reads what there is. False at the end of the stream.
bool read_some(Child& child, double& done) {
  char bytes[65536];
  const ssize_t count = ::read(child.socket, bytes, sizeof bytes);
  if (count < 0) return errno == EINTR;
  child.buffer.append(bytes, static_cast<std::size_t>(count));
  while (auto frame = take_frame(child.buffer)) {
    if (frame->kind == Frame::Kind::progress) {
      done = std::strtod(frame->payload.c_str(), nullptr);
    } else if (frame->kind == Frame::Kind::ready) {
      child.ready = true;
    } else {
      child.answer = std::move(frame);
    }
  }
  return count > 0;
}

std::string ending(int status) {
  if (WIFSIGNALED(status)) {
    return fmt::format("was killed by signal {} ({})", WTERMSIG(status),
                       ::strsignal(WTERMSIG(status)));
  }
  return fmt::format("ended with code {}", WEXITSTATUS(status));
}

/// Ends the child where its time is over.
void keep_limit(Child& child, const Scenario& scenario, const RunOptions& options, Seconds limit) {
  if (child.answer || Clock::now() - child.begun < limit) return;
  ::kill(child.process, SIGKILL);
  child.answer = failure_frame(ExitCode::bad_input, too_long_text(scenario, options, limit));
}

Frame finish(Child& child, const Scenario& scenario) {
  ::close(child.socket);
  int status = 0;
  while (::waitpid(child.process, &status, 0) < 0 && errno == EINTR) continue;
  if (child.answer) return std::move(*child.answer);
  // Not by us: so the system ends who has most when memory runs out.
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
    return failure_frame(ExitCode::bad_input, no_memory_text(scenario));
  return failure_frame(ExitCode::stuck,
                       fmt::format("{}: its process {}", scenario.name, ending(status)));
}

/// Hands the child that is ready case `next`, if there is one, else lets it end. True if handed.
bool hand(Child& child, std::size_t next, std::size_t count) {
  child.ready = false;
  if (next >= count) {
    ::shutdown(child.socket, SHUT_WR);
    return false;
  }
  child.index = next;
  child.answer.reset();
  child.begun = Clock::now();
  // The end of a dead child is read next, as if it had died of that case.
  ::send(child.socket, &next, sizeof next, MSG_NOSIGNAL);
  return true;
}

void abandon(const Child& child) {
  ::kill(child.process, SIGKILL);
  ::close(child.socket);
  while (::waitpid(child.process, nullptr, 0) < 0 && errno == EINTR) continue;
}

Report unpack(const Frame& frame) {
  if (frame.kind == Frame::Kind::failure) {
    throw Failure(static_cast<ExitCode>(frame.payload.at(0)), frame.payload.substr(1));
  }
  const Json json = Json::from_msgpack(frame.payload);
  Report report = report_from_json(json.at("report"));
  report.spans = spans_from_json(json.at("spans"));
  report.stream_names = json.at("stream_names");
  report.chain = chain_from_json(json.at("chain"));
  report.path_reduced = json.at("path_reduced");
  report.attachment = json.at("attachment");
  return report;
}

std::vector<pollfd> wait_for_any(const std::list<Child>& children) {
  constexpr int nap_ms = 100;
  std::vector<pollfd> polled;
  for (const Child& child : children) polled.push_back({child.socket, POLLIN, 0});
  while (::poll(polled.data(), polled.size(), nap_ms) < 0 && errno == EINTR) continue;
  return polled;
}

}  // namespace

std::size_t cases_at_once() { return std::max(1U, std::thread::hardware_concurrency()); }

std::vector<Case> cases_of(std::span<const Scenario> scenarios) {
  return each_of(scenarios, [](const Scenario& scenario) { return Case{.scenario = &scenario}; });
}

SomeReports run_some_cases(std::span<const Case> cases, const RunOptions& options,
                           const Simulate& one, Seconds limit) {
  Interrupt interrupt;
  std::vector<std::optional<Frame>> answers(cases.size());
  std::vector<double> done(cases.size());
  std::list<Child> running;
  for (std::size_t next = 0; next < cases.size() || !running.empty();) {
    if (interrupt.asked()) {
      for (Child& child : running) abandon(child);
      break;
    }
    while (next < cases.size() && running.size() < cases_at_once()) {
      running.push_back(start(next, cases, options, one));
      ++next;
    }
    auto child = running.begin();
    for (const pollfd& polled : wait_for_any(running)) {
      const auto current = child++;
      keep_limit(*current, *cases[current->index].scenario, options, limit);
      if (polled.revents == 0) continue;
      const std::size_t index = current->index;
      const bool open = read_some(*current, done[index]);
      if (current->ready) {
        answers[index] = current->answer;
        done[index] = 1;
        if (hand(*current, next, cases.size())) ++next;
      }
      if (open) continue;
      answers[current->index] = finish(*current, *cases[current->index].scenario);
      done[current->index] = 1;
      running.erase(current);
    }
    const double sum = std::accumulate(done.begin(), done.end(), 0.0);
    if (options.progress) options.progress(sum / static_cast<double>(done.size()));
  }
  SomeReports reports;
  for (const auto& answer : answers)
    reports.push_back(answer ? std::optional(unpack(*answer)) : std::nullopt);
  return reports;
}

std::vector<Report> run_cases(std::span<const Scenario> scenarios, const RunOptions& options,
                              const Simulate& one, Seconds limit) {
  std::vector<Report> reports;
  for (std::optional<Report>& report : run_some_cases(cases_of(scenarios), options, one, limit)) {
    if (!report) throw Failure(ExitCode::interrupted, "interrupted");
    reports.push_back(std::move(*report));
  }
  return reports;
}

}  // namespace ringscope
