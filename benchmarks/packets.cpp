// SPDX-License-Identifier: LGPL-2.1-or-later
// Collectives as messages between SimGrid's actors, on ns-3's TCP packets or on SimGrid's fluid
// model: for packets.py. It links SimGrid and nothing of this project.
//
// Usage: packets ns-3|CM02 PLATFORM ring|incast|alltoall BYTES      bytes of one message
// PLATFORM: a file of `ringscope show --simgrid`, with one rank per host.
// Prints the simulated seconds.
#include <sys/personality.h>
#include <unistd.h>

#include <simgrid/s4u.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

namespace s4u = simgrid::s4u;

constexpr int nobody = -1;

/// Partners of a rank in one step. It sends without delay, and waits until it has received.
struct Step {
  int to = nobody, from = nobody;
};

std::vector<Step> steps_of(const std::string& pattern, int self, int ranks) {
  std::vector<Step> steps;
  if (pattern == "ring")  // of an allreduce: reduce-scatter, then allgather
    steps.assign(2 * (ranks - 1), {(self + 1) % ranks, (self + ranks - 1) % ranks});
  else if (pattern == "alltoall")
    for (int step = 1; step < ranks; ++step)
      steps.push_back({(self + step) % ranks, (self + ranks - step) % ranks});
  else if (pattern == "incast" && self > 0)
    steps.push_back({0, nobody});
  else if (pattern == "incast")
    for (int from = 1; from < ranks; ++from) steps.push_back({nobody, from});
  return steps;
}

// Receives are posted before all sends: a message starts when its sender does, as an eager one.
void run_rank(int self, const std::vector<Step>& steps, std::uint64_t bytes) {
  static char nothing = 0;  // SimGrid moves pointers, of which none may be null
  const auto mailbox = [](int from, int to, int number) {
    return s4u::Mailbox::by_name(std::to_string(from) + ">" + std::to_string(to) + "#" +
                                 std::to_string(number));
  };
  std::vector<char*> received(steps.size());
  std::vector<s4u::CommPtr> incoming(steps.size()), outgoing;
  // The number of a message is its sender's step. In an incast, all senders have one step.
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (steps[i].from != nobody) {
      const int number = steps[i].to == nobody ? 0 : static_cast<int>(i);
      incoming[i] = mailbox(steps[i].from, self, number)->get_async(&received[i]);
    }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].to != nobody)
      outgoing.push_back(
          mailbox(self, steps[i].to, static_cast<int>(i))->put_async(&nothing, bytes));
    if (incoming[i] != nullptr) incoming[i]->wait();
  }
  s4u::Comm::wait_all(outgoing);
}

/// SimGrid and ns-3 order simultaneous events by addresses: the same ones in each run.
void fix_addresses(char** arguments) {
  constexpr unsigned int unchanged = 0xffffffff;
  if ((personality(unchanged) & ADDR_NO_RANDOMIZE) != 0) return;
  personality(ADDR_NO_RANDOMIZE);
  if ((personality(unchanged) & ADDR_NO_RANDOMIZE) != 0) execv("/proc/self/exe", arguments);
}

void configure(const std::string& model) {
  s4u::Engine::set_config("network/model:" + model);
  s4u::Engine::set_config("surf/precision:1e-12");  // seconds; the default is 1e-5
  if (model == "ns-3") return;
  // Those of sim/kernel/simgrid.
  for (const char* setting :
       {"network/optim:Lazy", "network/latency-factor:1", "network/bandwidth-factor:1",
        "network/weight-S:0", "network/TCP-gamma:0", "network/crosstraffic:0",
        "maxmin/precision:1e-12"})
    s4u::Engine::set_config(setting);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "expected MODEL PLATFORM PATTERN BYTES, got %d words\n", argc - 1);
    return 1;
  }
  fix_addresses(argv);
  int words = 2;
  char quiet[] = "--log=root.thresh:critical";
  char* log[] = {argv[0], quiet, nullptr};
  s4u::Engine engine(&words, log);
  configure(argv[1]);
  engine.load_platform(argv[2]);
  const int ranks = static_cast<int>(engine.get_host_count());
  for (int rank = 0; rank < ranks; ++rank)
    s4u::Actor::create("rank", s4u::Host::by_name("host" + std::to_string(rank) + "/numa0"),
                       run_rank, rank, steps_of(argv[3], rank, ranks),
                       std::strtoull(argv[4], nullptr, 10));
  engine.run();
  std::printf("%.9f\n", s4u::Engine::get_clock());
  return 0;
}
