// SPDX-License-Identifier: LGPL-2.1-or-later
// Measures points within a budget of time and keeps the samples.
//
// The first rank of a team decides how much to measure and tells the others, so that all ranks of a
// team always make the same calls.
#pragma once

#include <map>

#include "validation/executors/batches.hpp"
#include "validation/executors/mpi/clock.hpp"
#include "validation/executors/mpi/layout.hpp"

namespace ringscope::mpi {

struct Series;

class Bench {
 public:
  /// `weight`: of all series that will be run, to divide the budget. The clock starts here.
  Bench(MPI_Comm job, BenchOptions options, double weight);

  /// Runs the series, which is the `order`-th of the document. Collective over the job; ranks
  /// without a part sleep until the others are done.
  void run(const Series& series, int order);

  /// Measures as Budget::take() does; `run` returns the seconds that count on the team's first
  /// rank. The median, or nothing when the point was left out. A point that is measured again has
  /// all its samples in one entry. Collective over the team.
  std::optional<double> measure(const Team& team, const Point& point, const TimedRun& run);

  /// Measures sends one by one, for a few samples; `send` returns the seconds of one on the team's
  /// first rank. The quickest, or nothing when the point was left out. Collective over the team.
  std::optional<double> quickest(const Team& team, Point point,
                                 const std::function<double()>& send);

  /// Sizes of messages to measure, ascending: the rest of the series' time is shared between as
  /// many points. Those around the eager limit are for probes that show it, and where nobody asked
  /// for other sizes. Collective over the team.
  std::vector<std::uint64_t> sizes(const Team& team, bool around_limit = true);

  /// Nobody said which.
  bool chooses_sizes() const { return options_.sizes.empty(); }
  /// For a probe that measures some sizes more than once, after sizes().
  void expect_points(int count) { budget_.expect_points(count); }

  /// At least `bytes` bytes, touched; what was in it may be lost. Two rooms, 0 and 1.
  std::byte* room(int number, std::size_t bytes);

  /// Eager limit known of each way; see eager_limit(). No value: no limit was found.
  std::map<std::string, std::optional<std::uint64_t>>& eager_limits() { return eager_limits_; }

  /// Position of this rank, for a watchdog in another thread.
  std::string place() const { return budget_.place(); }

  /// The measurements of all ranks in their order, and what was left out. Complete on rank 0 of the
  /// job. Collective.
  struct Results {
    nlohmann::ordered_json measurements = nlohmann::ordered_json::array();
    std::vector<std::string> left_out;
  };
  Results results() const;

 private:
  void rest();
  void keep(const Point& point, std::vector<double> samples_s);

  MPI_Comm job_;
  BenchOptions options_;
  Budget budget_;
  int order_ = 0;  ///< its place in the document

  std::vector<std::pair<int, nlohmann::ordered_json>> entries_;  ///< by order
  std::map<std::string, std::optional<std::uint64_t>> eager_limits_;
  std::vector<std::byte> rooms_[2];
};

// The calls that most probes are made of. Part 0 of a pair is the sender, part 1 the receiver.

inline constexpr int data_tag = 1, signal_tag = 2;

inline void send_bytes(const std::byte* data, std::uint64_t bytes, int to, MPI_Comm comm) {
  MPI_Send(data, static_cast<int>(bytes), MPI_BYTE, to, data_tag, comm);
}

inline void recv_bytes(std::byte* data, std::uint64_t bytes, int from, MPI_Comm comm) {
  MPI_Recv(data, static_cast<int>(bytes), MPI_BYTE, from, data_tag, comm, MPI_STATUS_IGNORE);
}

inline MPI_Request isend_bytes(const std::byte* data, std::uint64_t bytes, int to, MPI_Comm comm,
                               int tag = data_tag) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(data, static_cast<int>(bytes), MPI_BYTE, to, tag, comm, &request);
  return request;
}

inline MPI_Request irecv_bytes(std::byte* data, std::uint64_t bytes, int from, MPI_Comm comm,
                               int tag = data_tag) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(data, static_cast<int>(bytes), MPI_BYTE, from, tag, comm, &request);
  return request;
}

/// Seconds of the iterations of a sample that the team begins together, on this rank.
template <typename Once>
double time_of(const Team& team, int iterations, Once once) {
  team.meet();
  const double start_s = now_s();
  for (int i = 0; i < iterations; ++i) once();
  return now_s() - start_s;
}

/// Sum over the iterations of a sample of the seconds that count in each.
template <typename Once>
double sum_of(int iterations, Once once) {
  double seconds = 0;
  for (int i = 0; i < iterations; ++i) seconds += once();
  return seconds;
}

/// An empty message: "go on".
inline void signal(int to, MPI_Comm comm, int tag = signal_tag) {
  MPI_Send(nullptr, 0, MPI_BYTE, to, tag, comm);
}

inline void await_signal(int from, MPI_Comm comm, int tag = signal_tag) {
  MPI_Recv(nullptr, 0, MPI_BYTE, from, tag, comm, MPI_STATUS_IGNORE);
}

/// Receives a message that it asks for when its receive is posted.
inline void recv_asked_for(std::byte* data, std::uint64_t bytes, int from, MPI_Comm comm) {
  MPI_Request request = irecv_bytes(data, bytes, from, comm);
  signal(from, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/// Sends a message when it is asked for.
inline void send_when_asked(const std::byte* data, std::uint64_t bytes, int to, MPI_Comm comm) {
  await_signal(to, comm);
  send_bytes(data, bytes, to, comm);
}

// Many messages in flight at once.

struct Stream {
  std::uint64_t bytes = 0;  ///< of a message
  int window = 1;           ///< messages between two answers
  int pairs = 1;            ///< parts 0..pairs-1 of the team send to pairs..2*pairs-1
  int directions = 1;       ///< 2: and the other way round at the same time
  int tag = data_tag;       ///< another one for each thread
};

/// Some MiB, so that answers do not count, and at least two messages.
int window_of(std::uint64_t bytes);

/// Runs `windows` windows between this rank and its partner. `sent` holds one message, `received`
/// a window of them.
void run_stream(const Team& team, MPI_Comm comm, const Stream& stream, int windows,
                const std::byte* sent, std::byte* received);

/// Seconds of so many windows over the team's communicator, on the slowest rank.
double time_stream(Bench& bench, const Team& team, const Stream& stream, int windows);

}  // namespace ringscope::mpi
