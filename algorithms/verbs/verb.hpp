// SPDX-License-Identifier: LGPL-2.1-or-later
// The verbs by name; communicator.hpp says what each does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace ringscope {

enum class Verb : std::uint8_t {
  isend,
  irecv,
  send,
  recv,
  sendrecv,
  wait,
  wait_all,
  wait_any,
  test,
  reduce,
  copy,
  compute,
  join,
  sleep,
  load,
  store,
  reach,
  multicast,
  split
};
/// Names by Verb.
inline constexpr std::string_view verb_names[] = {
    "isend",    "irecv", "send",   "recv",      "sendrecv", "wait", "wait_all",
    "wait_any", "test",  "reduce", "copy",      "compute",  "join", "sleep",
    "load",     "store", "reach",  "multicast", "split"};
inline constexpr std::size_t verbs = std::size(verb_names);
static_assert(verbs == static_cast<std::size_t>(Verb::split) + 1);

inline std::string_view name_of(Verb verb) { return verb_names[static_cast<std::size_t>(verb)]; }

}  // namespace ringscope
