// SPDX-License-Identifier: LGPL-2.1-or-later
// A Table that has room for a few items in itself.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>

#include "base/table.hpp"

namespace ringscope {

template <class Item, std::size_t few>
class SmallTable : public boost::container::small_vector<Item, few> {
  using Items = boost::container::small_vector<Item, few>;

 public:
  using Items::Items;

  Item& operator[](Index auto i) { return Items::operator[](static_cast<std::size_t>(i)); }
  const Item& operator[](Index auto i) const {
    return Items::operator[](static_cast<std::size_t>(i));
  }
};

}  // namespace ringscope
