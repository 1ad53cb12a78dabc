// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cli/commands/sweep_rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "scenarios/answer/text/report_text.hpp"
#include "scenarios/answer/text/table.hpp"
#include "scenarios/warnings/job_warnings.hpp"
#include "topologies/input/characters.hpp"
#include "topologies/networks/levels.hpp"

namespace ringscope {
namespace {

constexpr double no_gain = 0.01;  ///< a shorter time by less does not pay for a move

/// "1,307,674,368,000", or "2.5e39" where nobody would read the digits.
std::string count_text(const Count& count) {
  constexpr std::size_t most_digits = 15;
  std::string digits = count.str();
  if (digits.size() > most_digits)
    return fmt::format("{}.{}e{}", digits[0], digits[1], digits.size() - 1);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string held_up_by(const Placed& placed) {
  const Outcome& outcome = placed.outcome;
  const std::string& words = outcome.error.empty() ? outcome.limit : outcome.error;
  return words.substr(0, words.find('\n'));
}

std::string time_text(const Placed& placed) {
  return std::isfinite(placed.cost_s) ? to_short_text(Seconds(placed.cost_s)) : "deadlock";
}

std::string ratio_text(const Placed& placed, const Placed& best) {
  return std::isfinite(placed.cost_s) && best.cost_s > 0
             ? fmt::format("{:.3f} x", placed.cost_s / best.cost_s)
             : "-";
}

std::string order_text(const PlaceStudy& study, const PlaceAnswer& answer) {
  std::string text = "ranks in blocks";
  if (study.rules.order == RankOrder::packed) text += " on its first slots";
  if (study.rules.whole_hosts) text += ", whole hosts";
  if (!study.orders.empty()) text += fmt::format(", {} orders of the groups", study.orders.size());
  if (study.rules.order != RankOrder::any) return text;
  if (!study.rules.apart.empty())
    return fmt::format("any rank anywhere, {} of them apart", study.rules.apart.size());
  return study.rules.rotations && answer.only_routes ? "rings that may begin anywhere"
                                                     : "any rank anywhere";
}

std::string heading(const PlaceStudy& study, const PlaceAnswer& answer) {
  const auto hosts = std::ranges::count_if(study.rules.slots, [](int slots) { return slots > 0; });
  const bool counted = answer.raw > 0;
  std::string text = fmt::format("{}{} ranks on {}: {}{}{}{} that differ ({})\n",
                                 study.moves_all() ? "" : fmt::format("{} of ", study.rules.ranks),
                                 study.scenario.placement.ranks.size(), plural(hosts, "host"),
                                 counted ? count_text(answer.raw) + " placements, " : "",
                                 answer.searched ? "at least " : "", count_text(answer.least),
                                 counted ? "" : " placements", order_text(study, answer));
  if (!answer.only_routes)
    text += "hosts on the same switches count as equal, whatever routes the hash picks for them\n";
  if (!answer.searched && !answer.stopped)
    return text + (answer.only_routes ? "all of these were simulated: there is no better one\n"
                                      : "all of these were simulated\n");
  if (answer.searched)
    text += fmt::format("too many {}: a search (seed {}) looked at {}{}\n",
                        answer.uncounted ? "to count them in time" : "for the budget", study.seed,
                        answer.placed.size(),
                        answer.stopped ? fmt::format(" of {} and was stopped", study.budget) : "");
  else
    text += fmt::format("stopped when {} of these were simulated\n", answer.placed.size());
  const double best = answer.placed.front().cost_s;
  if (answer.free_s)
    return text +
           fmt::format(
               "with free links between hosts the job would take {}; the best placement found "
               "takes {:.2f}x that\n",
               to_short_text(Seconds(*answer.free_s)), best / *answer.free_s);
  if (!answer.bound_s)
    return text + "how much better one there may be is not known: " + answer.no_bound + '\n';
  return text +
         fmt::format("no placement takes less than {}; the best one found takes {:.2f} x as long\n",
                     to_short_text(Seconds(*answer.bound_s)), best / *answer.bound_s);
}

std::string_view time_head(const PlaceStudy& study) {
  if (study.jobs == WhoseTime::own) return "time";
  return study.jobs == WhoseTime::slowest ? "slowest job" : "mean of jobs";
}

double time_of_neighbour(const Placed& placed, const std::string& name) {
  const auto found = placed.outcome.metrics.find(fmt::format("neighbours.{}.time_s", name));
  return found == placed.outcome.metrics.end() ? 0 : found->second;
}

std::string seconds_text(const Placed& placed, double seconds) {
  return placed.outcome.error.empty() ? to_short_text(Seconds(seconds)) : "deadlock";
}

/// True where some ranks of a ring may reach the next one by one switch, and others not.
bool crosses(const PlaceStudy& study) {
  return goes_round(study.scenario) && network_levels(study.scenario.cluster.topology).size() > 1;
}

int crossings_of(const PlaceStudy& study, const Placed& placed) {
  return crossings(study.scenario.cluster.topology,
                   each_of(placed.placement.ranks, &Location::host));
}

/// The best ones, then the worst and the user's where they are not among them.
std::string table(const PlaceStudy& study, const PlaceAnswer& answer, std::size_t top) {
  const bool links = study.objective != Objective::time;
  const std::vector<Neighbour>& neighbours = study.scenario.neighbours;
  const bool orders = !study.orders.empty();
  std::vector<TextTable::Column> columns = {text_column("")};
  if (orders) columns.push_back(text_column("groups"));
  columns.push_back(text_column("placement"));
  columns.push_back(text_column("per host"));
  const bool levels = crosses(study);
  if (levels) columns.push_back("crossings");
  columns.push_back(std::string(time_head(study)));
  columns.push_back("ratio");
  if (study.jobs != WhoseTime::own) columns.push_back("own");
  for (const Neighbour& one : neighbours) columns.push_back(one.name);
  if (links)
    columns.push_back(
        text_column(study.objective == Objective::straggler ? "with slow" : "with degraded"));
  columns.push_back(text_column("bottleneck"));
  TextTable table(columns);
  const auto add = [&](const std::string& place, const Placed& placed) {
    std::vector<std::string> cells = {place};
    if (orders) cells.push_back(placed.groups);
    cells.push_back(placed.placement.text);
    cells.push_back(placed.per_host);
    if (levels) cells.push_back(std::to_string(crossings_of(study, placed)));
    cells.push_back(time_text(placed));
    cells.push_back(ratio_text(placed, answer.placed.front()));
    if (study.jobs != WhoseTime::own) cells.push_back(seconds_text(placed, placed.outcome.time_s));
    for (const Neighbour& one : neighbours)
      cells.push_back(seconds_text(placed, time_of_neighbour(placed, one.name)));
    if (links) cells.push_back(placed.degraded);
    cells.push_back(held_up_by(placed));
    table.add(std::move(cells));
  };
  const std::size_t shown = std::min(top, answer.placed.size());
  for (std::size_t i = 0; i < shown; ++i) add(std::to_string(i + 1), answer.placed[i]);
  if (shown < answer.placed.size())
    add(fmt::format("{}, worst", answer.placed.size()), answer.placed.back());
  add(answer.same ? fmt::format("{}, yours", *answer.same + 1) : "yours", answer.own);
  if (answer.random) {
    const RandomPlacements& random = *answer.random;
    std::vector<std::string> cells = {
        "random",
        random.count == 0 ? "median of all"
                          : fmt::format("median of {}, seed {}", random.count, study.seed),
        ""};
    if (levels) cells.emplace_back();
    if (orders) cells.insert(cells.begin() + 1, "");
    Placed like;
    like.cost_s = random.median_s;
    cells.push_back(time_text(like));
    cells.push_back(ratio_text(like, answer.placed.front()));
    cells.resize(columns.size());
    table.add(std::move(cells));
  }
  return table.text(0);
}

/// Why the rules do not allow the user's placement.
std::string not_allowed(const PlaceStudy& study, const Placed& own) {
  std::set<int> used;
  for (const int moved : study.moved)
    if (const int host = own.placement.ranks[moved].host; study.rules.slots[host] == 0)
      used.insert(host);
  std::vector<std::string> names;
  for (const int host : used) names.push_back(study.scenario.cluster.topology.hosts()[host].name);
  if (names.empty())
    return "your placement violates the search rules (listed for comparison only)\n";
  return fmt::format("your placement violates the search rules: it uses {}, which {} excluded\n",
                     fmt::join(names, ", "), names.size() == 1 ? "is" : "are");
}

Json placed_json(const PlaceStudy& study, const Placed& placed) {
  Json ranks = Json::array();
  for (const Location& rank : placed.placement.ranks) {
    Json one = {{"host", rank.host}, {"numa", rank.numa}};
    if (rank.binding == Binding::core) one["core"] = rank.core;
    if (rank.gpu >= 0) one["gpu"] = rank.gpu;
    ranks.push_back(std::move(one));
  }
  Json json;
  if (!placed.groups.empty()) json["groups"] = placed.groups;
  json["placement"] = placed.placement.text;
  json["per_host"] = placed.per_host;
  json["time_s"] = std::isfinite(placed.cost_s) ? Json(placed.cost_s) : Json();
  json["held_up_by"] = placed.outcome.limit;
  json["degraded"] = placed.degraded;
  json["crossings"] = crossings_of(study, placed);
  json["alike"] = placed.alike.str();
  json["error"] = placed.outcome.error;
  json["ranks"] = std::move(ranks);
  if (placed.likely)
    json["likely"] = {{"low_s", placed.likely->low_s}, {"high_s", placed.likely->high_s}};
  if (study.scenario.neighbours.empty() || !placed.outcome.error.empty()) return json;
  json["own_s"] = placed.outcome.time_s;
  for (const Neighbour& one : study.scenario.neighbours)
    json["neighbours_s"][one.name] = time_of_neighbour(placed, one.name);
  return json;
}

}  // namespace

std::string short_name(const std::string& words, const std::string& which) {
  constexpr std::size_t longest = 48, kept = 32;
  if (words.size() <= longest) return words;
  return fmt::format("{}... ({})", words.substr(0, words.find_last_of(" -", kept) + 1), which);
}

std::string place_screen(const PlaceStudy& study, const PlaceAnswer& answer, std::size_t top) {
  std::string text = heading(study, answer) + '\n' + table(study, answer, top);
  const double best = answer.placed.front().cost_s, own = answer.own.cost_s;
  if (!answer.own.allowed) text += not_allowed(study, answer.own);
  const auto percent = [](double share) { return fmt::format("{:.1f}", 100 * share); };
  const auto& drawn = answer.difference;
  const std::string interval =
      !drawn ? ""
             : fmt::format(
                   " ({} to {} % in {} draws of latencies, overheads and link efficiencies, "
                   "without errors of the model)",
                   percent(drawn->least), percent(drawn->most), drawn->draws);
  if (const auto& likely = answer.placed.front().likely)
    text += fmt::format("{}: {} with the best\n", spread_words(), range_text(*likely));
  const double gain = own / best - 1;
  const bool all = !answer.searched && !answer.stopped;
  const char* found = all ? "" : " found";
  if (own <= best)
    text += all ? "yours is as good as the best\n" : "none better than yours was found\n";
  else if (gain < no_gain || (drawn && drawn->least <= 0))
    text += fmt::format("no gain{0}: yours takes {1} % longer than the best{0}{2}\n", found,
                        percent(gain), interval);
  else if (!answer.open_order.empty())
    text += fmt::format("no certain gain{}: {} % longer, within the {} % intervals (other {})\n",
                        found, percent(gain), spread_percent, answer.open_order);
  else if (drawn)
    text +=
        fmt::format("yours takes {} % longer than the best{}{}\n", percent(gain), found, interval);
  return text;
}

std::string warnings_of_search(const PlaceStudy& study) {
  Scenario asked = study.scenario;
  asked.job.noise.slow_hosts.clear();  // a search may well leave them without ranks
  if (study.objective == Objective::straggler) asked.job.noise.stragglers = {0};
  std::string text;
  for (const std::string& warning : job_warnings(asked))
    text += fmt::format("\nwarning: {}\n", warning);
  return text;
}

std::string place_csv(const PlaceAnswer& answer) {
  std::string text =
      "place,placement,per_host,time_s,ratio,held_up_by,degraded,alike,yours,groups\n";
  const double best = answer.placed.front().cost_s;
  for (std::size_t i = 0; i < answer.placed.size(); ++i) {
    const Placed& one = answer.placed[i];
    const bool finite = std::isfinite(one.cost_s);
    text += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", i + 1, csv_cell(one.placement.text),
                        one.per_host, finite ? fmt::format("{}", one.cost_s) : "",
                        finite && best > 0 ? fmt::format("{}", one.cost_s / best) : "",
                        csv_cell(held_up_by(one)), csv_cell(one.degraded), one.alike.str(),
                        answer.same == i ? 1 : 0, one.groups);
  }
  return text;
}

Json place_json(const PlaceStudy& study, const PlaceAnswer& answer,
                const Verification& verification) {
  Json json;
  json["schema"] = 1;
  json["version"] = version();
  json["study"] = study.name;
  json["question"] = study.scenario.question;
  json["ranks"] = study.scenario.placement.ranks.size();
  json["objective"] = name_of(study.objective);
  if (!study.scenario.neighbours.empty())
    json["jobs"] = Array<std::string_view, 3>{"own", "slowest", "mean"}[study.jobs];
  json["raw"] = answer.raw.str();
  json["differ"] = answer.least.str();
  json["searched"] = answer.searched;
  json["seed"] = study.seed;
  json["stopped"] = answer.stopped;
  json["bound_s"] = answer.bound_s ? Json(*answer.bound_s) : Json();
  json["no_bound"] = answer.no_bound;
  if (answer.difference)
    json["difference"] = {{"draws", answer.difference->draws},
                          {"least", answer.difference->least},
                          {"most", answer.difference->most}};
  if (!answer.open_order.empty()) json["open_order"] = answer.open_order;
  if (answer.free_s) json["free_links_s"] = *answer.free_s;
  json["random"] = Json();
  if (answer.random)
    json["random"] = {
        {"count", answer.random->count},
        {"median_s",
         std::isfinite(answer.random->median_s) ? Json(answer.random->median_s) : Json()}};
  json["placements"] = Json::array();
  for (const Placed& placed : answer.placed)
    json["placements"].push_back(placed_json(study, placed));
  json["yours"] = placed_json(study, answer.own);
  json["yours"]["place"] = answer.same ? Json(*answer.same + 1) : Json();
  json["yours"]["allowed"] = answer.own.allowed;
  json["verified"] = Json::array();
  for (const Verified& one : verification.verified)
    json["verified"].push_back(
        {{"name", one.name}, {"time_s", one.time_s}, {"simgrid_s", one.simgrid_s}});
  json["warning"] = verification.warning;
  return json;
}

}  // namespace ringscope
