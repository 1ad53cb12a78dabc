// SPDX-License-Identifier: LGPL-2.1-or-later
// Streaming exchange, as the early multi-GPU Caffe had it: beside the steps of each solver a thread
// of its own exchanges pieces of the weights with one server (the last rank; Caffe's master, in
// host memory) all the time. A piece of gradients goes there and is added, the same piece of the
// weights comes back. A pull is one such way through the whole vector.
//
// `pause`: the thread sleeps after each pull. `push_share`: a part of each piece's gradients goes,
// short ones or few. `own_copy`: a solver copies each piece that it receives, to keep the weights
// that its own steps began with. `default_stream`: kernels and copies of a GPU run in the order of
// their launches, as on CUDA's default stream (CUDA C++ Programming Guide, "Default Stream"): a
// copy waits for the kernel before it, the next kernel for the copy. A step is N equal kernels.
//
// Source: BVLC/caffe on GitHub, pull request 1148, "Parallel / distributed training" (2014).
#include <atomic>
#include <cmath>

#include "algorithms/parameter_server/clocks.hpp"
#include "algorithms/parameter_server/roles.hpp"

namespace ringscope {
namespace {

/// Start of a solver's next pull.
enum class Pace : std::uint8_t {
  free_running,  ///< at once
  interlocked    ///< when there has been a step since the last one
};

constexpr Flag stepped{0}, stream_passed{1};
constexpr int exchange_tag = 0, end_tag = 1, ready_tag = 2;
constexpr Range nothing;

/// An exchange that takes no time would go on for ever between two steps.
constexpr int most_pulls_a_step = 10'000;

/// State shared by the two threads of a solver.
struct Solver {
  int server = 0;
  Range gradients, weights;
  Range copy;  ///< of the weights; empty: there is none
  std::size_t segment = 1;
  int steps = 1;
  double push_share = 1;
  bool in_order = false;  ///< kernels and copies are, on one stream
  std::atomic<int> steps_done{0};
  std::atomic<std::size_t> launched{0};  ///< on that stream
};

/// Gradients of a piece that go.
Range pushed(Range piece, double share) {
  const double items = std::ceil(share * static_cast<double>(piece.size));
  return piece.first(std::min(piece.size, static_cast<std::size_t>(items)));
}

/// Waits until all that was launched before has passed the stream. It is left by raising the flag.
Task enter_stream(Communicator comm, Solver* solver) {
  if (solver->in_order) co_await comm.reach(stream_passed, solver->launched++);
}

Task pull_once(Communicator comm, Solver* solver) {
  for (std::size_t i = 0; i < piece_count(solver->weights.size, solver->segment); ++i) {
    const Range gradients = piece(solver->gradients, i, solver->segment);
    const Range weights = piece(solver->weights, i, solver->segment);
    co_await enter_stream(comm, solver);
    co_await comm.send(pushed(gradients, solver->push_share), solver->server, exchange_tag);
    if (solver->in_order) {
      comm.raise(stream_passed);
      co_await comm.recv(nothing, solver->server, ready_tag);
    }
    co_await enter_stream(comm, solver);
    co_await comm.recv(weights, solver->server, exchange_tag);
    if (solver->copy.size > 0) co_await comm.copy(piece(solver->copy, i, solver->segment), weights);
    if (solver->in_order) comm.raise(stream_passed);
  }
}

/// The server has posted a receive for another piece: once it knows that none will come, an empty
/// message takes its place.
Task end_stream(Communicator comm, int server) {
  co_await comm.sendrecv(nothing, server, nothing, server, end_tag);
  co_await comm.send(nothing, server, exchange_tag);
}

Task exchange(Communicator comm, Solver* solver, Pace pace, Duration pause) {
  int seen = 0, pulls_since_step = 0;
  do {
    if (pace == Pace::interlocked || pulls_since_step == most_pulls_a_step)
      co_await comm.reach(stepped, seen + 1);
    const int before = std::exchange(seen, solver->steps_done);
    pulls_since_step = seen == before ? pulls_since_step + 1 : 0;
    co_await pull_once(comm, solver);
    comm.observe("pull", seen - before);
    if (pause.count() > 0 && seen < solver->steps) co_await comm.sleep(pause);
  } while (seen < solver->steps);
  co_await end_stream(comm, solver->server);
}

Task solve(Communicator comm, Workspace work, Options options, Pace pace) {
  Solver solver = {.server = comm.size() - 1,
                   .gradients = work.data,
                   .weights = work.scratch.first(work.data.size),
                   .copy = {work.scratch.buffer, work.scratch.offset + work.data.size,
                            options.own_copy ? work.data.size : 0},
                   .segment = options.segment,
                   .steps = options.steps,
                   .push_share = options.push_share,
                   .in_order = options.default_stream > 0};
  const Thread exchanging = comm.start(exchange(comm.thread(1), &solver, pace, options.pause));
  const int kernels = std::max(1, options.default_stream);
  for ([[maybe_unused]] int step : comm.phase("step", options.steps)) {
    for (int kernel = 0; kernel < kernels; ++kernel) {
      co_await enter_stream(comm, &solver);
      co_await comm.compute(options.compute / kernels);
      if (solver.in_order) comm.raise(stream_passed);
    }
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
        streams_(comm.size() - 1) {
    for (int solver = 0; solver < solvers(); ++solver) {
      expect(solver);
      in_flight_.add(comm_.irecv(nothing, solver, end_tag), end_of(solver));
    }
  }

  static std::size_t streaming_slots(int ranks, std::size_t items, const Options& options) {
    return times(ranks - 1, std::min(items, options.segment));
  }

  struct Stream {
    std::size_t next = 0;  ///< piece
    bool answering = false, ending = false;
  };

  int solvers() const { return static_cast<int>(streams_.size()); }
  InFlight& in_flight() { return in_flight_; }
  Stream& stream(int solver) { return streams_[solver]; }
  /// Weights of the piece that the solver's stream is at.
  Range weights(int solver) { return piece(weights_, stream(solver).next, segment_); }
  Range slot(int solver) {
    return slots_.part(solver, streams_.size()).first(weights(solver).size);
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
  Table<Stream> streams_;
  InFlight in_flight_;
};

Task add_piece(Communicator comm, Range weights, Range slot, double share) {
  co_await comm.reduce(pushed(weights, share), slot);
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
      co_await add_piece(comm, streams.weights(solver), streams.slot(solver), options.push_share);
      if (options.default_stream > 0) co_await comm.send(nothing, solver, ready_tag);
      streams.answer(solver);
    }
  }
}

/// The program of every rank. A solver observes "step" at the end of each, and "pull" with the
/// number of steps since the last one; it makes one pull at least and ends with a whole one.
Task streaming_exchange(Communicator comm, Workspace work, Options options, Pace pace) {
  return comm.rank() < comm.size() - 1 ? solve(comm, work, options, pace)
                                       : serve(comm, work, options);
}

/// The least: one pull of n pieces by each of W solvers, then three empty messages that end its
/// stream; on a default stream an empty message more for each piece, whose weights are ready then.
/// Steps: the server receives n + 2 messages from each, a solver's take turns.
Cost streaming_cost(int ranks, std::size_t items, Options options) {
  const std::int64_t solvers = ranks - 1;
  const auto pieces = static_cast<std::int64_t>(piece_count(items, options.segment));
  const auto gone_of = [&](std::size_t size) {
    return pushed({.size = size}, options.push_share).size;
  };
  const std::uint64_t gone =
      items / options.segment * gone_of(options.segment) + gone_of(items % options.segment);
  return {.steps = std::max(solvers * (pieces + 2), 2 * pieces + 3),
          .messages = solvers * ((options.default_stream > 0 ? 3 : 2) * pieces + 3),
          .items = static_cast<std::uint64_t>(solvers) * (items + gone)};
}

/// The weights of a solver, and its copy of them; or the server's slots, one for each.
std::size_t streaming_scratch(int ranks, std::size_t items, Options options) {
  return std::max(options.own_copy ? 2 * items : items,
                  Streams::streaming_slots(ranks, items, options));
}

template <Pace pace>
Algorithm streaming_exchange_at(std::string_view name, std::string_view summary) {
  return {
      .collective = "streaming_exchange",
      .name = name,
      .summary = summary,
      .options = {"segment", "steps", "compute", "pause", "default_stream", "push_share",
                  "own_copy"},
      .least_ranks = 2,
      .threads = 2,
      .run = [](Communicator comm, Workspace work,
                Options options) { return streaming_exchange(comm, work, options, pace); },
      .cost = streaming_cost,
      .scratch_items = streaming_scratch,
      .varies = Varies::all,
  };
}

// Solvers that exchange nothing: what their steps take by themselves, to compare with.
//
// Cost: nothing.

Task solve_alone(Communicator comm, Options options) {
  if (comm.rank() == comm.size() - 1) co_return;  // the server's rank in the others
  for ([[maybe_unused]] int step : comm.phase("step", options.steps)) {
    co_await comm.compute(options.compute);
    comm.observe("step", 1);
  }
}

}  // namespace

// Streaming exchange in which a solver's thread begins its next pull at once, whether or not there
// has been a step since: when a pull is quicker than a step, it only loads the way to the server.
//
// Cost for W solvers and n pieces: at least W(n+2) steps and 2n+3, W(2n+3) messages, 2WS items.
Algorithm describe_free_running_streaming_exchange() {
  return streaming_exchange_at<Pace::free_running>(
      "free_running", "a thread of each solver exchanges weights without a pause");
}

// Streaming exchange in which a solver's thread begins its next pull when there has been at least
// one step since the last: no more pulls than steps.
//
// Cost for W solvers and n pieces: at least W(n+2) steps and 2n+3, W(2n+3) messages, 2WS items.
Algorithm describe_interlocked_streaming_exchange() {
  return streaming_exchange_at<Pace::interlocked>(
      "interlocked", "a thread of each solver exchanges weights, one pull per step at most");
}

Algorithm describe_none_streaming_exchange() {
  return {
      .collective = "streaming_exchange",
      .name = "none",
      .summary = "solvers that exchange nothing, to compare with",
      .options = {"steps", "compute"},
      .least_ranks = 2,
      .run = [](Communicator comm, Workspace,
                Options options) { return solve_alone(comm, options); },
      .cost = [](int, std::size_t, Options) { return Cost{}; },
  };
}

}  // namespace ringscope
