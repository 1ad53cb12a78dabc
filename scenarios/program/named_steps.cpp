// SPDX-License-Identifier: LGPL-2.1-or-later
// Names of steps, by which steps wait for others.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "algorithms/verbs/executor.hpp"
#include "scenarios/program/steps.hpp"

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
      one.place.fail(fmt::format("steps of one name are on one stream, and '{}' is on {} and {}",
                                 one.name, stream(*sites.front()), stream(one)));
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
      awaited.at.fail(fmt::format("steps wait for at most {} others by name", most_flags));
    after_[one.id].push_back({flag->second, awaited.back});
  }

  [[noreturn]] void fail_behind(const NamedStep& one, const NamedStep::Awaited& awaited) const {
    std::vector<std::string> circle = {one.name.empty() ? "this step" : one.name};
    if (awaited.name == one.name) awaited.at.fail(fmt::format("'{}' waits for itself", one.name));
    if (leads_back(awaited.name, one.name, circle))
      awaited.at.fail(fmt::format("steps wait for each other in a circle: {}",
                                  fmt::join(circle, ", which waits for ")));
    awaited.at.fail(
        fmt::format("'{}' comes behind this step, and they are in no loop together: a "
                    "step waits for what stands before it",
                    awaited.name));
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

}  // namespace

void join_by_names(programs::Program& program, const std::vector<NamedStep>& named) {
  NameJoiner(program, named).join();
}

}  // namespace ringscope
