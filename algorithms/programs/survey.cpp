// SPDX-License-Identifier: LGPL-2.1-or-later
#include "algorithms/programs/partners.hpp"

#include <fmt/format.h>

#include <cmath>

#include "algorithms/groups/on_group.hpp"
#include "algorithms/programs/walk.hpp"

namespace ringscope::programs {
namespace {

constexpr double most_seconds = 1e12, most_turns = 1e9;
constexpr double most_bytes = 562'949'953'421'312;  // 512 TiB
constexpr double most_counted = 1e18;               // steps, messages or bytes: below 2^63

class Survey {
 public:
  explicit Survey(Program& program)
      : program_(&program), partners_(program), seen_(program.ids), done_(program.ids) {
    program.rooms.assign(program.streams.size(), {});
  }

  void run() {
    Sums all;
    for (int rank = 0; rank < program_->ranks(); ++rank) {
      Stand stand(*program_, rank);
      Tally tally;
      visit(program_->steps, stand, tally);
      add(0, all, tally.sums, 1);
      partners_.add(rank, std::move(tally.ends));
    }
    if (all.done == 0) throw Unsound(0, "no rank does any step of this program");
    program_->messages = all.messages;
    program_->items = all.items;
    program_->done = all.done;
    note_undone(program_->steps);
    partners_.require_alike();
  }

 private:
  struct Sums {
    std::uint64_t messages = 0, items = 0;
    double done = 0;
  };
  /// Work of a rank in some steps.
  struct Tally {
    RankEnds ends;
    Sums sums;
  };

  /// Throws Unsound, of the step, where the sums are more than integers hold.
  static void add(int step, Sums& into, const Sums& body, std::uint64_t turns) {
    const auto times = static_cast<double>(turns);
    const double most =
        std::max({into.done + body.done * times,
                  static_cast<double>(into.messages) + static_cast<double>(body.messages) * times,
                  static_cast<double>(into.items) + static_cast<double>(body.items) * times});
    if (most > most_counted)
      throw Unsound(step,
                    "steps, messages and bytes of this are up to {:g}, and more than {:g} are not "
                    "counted: lower the turns of loops",
                    most, most_counted);
    into.messages += body.messages * turns;
    into.items += body.items * turns;
    into.done += body.done * times;
  }

  void visit(const std::vector<Step>& steps, Stand& stand, Tally& into) {
    for (const Step& step : steps)
      if (does(step, stand)) visit(step, stand, into);
  }

  bool does(const Step& step, const Stand& stand) {
    if (++looked_at_ > most_looked_at)
      throw Unsound(step.id,
                    "the ranks' turns of this program are more than {:g} different steps: lower "
                    "the turns of loops whose steps ask for the turn, or the ranks",
                    most_looked_at);
    if (!step.when.empty()) value(step, step.when, stand, -1e300, 1e300, "a condition");
    if (step.partner.rule == Partner::Rule::place && stand.group(step).has(stand.rank()) &&
        !step.partner.place.empty())
      value(step, step.partner.place, stand, -1e300, 1e300, "a partner");
    seen_[step.id] = true;
    if (!stand.does(step)) return false;
    done_[step.id] = true;
    return true;
  }

  double value(const Step& step, const Expression& expression, const Stand& stand, double least,
               double most, std::string_view what) const {
    const double value = stand.value(expression);
    if (std::isfinite(value) && value >= least && value <= most) return value;
    throw Unsound(step.id, "{} from {:g} to {:g} is expected, and for rank {} it is {}", what,
                  least, most, stand.rank(),
                  std::isfinite(value) ? fmt::format("{:g}", value) : "no number");
  }

  void visit(const Step& step, Stand& stand, Tally& into) {
    Room& room = program_->rooms[step.stream];
    if (step.kind != Step::Kind::block) ++into.sums.done;
    switch (step.kind) {
      case Step::Kind::block:
        return visit_block(step, stand, into);
      case Step::Kind::compute:
      case Step::Kind::delay:
        value(step, step.amount, stand, 0, most_seconds, "a time in seconds");
        if (!step.memory.empty())
          value(step, step.memory, stand, 0, most_bytes, "a number of bytes");
        return;
      case Step::Kind::load:
      case Step::Kind::store:
        value(step, step.amount, stand, 0, most_bytes, "a number of bytes");
        return;
      case Step::Kind::wait:
        return;
      case Step::Kind::send:
      case Step::Kind::receive:
        room.received = std::max(room.received, visit_message(step, stand, into));
        return;
      case Step::Kind::together:
        return visit_together(step, stand, into);
      case Step::Kind::collective:
        return visit_collective(step, stand, into);
    }
  }

