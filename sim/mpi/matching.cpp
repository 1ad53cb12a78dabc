#include "sim/mpi/matching.hpp"

#include <algorithm>

#include "algorithms/verbs/communicator.hpp"

namespace ringscope::sim {
namespace {

bool takes(int wanted, int source) { return wanted == any_source || wanted == source; }

}  // namespace

template <class Fits>
int Matching::Items::extract_first(Fits fits) {
  const auto start = items_.begin() + static_cast<std::ptrdiff_t>(first_);
  const auto found = std::find_if(start, items_.end(), fits);
  if (found == items_.end()) return -1;
  const int id = found->id;
  if (found - start < items_.end() - found) {
    std::move_backward(start, found, found + 1);
    ++first_;
  } else {
    items_.erase(found);
  }
  if (2 * first_ >= items_.size()) {
    items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
  return id;
}

void Matching::arrive(int message, int source, std::uint64_t sequence, std::vector<int>& visible) {
  if (last_order_ == nullptr || source != last_source_) {
    last_source_ = source;
    last_order_ = &orders_[source];
  }
  Order& order = *last_order_;
  if (sequence != order.next) {
    order.early.push_back({sequence, message});
    return;
  }
  for (;;) {
    visible.push_back(message);
    ++order.next;
    const auto follower =
        std::find_if(order.early.begin(), order.early.end(),
                     [&](const Early& early) { return early.sequence == order.next; });
    if (follower == order.early.end()) return;
    message = follower->message;
    order.early.erase(follower);
  }
}

int Matching::match_message(int source, int tag) {
  return receives_.extract_first(
      [=](const Item& receive) { return receive.tag == tag && takes(receive.source, source); });
}

void Matching::keep_message(int message, int source, int tag) {
  messages_.add({message, source, tag});
}

int Matching::match_receive(int source, int tag) {
  return messages_.extract_first(
      [=](const Item& message) { return message.tag == tag && takes(source, message.source); });
}

void Matching::post_receive(int request, int source, int tag) {
  receives_.add({request, source, tag});
}

}  // namespace ringscope::sim
