// SPDX-License-Identifier: LGPL-2.1-or-later
// A Table that has room for a few items in itself.
#pragma once

#include <boost/container/small_vector.hpp>

#include "base/table.hpp"

namespace ringscope {

template <class Item, std::size_t few>
using SmallTable = Table<Item, boost::container::small_vector<Item, few>>;

}  // namespace ringscope
