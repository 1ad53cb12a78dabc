// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/program/steps.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "algorithms/programs/groups.hpp"
#include "algorithms/programs/partners.hpp"
#include "algorithms/programs/program.hpp"
#include "topologies/input/characters.hpp"

namespace ringscope {
namespace {

// The groups of a program: `{order: tp-dp-pp, tp: 8, pp: 2}`, or by lists of ranks.

struct ProgramGroups {
  Table<programs::GroupKind> kinds;  ///< the first one, `all`, has all ranks
  Grid grid;                         ///< of those by their sizes
};

constexpr std::size_t most_kinds = 64;

bool is_word(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return !name.empty() && letter(name.front()) && std::ranges::all_of(name, [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') || c == '_';
  });
}

void require_name(const Value::Entry& entry) {
  if (entry.key == "all")
    throw InputError(entry.key_place, "'all' is the group of all ranks, which is always there");
  if (!is_word(entry.key))
    throw InputError(entry.key_place,
                     "expected a name of letters, digits and '_' for a kind of groups, got '{}'",
                     entry.key);
}

/// "3", or "2-5".
std::vector<int> read_ranks(const Value& value, int ranks) {
  if (value.kind() != Value::Kind::scalar) value.fail("expected a rank such as 3, or some: 2-5");
  const std::string text = value.text();
  const std::size_t dash = text.find('-', 1);
  const auto number = [&](std::string_view part) {
    const auto rank = whole_number(part, 0, ranks - 1);
    if (!rank)
      value.fail("expected a rank from 0 to {}, or some such as 2-5, got '{}'", ranks - 1, text);
    return *rank;
  };
  const int first = number(std::string_view(text).substr(0, dash));
  const int last = dash == text.npos ? first : number(std::string_view(text).substr(dash + 1));
  if (last < first) value.fail("expected ranks from the first to the last one, got '{}'", text);
  std::vector<int> all;
  for (int rank = first; rank <= last; ++rank) all.push_back(rank);
  return all;
}

/// Ranks of one group; `taken` by this one and those before it.
std::vector<int> read_group(const Value& list, const std::string& kind, Table<bool>& taken) {
  std::vector<int> group;
  for (const Value& item : list.items())
    for (const int rank : read_ranks(item, static_cast<int>(taken.size()))) {
      if (taken[rank]) item.fail("duplicate rank {} in the groups of {}", rank, kind);
      taken[rank] = true;
      group.push_back(rank);
    }
  if (group.empty()) list.fail("expected a rank in a group of {}, got none", kind);
  return group;
}

/// One group where its ranks stand in the list, several where lists do.
programs::GroupKind by_list(const Value& value, const std::string& kind, int ranks) {
  const auto is_list = [](const Value& item) { return item.kind() == Value::Kind::list; };
  const bool several = std::ranges::any_of(value.items(), is_list);
  Table<bool> taken(ranks);
  if (!several) return programs::kind_of(kind, {read_group(value, kind, taken)}, ranks);
  std::vector<Table<int>> groups;
  for (const Value& item : value.items()) {
    if (!is_list(item)) item.fail("expected a list, as other groups of {} are", kind);
    groups.push_back(read_group(item, kind, taken));
  }
  const auto lacking = std::ranges::find(taken, false) - taken.begin();
  if (lacking < ranks)
    value.fail(
        "rank {} is in no group of {}: a list of groups holds every rank, a single one may be of "
        "some",
        lacking, kind);
  return programs::kind_of(kind, std::move(groups), ranks);
}

/// "x-y" in its parts, each once.
std::vector<std::string> order_in(const Value& value) {
  const std::string text = value.text();
  std::vector<std::string> order;
  for (const std::string_view kind : split(text, '-')) {
    order.emplace_back(kind);
    if (std::ranges::count(order, order.back()) > 1)
      value.fail("duplicate '{}' in the order '{}'", order.back(), text);
    if (order.back() == "all" || !is_word(order.back()))
      value.fail("expected an order of kinds such as tp-dp-pp, innermost first, got '{}'", text);
  }
  return order;
}

class RuleReader {
 public:
  RuleReader(Fields& fields, int ranks) : fields_(&fields), ranks_(ranks) {}

  /// `sized`: the kinds that have a size, in the order in which they stand.
  Grid read(const std::vector<std::string>& sized) {
    const Value* said = fields_->optional("order");
    if (sized.empty() && said == nullptr) return Grid();
    std::vector<std::string> order = sized;
    if (said != nullptr) order = order_in(*said);
    const std::string left = left_out(said, order, sized);
    std::int64_t product = 1;
    std::vector<Dimension> dimensions;
    std::vector<std::string> words;
    for (const std::string& name : order) {
      int size = 1;
      if (name != left) size = fields_->required(name).whole(1, ranks_);
      product *= size;
      dimensions.push_back({name, size});
      if (name != left) words.push_back(fmt::format("{} {}", name, size));
    }
    if (left.empty() ? product != ranks_ : ranks_ % product != 0)
      suspect_in(fields_->map())
          .fail("{} make {} ranks{}, and the placement has {}{}", fmt::join(words, " x "), product,
                left.empty() ? "" : " for each one of " + left, ranks_,
                left.empty() ? "; a kind that is only in 'order' has the remaining ranks"
                             : fmt::format(", no multiple of {}", product));
    for (Dimension& one : dimensions)
      if (one.name == left) one.size = static_cast<int>(ranks_ / product);
    resolve(dimensions);
    return Grid(std::move(dimensions));
  }

