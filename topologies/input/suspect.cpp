// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/input/suspect.hpp"

namespace ringscope {

const Value& suspect_in(const Value& map) {
  if (map.kind() != Value::Kind::map) return map;
  for (const Value::Entry& entry : map.entries()) {
    const Value& found = suspect_in(entry.value);
    const Place& place = found.place();
    if (place.source && place.source->name.starts_with("--set")) return found;
  }
  return map;
}

}  // namespace ringscope
