// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/cases/study_options.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>

#include "cli/cases/announcement.hpp"
#include "topologies/input/characters.hpp"

namespace ringscope {
namespace {

using Clock = std::chrono::steady_clock;

/// Why this user neither trusts nor changes that store; "": it may be used, or made.
std::string why_ignored(const std::string& store) {
  const std::string folder = std::filesystem::absolute(store).parent_path();
  struct stat file {};
  const bool exists = stat(store.c_str(), &file) == 0;
  if (exists && file.st_uid != geteuid()) return "belongs to another user";
  const bool writable =
      access(folder.c_str(), W_OK) == 0 && (!exists || access(store.c_str(), W_OK) == 0);
  return writable || errno == ENOENT ? "" : "cannot be written";
}

}  // namespace

void add_study_options(Command& subcommand, StudyOptions& options) {
  subcommand.add_option("--threads", options.threads).between(1, 4096);
  const Option store = subcommand.add_option("--store", options.store);
  const Option no_store = subcommand.add_flag("--no-store", options.no_store).excludes(store);
  subcommand.add_option("--shard", options.shard);
  subcommand.add_flag("--prune", options.prune).excludes(no_store);
  add_how_options(subcommand, options);
  subcommand.add_option("--verify", options.verify).between(0, 1000).show_default();
}

Seconds limit_of(const StudyOptions& options) {
  return options.limit.empty() ? no_limit : limit_of(options.limit);
}

StudyRun::StudyRun(const StudyOptions& options, const std::string& name, ProgressBar& bar)
    : name_(name),
      limit_(limit_of(options)),
      bar_(&bar),
      may_stop_(options.may_stop),
      has_store_(!options.no_store),
      time_(options.time),
      interrupt_(std::make_unique<Interrupt>()),
      start_(Clock::now()) {
  EvaluatorOptions evaluator;
  set_how(options, evaluator.run);
  evaluator.prune = options.prune;
  evaluator.threads = options.threads > 0 ? options.threads : threads_here(options.processes_here);
  if (!options.no_store) evaluator.store = options.store.empty() ? name + ".sqlite" : options.store;
  if (const std::string why = has_store_ && !options.part ? why_ignored(evaluator.store) : "";
      !why.empty()) {
    bar.say("{}: {}: results are neither taken from it nor kept", evaluator.store, why);
    evaluator.store.clear();
    has_store_ = false;
  }
  evaluator.progress = [this](double share) { show(share); };
  if (may_stop_) evaluator.stop = [this](double share) { return stopped(share); };
  evaluator_ = std::make_unique<Evaluator>(std::move(evaluator));
}

StudyRun::~StudyRun() = default;

bool StudyRun::stopped(double share) {
  return (interrupt_ && interrupt_->asked()) ||
         (time_.count() > 0 && Clock::now() - start_ >= share * time_);
}

// Threads that simulate cannot be interrupted: the process ends with them.
void StudyRun::stop(double share, const std::string& when, ExitCode code) {
  evaluator_->flush();
  bar_->end();
  bar_->say(
      "{}: {}: {:.1f} % of the points are simulated{}; {}lower how many there are or how large "
      "their jobs",
      name_, when, 100 * share, has_store_ ? ", and kept: the next call goes on from there" : "",
      code == ExitCode::bad_input ? "raise --time-limit, or " : "or ");
  std::_Exit(static_cast<int>(code));
}

void StudyRun::require_memory_at_once(double bytes, double free_bytes) const {
  const int threads = evaluator_->threads();
  if (bytes * threads <= free_bytes) return;
  const auto text = [](double count) {
    return to_short_text(Bytes{static_cast<std::uint64_t>(count)}, 2);
  };
  throw BadInput(
      "{}: {} concurrent simulations need about {} of memory, and {} are free: "
      "--threads {} needs less",
      name_, threads, text(bytes * threads), text(free_bytes),
      std::max(1, static_cast<int>(free_bytes / bytes)));
}

void StudyRun::announce(std::size_t points, const MakeScenario& make, const PointsInWords& words) {
  constexpr std::size_t most_looked_at = 16;
  if (points == 0) return;
  const std::size_t count = std::min(points, most_looked_at);
  const RunOptions& how = evaluator_->run();
  const double free = free_memory_bytes();
  KnownParts known;
  double seconds = 0, longest = -1, memory = 0;
  std::string lower;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t point = count == 1 ? 0 : i * (points - 1) / (count - 1);
    const Scenario scenario = make(point, known);
    const Estimate one = estimated(scenario, how, false, free).estimate;
    if (one.seconds > longest) lower = what_to_lower(scenario, one, how);
    longest = std::max(longest, one.seconds);
    memory = std::max(memory, one.memory_bytes);
    seconds += one.seconds;
  }
  if (points > 1) require_memory_at_once(memory, free);
  const double each = words.each;
  const double all = each * seconds / static_cast<double>(count) * static_cast<double>(points) /
                     std::min<double>(evaluator_->threads(), each * static_cast<double>(points));
  if (all < long_s || time_.count() > 0) return;
  bar_->say("{}: {} {}, {} {} on {} threads{}; to reduce it, {}, or lower {}", name_, points,
            words.name, how.skip ? "at most" : "some", to_short_text(Seconds(all), 2),
            evaluator_->threads(), has_store_ ? ", less the points in the store" : "", words.fewer,
            lower);
}

