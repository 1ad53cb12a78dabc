// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/commands/sweep_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "scenarios/answer/text/report_text.hpp"
#include "scenarios/answer/text/table.hpp"

namespace ringscope {
namespace {

/// A cause that the critical path does not meet took no time; other metrics are there or are not.
std::optional<double> metric_of(const Outcome& outcome, const std::string& metric) {
  if (!outcome.error.empty()) return {};
  const auto found = outcome.metrics.find(metric);
  if (found != outcome.metrics.end()) return found->second;
  if (metric.starts_with("critical_path.")) return 0;
  return {};
}

std::string metric_text(const Outcome& outcome, const std::string& metric) {
  const auto value = metric_of(outcome, metric);
  if (!value) return "-";
  if (metric.ends_with("_per_s")) return fmt::format("{:.4g}", *value);
  if (metric == "epoch_s" || metric == "training_s") return duration_text(*value);
  if (metric.ends_with("_s") || metric.starts_with("critical_path."))
    return to_short_text(Seconds(*value));
  if (metric.ends_with("bw")) return *value > 0 ? to_short_text(Bandwidth{*value}) : "-";
  if (metric.starts_with("bytes_")) return to_short_text(Bytes{static_cast<std::uint64_t>(*value)});
  if (metric == "efficiency") return fmt::format("{:.1f} %", 100 * *value);
  return fmt::format("{:.6g}", *value);
}

/// Value for people: quantities that a range made have more digits than a screen.
std::string short_text(const Value& value) {
  if (value.is_null()) return "";
  if (value.kind() != Value::Kind::scalar) return to_json(value).dump();
  const std::string& text = value.scalar();
  constexpr std::size_t few = 12;
  if (text.size() <= few || text == "unlimited") return text;
  if (const auto bytes = parse_bytes(text)) return to_short_text(*bytes);
  if (const auto bandwidth = parse_bandwidth(text)) return to_short_text(*bandwidth);
  if (const auto seconds = parse_seconds(text)) return to_short_text(*seconds);
  const auto space = text.find(' ');
  if (parse_byte_cost(text) && space != std::string::npos)
    return fmt::format("{:.4g}{}", std::stod(text), text.substr(space));
  return text;
}

std::string held_up_by(const Outcome& outcome) {
  if (outcome.error.empty()) return outcome.limit;
  return outcome.error.substr(0, outcome.error.find('\n'));
}

std::string line_of(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& one : cells) line += (&one == cells.data() ? "" : ",") + csv_cell(one);
  return line + '\n';
}

const CaseTree& case_of(const Study& study, std::size_t row) {
  return study.cases[row / study.points.size()];
}

const StudyPoint& point_of(const Study& study, std::size_t row) {
  return study.points[row % study.points.size()];
}

/// Keys by their last part, which is enough where no other key ends so.
std::string short_key(const Study& study, const std::string& key) {
  const auto last = [](const std::string& name) { return name.substr(name.rfind('.') + 1); };
  const auto alike = [&](const std::string& other) { return last(other) == last(key); };
  return std::ranges::count_if(study.keys, alike) == 1 ? last(key) : key;
}

}  // namespace

std::vector<std::size_t> best_first(std::span<const Outcome> outcomes, const std::string& metric) {
  const double sign = more_is_better(metric) ? -1 : 1;
  std::vector<double> cost;
  for (const Outcome& outcome : outcomes) {
    const auto value = metric_of(outcome, metric);
    cost.push_back(value ? sign * *value : std::numeric_limits<double>::infinity());
  }
  std::vector<std::size_t> order(outcomes.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return cost[a] < cost[b]; });
  return order;
}

std::string sweep_table(const Study& study, std::span<const Outcome> outcomes,
                        std::span<const std::size_t> rows) {
  const bool cases = study.cases.size() > 1;
  std::vector<TextTable::Column> columns;
  if (cases) columns.push_back(text_column("case"));
  for (const std::string& key : study.keys) columns.push_back(short_key(study, key));
  for (const std::string& metric : study.metrics)
    columns.push_back(metric.ends_with("_s") && !metric.ends_with("_per_s")
                          ? metric.substr(0, metric.size() - 2)
                          : metric);
  if (study.compares_clusters) columns.push_back("ratio");
  columns.push_back(text_column("bottleneck"));
  TextTable table(columns);
  for (const std::size_t row : rows) {
    std::vector<std::string> cells;
    if (cases) cells.push_back(case_of(study, row).name);
    for (const Value& value : point_of(study, row)) cells.push_back(short_text(value));
    for (const std::string& metric : study.metrics)
      cells.push_back(metric_text(outcomes[row], metric));
    if (study.compares_clusters) {
      const auto value = metric_of(outcomes[row], study.metrics.front()),
                 first = metric_of(outcomes[row % study.points.size()], study.metrics.front());
      cells.push_back(value && first ? fmt::format("{:.3f} x", *value / *first) : "-");
    }
    cells.push_back(held_up_by(outcomes[row]));
    table.add(std::move(cells));
  }
  return table.text(0);
}

