// SPDX-License-Identifier: LGPL-2.1-or-later
// Names of steps, by which steps wait for others.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "algorithms/collectives.hpp"
#include "algorithms/verbs/executor.hpp"
#include "scenarios/program/steps.hpp"
#include "scenarios/workload/options.hpp"

namespace ringscope {
namespace {

class NameJoiner {
 public:
  NameJoiner(programs::Program& program, const std::vector<NamedStep>& named)
      : program_(&program), named_(&named) {}

  void join() {
    for (const NamedStep& one : *named_)
      if (!one.name.empty()) note(one);
    for (const NamedStep& one : *named_)
      for (const NamedStep::Awaited& awaited : one.after) join(one, awaited);
    program_->flags = flags_;
    set(program_->steps);
  }

 private:
  void note(const NamedStep& one) {
    auto& sites = sites_[one.name];
    if (!sites.empty() && sites.front()->stream != one.stream)
      one.place.fail("steps of one name are on one stream, and '{}' is on {} and {}", one.name,
                     stream(*sites.front()), stream(one));
    sites.push_back(&one);
  }

  const std::string& stream(const NamedStep& one) const { return program_->streams[one.stream]; }

  /// In the order of the program, or in an earlier turn of a loop around both.
  static bool comes_before(const NamedStep& one, const NamedStep& other) {
    const bool in_a_loop =
        !one.loops.empty() && !other.loops.empty() && one.loops.front() == other.loops.front();
    return one.id < other.id || in_a_loop;
  }

  void join(const NamedStep& one, const NamedStep::Awaited& awaited) {
    const auto found = sites_.find(awaited.name);
    if (found == sites_.end()) {
      std::vector<std::string> known;
      for (const auto& [name, sites] : sites_) known.push_back(name);
      awaited.at.fail(unknown_name("step", awaited.name, known));
    }
    const auto& sites = found->second;
    if (std::ranges::none_of(sites, [&](const auto* site) { return comes_before(*site, one); }))
      fail_behind(one, awaited);
    if (sites.front()->stream == one.stream) return;  // a stream keeps the order
    const auto [flag, is_new] = flag_of_.try_emplace(awaited.name, flags_);
    if (is_new && ++flags_ > most_flags)
      awaited.at.fail("steps wait for at most {} others by name", most_flags);
    after_[one.id].push_back({flag->second, awaited.back});
  }

  [[noreturn]] void fail_behind(const NamedStep& one, const NamedStep::Awaited& awaited) const {
    std::vector<std::string> circle = {one.name.empty() ? "this step" : one.name};
    if (awaited.name == one.name) awaited.at.fail("'{}' waits for itself", one.name);
    if (leads_back(awaited.name, one.name, circle))
      awaited.at.fail("steps wait for each other in a circle: {}",
                      fmt::join(circle, ", which waits for "));
    awaited.at.fail(
        "'{}' comes behind this step, and they are in no loop together: a step waits for an "
        "earlier step",
        awaited.name);
  }

  /// Appends the way from `name` to `end`, by what waits for what.
  bool leads_back(const std::string& name, const std::string& end,
                  std::vector<std::string>& way) const {
    if (std::ranges::find(way.begin() + 1, way.end(), name) != way.end()) return false;
    way.push_back(name);
    if (name == end) return true;
    for (const NamedStep* site : sites_.at(name))
      for (const NamedStep::Awaited& next : site->after)
        if (sites_.contains(next.name) && leads_back(next.name, end, way)) return true;
    way.pop_back();
    return false;
  }

  void set(std::vector<programs::Step>& steps) {
    for (programs::Step& step : steps) {
      if (const auto found = after_.find(step.id); found != after_.end())
        step.after = found->second;
      set(step.steps);
    }
    for (const auto& [name, flag] : flag_of_)
      for (const NamedStep* site : sites_.at(name)) raise(steps, site->id, flag);
  }
  static void raise(std::vector<programs::Step>& steps, int id, int flag) {
    for (programs::Step& step : steps)
      if (step.id == id) step.raises = flag;
  }

