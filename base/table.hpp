// SPDX-License-Identifier: LGPL-2.1-or-later
// A vector whose elements are numbered by ints, as ranks, hosts, resources and messages are.
#pragma once

#include <concepts>
#include <cstddef>
#include <utility>
#include <vector>

namespace ringscope {

template <class Item>
class Table : public std::vector<Item> {
 public:
  using std::vector<Item>::vector;
  Table() = default;
  Table(std::vector<Item> items) : std::vector<Item>(std::move(items)) {}

  Item& operator[](std::integral auto i) {
    return std::vector<Item>::operator[](static_cast<std::size_t>(i));
  }
  const Item& operator[](std::integral auto i) const {
    return std::vector<Item>::operator[](static_cast<std::size_t>(i));
  }
};

}  // namespace ringscope
