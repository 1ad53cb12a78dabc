// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/answer/text/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>

#include "topologies/input/characters.hpp"

namespace ringscope {
namespace {

constexpr std::size_t most_samples = 16;  // more are in the JSON

/// Times above are those of a step, and these of all.
std::string steps_of_both(const Report& first, const Report& other) {
  if (!first.training || !other.training) return "";
  const int steps = first.training->steps;
  return steps > 1 && steps == other.training->steps ? fmt::format(" of {} steps", steps) : "";
}

double momentum_of(const Observation& staleness) { return 1 - 1 / (1 + staleness.mean); }

std::string staleness(const Observation& one) {
  return fmt::format(
      "  A gradient is applied to weights that {:.3g} updates of others have changed since its "
      "worker fetched them\n  (most: {:g}; synchronous servers: 0). Such updates act like an added "
      "momentum of about {:.2f}, 1 - 1/(1 + mean):\n  lower the optimiser's own momentum, or bound "
      "the staleness (stale_synchronous).\n",
      one.mean, one.most, momentum_of(one));
}

std::string pulls(const Observation& one) {
  std::string text;
  if (one.values.size() > 1 && one.values.front().first == 0)
    text += fmt::format(
        "  {} of {} pulls follow no step of their solver: they bring at most the steps of "
        "others.\n",
        one.values.front().second, one.count);
  constexpr double rounding = 0.005;
  if (one.mean > 1 + rounding)
    text += fmt::format(
        "  A solver makes {:.3g} steps from one pull to the next, on weights that miss as many of "
        "each other solver.\n",
        one.mean);
  return text;
}

const Observation* observed(const Report& report, std::string_view what) {
  const auto found =
      std::ranges::find_if(report.observations, [&](auto& one) { return one.what == what; });
  return found == report.observations.end() ? nullptr : &*found;
}

bool has_old_weights(const Report& report) {
  const Observation* staleness = observed(report, "staleness");
  return observed(report, "pull") != nullptr || (staleness != nullptr && staleness->mean > 0);
}

/// "-" where nobody observes it.
std::string cell(const Observation* one, double value) {
  return one != nullptr ? fmt::format("{:.3g}", value) : "-";
}

bool on_default_stream(const Report& report) {
  const Value* found = report.resolved.find("job");
  if (found != nullptr) found = found->find("options");
  if (found != nullptr) found = found->find("default_stream");
  return found != nullptr && found->text() != "0";
}

/// A cause, and as the last of several words the preposition before the resource or the rank.
constexpr Array<std::string_view, cause_names.size()> cause_words = {"computing on",
                                                                     "reducing on",
                                                                     "message overhead on",
                                                                     "CPU copy on",
                                                                     "memory traffic in",
                                                                     "link",
                                                                     "waiting for the lock of",
                                                                     "latency of",
                                                                     "handshakes with",
                                                                     "waiting for the call of",
                                                                     "waiting for progress of",
                                                                     "a late start of",
                                                                     "files at",
                                                                     "waiting for a clock of",
                                                                     "noise on",
                                                                     "the input of",
                                                                     "pinning buffers on"};

/// "host2/core0 (rank 7)", or "host0 (400 samples/s)": the input itself is the cause.
std::string place_of(const PathSegment& segment) {
  std::string place = segment.resource.name();
  if (segment.cause == Cause::input) {
    if (const auto input = place.find("/input"); input < place.size())
      place.erase(input, std::string_view("/input").size());
  } else if (segment.rank >= 0 && segment.resource.rank < 0) {
    const std::string rank = "rank " + std::to_string(segment.rank);
    place += place.empty() ? rank : " (" + rank + ")";
  }
  return place;
}

}  // namespace

std::string freshness_table(std::span<const Report> reports,
                            const std::vector<std::string>& names) {
  if (std::ranges::none_of(reports, has_old_weights)) return "";
  TextTable table({text_column("age of the weights"), "steps/s", "pull", "steps a pull",
                   "staleness", "most", "momentum"});
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const Observation* step = observed(reports[i], "step");
    const Observation* pull = observed(reports[i], "pull");
    const Observation* stale = observed(reports[i], "staleness");
    const bool timed = pull != nullptr && pull->median_interval_s > 0;
    table.add({names[i],
               cell(step, step ? static_cast<double>(step->count) / reports[i].time_s : 0),
               timed ? to_short_text(Seconds(pull->median_interval_s)) : "-",
               cell(pull, pull ? pull->mean : 0), cell(stale, stale ? stale->mean : 0),
               cell(stale, stale ? stale->most : 0), cell(stale, stale ? momentum_of(*stale) : 0)});
  }
  return '\n' + table.text(0) +
         "staleness: updates of others between a worker's fetch and its push; momentum: what they "
         "act like\n";
}

std::string freshness_text(const Report& report) {
  std::string text;
  for (const Observation& one : report.observations) {
    if (one.what == "staleness" && one.mean > 0) text += staleness(one);
    if (one.what == "pull") text += pulls(one);
  }
  if (on_default_stream(report))
    text +=
        "  Kernels and copies share the default stream: each copy waits for the kernels launched "
        "before it.\n";
  return text;
}

