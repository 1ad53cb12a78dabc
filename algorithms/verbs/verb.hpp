// SPDX-License-Identifier: LGPL-2.1-or-later
// The verbs by name; communicator.hpp says what each does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/view.hpp"

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
  split,
  meet
};
/// Names by Verb.
inline constexpr Array<std::string_view, 20> verb_names = {
    "isend",    "irecv", "send",   "recv",      "sendrecv", "wait", "wait_all",
    "wait_any", "test",  "reduce", "copy",      "compute",  "join", "sleep",
    "load",     "store", "reach",  "multicast", "split",    "meet"};
inline constexpr std::size_t verbs = verb_names.size();
static_assert(&verb_names[Verb::meet] == &verb_names.back() && verb_names.back() == "meet");

inline std::string_view name_of(Verb verb) { return verb_names[verb]; }

}  // namespace ringscope
