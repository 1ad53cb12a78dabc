// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/schedule/mscclpp_plan.hpp"

#include <algorithm>

namespace ringscope::mscclpp {
namespace {

constexpr Kind kinds[] = {
    {"ppkt", "put packets", {&Kind::sends}},
    {"rppkt", "pass packets on", {&Kind::reads_packets, &Kind::sends}},
    {"respkt", "reduce packets and put them", {&Kind::reads_packets, &Kind::reduces, &Kind::sends}},
    {"repkt", "reduce packets", {&Kind::reads_packets, &Kind::reduces}},
    {"recpkt",
     "reduce packets and copy them",
     {&Kind::reads_packets, &Kind::writes_packets, &Kind::reduces}},
    {"recspkt",
     "reduce, copy and put packets",
     {&Kind::reads_packets, &Kind::writes_packets, &Kind::reduces, &Kind::sends}},
    {"cpkt", "copy into packets", {&Kind::writes_packets}},
    {"upkt", "unpack packets", {&Kind::reads_packets}},
    {"copy", "copy", {}},
    {"re", "reduce", {&Kind::reduces}},
    {"put", "put", {&Kind::puts}},
    {"pws", "put and signal", {&Kind::puts, &Kind::signals}},
    {"pwsf", "put and signal", {&Kind::puts, &Kind::signals}},
    {"get", "get", {&Kind::gets}},
    {"signal", "signal", {&Kind::signals}},
    {"rlxsignal", "signal", {&Kind::signals}},
    {"wait", "wait", {&Kind::waits}},
    {"rlxwait", "wait", {&Kind::waits}},
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