std::string difference_table(const Report& first, const Report& other,
                             std::span<const std::string> names, std::span<const Difference> rows,
                             std::optional<std::size_t> most) {
  const TimeScale scale(std::max(first.time_s, other.time_s));
  const auto [heading, other_heading] = short_headings(names[0], names[1]);
  TextTable table({"difference", other_heading, heading, text_column("cause")});
  double sum = 0, shown_sum = 0;
  const auto add = [&](double first_s, double other_s, const std::string& what) {
    sum += other_s - first_s;
    const double step = scale.rounded(sum) - shown_sum;
    shown_sum = scale.rounded(sum);
    table.add({scale.difference(step), scale.text(other_s), scale.text(first_s), what});
  };
  const auto first_small = std::ranges::find_if(
      rows, [&](const Difference& row) { return scale.rounded(row.seconds()) == 0; });
  const std::size_t shown =
      most ? std::min(*most, static_cast<std::size_t>(first_small - rows.begin())) : rows.size();
  for (const Difference& row : rows.first(shown)) add(row.first_s, row.other_s, row.spent_on);
  double first_rest = 0, other_rest = 0;
  for (const Difference& row : rows.subspan(shown)) {
    first_rest += row.first_s;
    other_rest += row.other_s;
  }
  if (shown < rows.size())
    add(first_rest, other_rest, plural(rows.size() - shown, "smaller cause"));
  table.add({scale.difference(shown_sum), scale.text(other.time_s), scale.text(first.time_s),
             "sum" + steps_of_both(first, other)});
  return table.text(2);
}

std::string streams_text(const Report& report) {
  const TimeScale scale(report.time_s);
  TextTable table({text_column("stream"), text_column("spends"), "mean", "share", "least", "most"});
  for (const StreamReport& stream : report.streams) {
    std::string name = stream.name;
    if (stream.ranks < report.ranks) name += fmt::format(" ({})", plural(stream.ranks, "rank"));
    for (const StreamReport::Spent& spent : stream.spent) {
      table.add({name, spent.on, scale.text(spent.mean_s),
                 fmt::format("{:.1f} %", 100 * spent.mean_s / report.time_s),
                 scale.text(spent.least_s), scale.text(spent.most_s)});
      name.clear();
    }
  }
  return "\n  What each stream of a rank does, on average\n" + table.text(2);
}

std::string samples_text(const Report& report) {
  std::vector<TextTable::Column> heads = {text_column("sampled"), "mean"};
  const std::vector<SampleReport>& all = report.samples;
  for (std::size_t i = 1; i <= all.front().percent.size(); ++i) heads.push_back(std::to_string(i));
  TextTable table(heads);
  const std::size_t shown = std::min(most_samples, all.size());
  for (const SampleReport& one : std::span(all).first(shown)) {
    const auto count = static_cast<double>(one.percent.size());
    const double sum = std::accumulate(one.percent.begin(), one.percent.end(), 0.0);
    std::vector<std::string> cells = {one.name, fmt::format("{:.0f}", sum / count)};
    for (const double percent : one.percent) cells.push_back(fmt::format("{:.0f}", percent));
    table.add(std::move(cells));
  }
  const auto windows = static_cast<double>(all.front().percent.size());
  return fmt::format(
             "\n  Loads in %, in windows of {}: GPUs as nvidia-smi has them, hosts as top\n",
             to_short_text(Seconds(report.time_s / windows))) +
         table.text(2) +
         (shown < all.size()
              ? fmt::format("  ... and {} more: --json has them all\n", all.size() - shown)
              : "");
}

std::array<std::string, 3> segment_words(const PathSegment& segment) {
  std::string_view words = cause_words[segment.cause];
  // A GPU copies by its blocks and engines, and no CPU does.
  if (segment.cause == Cause::copy && segment.resource.place.find("/gpu") < std::string::npos)
    words.remove_prefix(std::string_view("CPU ").size());
  const std::size_t gap = std::min(words.rfind(' '), words.size());
  return {std::string(words.substr(0, gap)), std::string(words.substr(gap)), place_of(segment)};
}

std::string segment_text(const PathSegment& segment, bool most) {
  const auto [cause, joint, place] = segment_words(segment);
  return place.empty() ? cause : cause + (most ? ", most of it" : "") + joint + ' ' + place;
}

std::string stuck_words(const Report& report) {
  const Deadlock& deadlock = *report.deadlock;
  std::string why = deadlock.text;
  if (!deadlock.cycle.empty())
    why = fmt::format("ranks {} wait for each other", fmt::join(deadlock.cycle, ", "));
  else if (!deadlock.waits.empty())
    why = "ranks wait for messages that no rank sends";
  return fmt::format("deadlocks after {}: {}", to_short_text(Seconds(report.time_s)), why);
}

}  // namespace ringscope
