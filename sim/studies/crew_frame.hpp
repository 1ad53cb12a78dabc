// Protocol between the process that hands out tasks and its workers, as a stream of bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "scenarios/question/known_parts.hpp"
#include "scenarios/question/scenario.hpp"
#include "sim/studies/outcome.hpp"

namespace ringscope {

struct CrewFrame {
  enum class Kind : char {
    hello = 'h',   ///< from a worker that has come: its threads and its model_version()
    task = 't',    ///< for a worker: a number, whether to skip, and a scenario
    answer = 'a',  ///< from a worker: the number, and the outcome or nothing
    died = 'd',    ///< a worker has, with all its tasks; it may come again
    alive = 'b',   ///< nothing else
    quit = 'q'     ///< for a worker: all is done
  };
  int rank = 0;  ///< of the worker, in the job that a launcher started
  Kind kind{};
  std::string payload;
};

std::string to_bytes(const CrewFrame& frame);

/// Cuts a stream into frames.
class FrameStream {
 public:
  void append(std::string_view bytes);
  std::optional<CrewFrame> next();  ///< nothing while it is incomplete

 private:
  std::string buffer_;
  std::size_t begin_ = 0;
};

std::string pack_task(std::uint64_t task, const Scenario& scenario, bool skip);
std::string pack_answer(std::uint64_t task, const std::optional<Outcome>& outcome);

struct PackedAnswer {
  std::uint64_t task = 0;
  std::optional<Outcome> outcome;
};
PackedAnswer unpack_answer(std::string_view payload);

/// Scenarios out of tasks; what most of them have in common is read once. For one thread.
class TaskReader {
 public:
  static std::uint64_t task_of(std::string_view payload);
  static bool skips(std::string_view payload);
  Scenario scenario_of(std::string_view payload);

 private:
  const Value& parsed(const std::string& text);

  KnownParts known_;
  std::unordered_map<std::string, Value> parsed_;
};

}  // namespace ringscope
