// SPDX-License-Identifier: LGPL-2.1-or-later
// A vector whose elements are numbered by ints, as ranks, hosts, resources and messages are, or by
// the values of an enumeration.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <numeric>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace ringscope {

template <class Type>
concept Index = std::integral<Type> || std::is_enum_v<Type>;

/// `Items`: what holds them.
template <class Item, class Items = std::vector<Item>>
class Table : public Items {
 public:
  using Items::Items;
  Table() = default;
  Table(Items items) : Items(std::move(items)) {}
  explicit Table(std::signed_integral auto size) : Items(static_cast<std::size_t>(size)) {}
  Table(std::signed_integral auto size, const Item& item)
      : Items(static_cast<std::size_t>(size), item) {}

  decltype(auto) operator[](Index auto i) { return Items::operator[](static_cast<std::size_t>(i)); }
  decltype(auto) operator[](Index auto i) const {
    return Items::operator[](static_cast<std::size_t>(i));
  }
  decltype(auto) at(Index auto i) { return Items::at(static_cast<std::size_t>(i)); }
  decltype(auto) at(Index auto i) const { return Items::at(static_cast<std::size_t>(i)); }

  void resize(std::integral auto size, const auto&... item) {
    Items::resize(static_cast<std::size_t>(size), item...);
  }
  bool has(Index auto i) const { return static_cast<std::size_t>(i) < this->size(); }
  /// Item i, for which the table grows when it has none.
  decltype(auto) grown(Index auto i, const auto&... item) {
    if (!has(i)) resize(static_cast<std::size_t>(i) + 1, item...);
    return (*this)[i];
  }
};

/// List of one thing of each item: a member, or what a function makes of it. `As`: its type, where
/// that is another one.
template <class As = void>
auto each_of(const auto& items, auto make) {
  using Made = std::decay_t<std::invoke_result_t<decltype(make)&, decltype(*items.begin())>>;
  std::vector<std::conditional_t<std::is_void_v<As>, Made, As>> all;
  for (const auto& item : items) all.emplace_back(std::invoke(make, item));
  return all;
}

/// 0, 1, 2, ...: the first `count` numbers.
template <std::integral Number = int>
Table<Number> numbers_below(std::integral auto count) {
  Table<Number> all;
  all.resize(count);
  std::iota(all.begin(), all.end(), Number{0});
  return all;
}

// A std::span and a std::array whose elements are numbered as those of a Table.

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
