// SPDX-License-Identifier: LGPL-2.1-or-later
// How many eager messages does a rank send to one that is not in MPI, before a send is held back?
#include <algorithm>

#include "validation/executors/mpi/probes/probe.hpp"

namespace ringscope::mpi {
namespace {

constexpr double delay_s = 0.05;  ///< far above what all these messages take until one is held back
constexpr double held_s = delay_s / 4;     ///< a send that takes so long was held back
constexpr std::uint64_t usual = 16 << 10;  ///< bytes of a message, unless the limit is below
constexpr int most_messages = 4096;        ///< messages
constexpr double ahead_s = 0.005;  ///< until the receiver has left MPI, which it may not while more
                                   ///< comes than it takes
constexpr int fraction = 16;  ///< of the messages: so far apart are the counts that tell the room
constexpr int room_samples = 5;

struct Sent {
  int messages = 0;  ///< before the first that was held back
  double longest_s = 0;
};

/// At most `count` messages, none after one that was held back; the receiver comes late, and takes
/// all until it finds the word that there are no more.
Sent send_to_late_receiver(Bench& bench, const Team& pair, std::uint64_t bytes, int count) {
  std::byte* data = bench.room(0, bytes);
  pair.meet();
  Sent sent;
  if (pair.index == 1) {
    await_signal(0, pair.comm);
    doze(delay_s);
    MPI_Status status{};
    do {
      MPI_Recv(data, static_cast<int>(bytes), MPI_BYTE, 0, MPI_ANY_TAG, pair.comm, &status);
    } while (status.MPI_TAG == data_tag);
    return sent;
  }
  signal(1, pair.comm);
  doze(ahead_s);
  for (; sent.messages < count && sent.longest_s < held_s; ++sent.messages) {
    const double start_s = now_s();
    send_bytes(data, bytes, 1, pair.comm);
    sent.longest_s = std::max(sent.longest_s, now_s() - start_s);
  }
  if (sent.longest_s >= held_s) --sent.messages;
  signal(1, pair.comm);
  return sent;
}

/// Messages before the first that is held back, the median of a few tries: the system gives more
/// room to a connection that has carried much.
int free_messages(Bench& bench, const Team& pair, std::uint64_t bytes) {
  std::vector<int> found(room_samples);
  for (int& one : found) {
    one = send_to_late_receiver(bench, pair, bytes, most_messages).messages;
    one = pair.told(one);
  }
  std::nth_element(found.begin(), found.begin() + room_samples / 2, found.end());
  return found[room_samples / 2];
}

/// Measures the longest send of so many messages, and judges by the quickest: a busy machine makes
/// others of them late, too. Nothing when there was no time to find out.
std::optional<bool> is_held_back(Bench& bench, const Team& pair, std::uint64_t bytes, int count) {
  const Point point{
      "eager_room",
      {{"bytes", bytes}, {"way", pair.way}, {"messages", count}, {"delay_s", delay_s}},
      bytes};
  const auto quickest_s = bench.quickest(
      pair, point, [&] { return send_to_late_receiver(bench, pair, bytes, count).longest_s; });
  if (!quickest_s) return std::nullopt;
  return *quickest_s >= held_s;
}

/// Somewhat fewer messages than are free, half of them until none is held back; somewhat more,
/// twice as many until one is.
void eager_room(Bench& bench, const Team& pair) {
  const std::uint64_t limit = eager_limit(bench, pair).value_or(usual);
  if (limit == 0) return;
  const std::uint64_t bytes = std::min(limit, usual);
  const int free = free_messages(bench, pair, bytes), apart = free / fraction;
  bench.expect_points(2);
  for (int count = free - apart; count > 0; count /= 2)
    if (!is_held_back(bench, pair, bytes, count).value_or(false)) break;
  for (int count = free + std::max(1, apart); count <= most_messages; count *= 2)
    if (is_held_back(bench, pair, bytes, count).value_or(true)) break;
}

}  // namespace

/// Between hosts alone: in shared memory libraries count messages, not bytes.
std::vector<Series> plan_eager_room(Layout& layout) {
  constexpr double weight = 4;  // each sample takes the delay
  return for_each_pair(layout, "eager_room", eager_room, weight, "network");
}

}  // namespace ringscope::mpi
