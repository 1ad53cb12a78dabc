// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/studies/store.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "scenarios/answer/formats/report_formats.hpp"
#include "scenarios/answer/text/report_text.hpp"

namespace ringscope {
namespace {

constexpr auto interval = std::chrono::milliseconds(100);

std::string words_of(const PartLabel& label) {
  return fmt::format("shard {} of '{}'", text_of(label.shard), label.study);
}

struct Metric {
  std::string_view name;
  double (*of)(const Report&);
};

constexpr std::array metrics = {
    Metric{"time_s", [](const Report& r) { return r.time_s; }},
    Metric{"algbw", [](const Report& r) { return r.algbw; }},
    Metric{"busbw", [](const Report& r) { return r.busbw; }},
    Metric{"messages", [](const Report& r) { return static_cast<double>(r.messages); }},
    Metric{"bytes_on_wire", [](const Report& r) { return static_cast<double>(r.bytes_on_wire); }},
    Metric{"bytes_between_hosts",
           [](const Report& r) { return static_cast<double>(r.bytes_between_hosts); }},
};

/// Keys of the report's part about training.
constexpr std::array training_metrics = {
    "one_device_s", "step_s",        "forward_backward_s", "busy_s",
    "exposed_s",    "exposed_tp_s",  "exposed_cp_s",       "exposed_ep_s",
    "exposed_pp_s", "exposed_dp_s",  "bubble_s",           "input_s",
    "other_s",      "records_per_s", "efficiency",         "startup_s",
    "epochs",       "epoch_s",       "training_s"};

constexpr std::array job_metrics = {
    Metric{"slowest_job_s", slowest_job_s},
    Metric{"mean_job_s", mean_job_s},
};

std::string path_metric(std::string_view cause) { return "critical_path." + std::string(cause); }

/// The cause that most of the critical path went to, and the place where most of that was spent.
std::string limit_of(const Report& report, const CauseSeconds& spent) {
  if (report.path.empty()) return "";
  const auto largest = std::ranges::max_element(spent) - spent.begin();
  // The segments stand longest first.
  const auto most = std::ranges::find_if(
      report.path, [&](const PathSegment& p) { return p.cause == static_cast<Cause>(largest); });
  const bool nearly_all = most->seconds > 0.9 * spent[largest];
  return segment_text(*most, !nearly_all);
}

}  // namespace

Store::Store(const std::string& path, std::string table)
    : table_(std::move(table)), database_(path), results_(database_, table_) {
  flusher_ = std::jthread([this](const std::stop_token& stop) { flush_now_and_then(stop); });
}

Store::~Store() {
  flusher_.request_stop();
  flusher_.join();
  try {
    flush();
  } catch (const std::exception&) {
    // Whoever wants to know has called flush().
  }
}

std::optional<Outcome> Store::find(const Key& key) {
  throw_failure();
  {
    const std::lock_guard lock(rows_mutex_);
    if (const auto row = waiting_.find(key); row != waiting_.end()) return row->second;
  }
  const std::lock_guard lock(database_mutex_);
  const std::optional<ResultRow> row = results_.find(key);
  if (!row) return {};
  const auto values = nlohmann::json::parse(row->metrics, nullptr, false);
  if (values.is_discarded() || !values.is_object()) database_.refuse("a row's metrics are damaged");
  Outcome outcome;
  outcome.time_s = row->time_s;
  outcome.limit = row->held_up_by;
  outcome.error = row->error;
  outcome.metrics = values.get<std::map<std::string, double>>();
  return outcome;
}

void Store::put(const Key& key, const Outcome& outcome) {
  throw_failure();
  const std::lock_guard lock(rows_mutex_);
  waiting_.emplace(key, outcome);
  if (waiting_.size() == 1) changed_.notify_one();
}

void Store::flush() {
  throw_failure();
  const std::lock_guard lock(database_mutex_);
  Rows rows;
  Names names;
  {
    // Whoever looks for one of them waits for the database meanwhile.
    const std::lock_guard rows_lock(rows_mutex_);
    rows.swap(waiting_);
    names.swap(waiting_names_);
  }
  if (!rows.empty() || !names.empty()) write(rows, names);
}

void Store::prune() {
  const std::lock_guard lock(database_mutex_);
  Database::Statement(database_, fmt::format("DELETE FROM {} WHERE version <> ?", table_))
      .run(model_version());
  if (const auto label = read_label(database_); label && label->version != model_version())
    drop_part(database_);
  database_.run("VACUUM");
}

void Store::begin_part(const PartLabel& label, std::span<const std::string> points) {
  const std::lock_guard lock(database_mutex_);
  database_.run("BEGIN IMMEDIATE");  // another shard may begin in the same file
  prepare_part(database_);
  if (const auto there = read_label(database_)) {
    if (there->study != label.study || !(there->shard == label.shard))
      database_.refuse(
          "has {}, and this is {}: each needs a separate store; --store part-{{shard}}.sqlite "
          "names one for each",
          words_of(*there), words_of(label));
    if (there->version != label.version)
      database_.refuse(
          "has {} as ringscope {} simulated it; this is {}: drop that with --prune, or name "
          "another file",
          words_of(*there), there->version, label.version);
    if (there->digest != label.digest)
      database_.refuse(
          "has {} with other points, or of another scenario: merge that before you change the "
          "study, or name another file",
          words_of(*there));
  } else {
    write_label(database_, label);
    Database::Statement insert(database_, "INSERT OR IGNORE INTO points VALUES (?, NULL)");
    for (const std::string& point : points) insert.run(point);
  }
  database_.run("COMMIT");
}

void Store::name(const std::string& point, const Key& key) {
  const std::lock_guard lock(rows_mutex_);
  waiting_names_.emplace(point, key);
}

void Store::write(const Rows& rows, const Names& names) {
  const std::string version = model_version();
  database_.run("BEGIN IMMEDIATE");
  if (!names.empty()) {
    Database::Statement update(database_,
                               "UPDATE points SET key = ?1 WHERE words = ?2 AND key IS NOT ?1");
    for (const auto& [point, key] : names) update.run(key, point);
  }
  for (const auto& [key, outcome] : rows)
    results_.insert({key, outcome.time_s, outcome.limit, nlohmann::json(outcome.metrics).dump(),
                     outcome.error, version});
  database_.run("COMMIT");
}

void Store::flush_now_and_then(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    {
      std::unique_lock lock(rows_mutex_);
      if (!changed_.wait(lock, stop, [this] { return !waiting_.empty(); })) return;
      changed_.wait_for(lock, stop, interval, [] { return false; });
    }
    try {
      flush();
    } catch (...) {
      const std::lock_guard lock(rows_mutex_);
      failure_ = std::current_exception();
      return;
    }
  }
}

