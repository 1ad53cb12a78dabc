// SPDX-License-Identifier: LGPL-2.1-or-later
// Conditions of a step: the ranks that do it.
#include <fmt/format.h>

#include <algorithm>

#include "scenarios/program/steps.hpp"

namespace ringscope {
namespace {

using programs::Condition;

/// `first`, `last`, `even`, `odd`, `all`, an index, "2-5", or a list of these last two.
Condition read_places(const Value& value, int kind) {
  constexpr std::int64_t most = 1 << 24;
  Condition condition{.kind = kind, .which = Condition::Which::listed};
  const auto add = [&](const Value& one) {
    const std::string text = one.text();
    const std::size_t dash = text.find('-', 1);
    if (dash == text.npos) {
      condition.places.push_back(static_cast<int>(one.integer(-most, most)));
      return;
    }
    const auto end_of = [&](const std::string& part) {
      return static_cast<int>(Value::scalar_at(one.place(), part).integer(0, most));
    };
    const int from = end_of(text.substr(0, dash)), to = end_of(text.substr(dash + 1));
    if (to < from)
      one.fail(fmt::format("expected indices from the first to the last one, got '{}'", text));
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
          fmt::format("expected first, last, even, odd, all, an index of the group such as "
                      "0 or -1, or a list of indices, got '{}'",
                      text));
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
      value.fail(fmt::format("no group of {} has an index {}: the largest has {} ranks, 0 to {}",
                             kind.name, place, size, size - 1));
}

}  // namespace

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

}  // namespace ringscope
