// SPDX-License-Identifier: LGPL-2.1-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "base/table.hpp"
#include "cli/cases/cases.hpp"
#include "cli/cases/study_options.hpp"
#include "cli/commands/subcommands.hpp"
#include "cli/commands/sweep_rows.hpp"
#include "cli/terminal/failure.hpp"
#include "cli/terminal/progress_bar.hpp"
#include "scenarios/answer/text/report_text.hpp"
#include "scenarios/question/nccl_communicators.hpp"
#include "scenarios/question/scenario_tree.hpp"
#include "sim/simulation.hpp"
#include "sim/studies/search/place_points.hpp"
#include "topologies/imports/schedulers/node_lists.hpp"
#include "topologies/input/characters.hpp"
#include "topologies/placement/places.hpp"

namespace ringscope {
namespace {

struct PlaceArguments {
  std::string study, on, own, only;
  QuestionArguments question;
  int ranks = 0;
  // Keys of `place`, by their names; "": not said.
  std::string order, slots, taken, budget, seed, objective, degrade, whose, random;
  std::string straggler, move, pin, apart, time, groups, csv, json;
  bool whole_hosts = false;
  std::size_t top = 5;
  LaunchFiles launch;
  StudyOptions options;
};

Value said(const std::string& flag, const std::string& text) {
  return Value::from_text(flag, text);
}

/// The flags as the map `place` that they are laid over.
Value place_flags(const PlaceArguments& arguments) {
  Value map = Value::empty_map_at(typed("place", "").place());
  const std::pair<const char*, const std::string*> texts[] = {
      {"order", &arguments.order},         {"slots", &arguments.slots},
      {"budget", &arguments.budget},       {"seed", &arguments.seed},
      {"objective", &arguments.objective}, {"degrade", &arguments.degrade},
      {"jobs", &arguments.whose},          {"random", &arguments.random},
      {"move", &arguments.move},           {"pin", &arguments.pin},
      {"apart", &arguments.apart}};
  for (const auto& [key, text] : texts)
    if (!text->empty())
      map.set(key,
              said(text == &arguments.whose ? "--whose-time" : fmt::format("--{}", key), *text));
  if (arguments.taken.find('/') != std::string::npos ||
      std::filesystem::is_regular_file(arguments.taken))
    map.set("taken", typed("--exclude", arguments.taken));
  else if (!arguments.taken.empty())
    map.set("taken", said("--exclude", "[" + arguments.taken + "]"));
  if (!arguments.straggler.empty())
    map.set("straggler.hosts", said("--straggler", "[" + arguments.straggler + "]"));
  if (!arguments.groups.empty()) {
    const bool list = arguments.groups.find('-') != std::string::npos;
    map.set("groups", said("--groups", list ? "[" + arguments.groups + "]" : arguments.groups));
  }
  if (arguments.whole_hosts) map.set("whole_hosts", said("--whole-hosts", "true"));
  return map;
}

/// Packs as many ranks as there shall be, host after host, on the slots that the flags leave.
std::string packed(const Value& cluster, const PlaceArguments& arguments) {
  const Topology topology = read_cluster(cluster).topology;
  const bool on_gpus = arguments.on == "gpu";
  Table<int> room(topology.hosts().size());
  for (const Bin& bin : bins_of(topology, on_gpus ? SlotKind::gpu : SlotKind::core))
    room[bin.host] += bin.capacity;
  const int most = whole_number(arguments.slots).value_or(most_ranks);
  if (const Value flags = place_flags(arguments); const Value* taken = flags.find("taken"))
    for (const FreeSlots& free : read_free_slots(*taken, topology))
      room[free.host] = std::min(room[free.host], free.slots(on_gpus));
  std::string counts;
  int left = arguments.ranks;
  for (std::size_t host = 0; host < room.size() && left > 0; ++host) {
    const int here = std::min({left, room[host], most});
    counts += fmt::format("{}{}", host == 0 ? "" : "-", here);
    left -= here;
  }
  if (left > 0) cluster.fail("there is no room for {} of the {} ranks", left, arguments.ranks);
  return counts;
}

/// Where ranks are placed that only counts place: NCCL's on GPUs.
std::string slots_of(const PlaceArguments& arguments) {
  if (!arguments.on.empty()) return arguments.on;
  const auto by_nccl = [](const Override& one) {
    return one.key == "job" && is_by_nccl(Value::from_text(one.option, one.text));
  };
  return std::ranges::any_of(arguments.question.parts, by_nccl) ? "gpu" : "core";
}

/// The scenario that options give, its --ranks packed.
StudyFile placed_by_options(const PlaceArguments& asked) {
  PlaceArguments arguments = asked;
  arguments.on = slots_of(asked);
  StudyFile file{"place", spelled_out("place", arguments.question, {"cluster", "library", "job"})};
  Value scenario = file.tree;
  bool placed = false;
  for (const Override& one : arguments.question.overrides()) {
    placed |= one.key == "placement";
    if (placed || one.key != "cluster" || arguments.ranks < 1) continue;
    const std::string counts = packed(Value::from_text(one.option, one.text), arguments);
    scenario.set("placement.hosts", said("--ranks", counts));
    scenario.set("placement.on", said("--on", arguments.on));
  }
  if (!placed && arguments.ranks < 1)
    throw BadInput("place: expected --ranks or --placement, or a scenario");
  file.tree.set("scenario", scenario);
  return file;
}

PlaceStudy read(const PlaceArguments& arguments, StudyOptions& options) {
  if (!arguments.time.empty()) options.time = wall_time("--time-limit", arguments.time);
  std::vector<Override> overrides = arguments.question.overrides();
  if (!arguments.own.empty()) overrides.push_back({"placement", arguments.own, "--baseline"});
  PlaceStudy study = read_place(
      arguments.study.empty() ? placed_by_options(arguments) : read_place_file(arguments.study),
      overrides, place_flags(arguments), arguments.only);
  arguments.launch.require_for(study.slot_kind);
  return study;
}

/// The search may look at less than its budget; with one fault, each link is one more at most.
void announce(const PlaceStudy& study, StudyRun& run) {
  const int links = study.scenario.cluster.topology.link_count() / 2;
  const double each = study.objective == Objective::time ? 1 : 1 + links;
  run.announce(study.budget, [&study](std::size_t, KnownParts&) { return study.scenario; },
               {"placements or fewer", "give it a --time-limit or a lower --budget", each});
}

PlaceAnswer answer_of(const PlaceStudy& study, StudyRun& run, ProgressBar& bar) {
  announce(study, run);
  PlaceAnswer answer =
      place(study, run.evaluator(), [&run](auto... pace) { run.say_pace(pace...); });
  bar.say(run.summary(run.evaluator().simulated() + run.evaluator().cached()));
  return answer;
}

/// The best, the worst and the user's, those that do not get stuck.
Verification verify(const PlaceStudy& study, const PlaceAnswer& answer, ProgressBar& bar) {
  std::vector<Scenario> scenarios;
  std::vector<Outcome> outcomes;
  for (const Placed* placed : {&answer.placed.front(), &answer.placed.back(), &answer.own}) {
    if (!placed->outcome.error.empty()) continue;
    scenarios.push_back(placed_scenario(study, *placed));
    outcomes.push_back(placed->outcome);
  }
  return verify_on_simgrid(scenarios, outcomes, bar);
}

/// Causes of the difference between the user's placement and the best.
std::string why(const PlaceStudy& study, const PlaceAnswer& answer) {
  const Placed &best = answer.placed.front(), &own = answer.own;
  if (!std::isfinite(own.cost_s) || own.cost_s <= best.cost_s) return "";
  RunOptions options;
  options.kernel = "fluid";
  std::vector<Report> reports;
  for (const Placed* placed : {&best, &own}) {
    Scenario scenario = placed_scenario(study, *placed);
    scenario.name =
        fmt::format("{}{}{} {}", study.name, study.orders.empty() ? "" : " ",
                    study.orders.empty() ? "" : placed->groups,
                    short_name(placed->placement.text, placed == &best ? "best" : "yours"));
    reports.push_back(simulate(scenario, options));
  }
  return '\n' + print_compare(reports);
}

/// The best placement, to be started.
LaunchTask launch_of(const PlaceStudy& study, const PlaceAnswer& answer) {
  const Placed& best = answer.placed.front();
  LaunchTask launch{best.placement, study.scenario.cluster.topology, best.groups};
  launch.shared = study.shared;
  for (const Location& rank : places_of(study.scenario.neighbours))
    if (rank.gpu >= 0) launch.shared.insert(rank.host);
  return launch;
}

void print(const PlaceArguments& arguments, const PlaceStudy& study, const PlaceAnswer& answer,
           const Verification& verified, ProgressBar& bar) {
  bar.phase("comparing the best with yours");
  std::string screen = place_screen(study, answer, arguments.top) + why(study, answer);
  const std::string words = answer.stopped && arguments.options.verify > 0
                                ? "stopped before SimGrid had simulated any of them again"
                                : verified.text("the best, the worst and yours");
  if (!words.empty()) screen += '\n' + words + '\n';
  const std::string lines = arguments.launch.lines(launch_of(study, answer));
  if (!lines.empty())
    screen += fmt::format("\nthe best one{} is started by\n{}",
                          study.orders.empty() ? ""
                                               : ", a program whose groups are in the order " +
                                                     answer.placed.front().groups + ",",
                          lines);
  screen += warnings_of_search(study);
  bar.end();
  show_screen(screen);
  if (!arguments.csv.empty())
    suggest("ringscope plot " + shell_word(arguments.csv) + " -o placements.png");
  else if (!arguments.study.empty() && arguments.launch.empty())
    suggest(
        "ringscope place " + shell_word(arguments.study) +
        (study.slot_kind == SlotKind::gpu ? " --rank-map best.json" : " --rankfile best.rankfile"));
}

void place_shard(const PlaceArguments& arguments, StudyOptions& options) {
  std::vector<std::pair<std::string, std::string>> answers = arguments.launch.flags();
  answers.insert(answers.begin(), {{"--csv", arguments.csv}, {"--json", arguments.json}});
  refuse_answers(options, answers, "place");
  ProgressBar bar("reading");
  const PlaceStudy study = read(arguments, options);
  run_shard(place_points(study), options, bar);
}

void run_place(PlaceArguments& arguments) {
  arguments.launch.settle();
  StudyOptions options = arguments.options;
  options.may_stop = true;
  settle_shard(options);
  if (options.part) return place_shard(arguments, options);
  std::vector<std::string> files = arguments.launch.names;
  files.insert(files.begin(), {arguments.csv, arguments.json});
  const bool text = print_text(files);
  ProgressBar bar("reading");
  const PlaceStudy study = read(arguments, options);
  bar.phase("");
  StudyRun run(options, study.name, bar);  // until all is written: it ends with what is in flight
  const PlaceAnswer answer = answer_of(study, run, bar);
  Verification verified;
  if (options.verify > 0 && !answer.stopped) verified = verify(study, answer, bar);
  begin_writing(bar, text);
  if (!arguments.csv.empty()) write_output(arguments.csv, place_csv(answer));
  if (!arguments.json.empty())
    write_output(arguments.json, place_json(study, answer, verified).dump(2) + '\n');
  arguments.launch.write(launch_of(study, answer));
  if (text) print(arguments, study, answer, verified, bar);
  arguments.launch.require_written(launch_of(study, answer));
  end_with_warning(verified);
}

void add_question(Command& command, PlaceArguments& arguments) {
  command.add_option("STUDY", arguments.study);
  add_question_options(command, arguments.question);
  command.add_option("--case", arguments.only);
  command.add_option("--ranks", arguments.ranks).between(1, 1 << 20);
  command.add_option("--on", arguments.on);
  command.add_option("--baseline", arguments.own);
}

void add_rules(Command& command, PlaceArguments& arguments) {
  command.add_option("--order", arguments.order);
  command.add_option("--groups", arguments.groups);
  command.add_option("--move", arguments.move);
  command.add_option("--pin", arguments.pin);
  command.add_option("--apart", arguments.apart);
  command.add_option("--slots", arguments.slots);
  command.add_option("--exclude", arguments.taken);
  command.add_flag("--whole-hosts", arguments.whole_hosts);
  command.add_option("--budget", arguments.budget);
  command.add_option("--seed", arguments.seed);
  command.add_option("--time-limit", arguments.time);
  command.add_option("--random", arguments.random);
  command.add_option("--objective", arguments.objective);
  command.add_option("--straggler", arguments.straggler);
  command.add_option("--whose-time", arguments.whose);
  command.add_option("--degrade", arguments.degrade);
}

void add_answers(Command& command, PlaceArguments& arguments) {
  command.add_option("--top", arguments.top).show_default();
  command.add_option("--csv", arguments.csv);
  command.add_option("--json", arguments.json);
  arguments.launch.add_options(command);
  add_study_options(command, arguments.options);
}

}  // namespace

void add_place(Command& program) {
  auto [command, arguments] = program.add_subcommand("place", run_place);
  add_question(command, arguments);
  add_rules(command, arguments);
  add_answers(command, arguments);
}

}  // namespace ringscope
