// SPDX-License-Identifier: LGPL-2.1-or-later
// A std::span and a std::array whose elements are numbered as those of a Table.
#pragma once

#include <array>
#include <ranges>
#include <span>

#include "base/table.hpp"

namespace ringscope {

template <class Item>
class View : public std::span<Item> {
  using Items = std::span<Item>;

 public:
  using Items::Items;
  View() = default;
  View(Items items) : Items(items) {}

  Item& operator[](Index auto i) const { return Items::operator[](static_cast<std::size_t>(i)); }
};

template <class Item, std::size_t items>
struct Array : std::array<Item, items> {
  constexpr Item& operator[](Index auto i) {
    return std::array<Item, items>::operator[](static_cast<std::size_t>(i));
  }
  constexpr const Item& operator[](Index auto i) const {
    return std::array<Item, items>::operator[](static_cast<std::size_t>(i));
  }
};

}  // namespace ringscope

template <class Item>
inline constexpr bool std::ranges::enable_borrowed_range<ringscope::View<Item>> = true;
