// SPDX-License-Identifier: LGPL-2.1-or-later
#include "algorithms/parameter_server/streaming.hpp"

#include <atomic>

#include "algorithms/parameter_server/in_flight.hpp"

namespace ringscope {
namespace {

constexpr Flag stepped{0};
constexpr int exchange_tag = 0, end_tag = 1;
constexpr Range nothing;

/// An exchange that takes no time would go on for ever between two steps.
constexpr int most_pulls_a_step = 10'000;

/// State shared by the two threads of a solver.
struct Solver {
  int server = 0;
  Range gradients, weights;
  std::size_t segment = 1;
  int steps = 1;
  std::atomic<int> steps_done{0};
};

Task pull_once(Communicator comm, const Solver* solver) {
  for (std::size_t i = 0; i < piece_count(solver->weights.size, solver->segment); ++i) {
    co_await comm.send(piece(solver->gradients, i, solver->segment), solver->server, exchange_tag);
    co_await comm.recv(piece(solver->weights, i, solver->segment), solver->server, exchange_tag);
  }
}

/// The server has posted a receive for another piece: once it knows that none will come, an empty
/// message takes its place.
Task end_stream(Communicator comm, int server) {
  co_await comm.sendrecv(nothing, server, nothing, server, end_tag);
  co_await comm.send(nothing, server, exchange_tag);
}

Task exchange(Communicator comm, const Solver* solver, Pace pace) {
  int seen = 0, pulls_since_step = 0;
  do {
    if (pace == Pace::interlocked || pulls_since_step == most_pulls_a_step)
      co_await comm.reach(stepped, static_cast<std::size_t>(seen) + 1);
    const int before = std::exchange(seen, solver->steps_done);
    pulls_since_step = seen == before ? pulls_since_step + 1 : 0;
    co_await pull_once(comm, solver);
    comm.observe("pull", seen - before);
  } while (seen < solver->steps);
  co_await end_stream(comm, solver->server);
}

Task solve(Communicator comm, Workspace work, Options options, Pace pace) {
  Solver solver = {.server = comm.size() - 1,
                   .gradients = work.data,
                   .weights = work.scratch.first(work.data.size),
                   .segment = options.segment,
                   .steps = options.steps};
  const Thread exchanging = comm.start(exchange(comm.thread(1), &solver, pace));
  for ([[maybe_unused]] int step : comm.phase("step", options.steps)) {
    co_await comm.compute(options.compute);
    ++solver.steps_done;
    comm.raise(stepped);
    comm.observe("step", 1);
  }
  co_await comm.join(exchanging);
}

/// The server's side of all streams.
class Streams {
 public:
  Streams(Communicator comm, Workspace work, Options options)
      : comm_(comm),
        weights_(work.data),
        slots_(work.scratch.first(streaming_slots(comm.size(), work.data.size, options))),
        segment_(options.segment),
        streams_(static_cast<std::size_t>(comm.size() - 1)) {
    for (int solver = 0; solver < solvers(); ++solver) {
      expect(solver);
      in_flight_.add(comm_.irecv(nothing, solver, end_tag), end_of(solver));
    }
  }

  static std::size_t streaming_slots(int ranks, std::size_t items, const Options& options) {
    return static_cast<std::size_t>(ranks - 1) * std::min(items, options.segment);
  }

  struct Stream {
    std::size_t next = 0;  ///< piece
    bool answering = false, ending = false;
  };

  int solvers() const { return static_cast<int>(streams_.size()); }
  InFlight& in_flight() { return in_flight_; }
  Stream& stream(int solver) { return streams_[static_cast<std::size_t>(solver)]; }
  /// Weights of the piece that the solver's stream is at.
  Range weights(int solver) { return piece(weights_, stream(solver).next, segment_); }
  Range slot(int solver) {
    return slots_.part(static_cast<std::size_t>(solver), streams_.size())
        .first(weights(solver).size);
  }
  void expect(int solver) {
    stream(solver).answering = false;
    in_flight_.add(comm_.irecv(slot(solver), solver, exchange_tag), solver);
  }
  void answer(int solver) {
    stream(solver).answering = true;
    in_flight_.add(comm_.isend(slot(solver), solver, exchange_tag), solver);
  }
  void answered(int solver) {
    std::size_t& next = stream(solver).next;
    next = (next + 1) % piece_count(weights_.size, segment_);
    expect(solver);
  }

 private:
  /// Each solver has two requests in flight: its exchange and its end.
  int end_of(int solver) const { return solvers() + solver; }

  Communicator comm_;
  Range weights_, slots_;
  std::size_t segment_;
  std::vector<Stream> streams_;
  InFlight in_flight_;
};

Task add_piece(Communicator comm, Range weights, Range slot) {
  co_await comm.reduce(weights, slot);
  co_await comm.copy(slot, weights);
}

Task serve(Communicator comm, Workspace work, Options options) {
  Streams streams(comm, work, options);
  while (!streams.in_flight().empty()) {
    const int what =
        streams.in_flight().take(co_await comm.wait_any(streams.in_flight().requests()));
    const int solver = what % streams.solvers();
    Streams::Stream& stream = streams.stream(solver);
    if (what >= streams.solvers()) {
      stream.ending = true;
      co_await comm.send(nothing, solver, end_tag);
    } else if (stream.answering) {
      streams.answered(solver);
    } else if (!stream.ending) {
      co_await add_piece(comm, streams.weights(solver), streams.slot(solver));
      streams.answer(solver);
    }
  }
}

}  // namespace

Task streaming_exchange(Communicator comm, Workspace work, Options options, Pace pace) {
  return comm.rank() < comm.size() - 1 ? solve(comm, work, options, pace)
                                       : serve(comm, work, options);
}

Cost streaming_cost(int ranks, std::size_t items, const Options& options) {
  const std::int64_t solvers = ranks - 1;
  const auto pieces = static_cast<std::int64_t>(piece_count(items, options.segment));
  return {.steps = std::max(solvers * (pieces + 2), 2 * pieces + 3),
          .messages = solvers * (2 * pieces + 3),
          .items = static_cast<std::uint64_t>(2 * solvers) * items};
}

std::size_t streaming_scratch(int ranks, std::size_t items, const Options& options) {
  return std::max(items, Streams::streaming_slots(ranks, items, options));
}

}  // namespace ringscope
