// SPDX-License-Identifier: LGPL-2.1-or-later
// A table of which items are in use or free. One that is taken is as it was released.
#pragma once

#include "base/table.hpp"

namespace ringscope {

template <class Item>
class Pool : public Table<Item> {
 public:
  int take() {
    if (free_.empty()) {
      free_.push_back(static_cast<int>(this->size()));
      this->emplace_back();
    }
    const int id = free_.back();
    free_.pop_back();
    return id;
  }
  void release(int id) { free_.push_back(id); }

 private:
  std::vector<int> free_;
};

}  // namespace ringscope
