// SPDX-License-Identifier: LGPL-2.1-or-later
// An array for millions of small items.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace ringscope::sim {

/// Items side by side, as in a vector. It grows by realloc, which moves a large array by its page
/// tables: nothing is copied, and what was there does not take its memory twice meanwhile.
template <class Item>
class GrowingArray {
  static_assert(std::is_trivially_copyable_v<Item> && std::is_aggregate_v<Item>);

 public:
  std::size_t size() const { return size_; }
  Item& operator[](std::size_t index) { return items_.get()[index]; }
  const Item& operator[](std::size_t index) const { return items_.get()[index]; }
  const Item* begin() const { return items_.get(); }
  const Item* end() const { return items_.get() + size_; }
  void push_back(const Item& item) {
    if (size_ == capacity_) grow();
    items_.get()[size_++] = item;
  }

 private:
  struct Free {
    void operator()(Item* items) const { std::free(items); }
  };

  void grow() {
    constexpr std::size_t least = 64;
    const std::size_t more = std::max(least, 2 * capacity_);
    void* moved = std::realloc(items_.get(), more * sizeof(Item));
    if (moved == nullptr) throw std::bad_alloc();
    (void)items_.release();  // realloc has freed it
    items_.reset(static_cast<Item*>(moved));
    capacity_ = more;
  }

  std::unique_ptr<Item, Free> items_;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace ringscope::sim
