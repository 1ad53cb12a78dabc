// SPDX-License-Identifier: LGPL-2.1-or-later
// From a question to its answers: the way that the command line, Python, the installed library and
// the playground all take. Studies estimate and simulate by the same functions, point by point.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scenarios/question/estimate.hpp"
#include "sim/simulation.hpp"

namespace ringscope {

/// Shorter work is not announced.
inline constexpr double long_s = 60;

/// A scenario as the user states it.
struct Question {
  std::string name;                 ///< of a scenario, or a path; or what errors call `text`
  std::optional<std::string> text;  ///< YAML or JSON
  std::vector<Override> set;        ///< laid over each case
};

/// All cases of the question. Throws InputError.
std::vector<Scenario> read(const Question& question);

/// A case whose cost is known.
struct Case {
  const Scenario* scenario = nullptr;  ///< not owned
  Estimate estimate{};
  /// Which ranks stand for others, where the estimate had to prove it. Null: simulate() does.
  std::shared_ptr<const sim::Alike> alike{};
};

/// Cost of what such a run simulates, not of all that this stands for. Throws InputError where the
/// memory will not be there. What stands for others is looked for only where that matters.
Case estimated(const Scenario& scenario, const RunOptions& options, bool on_simgrid,
               double free_bytes);

/// The proof of `one` is not made again.
Report simulate_case(const Case& one, const RunOptions& options);

/// Reports in the order of the cases; none for a case that was interrupted.
using SomeReports = std::vector<std::optional<Report>>;

/// How a front end wants its cases answered.
struct Session {
  RunOptions run{};
  bool on_simgrid = false;  ///< estimate for SimGrid's kernel, which needs more
  bool estimates = true;    ///< false: the same cases, changed a little, were estimated before
  bool as_written = true;   ///< false: --set may have made cases equal
  /// Told of all cases before the first begins. Null: nobody.
  std::function<void(std::span<const Case>)> announce{};
  /// Simulates them, each with simulate_case(). Null: one after another, here.
  std::function<SomeReports(std::span<const Case>)> perform{};
};

SomeReports answer(const Session& session, std::span<const Scenario> scenarios);

/// The same, of cases that cannot be interrupted.
std::vector<Report> answer(const Session& session, const Question& question);

/// Warning of each scenario that equals one before it but for its name, or "".
std::vector<std::string> twin_warnings(std::span<const Scenario> scenarios);

}  // namespace ringscope