  programs::Program* program_;
  const std::vector<NamedStep>* named_;
  std::map<std::string, std::vector<const NamedStep*>> sites_;
  std::map<std::string, int> flag_of_;
  std::map<int, std::vector<programs::After>> after_;  ///< by the step's number
  int flags_ = 0;
};

// Conditions of a step: the ranks that do it.

using programs::Condition;

/// `first`, `last`, `even`, `odd`, `all`, an index, "2-5", or a list of these last two.
Condition read_places(const Value& value, int kind) {
  constexpr std::int64_t most = 1 << 24;
  Condition condition{.kind = kind, .which = Condition::Which::listed};
  const auto add = [&](const Value& one) {
    const std::string text = one.text();
    const std::size_t dash = text.find('-', 1);
    if (dash == text.npos) {
      condition.places.push_back(one.whole(-most, most));
      return;
    }
    const auto end_of = [&](const std::string& part) {
      return Value::scalar_at(one.place(), part).whole(0, most);
    };
    const int from = end_of(text.substr(0, dash)), to = end_of(text.substr(dash + 1));
    if (to < from) one.fail("expected indices from the first to the last one, got '{}'", text);
    for (int place = from; place <= to; ++place) condition.places.push_back(place);
  };
  if (value.kind() == Value::Kind::list) {
    for (const Value& one : value.items()) add(one);
    if (condition.places.empty()) value.fail("expected an index of the group, got none");
  } else {
    const std::string text = value.text();
    if (text == "first") condition.places = {0};
    if (text == "last") condition.places = {-1};
    if (text == "even") condition.which = Condition::Which::even;
    if (text == "odd") condition.which = Condition::Which::odd;
    if (text == "all") condition.which = Condition::Which::any;
    const char first = text.front();
    const bool number = first == '-' || (first >= '0' && first <= '9');
    if (number) add(value);
    if (!number && condition.places.empty() && condition.which == Condition::Which::listed)
      value.fail(
          "expected first, last, even, odd, all, an index of the group such as 0 or -1, or a list "
          "of indices, got '{}'",
          text);
  }
  std::ranges::sort(condition.places);
  return condition;
}

void require_places(const Value& value, const Condition& condition,
                    const programs::GroupKind& kind) {
  std::size_t most = 0;
  for (const auto& group : kind.groups) most = std::max(most, group->size());
  const int size = static_cast<int>(most);
  for (const int place : condition.places)
    if (place >= size || place < -size)
      value.fail("no group of {} has an index {}: the largest has {} ranks, 0 to {}", kind.name,
                 place, size, size - 1);
}

// A collective among a program's groups: which algorithm, and with which options.

/// A training step has streams and groups of its own.
bool is_of_one_vector(const Algorithm& algorithm) { return !reads(algorithm, "model"); }

std::vector<std::string> names_of(std::string_view collective) {
  return algorithm_names(collective, is_of_one_vector);
}

/// NCCL's, or the ring, where there is one; else the first in the catalogue that runs on one
/// thread.
std::string usual_name(const std::string& collective, bool nccl) {
  if (nccl && find_algorithm(collective, "nccl") != nullptr) return "nccl";
  if (find_algorithm(collective, "ring") != nullptr) return "ring";
  for (const Algorithm& one : catalogue())
    if (one.collective == collective && threads_of(one, {}) == 1 && one.nonblocking == 0)
      return std::string(one.name);
  return names_of(collective).front();
}

}  // namespace

void join_by_names(programs::Program& program, const std::vector<NamedStep>& named) {
  NameJoiner(program, named).join();
}

void StepsReader::read_conditions(Fields& fields, Step& step) {
  if (const Value* on = fields.optional("on")) {
    if (on->kind() == Value::Kind::scalar) {
      step.on.push_back({.kind = kind_index(*on)});
    } else if (on->kind() == Value::Kind::map) {
      for (const Value::Entry& entry : on->entries()) {
        const int kind = kind_index(Value::scalar_at(entry.key_place, entry.key));
        step.on.push_back(read_places(entry.value, kind));
        require_places(entry.value, step.on.back(), program_->kinds[kind]);
      }
    } else {
      on->fail("expected a group such as left, or indices of groups: {pp: first, tp: 0}");
    }
  }
  if (const Value* when = fields.optional("when")) step.when = read_plain(*when, scope_);
}

std::vector<std::string> collectives_for_steps() {
  std::vector<std::string> names;
  for (const Collective& one : collectives())
    if (!names_of(one.name).empty()) names.emplace_back(one.name);
  return names;
}

CollectiveStep read_collective_step(Fields& step, const std::string& collective, int ranks,
                                    bool nccl) {
  CollectiveStep read;
  const std::vector<std::string> names = names_of(collective);
  const Value& name = step.value_or("algorithm", usual_name(collective, nccl));
  read.algorithm =
      find_algorithm(collective, names[name.one_of("algorithm of " + collective, names)]);
  read.options = read_options(step, *read.algorithm, ranks).options;
  if (threads_of(*read.algorithm, read.options) > 1 || read.algorithm->nonblocking > 0)
    name.fail(
        "a step is done by the one thread of its stream, and the {} {} uses several: spread it "
        "over streams",
        collective, read.algorithm->name);
  const Value* bytes = step.optional(collective);
  const bool no_data = collective_of(*read.algorithm).before == Held::nothing;
  if (no_data && bytes != nullptr) bytes->fail("a {0} carries no data: write '{0}:'", collective);
  if (!no_data && bytes == nullptr)
    step.map().fail("expected the amount of step '{}': a size such as 4 MiB", collective);
  read.bytes = bytes;
  return read;
}

}  // namespace ringscope
