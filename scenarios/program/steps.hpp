// SPDX-License-Identifier: LGPL-2.1-or-later
// The steps of a program, from their YAML.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/programs/expression.hpp"
#include "algorithms/programs/program.hpp"
#include "scenarios/schedule/schedule_file.hpp"
#include "scenarios/workload/transformer.hpp"
#include "topologies/input/input.hpp"

namespace ringscope {

// Numbers, times and sizes that a program's steps say: `2 ms`, `bucket / size(dp)`.

/// Kinds of values.
enum class Unit : std::uint8_t { plain, seconds, bytes };

struct Formula {
  programs::Expression expression;
  Unit unit = Unit::plain;
};

/// Names that formulas may use, where a step stands.
struct Scope {
  std::vector<std::string> kinds;  ///< of groups, by index
  std::map<std::string, Formula> values;
  std::vector<std::string> loops;  ///< index of each loop around it, by slot; "": it has none
};

/// Throws InputError.
Formula read_formula(const Value& value, const Scope& scope);

/// The same of one unit: constants are not negative. Throws InputError.
programs::Expression read_seconds(const Value& value, const Scope& scope);
programs::Expression read_bytes(const Value& value, const Scope& scope);
programs::Expression read_plain(const Value& value, const Scope& scope);

// Programs on groups of ranks, as scenarios write them: `job.program` as a list of steps.

/// `job.program` with the job's `groups`, `values` and `options`, as a job's schedule. Throws
/// InputError. `nccl`: its collectives are NCCL's where nothing else is said.
std::shared_ptr<const ScheduleFile> read_program_of_steps(Fields& job, const Value& program,
                                                          int ranks, bool nccl = false);

// The steps.

/// GPU of computations that are told by their amounts.
struct StepGpu {
  std::optional<Gpu> gpu;
  double efficiency = 1;
};

/// A step that waits for others by their names, or has one.
struct NamedStep {
  std::string name;  ///< "": none
  int id = 0, stream = 0;
  std::vector<int> loops;  ///< blocks with turns around it, by their ids
  struct Awaited {
    std::string name;
    int back = 0;
    Value at;
  };
  std::vector<Awaited> after;
  Value place;
};

class StepsReader {
 public:
  /// `nccl`: collectives are NCCL's where nothing else is said.
  StepsReader(programs::Program& program, Scope scope, const StepGpu& gpu, bool nccl)
      : program_(&program), scope_(std::move(scope)), gpu_(&gpu), nccl_(nccl) {}

  /// Throws InputError.
  void read(const Value& list);
  /// Places of steps, by their numbers.
  const Table<Value>& places() const { return places_; }

 private:
  using Step = programs::Step;
  struct Inherited {
    std::string stream = "main";
    std::vector<int> loops;
  };

  std::vector<Step> read_list(const Value& list, const Inherited& from);
  Step read_step(const Value& value, Inherited from);
  std::string kind_of(const Value& value) const;
  void read_conditions(Fields& fields, Step& step);
  void read_compute(const Value& value, Step& step);
  void read_amount(const std::string& kind, const Value* value, Fields& fields, Step& step);
  void read_message(Fields& fields, Step& step);
  void read_together(const Value& list, Step& step, const Inherited& from);
  void read_collective(Fields& fields, const std::string& collective, Step& step);
  void read_block(Fields& fields, const Value* turns, Step& step, Inherited from);
  void read_waits(const Value& value, NamedStep& waits) const;
  int kind_index(const Value& value) const;
  int group_of(Fields& fields) const;
  int stream_of(const std::string& name, const Value& at);
  int communicator_of(int kind, int stream, const Value& at);
  void drop_unused_main(std::vector<Step>& steps);

  programs::Program* program_;
  Scope scope_;
  const StepGpu* gpu_;
  const bool nccl_;
  Table<Value> places_;
  std::vector<NamedStep> named_;
  int depth_ = 0;
};

struct CollectiveStep {
  const Algorithm* algorithm = nullptr;
  Options options;
  const Value* bytes = nullptr;  ///< null: a collective without data
};

/// Collectives that run among groups, each on one thread of a rank.
std::vector<std::string> collectives_for_steps();

/// Reads the step's size, `algorithm` and `options`. `ranks`: of the smallest group. Throws
/// InputError. `nccl`: it is NCCL's where nothing else is said.
CollectiveStep read_collective_step(Fields& step, const std::string& collective, int ranks,
                                    bool nccl);

/// Lets steps raise flags for those that wait for them by name. Throws InputError where there is no
/// such step, or none that comes before.
void join_by_names(programs::Program& program, const std::vector<NamedStep>& named);

}  // namespace ringscope
