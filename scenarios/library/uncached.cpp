// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/library/uncached.hpp"

#include <fmt/format.h>

#include <vector>

namespace ringscope {
namespace {

constexpr const char* key = "uncached";

/// Values laid over a library for vectors of more than `above`.
struct Change {
  Bytes above;
  Value over;
};

/// Local work alone depends on a host's caches.
Change read_change(const Value& item) {
  Fields fields(item, "library.uncached");
  Change change{fields.required("above").bytes(), Value::empty_map_at(item.place())};
  for (const char* part : {"reduce_cost", "copy_cost", "self", "shm"})
    if (const Value* found = fields.optional(part)) change.over.set(part, *found);
  fields.finish();
  return change;
}

/// Changes by rising `above`; none where the library has no `uncached`.
std::vector<Change> changes_of(const Value& resolved) {
  std::vector<Change> changes;
  const Value* list = resolved.find(key);
  if (list == nullptr || list->is_null()) return changes;
  if (list->kind() != Value::Kind::list || list->items().empty())
    list->fail("expected a list such as [{above: 1 MiB, shm: {recv_cost: 0.5 ns/B}}]");
  for (const Value& item : list->items()) {
    changes.push_back(read_change(item));
    if (changes.size() < 2) continue;
    const Bytes before = changes[changes.size() - 2].above, above = changes.back().above;
    if (above <= before)
      item.find("above")->fail(
          fmt::format("expected more than {}, that of the entry before, got {}", to_text(before),
                      to_text(above)));
  }
  return changes;
}

/// Lays a change over the library. Where shared memory is off, its costs are those of the network.
void lay_change(Value& library, const Change& change) {
  const Value* shm = library.find("shm");
  const bool off = shm != nullptr && shm->kind() == Value::Kind::scalar;
  Value over = Value::empty_map_at(change.over.place());
  for (const Value::Entry& entry : change.over.entries())
    if (!off || entry.key != "shm") over.set(entry.key, entry.value);
  library.merge(over);
}

/// The library, with none of its changes.
Value without_changes(const Value& resolved) {
  Value plain = resolved;
  plain.set(key, Value());
  return plain;
}

}  // namespace

void check_uncached(const Value& resolved) {
  for (const Change& change : changes_of(resolved)) {
    Value changed = without_changes(resolved);
    lay_change(changed, change);
    read_library(changed);
  }
}

void take_vectors(Library& library, Bytes vector) {
  const std::vector<Change> changes = changes_of(library.resolved);
  if (changes.empty()) return;
  Value changed = without_changes(library.resolved);
  for (const Change& change : changes)
    if (vector > change.above) lay_change(changed, change);
  Value resolved = std::move(library.resolved);
  library = read_library(changed);
  library.resolved = std::move(resolved);
}

}  // namespace ringscope
