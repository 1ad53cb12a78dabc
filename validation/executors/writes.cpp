// SPDX-License-Identifier: LGPL-2.1-or-later
#include "validation/executors/writes.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ringscope {
namespace {

/// Range into which a verb puts data, if it does.
const Range* written(const Operation& operation) {
  switch (operation.verb) {
    case Verb::irecv:
    case Verb::recv:
    case Verb::reduce:
    case Verb::copy:
      return &operation.range;
    case Verb::sendrecv:
      return &operation.other;
    default:
      return nullptr;
  }
}

}  // namespace

void Writes::note(const Operation& operation, std::string_view phase, int step) {
  if (const Range* range = written(operation); range != nullptr && range->buffer == Buffer::data)
    writes_.push_back({operation.verb, *range, phase, step});
}

std::string Writes::last(std::size_t item) const {
  const auto covers = [item](const Write& write) {
    return item >= write.range.offset && item < write.range.offset + write.range.size;
  };
  const auto found = std::find_if(writes_.rbegin(), writes_.rend(), covers);
  if (found == writes_.rend()) return "";
  return fmt::format(
      "{}{}", found->phase.empty() ? "" : fmt::format("{}, step {}, ", found->phase, found->step),
      name_of(found->verb));
}

}  // namespace ringscope