  void visit_block(const Step& step, Stand& stand, Tally& into) {
    const double said = value(step, step.amount, stand, 0, most_turns, "a number of turns");
    if (said != std::round(said))
      throw Unsound(step.id, "a loop has a whole number of turns, and for rank {} it has {:g}",
                    stand.rank(), said);
    const auto turns = static_cast<int>(said);
    Tally body;
    for (int turn = 0; turn < (step.turns_differ ? turns : std::min(turns, 1)); ++turn) {
      stand.set_turn(step.slot, turn);
      visit(step.steps, stand, body);
    }
    const auto times = step.turns_differ ? std::uint64_t{1} : static_cast<std::uint64_t>(turns);
    add(step.id, into.sums, body.sums, times);
    add_times(into.ends, body.ends, times);
  }

  /// Items that it receives.
  std::uint64_t visit_message(const Step& step, const Stand& stand, Tally& into) {
    const auto bytes =
        whole_items(value(step, step.amount, stand, 0, most_bytes, "a number of bytes"));
    const bool sends = step.kind == Step::Kind::send;
    const int partner = partner_of(step, stand);
    add_message(into.ends, step, {sends, step.communicator, partner, step.tag}, bytes);
    program_->longest = std::max(program_->longest, bytes);
    if (!sends) return bytes;
    Room& room = program_->rooms[step.stream];
    room.vector = std::max(room.vector, bytes);
    ++into.sums.messages;
    into.sums.items += bytes;
    return 0;
  }

  /// Rank of the partner among all.
  static int partner_of(const Step& step, const Stand& stand) {
    const auto& ranks = *stand.group(step).ranks_with(stand.rank());
    const double place = stand.partner_of(step);
    const auto size = static_cast<double>(ranks.size());
    const bool sends = step.kind == Step::Kind::send;
    if (!(place >= 0 && place < size && place == std::round(place)))
      throw Unsound(step.id, "rank {} {} index {:g} of its group of {}, which has indices 0 to {}",
                    stand.rank(), sends ? "sends to" : "receives from",
                    place == -2 ? stand.value(step.partner.place) : place, stand.group(step).name,
                    size - 1);
    const int rank = ranks[static_cast<int>(place)];
    if (rank == stand.rank())
      throw Unsound(step.id, "rank {} {} itself", rank, sends ? "sends to" : "receives from");
    return rank;
  }

  void visit_together(const Step& step, const Stand& stand, Tally& into) {
    std::uint64_t received = 0;
    for (const Step& message : step.steps)
      if (does(message, stand)) received += visit_message(message, stand, into);
    Room& room = program_->rooms[step.stream];
    room.received = std::max(room.received, received);
  }

  void visit_collective(const Step& step, const Stand& stand, Tally& into) {
    const auto bytes =
        step.amount.empty()
            ? 0
            : whole_items(value(step, step.amount, stand, 0, most_bytes, "a number of bytes"));
    const int size = stand.group(step).size_with(stand.rank());
    if (size < step.algorithm->least_ranks)
      throw Unsound(step.id, "the {} {} needs at least {} ranks, and the group of rank {} has {}",
                    step.algorithm->collective, step.algorithm->name, step.algorithm->least_ranks,
                    stand.rank(), size);
    if (step.options.root >= size)
      throw Unsound(step.id, "the root {} is no index of the group of rank {}, which has {} ranks",
                    step.options.root, stand.rank(), size);
    add_collective(into.ends, step, bytes);
    const Known& known = known_of(step, size, bytes);
    Room& room = program_->rooms[step.stream];
    room.vector = std::max(room.vector, bytes);
    room.scratch = std::max(room.scratch, known.scratch);
    program_->longest = std::max(program_->longest, bytes);
    if (stand.group(step).place_of(stand.rank()) != 0) return;
    into.sums.messages += static_cast<std::uint64_t>(known.cost.messages);
    into.sums.items += known.cost.items;
  }

  struct Known {
    std::uint64_t scratch = 0;
    Cost cost;
  };
  const Known& known_of(const Step& step, int size, std::uint64_t bytes) {
    const auto [found, is_new] = known_.try_emplace({step.id, size, bytes});
    if (is_new) {
      const Options options = without_hosts(step.options);
      found->second = {scratch_on_group(*step.algorithm, size, bytes, options),
                       step.algorithm->cost(size, bytes, options)};
    }
    return found->second;
  }

  void note_undone(const std::vector<Step>& steps) {
    for (const Step& step : steps) {
      const bool conditional = !step.on.empty() || !step.when.empty();
      if (conditional && seen_[step.id] && !done_[step.id]) program_->undone.push_back(step.id);
      note_undone(step.steps);
    }
  }

  Program* program_;
  Partners partners_;
  Table<bool> seen_, done_;  ///< by the step's number
  std::map<std::tuple<int, int, std::uint64_t>, Known> known_;
  double looked_at_ = 0;
};

}  // namespace

void survey(Program& program) { Survey(program).run(); }

}  // namespace ringscope::programs