std::string best_text(const Study& study, std::span<const Outcome> outcomes,
                      std::span<const std::size_t> best) {
  const std::string& metric = study.metrics.front();
  // Jobs of different sizes are no choice: the smallest would be named.
  if (metric == "time_s" && std::ranges::count(study.keys, "job.bytes") > 0) return "";
  const std::string least = metric_text(outcomes[best[0]], metric);
  const auto as_good = std::ranges::count_if(
      best, [&](std::size_t row) { return metric_text(outcomes[row], metric) == least; });
  if (as_good == std::ssize(best) || !metric_of(outcomes[best[0]], metric)) return "";
  std::string words = study.cases.size() > 1 ? case_of(study, best[0]).name + ", " : "";
  const StudyPoint& point = point_of(study, best[0]);
  for (std::size_t i = 0; i < study.keys.size(); ++i)
    if (!point[i].is_null())
      words += fmt::format("{} {}, ", short_key(study, study.keys[i]), short_text(point[i]));
  return fmt::format("the best by {}: {}{}{}\n", metric, words, least,
                     as_good > 1 ? fmt::format(" (and {} as good)", as_good - 1) : "");
}

std::string vain_keys_text(const Study& study, std::span<const Outcome> outcomes) {
  std::string text;
  for (std::size_t key = 0; key < study.keys.size(); ++key) {
    std::map<std::string, const Outcome*> first;  // by the case and all other values
    bool varied = false, alike = true;
    for (std::size_t row = 0; row < outcomes.size() && alike; ++row) {
      std::string others = case_of(study, row).name;
      const auto point = point_of(study, row);
      for (std::size_t i = 0; i < study.keys.size(); ++i)
        if (i != key) others += '\n' + to_json(point[i]).dump();
      const auto [known, is_new] = first.emplace(others, &outcomes[row]);
      varied = varied || !is_new;
      alike = is_new || (known->second->metrics == outcomes[row].metrics &&
                         known->second->error == outcomes[row].error);
    }
    if (varied && alike)
      text += fmt::format("warning: '{}' changes nothing: all its values give the same times\n",
                          study.keys[key]);
  }
  return text;
}

std::string sweep_csv(const Study& study, std::span<const Outcome> outcomes) {
  std::vector<std::string> head = {"case"};
  head.insert(head.end(), study.keys.begin(), study.keys.end());
  head.insert(head.end(), study.metrics.begin(), study.metrics.end());
  head.insert(head.end(), {"held_up_by", "error"});
  std::string text = line_of(head);
  for (std::size_t row = 0; row < outcomes.size(); ++row) {
    std::vector<std::string> cells = {case_of(study, row).name};
    for (const Value& value : point_of(study, row))
      cells.push_back(value.kind() == Value::Kind::scalar ? value.scalar()
                      : value.is_null()                   ? ""
                                                          : to_json(value).dump());
    for (const std::string& metric : study.metrics) {
      const auto value = metric_of(outcomes[row], metric);
      cells.push_back(value ? fmt::format("{}", *value) : "");
    }
    cells.push_back(outcomes[row].limit);
    cells.push_back(outcomes[row].error);
    text += line_of(cells);
  }
  return text;
}

Json sweep_json(const Study& study, std::span<const Outcome> outcomes,
                std::span<const std::size_t> best, const Verification& verification) {
  Json rows = Json::array();
  for (std::size_t row = 0; row < outcomes.size(); ++row) {
    Json set = Json::object(), metrics = Json::object();
    const StudyPoint& point = point_of(study, row);
    for (std::size_t i = 0; i < study.keys.size(); ++i)
      if (!point[i].is_null()) set[study.keys[i]] = to_json(point[i]);
    for (const std::string& metric : study.metrics) {
      const auto value = metric_of(outcomes[row], metric);
      metrics[metric] = value ? Json(*value) : Json(nullptr);
    }
    rows.push_back({{"case", case_of(study, row).name},
                    {"set", std::move(set)},
                    {"metrics", std::move(metrics)},
                    {"held_up_by", outcomes[row].limit},
                    {"error", outcomes[row].error}});
  }
  const std::vector<Verified>& verified = verification.verified;
  Json checks = Json::array();
  for (std::size_t i = 0; i < verified.size(); ++i)
    checks.push_back(
        {{"row", best[i]}, {"time_s", verified[i].time_s}, {"simgrid_s", verified[i].simgrid_s}});
  return {{"schema", 1},
          {"version", version()},
          {"study", study.name},
          {"question", study.question},
          {"keys", study.keys},
          {"by", study.metrics.front()},
          {"rows", std::move(rows)},
          {"verified", std::move(checks)},
          {"warning", verification.warning}};
}

}  // namespace ringscope
