// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/schedule/mscclpp_kinds.hpp"

#include <algorithm>

namespace ringscope::mscclpp {
namespace {

constexpr Kind kinds[] = {
    {.name = "ppkt", .words = "put packets", .sends = true},
    {.name = "rppkt", .words = "pass packets on", .reads_packets = true, .sends = true},
    {.name = "respkt",
     .words = "reduce packets and put them",
     .reads_packets = true,
     .reduces = true,
     .sends = true},
    {.name = "repkt", .words = "reduce packets", .reads_packets = true, .reduces = true},
    {.name = "recpkt",
     .words = "reduce packets and copy them",
     .reads_packets = true,
     .writes_packets = true,
     .reduces = true},
    {.name = "recspkt",
     .words = "reduce, copy and put packets",
     .reads_packets = true,
     .writes_packets = true,
     .reduces = true,
     .sends = true},
    {.name = "cpkt", .words = "copy into packets", .writes_packets = true},
    {.name = "upkt", .words = "unpack packets", .reads_packets = true},
    {.name = "copy", .words = "copy"},
    {.name = "re", .words = "reduce", .reduces = true},
    {.name = "put", .words = "put", .puts = true},
    {.name = "pws", .words = "put and signal", .puts = true, .signals = true},
    {.name = "pwsf", .words = "put and signal", .puts = true, .signals = true},
    {.name = "get", .words = "get", .gets = true},
    {.name = "signal", .words = "signal", .signals = true},
    {.name = "rlxsignal", .words = "signal", .signals = true},
    {.name = "wait", .words = "wait", .waits = true},
    {.name = "rlxwait", .words = "wait", .waits = true},
};
constexpr std::string_view idle[] = {"nop", "flush"};
/// Operations of the format that need what is not there.
constexpr std::string_view other[] = {
    "res", "rre", "rres", "glres", "gstore", "gstorepkt", "pipeline", "sem_acquire", "sem_release"};

}  // namespace

const Kind* find_kind(std::string_view name) {
  const auto found = std::ranges::find(kinds, name, &Kind::name);
  return found == std::end(kinds) ? nullptr : found;
}

bool is_idle(std::string_view name) { return std::ranges::find(idle, name) != std::end(idle); }

const std::vector<std::string>& operation_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = {std::string(barrier_name)};
    for (const Kind& kind : kinds) all.emplace_back(kind.name);
    for (const std::string_view name : idle) all.emplace_back(name);
    for (const std::string_view name : other) all.emplace_back(name);
    return all;
  }();
  return names;
}

}  // namespace ringscope::mscclpp
