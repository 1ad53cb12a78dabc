// SPDX-License-Identifier: LGPL-2.1-or-later
// MPI's matching for one receiving rank.
//
// Invariant: messages of one source are matched in the order in which they were sent, however the
// network reordered their envelopes; among sources, in the order of arrival.
#pragma once

#include <boost/circular_buffer.hpp>
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "algorithms/verbs/group.hpp"

namespace ringscope::sim {

class Matching {
 public:
  /// An envelope has come in. Appends to `visible` the messages that can now be matched: this one
  /// and those that waited for it, or none while an earlier one of its source is still in flight.
  void arrive(int message, int source, std::uint64_t sequence, std::vector<int>& visible);

  /// Counts from now on what searches pass, at the price of looking at it one by one.
  void count_passed() { counting_ = true; }
  /// Posted receives, or early messages, that the last search looked at before it took one, or
  /// found none; of a receive that was taken, the messages when it was posted as well. 0 where
  /// nothing is counted.
  std::uint64_t passed() const { return passed_; }

  /// A visible message: the request of the first posted receive that takes it, or -1.
  int match_message(int source, Tag tag);
  void keep_message(int message, int source, Tag tag);

  /// A receive: the first message kept that it takes, or -1. `source` may be any_source.
  int match_receive(int source, Tag tag);
  void post_receive(int request, int source, Tag tag);

  static void visit(auto& self, auto& fields) {  // state_fields.hpp
    // Left out: `next` and `early` follow from the messages in flight.
    auto& [receives, messages, counting, passed, next, early, last_source, last_next] = self;
    fields.exact(receives.size());
    for (const auto& [id, source, tag, passed_by_it] : receives) {
      fields.exact(source);
      fields.tag(tag);
    }
    fields.exact(messages.size());
    messages.visit([&](const Item& message) { fields.message(message.id); });
  }

 private:
  struct Item {
    int id = 0, source = 0;
    Tag tag;
    std::uint32_t passed = 0;  ///< of a posted receive
  };
  /// Posted receives in order. The one that fits is mostly near the front: then what stands before
  /// it moves up.
  class Receives {
   public:
    auto begin() const { return items_.begin() + static_cast<std::ptrdiff_t>(first_); }
    auto end() const { return items_.end(); }
    std::size_t size() const { return items_.size() - first_; }
    void add(const Item& item) { items_.push_back(item); }
    /// An item with -1 as its id where none fits; `passed` is those before it more than it was.
    Item extract(int source, Tag tag);

   private:
    boost::container::small_vector<Item, 2> items_;
    std::size_t first_ = 0;  ///< those before it are gone
  };
  /// Messages kept, in order; many are found by their source and tag.
  class Kept {
   public:
    std::size_t size() const { return live_; }
    template <class Visit>
    void visit(Visit visit) const {
      for (const Item& item : items_)
        if (item.id >= 0) visit(item);
    }
    void add(const Item& item);
    int extract(int source, Tag tag);
    /// Messages that stand before the one that extract() would take, or all.
    std::size_t before(int source, Tag tag) const;

   private:
    struct Hash {
      std::size_t operator()(const std::pair<int, Tag>& key) const;
    };
    void enter(std::size_t place);
    int take(std::size_t place);

    boost::container::small_vector<Item, 2> items_;  ///< -1 as the id: taken
    std::size_t first_ = 0;                          ///< those before it are taken
    std::uint64_t number_ = 0;  ///< of the first item, among all that were kept
    std::size_t live_ = 0;
    bool in_lines_ = false;
    /// Numbers of the messages of one source and tag.
    std::unordered_map<std::pair<int, Tag>, boost::circular_buffer<std::uint64_t>, Hash> lines_;
  };
  Receives receives_;
  Kept messages_;
  bool counting_ = false;
  std::uint64_t passed_ = 0;
  std::unordered_map<int, std::uint64_t> next_;  ///< by source: the sequence whose turn it is
  std::map<std::pair<int, std::uint64_t>, int> early_;  ///< messages that came before their turn
  int last_source_ = -1;
  std::uint64_t* last_next_ = nullptr;  ///< its turn: most messages of a rank have one source
};

}  // namespace ringscope::sim
