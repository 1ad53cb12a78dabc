// Groups of ranks, and the splits that make them: MPI_Comm_split's rule, for any executor.
#pragma once

#include <compare>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace ringscope {

/// Label of a message: a receive takes those of its own only. The context tells communicators
/// apart, as MPI's does: 0 of all ranks, and a new one with every split.
struct Tag {
  Tag(int of_message = 0, int of_communicator = 0)  // NOLINT: a number is a tag
      : number(of_message), context(of_communicator) {}

  int number, context;
  auto operator<=>(const Tag&) const = default;
};

/// A list of ranks that many have in common.
using SharedRanks = std::shared_ptr<const std::vector<int>>;

/// A group: some of the ranks, in an order of their own.
struct Group {
  SharedRanks ranks;      ///< as the executor numbers them
  int self = 0;           ///< index of this rank
  std::string_view part;  ///< the algorithm's work among them, for reports
  Tag tag;                ///< its number is added to that of every message
};

/// A rank's call of split, and what comes of it.
struct SplitCall {
  int colour = 0, key = 0;
  int self = 0, size = 0;                ///< in the communicator that is split
  std::shared_ptr<const Group> parent;   ///< null: all ranks
  std::string_view part{};               ///< the caller's word for what its group does
  std::shared_ptr<const Group> group{};  ///< null until all have called
};

/// Gives each caller its group: the callers of one colour, by key and then by their rank in the
/// communicator that is split. A group's list of ranks is kept once. Requires a call of each rank.
void form_groups(std::span<SplitCall* const> calls, int context);

/// Calls of split for which others have not called yet, of an executor that sees all ranks.
template <class Caller>
class Splits {
 public:
  /// Everybody who may go on now: all callers, in the order in which they came, with the last one;
  /// nobody before. `base` tells jobs apart that number their ranks alike.
  std::vector<Caller*> call(SplitCall& asked, int base, Caller& caller) {
    // Groups of one tag that are at work at the same time share at most one rank.
    const Group* group = asked.parent.get();
    const Tag tag = group == nullptr ? Tag() : group->tag;
    const int first = group == nullptr ? 0 : group->ranks->front();
    const int last = group == nullptr ? asked.size - 1 : group->ranks->back();
    Meeting& meeting = meetings_[{tag, base, first, last}];
    meeting.calls.push_back(&asked);
    meeting.callers.push_back(&caller);
    if (static_cast<int>(meeting.calls.size()) < asked.size) return {};
    form_groups(meeting.calls, ++contexts_);
    std::vector<Caller*> callers = std::move(meeting.callers);
    meetings_.erase({tag, base, first, last});
    return callers;
  }
  /// Forgets those who wait.
  void clear() { meetings_.clear(); }

 private:
  struct Meeting {
    std::vector<SplitCall*> calls;
    std::vector<Caller*> callers;
  };
  std::map<std::tuple<Tag, int, int, int>, Meeting> meetings_;
  int contexts_ = 0;
};

}  // namespace ringscope