void Store::throw_failure() {
  const std::lock_guard lock(rows_mutex_);
  if (failure_) std::rethrow_exception(failure_);
}

std::vector<std::string> metric_names() {
  std::vector<std::string> names = each_of<std::string>(metrics, &Metric::name);
  for (const Metric& metric : job_metrics) names.emplace_back(metric.name);
  names.insert(names.end(), training_metrics.begin(), training_metrics.end());
  for (const std::string_view cause : cause_names) names.push_back(path_metric(cause));
  return names;
}

bool more_is_better(const std::string& metric) {
  constexpr std::array<std::string_view, 5> rates = {"algbw", "busbw", "records_per_s",
                                                     "efficiency", "epochs"};
  return std::ranges::find(rates, metric) != rates.end();
}

Outcome outcome_of(const Report& report) {
  Outcome outcome;
  outcome.time_s = report.time_s;
  for (const Metric& metric : metrics) outcome.metrics.emplace(metric.name, metric.of(report));
  if (!report.neighbours.empty())
    for (const Metric& metric : job_metrics)
      outcome.metrics.emplace(metric.name, metric.of(report));
  for (const NeighbourReport& one : report.neighbours)
    outcome.metrics.emplace(fmt::format("neighbours.{}.time_s", one.name), one.time_s);
  if (report.training)
    for (const Json training = to_json(*report.training); const char* metric : training_metrics)
      outcome.metrics.emplace(metric, training.value(metric, 0.0));
  CauseSeconds spent{};
  for (const PathSegment& segment : report.path) spent[segment.cause] += segment.seconds;
  for (std::size_t i = 0; i < spent.size(); ++i)
    if (spent[i] > 0) outcome.metrics.emplace(path_metric(cause_names[i]), spent[i]);
  outcome.limit = limit_of(report, spent);
  return outcome;
}

}  // namespace ringscope
