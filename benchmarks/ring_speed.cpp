// How many messages per second the simulator handles: a ring allreduce with one rank per host.
//
// Usage: ring_speed [RANKS...]        (256 and 1024 when none are given)
//
// For each number of ranks one process each, because SimGrid's engine exists once per process: the
// bare kernel loop (a timer and an activity per message, nothing else), then the whole simulator
// with three libraries. All in one run, so that the ratios hold on a noisy machine.
#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/scenario.hpp"
#include "sim/kernel/kernel.hpp"
#include "sim/simulation.hpp"

namespace {

using namespace ringscope;

struct Figures {
  double seconds = 0;
  double messages = 0;
  double peak_mb = 0;  ///< of the process, in 1e6 bytes
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The ring as a kernel alone sees it: rank r's message of a step starts when its last one and the
/// one that it receives have ended.
class BareRing {
 public:
  explicit BareRing(std::size_t ranks) : ranks_(ranks), step_(ranks), ended_(ranks) {
    for (std::size_t r = 0; r < ranks; ++r) {
      up_.push_back(kernel_->add_resource("up", 1.25e9));
      down_.push_back(kernel_->add_resource("down", 1.25e9));
    }
  }
  void run() {
    for (std::size_t r = 0; r < ranks_; ++r) send(r);
    kernel_->run();
  }

 private:
  void send(std::uint64_t r) {
    kernel_->after(2e-6, sim::Callback::to<&BareRing::travel>(this, r));
  }
  void travel(std::uint64_t r) {
    const sim::Use route[] = {{up_[r], 1}, {down_[(r + 1) % ranks_], 1}};
    kernel_->start(1024, route, sim::Callback::to<&BareRing::arrive>(this, r));
  }
  void arrive(std::uint64_t r) {
    for (const std::size_t rank : {r, (r + 1) % ranks_})
      if (++ended_[rank] == 2) {
        ended_[rank] = 0;
        if (++step_[rank] < 2 * (ranks_ - 1)) send(rank);
      }
  }

  std::unique_ptr<sim::Kernel> kernel_ = sim::make_kernel("simgrid");
  std::size_t ranks_;
  std::vector<int> up_, down_;
  std::vector<std::size_t> step_;
  std::vector<int> ended_;
};

Figures run_bare(int ranks) {
  BareRing ring(static_cast<std::size_t>(ranks));
  const auto start = std::chrono::steady_clock::now();
  ring.run();
  return {seconds_since(start), 2.0 * ranks * (ranks - 1), 0};
}

Figures run_simulator(int ranks, const std::string& library) {
  const std::vector<Override> overrides = {
      {"library", library},
      {"cluster.hosts", std::to_string(ranks)},
      {"placement", fmt::format("1x{}", ranks)},
      {"job.bytes", fmt::format("{} KiB", ranks)}};  // chunks of 1 KiB
  const auto scenarios = read_scenarios("02-ring-of-8", overrides);
  const auto start = std::chrono::steady_clock::now();
  const Report report = simulate(scenarios.front(), {});
  return {seconds_since(start), static_cast<double>(report.messages), 0};
}

/// Runs `measure` in a child; its peak memory is the child's.
Figures in_child(const std::function<Figures()>& measure) {
  int ends[2];
  std::fflush(stdout);
  if (pipe(ends) != 0) std::abort();
  const pid_t child = fork();
  if (child == 0) {
    Figures figures = measure();
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    figures.peak_mb = static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;
    const bool written = write(ends[1], &figures, sizeof figures) == sizeof figures;
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  Figures figures;
  const bool complete = read(ends[0], &figures, sizeof figures) == sizeof figures;
  close(ends[0]);
  waitpid(child, nullptr, 0);
  if (!complete) std::abort();
  return figures;
}

void print(int ranks, const std::string& what, const Figures& figures, double bare_rate) {
  const double rate = figures.messages / figures.seconds;
  fmt::print("{:>6}  {:<24}{:>10.0f}{:>9.2f}{:>12.0f}{:>9.2f}{:>10.1f}\n", ranks, what,
             figures.messages, figures.seconds, rate, rate / bare_rate, figures.peak_mb);
}

/// A number of ranks, at least 2; 0 for anything else.
int parse_ranks(std::string_view text) {
  int ranks = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ranks);
  return error == std::errc() && end == text.data() + text.size() && ranks >= 2 ? ranks : 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<int> sizes;
  for (const std::string_view text : std::vector<std::string_view>(argv + 1, argv + argc)) {
    sizes.push_back(parse_ranks(text));
    if (sizes.back() > 0) continue;
    fmt::print(stderr, "expected a number of ranks, at least 2, got '{}'\n", text);
    return 1;
  }
  if (sizes.empty()) sizes = {256, 1024};
  fmt::print("{:>6}  {:<24}{:>10}{:>9}{:>12}{:>9}{:>10}\n", "ranks", "what", "messages", "s",
             "messages/s", "of bare", "peak MB");
  for (const int ranks : sizes) {
    const Figures bare = in_child([&] { return run_bare(ranks); });
    const double bare_rate = bare.messages / bare.seconds;
    print(ranks, "bare kernel loop", bare, bare_rate);
    for (const std::string library : {"ideal", "offload", "openmpi_tcp"})
      print(ranks, "simulator, " + library, in_child([&] { return run_simulator(ranks, library); }),
            bare_rate);
  }
}
