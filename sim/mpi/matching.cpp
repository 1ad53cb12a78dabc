// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/mpi/matching.hpp"

#include "algorithms/verbs/communicator.hpp"

namespace ringscope::sim {
namespace {

bool takes(int wanted, int source) { return wanted == any_source || wanted == source; }

/// More messages than this are found by source and tag.
constexpr std::size_t many = 32;

/// Drops the first `count`, and keeps no room for what once were thousands.
template <class Items>
void drop_first(Items& items, std::size_t count) {
  items.erase(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(count));
  if (items.capacity() > many && items.capacity() > 4 * items.size()) items.shrink_to_fit();
}

}  // namespace

std::size_t Matching::Kept::Hash::operator()(const std::pair<int, Tag>& key) const {
  const auto& [source, tag] = key;
  // A prime spreads contexts and sources; few tags differ.
  constexpr std::uint64_t prime = 0x9E3779B97F4A7C15;
  std::uint64_t bits = static_cast<std::uint32_t>(tag.context);
  bits = bits * prime + static_cast<std::uint32_t>(source);
  return std::hash<std::uint64_t>()(bits * prime + static_cast<std::uint32_t>(tag.number));
}

Matching::Item Matching::Receives::extract(int source, Tag tag) {
  const auto start = items_.begin() + static_cast<std::ptrdiff_t>(first_);
  const auto found = std::find_if(start, items_.end(), [=](const Item& receive) {
    return receive.tag == tag && takes(receive.source, source);
  });
  const auto before = static_cast<std::uint32_t>(found - start);
  if (found == items_.end()) return {-1, source, tag, before};
  Item taken = *found;
  taken.passed += before;
  if (found - start < items_.end() - found) {
    std::move_backward(start, found, found + 1);
    ++first_;
  } else {
    items_.erase(found);
  }
  if (2 * first_ >= items_.size()) {
    drop_first(items_, first_);
    first_ = 0;
  }
  return taken;
}

void Matching::Kept::add(const Item& item) {
  items_.push_back(item);
  ++live_;
  if (in_lines_) return enter(items_.size() - 1);
  if (live_ <= many) return;
  in_lines_ = true;
  for (std::size_t place = first_; place < items_.size(); ++place)
    if (items_[place].id >= 0) enter(place);
}

void Matching::Kept::enter(std::size_t place) {
  const Item& item = items_[place];
  auto& line = lines_[{item.source, item.tag}];
  if (line.full()) line.set_capacity(2 * line.capacity() + 1);
  line.push_back(number_ + place);
}

int Matching::Kept::extract(int source, Tag tag) {
  if (in_lines_ && source != any_source) {
    const auto found = lines_.find({source, tag});
    if (found == lines_.end()) return -1;
    auto& line = found->second;
    while (!line.empty()) {
      const std::uint64_t number = line.front();
      line.pop_front();
      // A receive from anybody may have taken it.
      if (number >= number_ && items_[number - number_].id >= 0) return take(number - number_);
    }
    return -1;
  }
  for (std::size_t place = first_; place < items_.size(); ++place) {
    const Item& message = items_[place];
    if (message.id >= 0 && message.tag == tag && takes(source, message.source)) return take(place);
  }
  return -1;
}

std::size_t Matching::Kept::before(int source, Tag tag) const {
  std::size_t passed = 0;
  for (std::size_t place = first_; place < items_.size(); ++place) {
    const Item& message = items_[place];
    if (message.id < 0) continue;
    if (message.tag == tag && takes(source, message.source)) break;
    ++passed;
  }
  return passed;
}

int Matching::Kept::take(std::size_t place) {
  const int id = std::exchange(items_[place].id, -1);
  if (--live_ == 0) {
    number_ += items_.size();
    drop_first(items_, items_.size());
    lines_.clear();
    in_lines_ = false;
    first_ = 0;
    return id;
  }
  while (items_[first_].id < 0) ++first_;
  if (2 * first_ >= items_.size()) {
    drop_first(items_, first_);
    number_ += first_;
    first_ = 0;
  }
  return id;
}

void Matching::arrive(int message, int source, std::uint64_t sequence, std::vector<int>& visible) {
  if (last_next_ == nullptr || source != last_source_) {
    last_source_ = source;
    last_next_ = &next_[source];
  }
  if (sequence != *last_next_) {
    early_.emplace(std::pair(source, sequence), message);
    return;
  }
  visible.push_back(message);
  ++*last_next_;
  while (!early_.empty()) {
    const auto follower = early_.find({source, *last_next_});
    if (follower == early_.end()) return;
    visible.push_back(follower->second);
    ++*last_next_;
    early_.erase(follower);
  }
}

int Matching::match_message(int source, Tag tag) {
  const Item taken = receives_.extract(source, tag);
  if (counting_) passed_ = taken.passed;
  return taken.id;
}

void Matching::keep_message(int message, int source, Tag tag) {
  messages_.add({message, source, tag, 0});
}

int Matching::match_receive(int source, Tag tag) {
  if (counting_) passed_ = messages_.before(source, tag);
  return messages_.extract(source, tag);
}

void Matching::post_receive(int request, int source, Tag tag) {
  receives_.add({request, source, tag, static_cast<std::uint32_t>(passed_)});
}

}  // namespace ringscope::sim
