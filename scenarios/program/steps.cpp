// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/program/steps.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "algorithms/collectives.hpp"

namespace ringscope {
namespace {

using programs::Expression;
using Does = programs::Step::Kind;

constexpr int most_steps = 100'000, most_depth = 32;

struct KindWord {
  std::string_view word;
  Does kind;
};
constexpr KindWord kind_words[] = {{"compute", Does::compute}, {"delay", Does::delay},
                                   {"load", Does::load},       {"store", Does::store},
                                   {"wait", Does::wait},       {"send", Does::send},
                                   {"receive", Does::receive}, {"together", Does::together},
                                   {"repeat", Does::block},    {"steps", Does::block}};

Does kind_by(const std::string& word) {
  const auto found = std::ranges::find(kind_words, word, &KindWord::word);
  return found == std::end(kind_words) ? Does::collective : found->kind;
}

/// Words of which a step has one; `steps` stands beside `repeat`, too.
std::vector<std::string> known_words() {
  std::vector<std::string> words = each_of<std::string>(std::span(kind_words), &KindWord::word);
  for (std::string& name : collectives_for_steps()) words.push_back(std::move(name));
  return words;
}

bool is_message(const programs::Step& step) {
  return step.kind == Does::send || step.kind == Does::receive;
}

/// A loop whose steps ask for its turn.
bool asks_for_turn(const programs::Step& step, int slot) {
  const auto asks = [&](const Expression& one) { return one.asks_for_turn(slot); };
  return asks(step.amount) || asks(step.memory) || asks(step.when) || asks(step.partner.place) ||
         std::ranges::any_of(step.steps,
                             [&](const programs::Step& one) { return asks_for_turn(one, slot); });
}

}  // namespace

void StepsReader::read(const Value& list) {
  program_->streams = {"main"};
  program_->steps = read_list(list, {});
  drop_unused_main(program_->steps);
  program_->ids = static_cast<int>(places_.size());
  program_->slots = std::max(1, program_->slots);
  join_by_names(*program_, named_);
}

std::vector<programs::Step> StepsReader::read_list(const Value& list, const Inherited& from) {
  if (list.listed("a list of steps such as [{compute: 2 ms}, {allreduce: 4 MiB, group: dp}]", 0)
          .empty())
    list.fail("expected at least one step, got none");
  if (++depth_ > most_depth) list.fail("steps are nested at most {} deep", most_depth);
  std::vector<Step> steps;
  for (const Value& item : list.items()) steps.push_back(read_step(item, from));
  --depth_;
  return steps;
}

std::string StepsReader::kind_of(const Value& value) const {
  const std::vector<std::string> known = known_words();
  if (value.kind() != Value::Kind::map)
    value.fail("expected a step, a map such as {compute: 2 ms}");
  std::vector<std::string> found;
  for (const Value::Entry& entry : value.entries())
    if (std::ranges::find(known, entry.key) != known.end()) found.push_back(entry.key);
  if (found.size() == 2 &&
      std::ranges::count(found, "repeat") + std::ranges::count(found, "steps") == 2)
    return "repeat";
  if (found.size() > 1)
    value.fail("expected one operation per step, got {}", fmt::join(found, " and "));
  if (found.size() == 1) return found.front();
  for (const Value::Entry& entry : value.entries())
    if (entry.key != "name" && entry.key != "on" && entry.key != "stream" && entry.key != "after")
      throw InputError(entry.key_place, unknown_name("kind of step", entry.key, known));
  value.fail("a step is one of {}", fmt::join(known, ", "));
}

programs::Step StepsReader::read_step(const Value& value, Inherited from) {
  const std::string word = kind_of(value);
  Step step;
  step.kind = kind_by(word);
  step.id = static_cast<int>(places_.size());
  const Value* amount = value.find(word);
  places_.push_back(amount != nullptr && !amount->is_null() ? *amount : value);
  if (step.id >= most_steps) value.fail("a program has at most {} steps: use loops", most_steps);
  Fields fields(value, fmt::format("a step '{}'", word));
  fields.optional(word);
  if (const Value* stream = fields.optional("stream")) {
    from.stream = stream->text();
    if (from.stream.empty() || from.stream.size() > 64) stream->fail("expected a stream's name");
  }
  read_conditions(fields, step);
  if (step.kind == Does::block) {
    read_block(fields, word == "repeat" ? amount : nullptr, step, from);
    fields.finish();
    return step;
  }
  step.stream = stream_of(from.stream, value);
  NamedStep named{{}, step.id, step.stream, from.loops, {}, value};
  if (const Value* name = fields.optional("name")) named.name = name->text();
  step.name = named.name.empty() ? word : named.name;
  if (const Place place = value.place(); place.source->name.ends_with(".yaml"))
    step.where = {scenario_source, place.line};
  if (const Value* after = fields.optional("after")) read_waits(*after, named);
  if (step.kind == Does::wait) {
    if (amount->is_null()) value.fail("expected the names of steps to wait for: {wait: [a, b]}");
    read_waits(*amount, named);
  }
  if (step.kind == Does::collective)
    read_collective(fields, word, step);
  else if (step.kind == Does::together)
    read_together(*amount, step, from);
  else
    read_amount(word, amount, fields, step);
  fields.finish();
  if (!named.name.empty() || !named.after.empty()) named_.push_back(std::move(named));
  return step;
}

void StepsReader::read_compute(const Value& value, Step& step) {
  if (value.kind() != Value::Kind::map) {
    step.amount = read_seconds(value, scope_);
    return;
  }
  Fields fields(value, "a step 'compute'");
  const Value& flops = fields.required("flops");
  if (!gpu_->gpu)
    flops.fail("the time of operations needs a GPU: name it by job.options.gpu, such as a100_40");
  const Expression operations = read_plain(flops, scope_);
  step.amount = Expression::of(Expression::Kind::divide, operations,
                               Expression(gpu_->gpu->flops * gpu_->efficiency));
  if (const Value* bytes = fields.optional("bytes")) {
    step.memory = read_bytes(*bytes, scope_);
    const Expression moved =
        Expression::of(Expression::Kind::divide, step.memory, Expression(gpu_->gpu->bandwidth));
    step.amount = Expression::of(Expression::Kind::most, step.amount, moved);
    program_->knows_memory = true;
  }
  fields.finish();
}

void StepsReader::read_amount(const std::string& kind, const Value* value, Fields& fields,
                              Step& step) {
  if (step.kind == Does::wait) return;
  if (value->is_null())
    fields.map().fail("expected the amount of step '{}': {}", kind,
                      step.kind == Does::compute || step.kind == Does::delay
                          ? "a time such as 2 ms"
                          : "a size such as 4 MiB");
  if (step.kind == Does::compute)
    read_compute(*value, step);
  else if (step.kind == Does::delay)
    step.amount = read_seconds(*value, scope_);
  else
    step.amount = read_bytes(*value, scope_);
  if (is_message(step)) read_message(fields, step);
}

void StepsReader::read_message(Fields& fields, Step& step) {
  const bool sends = step.kind == Does::send;
  fields.expect("group");
  const Value& partner = fields.required(sends ? "to" : "from");
  step.group = group_of(fields);
  const std::string text = partner.text();
  using Rule = programs::Partner::Rule;
  step.partner.rule = text == "next"       ? Rule::next
                      : text == "previous" ? Rule::previous
                                           : Rule::place;
  if (step.partner.rule == Rule::place) step.partner.place = read_plain(partner, scope_);
  if (const Value* around = fields.optional("around")) {
    if (step.partner.rule == Rule::place)
      around->fail("'around' goes with next and previous: the last one's next is the first");
    step.partner.around = around->boolean();
  }
  if (const Value* tag = fields.optional("tag")) step.tag = tag->whole(0, programs::most_tag);
  step.communicator = communicator_of(step.group, -1, fields.map());
}

void StepsReader::read_together(const Value& list, Step& step, const Inherited& from) {
  for (const Value& item :
       list.listed("messages that begin together: [{send: 4 MiB, to: next}, {receive: 4 MiB, from: "
                   "previous}]")) {
    const std::string word = kind_of(item);
    if (word != "send" && word != "receive")
      item.fail("sends and receives begin together, got '{}'", word);
    for (const char* key : {"stream", "after", "name"})
      if (const Value* said = item.find(key))
        said->fail("expected '{}' at the step around the messages", key);
    step.steps.push_back(read_step(item, from));
  }
}

void StepsReader::read_collective(Fields& fields, const std::string& collective, Step& step) {
  step.group = group_of(fields);
  const auto& groups = program_->kinds[step.group].groups;
  std::size_t least = groups.front()->size();
  for (const auto& group : groups) least = std::min(least, group->size());
  const CollectiveStep read =
      read_collective_step(fields, collective, static_cast<int>(least), nccl_);
  step.algorithm = read.algorithm;
  step.options = read.options;
  if (read.bytes != nullptr) step.amount = read_bytes(*read.bytes, scope_);
  step.communicator = communicator_of(step.group, step.stream, fields.map());
}

void StepsReader::read_block(Fields& fields, const Value* turns, Step& step, Inherited from) {
  fields.refuse({"after", "name"}, "expected '{}' at a step, not at a list of steps");
  step.amount = Expression(1);
  if (turns != nullptr) {
    step.amount = read_plain(*turns, scope_);
    if (step.amount.is_constant() && step.amount.value({}) < 1)
      turns->fail("a loop has at least one turn, got '{}': omit it", turns->text());
    from.loops.push_back(step.id);
  }
  std::string index;
  if (const Value* said = fields.optional("index")) {
    index = said->text();
    if (turns == nullptr) said->fail("an index needs a loop: add 'repeat'");
  }
  step.slot = static_cast<int>(scope_.loops.size());
  scope_.loops.push_back(index);
  program_->slots = std::max(program_->slots, step.slot + 1);
  step.steps = read_list(fields.required("steps"), from);
  scope_.loops.pop_back();
  step.turns_differ = std::ranges::any_of(
      step.steps, [&](const Step& one) { return asks_for_turn(one, step.slot); });
}

void StepsReader::read_waits(const Value& value, NamedStep& waits) const {
  if (value.kind() == Value::Kind::list) {
    for (const Value& one : value.items()) read_waits(one, waits);
  } else if (value.kind() == Value::Kind::map) {
    constexpr std::int64_t most_back = 1'000'000;
    Fields fields(value, "a step to wait for");
    const Value& name = fields.required("step");
    waits.after.push_back({name.text(), fields.value_or("back", "0").whole(0, most_back), name});
    fields.finish();
  } else {
    waits.after.push_back({value.text(), 0, value});
  }
}

int StepsReader::kind_index(const Value& value) const {
  return static_cast<int>(value.one_of("group", scope_.kinds));
}

int StepsReader::group_of(Fields& fields) const {
  const Value* group = fields.optional("group");
  return group == nullptr ? 0 : kind_index(*group);
}

int StepsReader::stream_of(const std::string& name, const Value& at) {
  auto& streams = program_->streams;
  const auto found = std::ranges::find(streams, name);
  if (found != streams.end()) return static_cast<int>(found - streams.begin());
  if (std::ssize(streams) > programs::most_streams)
    at.fail("a program has at most {} streams", programs::most_streams);
  streams.push_back(name);
  return static_cast<int>(streams.size()) - 1;
}

int StepsReader::communicator_of(int kind, int stream, const Value& at) {
  auto& all = program_->communicators;
  const auto found = std::ranges::find_if(
      all, [&](const auto& one) { return one.kind == kind && one.stream == stream; });
  if (found != all.end()) return static_cast<int>(found - all.begin());
  if (std::ssize(all) == programs::most_communicators)
    at.fail("a program has at most {} kinds of groups, by the streams on which they are used",
            programs::most_communicators);
  all.push_back({kind, stream});
  return static_cast<int>(all.size()) - 1;
}

// Reports tell of the first stream: one on which nothing is done would say nothing.
void StepsReader::drop_unused_main(std::vector<Step>& steps) {
  const auto uses_main = [](const auto& self, const std::vector<Step>& list) -> bool {
    return std::ranges::any_of(list, [&](const Step& step) {
      return step.kind == Does::block ? self(self, step.steps) : step.stream == 0;
    });
  };
  if (uses_main(uses_main, steps)) return;
  const auto shift = [](const auto& self, std::vector<Step>& list) -> void {
    for (Step& step : list) {
      if (step.stream > 0) --step.stream;
      self(self, step.steps);
    }
  };
  shift(shift, steps);
  program_->streams.erase(program_->streams.begin());
  for (NamedStep& one : named_) --one.stream;
  for (auto& one : program_->communicators)
    if (one.stream > 0) --one.stream;
}

}  // namespace ringscope
