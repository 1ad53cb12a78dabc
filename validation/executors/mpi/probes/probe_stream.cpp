// SPDX-License-Identifier: LGPL-2.1-or-later
// Bandwidth of a link: one way, both ways, for one process, for several at once.
#include <fmt/format.h>

#include "validation/executors/mpi/probes/probe.hpp"

namespace ringscope::mpi {
namespace {

void streams(Bench& bench, const Team& team, int directions) {
  for (const std::uint64_t bytes : bench.sizes(team, false)) {
    const Stream stream{bytes, window_of(bytes), team.size / 2, directions};
    Point point{"stream",
                {{"bytes", bytes},
                 {"way", team.way},
                 {"pairs", stream.pairs},
                 {"directions", directions},
                 {"window", stream.window}},
                bytes};
    point.operations = stream.window;
    bench.measure(team, point,
                  [&](int windows) { return time_stream(bench, team, stream, windows); });
  }
}

/// CPU time of one part; told to part 0, which keeps the samples.
void stream_cpu(Bench& bench, const Team& pair, int part) {
  for (const std::uint64_t bytes : bench.sizes(pair, false)) {
    const Stream stream{bytes, window_of(bytes)};
    Point point{"stream_cpu",
                {{"bytes", bytes}, {"way", pair.way}, {"side", part == 0 ? "sender" : "receiver"}},
                bytes};
    point.operations = stream.window;
    point.batch_s = 1e-3;  // reading this clock is a system call
    bench.measure(pair, point, [&](int windows) {
      const double start_s = process_cpu_s();
      time_stream(bench, pair, stream, windows);
      return pair.told(process_cpu_s() - start_s, part);
    });
  }
}

// Order on the wire of messages that one rank sends another at once: one after the other, or all
// together.

constexpr int at_once = 8;
/// Sizes of a message, where nobody asks for others.
constexpr std::uint64_t least_turn = 4 << 10, most_turn = 4 << 20;

/// From the receiver's word until the first or the last of the messages is there.
double time_turns(const Team& pair, std::byte* data, std::uint64_t bytes, int messages,
                  bool until_last) {
  std::vector<MPI_Request> requests;
  if (pair.index == 0) {
    await_signal(1, pair.comm);
    for (int i = 0; i < messages; ++i) requests.push_back(isend_bytes(data, bytes, 1, pair.comm));
    MPI_Waitall(messages, requests.data(), MPI_STATUSES_IGNORE);
    return 0;
  }
  for (int i = 0; i < messages; ++i)
    requests.push_back(
        irecv_bytes(data + static_cast<std::uint64_t>(i) * bytes, bytes, 0, pair.comm));
  const double start_s = now_s();
  signal(0, pair.comm);
  int first = 0;
  MPI_Waitany(messages, requests.data(), &first, MPI_STATUS_IGNORE);
  const double first_s = now_s() - start_s;
  MPI_Waitall(messages, requests.data(), MPI_STATUSES_IGNORE);
  return until_last ? now_s() - start_s : first_s;
}

/// One message alone, and the first and the last of many.
void turns(Bench& bench, const Team& pair) {
  std::vector<std::uint64_t> sizes = bench.sizes(pair);
  if (bench.chooses_sizes())
    std::erase_if(sizes,
                  [](std::uint64_t bytes) { return bytes < least_turn || bytes > most_turn; });
  bench.expect_points(3 * static_cast<int>(sizes.size()));
  for (const std::uint64_t bytes : sizes) {
    std::byte* data = bench.room(pair.index, at_once * bytes);
    for (const auto& [messages, until] :
         {std::pair{1, "last"}, std::pair{at_once, "first"}, std::pair{at_once, "last"}}) {
      const Point point{
          "turns",
          {{"bytes", bytes}, {"way", pair.way}, {"messages", messages}, {"until", until}},
          bytes};
      bench.measure(pair, point, [&, count = messages, last = until](int iterations) {
        const double seconds = sum_of(iterations, [&] {
          return time_turns(pair, data, bytes, count, std::string_view(last) == "last");
        });
        return pair.told(seconds, 1);
      });
    }
  }
}

}  // namespace

std::vector<Series> plan_stream(Layout& layout) {
  std::vector<Team> teams;
  for (const Team& pair : layout.pairs())
    if (pair.size == 2) teams.push_back(pair);
  for (const int pairs : doubling_to(layout.most_network_pairs()))
    if (pairs > 1) teams.push_back(layout.network_pairs(pairs));
  std::vector<Series> plan;
  for (const Team& team : teams)
    for (const int directions : {1, 2})
      plan.push_back({fmt::format("stream, {}, {} pairs, {}", team.way, team.size / 2,
                                  directions == 1 ? "one way" : "both directions"),
                      team,
                      [team, directions](Bench& bench) { streams(bench, team, directions); }});
  return plan;
}

std::vector<Series> plan_stream_cpu(Layout& layout) {
  return for_each_side(layout, "stream_cpu", stream_cpu);
}

std::vector<Series> plan_turns(Layout& layout) { return for_each_pair(layout, "turns", turns); }

}  // namespace ringscope::mpi