 private:
  /// The kind that has what is left; "": none.
  static std::string left_out(const Value* said, const std::vector<std::string>& order,
                              const std::vector<std::string>& sized) {
    std::string left;
    for (const std::string& name : order) {
      if (std::ranges::find(sized, name) != sized.end()) continue;
      if (!left.empty())
        said->fail(
            "neither {} nor {} has a size: one of the kinds in 'order' may lack it, and then has "
            "the remaining ranks",
            left, name);
      left = name;
    }
    for (const std::string& name : sized)
      if (std::ranges::find(order, name) == order.end())
        said->fail("the order '{}' lacks {}, which has a size", said->text(), name);
    return left;
  }

  void resolve(const std::vector<Dimension>& dimensions) const {
    const Place& place = fields_->map().place();
    std::string order;
    for (const Dimension& one : dimensions) {
      fields_->resolve(one.name, Value::scalar_at(place, std::to_string(one.size)));
      order += (order.empty() ? "" : "-") + one.name;
    }
    fields_->resolve("order", Value::scalar_at(place, order));
  }

  Fields* fields_;
  int ranks_;
};

/// Reads `groups` of the job. A kind is a size, and then a dimension of a grid of all ranks, nested
/// as `order` says, innermost first; or a list of ranks, which is one group; or a list of lists,
/// which hold each rank once. Throws InputError.
ProgramGroups read_program_groups(Fields& job, int ranks) {
  Fields fields(job.value_or("groups", "{}"), "job.groups");
  ProgramGroups groups;
  std::vector<int> everybody;
  for (int rank = 0; rank < ranks; ++rank) everybody.push_back(rank);
  groups.kinds.push_back(programs::kind_of("all", {everybody}, ranks));
  std::vector<std::string> sized;
  for (const Value::Entry& entry : fields.map().entries()) {
    if (entry.key == "order") continue;
    require_name(entry);
    const Value* value = fields.optional(entry.key);
    if (value == nullptr) continue;
    if (value->kind() == Value::Kind::map)
      value->fail("expected a size such as 8, a group such as [0, 1], or a list of groups");
    if (value->kind() == Value::Kind::list)
      groups.kinds.push_back(by_list(*value, entry.key, ranks));
    else
      sized.push_back(entry.key);
  }
  groups.grid = RuleReader(fields, ranks).read(sized);
  for (const Dimension& one : groups.grid.dimensions())
    groups.kinds.push_back(programs::kind_of(groups.grid, one.name));
  if (groups.kinds.size() > most_kinds)
    fields.map().fail("expected at most {} kinds of groups", most_kinds - 1);
  fields.finish();
  job.resolve("groups", fields.resolved());
  return groups;
}

/// `values`: each a formula of those before it.
void read_values(Fields& job, Scope& scope) {
  const Value* map = job.optional("values");
  if (map == nullptr) return;
  if (map->kind() != Value::Kind::map)
    map->fail("expected names and their values, such as {micro_batches: 8, forward: 2 ms}");
  for (const Value::Entry& entry : map->entries()) {
    if (entry.value.is_null()) continue;
    if (entry.key == "rank" || entry.key == "ranks")
      throw InputError(entry.key_place, "'{}' has a meaning already", entry.key);
    const Formula formula = read_formula(entry.value, scope);
    if (formula.expression.is_constant() && formula.expression.value({}) < 0)
      entry.value.fail("expected a value that is not negative");
    scope.values[entry.key] = formula;
  }
}

StepGpu read_step_gpu(Fields& job) {
  Fields options(job.value_or("options", "{}"), "job.options");
  StepGpu gpu;
  if (const Value* said = options.optional("gpu")) {
    gpu.gpu = read_gpu(*said);
    options.resolve("gpu", gpu.gpu->resolved);
    const Value& efficiency = options.value_or("efficiency", "1");
    gpu.efficiency = efficiency.number(0, 1);
    if (gpu.efficiency <= 0) efficiency.fail("expected a share above 0 of the GPU's operations");
  } else if (const Value* efficiency = options.optional("efficiency")) {
    efficiency->fail("an efficiency needs a GPU: name it by 'gpu'");
  }
  options.finish();
  job.resolve("options", options.resolved());
  return gpu;
}

}  // namespace

std::shared_ptr<const ScheduleFile> read_program_of_steps(Fields& job, const Value& list, int ranks,
                                                          bool nccl) {
  job.refuse({"collective", "algorithm", "schedule", "trace", "overlap"},
             "a job with a program has no {}: omit it");
  auto program = std::make_shared<programs::Program>();
  ProgramGroups groups = read_program_groups(job, ranks);
  program->kinds = std::move(groups.kinds);
  program->grid = std::move(groups.grid);
  Scope scope;
  for (const programs::GroupKind& kind : program->kinds) scope.kinds.push_back(kind.name);
  read_values(job, scope);
  const StepGpu gpu = read_step_gpu(job);
  StepsReader reader(*program, std::move(scope), gpu, nccl);
  reader.read(list);
  try {
    programs::survey(*program);
  } catch (const programs::Unsound& wrong) {
    reader.places()[wrong.step].fail(wrong.what());
  }
  job.resolve("program", list);
  auto file = std::make_shared<ScheduleFile>();
  for (const int step : program->undone)
    file->warnings.push_back(fmt::format("the conditions of the step in line {} hold for no rank",
                                         reader.places()[step].place().line));
  file->file = "the program";
  file->schedule.name = "program";
  file->schedule.collective = "messages";
  file->schedule.program = std::move(program);
  file->algorithm = programs::algorithm_of_program(file->schedule);
  return file;
}

}  // namespace ringscope