void StudyRun::show(double share) {
  if (share < 1 && Clock::now() - start_ >= limit_)
    stop(share, "had not ended after " + to_short_text(limit_), ExitCode::bad_input);
  if (!may_stop_ && interrupt_ && interrupt_->asked())
    stop(share, "interrupted", ExitCode::interrupted);
  if (time_.count() > 0) share = std::max(share, Seconds(Clock::now() - start_) / time_);
  bar_->show(share);
}

void StudyRun::say_pace(double seconds, std::optional<double> until) {
  if (seconds < 1) return;
  if (!until)
    return bar_->say("{}: one simulation takes {}", name_, to_short_text(Seconds(seconds), 2));
  if (time_.count() == 0) return;
  const Seconds left = *until * time_ - (Clock::now() - start_);
  const int more = evaluator_->threads() * static_cast<int>(std::max(0.0, left.count() / seconds));
  bar_->say("{}: at this pace at most {} more fit{} into the time", name_, more,
            more == 1 ? "s" : "");
}

std::string StudyRun::summary(std::size_t points) {
  evaluator_->flush();
  interrupt_.reset();
  bar_->phase("");
  const std::chrono::duration<double> seconds = Clock::now() - start_;
  // Without a store an answer that is there already is one of this run's own.
  const std::string known = has_store_ ? fmt::format(", {} from the store", evaluator_->cached())
                            : evaluator_->cached() > 0
                                ? fmt::format(", {} the same as {}", evaluator_->cached(),
                                              evaluator_->cached() == 1 ? "another" : "others")
                                : "";
  return fmt::format("{}: {} simulated{}, in {:.2f} s on {}", plural(points, "point"),
                     evaluator_->simulated(), known, seconds.count(),
                     plural(evaluator_->threads(), "thread"));
}

void run_shard(const Points& points, const StudyOptions& options, ProgressBar& bar) {
  const std::string which = "shard " + text_of(*options.part);
  StudyRun run(options, points.study, bar);
  const ShardOutcome outcome = simulate_shard(points, *options.part, run.evaluator());
  const std::string summary = run.summary(outcome.done);
  bar.say(which + ": " + summary);
  if (outcome.done < outcome.points)
    throw BadInput(
        "{}: was stopped when {} of its {} points were simulated, and kept: start it "
        "again, and it goes on from there",
        which, outcome.done, outcome.points);
}

double Verified::difference() const {
  return time_s > 0 ? std::abs(simgrid_s - time_s) / time_s : std::abs(simgrid_s - time_s);
}

Verification verify_on_simgrid(std::span<const Scenario> scenarios,
                               std::span<const Outcome> outcomes, ProgressBar& bar, Seconds limit) {
  Verification result;
  std::vector<Report> reports;
  try {
    RunOptions on_simgrid;
    on_simgrid.kernel = "simgrid";
    bar.phase("simulating them again with SimGrid");
    on_simgrid.progress = [&bar](double done) {
      if (done > 0) bar.show(done);
    };
    reports = run_cases(scenarios, on_simgrid, simulate_case, limit);
  } catch (const Failure& failure) {
    result.interrupted = failure.code() == ExitCode::interrupted;
    if (result.interrupted) return result;
    result.warning =
        fmt::format("warning: SimGrid could not simulate them again: {}", failure.what());
    return result;
  }
  for (std::size_t i = 0; i < reports.size(); ++i) {
    result.verified.push_back({scenarios[i].name, outcomes[i].time_s, reports[i].time_s});
    const Verified& one = result.verified.back();
    if (one.difference() <= KernelDifference::tolerance) continue;
    result.warning += fmt::format(
        "{}warning: {}: takes {} s, but {} s as SimGrid simulates it ({:.2g} %): a defect of this "
        "program; please report it with the scenario",
        result.warning.empty() ? "" : "\n", one.name, one.time_s, one.simgrid_s,
        100 * one.difference());
  }
  return result;
}

std::string Verification::text(const std::string& whom) const {
  if (interrupted) return "interrupted before SimGrid had simulated " + whom + " again";
  if (!warning.empty() || verified.empty()) return warning;
  double worst = 0;
  for (const Verified& one : verified) worst = std::max(worst, one.difference());
  return worst == 0 ? fmt::format("Cross-check with SimGrid: exact agreement on {}", whom)
                    : fmt::format("Cross-check with SimGrid: {} agree to {:.0e}", whom, worst);
}

void end_with_warning(const Verification& verification) {
  if (!verification.warning.empty()) throw Failure(ExitCode::wrong_result, verification.warning);
}

}  // namespace ringscope
