#include "sim/mpi/matching.hpp"

#include <algorithm>

#include "algorithms/verbs/communicator.hpp"

namespace ringscope::sim {
namespace {

bool takes(int wanted, int source) { return wanted == any_source || wanted == source; }

// The id of the first item that `fits`, which leaves the list; -1 when there is none.
template <class Items, class Fits>
int extract_first(Items& items, Fits fits) {
  const auto found = std::find_if(items.begin(), items.end(), fits);
  if (found == items.end()) return -1;
  const int id = found->id;
  items.erase(found);
  return id;
}

}  // namespace

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
  return extract_first(receives_, [=](const Item& receive) {
    return receive.tag == tag && takes(receive.source, source);
  });
}

void Matching::keep_message(int message, int source, int tag) {
  messages_.push_back({message, source, tag});
}

int Matching::match_receive(int source, int tag) {
  return extract_first(messages_, [=](const Item& message) {
    return message.tag == tag && takes(source, message.source);
  });
}

void Matching::post_receive(int request, int source, int tag) {
  receives_.push_back({request, source, tag});
}

}  // namespace ringscope::sim
