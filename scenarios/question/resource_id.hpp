// SPDX-License-Identifier: LGPL-2.1-or-later
// Identity of what activities share: a core, a link's direction, memory, a lock, a file system.
//
// Code compares and takes apart identities; their names are made where they are printed.
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "base/table.hpp"

namespace ringscope {

enum class ResourceKind { core, link, memory, lock, storage, input };
inline constexpr Array<std::string_view, 6> resource_kind_names = {"core", "link",    "memory",
                                                                   "lock", "storage", "input"};

/// The kind is no part of it: an address belongs to things of one kind, and the written form does
/// not have it. Parallel cables of one name are one to who asks for them.
struct ResourceId {
  std::string place{};  ///< address as users write it: "host2/numa0/core0", "host0/nic0->switch"
  int rank = -1;        ///< owner, numbered in its job; -1 when shared or nobody's
  std::string job{};    ///< background job of that rank; "" for the foreground job

  bool empty() const { return place.empty(); }  ///< no resource
  /// "host2/core0 (rank 7)", "host2/core0 (rank 1 of training)", "host0/nic0->switch".
  std::string name() const;
  /// The identity of that name. Any text is one: what names no rank is a place.
  static ResourceId of_name(const std::string& name);

  auto operator<=>(const ResourceId&) const = default;
};

}  // namespace ringscope
