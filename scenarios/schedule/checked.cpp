// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/schedule/checked.hpp"

#include <fmt/format.h>

#include <optional>

#include "algorithms/schedules/order.hpp"
#include "algorithms/schedules/proof.hpp"

namespace ringscope {
namespace {

using schedules::Schedule;
using schedules::StepId;
using schedules::Waits;

[[noreturn]] void fail(const Told& told, const StepId& step, const std::string& message) {
  throw InputError(told.place(step), fmt::format("{}: {}", told.text(step), message));
}

const schedules::Step& step_of(const Schedule& schedule, const StepId& id) {
  const auto& rank = schedule.ranks[id.rank];
  const auto& block = rank.blocks[id.block];
  return block.steps[id.step];
}

/// Steps as the file numbers them.
StepId in_file(const Schedule& schedule, const StepId& id) {
  return {id.rank, id.block, step_of(schedule, id).written};
}

int tag_of(const schedules::Step& step, schedules::Kind kind) {
  for (const schedules::Act& act : step.acts)
    if (act.kind == kind) return act.tag;
  return 0;
}

std::string chunks_text(int count) {
  return fmt::format("{} chunk{}", count, count == 1 ? "" : "s");
}

[[noreturn]] void fail_unmatched(const Schedule& schedule, const schedules::Unmatched& one,
                                 const Told& told) {
  const schedules::Step& step = step_of(schedule, one.step);
  const StepId here = in_file(schedule, one.step);
  if (one.other)
    fail(told, here,
         fmt::format("it sends {}, and {}, which receives them, expects {}",
                     chunks_text(step.count), told.text(in_file(schedule, *one.other)),
                     chunks_text(step_of(schedule, *one.other).count)));
  if (one.kind == schedules::Kind::send)
    fail(told, here,
         fmt::format("nobody receives what it sends: gpu {} has no step left that receives from "
                     "gpu {} on channel {}",
                     one.peer, here.rank, tag_of(step, one.kind)));
  fail(told, here,
       fmt::format("nobody sends what it receives: gpu {} has no step left that sends to gpu {} on "
                   "channel {}",
                   one.peer, here.rank, tag_of(step, one.kind)));
}

std::string_view reason(Waits::For what) {
  if (what == Waits::For::own) return " comes after ";
  return what == Waits::For::block ? " waits for " : " receives what is sent by ";
}

[[noreturn]] void fail_circle(const Schedule& schedule, const std::vector<Waits>& circle,
                              const Told& told) {
  constexpr std::size_t most_named = 6;
  std::string all = "steps wait for each other in a circle: it";
  for (std::size_t i = 0; i < circle.size(); ++i) {
    if (i == most_named) {
      all += fmt::format("; and so on, {} steps in all, round to this one", circle.size());
      break;
    }
    if (i > 0) all += "; that";
    all += reason(circle[i].what);
    all += i + 1 == circle.size() ? "this one" : told.text(in_file(schedule, circle[i + 1].step));
  }
  fail(told, in_file(schedule, circle.front().step), all);
}

/// True where it computes what it promises: as it stands, or with sends that take a copy, as which
/// it is then left.
std::optional<schedules::Flaw> make_right(Schedule& schedule) {
  const auto flaw = flaw_of(schedule);
  if (!flaw) return {};
  Schedule with_copies = staged(schedule);
  if (flaw_of(with_copies)) return flaw;
  schedule = std::move(with_copies);
  return {};
}

[[noreturn]] void fail(const Told& told, const schedules::Flaw& flaw) {
  if (flaw.step) fail(told, *flaw.step, flaw.text);
  throw InputError(told.whole, flaw.text);
}

}  // namespace

Schedule checked(Layouts layouts, const Told& told) {
  const schedules::Order order = order_of(layouts.in_place);
  if (order.unmatched) fail_unmatched(layouts.in_place, *order.unmatched, told);
  if (!order.circle.empty()) fail_circle(layouts.in_place, order.circle, told);
  layouts.in_place.longest_chain = layouts.apart.longest_chain = order.longest_chain;
  if (layouts.for_two)
    if (const auto flaw = make_right(layouts.apart)) fail(told, *flaw);
  const auto flaw = make_right(layouts.in_place);
  if (flaw && layouts.for_one) fail(told, *flaw);
  return flaw ? std::move(layouts.apart) : std::move(layouts.in_place);
}

schedules::Chunks Placing::input(int rank, int first, int count) const {
  const int begin = collective == "allgather" ? rank * input_chunks() : 0;
  return {Buffer::data, begin + first, count};
}

schedules::Chunks Placing::output(int rank, int first, int count) const {
  const int begin = collective == "reduce_scatter" ? rank * output_chunks() : 0;
  return {output_is_apart() ? Buffer::scratch : Buffer::data, begin + first, count};
}

schedules::Chunks Placing::scratch(int first, int count) const {
  return {Buffer::scratch, first_of_scratch() + first, count};
}

}  // namespace ringscope
