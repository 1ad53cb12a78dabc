// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/trace/kineto/host_calls.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace ringscope::kineto {
namespace {

bool is_runtime(const Event& event) {
  return event.category == "cuda_runtime" || event.category == "cuda_driver";
}

bool names(const Event& event, std::string_view part) {
  return event.name.find(part) != std::string::npos;
}

/// A function of PyTorch that begins a collective.
bool issues_collective(const Event& event) {
  constexpr std::array<std::string_view, 4> starts = {"c10d::", "nccl:", "record_param_comms",
                                                      "_c10d_functional::"};
  return !is_runtime(event) && !on_gpu(event) && event.category != "gpu_user_annotation" &&
         !names(event, "wait") &&
         std::ranges::any_of(starts, [&](auto start) { return event.name.starts_with(start); });
}

}  // namespace

HostCalls::HostCalls(const std::vector<Event>& events) : events_(&events) {
  find_own_calls_of_collectives();
  std::map<std::int64_t, std::vector<std::size_t>> works;  // by correlation
  for (std::size_t i = 0; i < events.size(); ++i)
    if (on_gpu(events[i])) works[events[i].correlation].push_back(i);
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    if (!is_runtime(event)) continue;
    const auto launched = works.find(event.correlation);
    if (launched != works.end() && event.correlation >= 0) {
      HostCall call{HostCall::Kind::launch, i, event.end(), std::move(launched->second)};
      for (const std::size_t work : call.works) call.at = std::min(call.at, events[work].start);
      call.at = std::max(call.at, event.start);
      works.erase(launched);
      calls_.push_back(std::move(call));
    } else if (names(event, "Synchronize")) {
      const bool all = names(event, "DeviceSynchronize") || names(event, "CtxSynchronize");
      calls_.push_back(
          {all ? HostCall::Kind::host_waits_for_all : HostCall::Kind::host_waits, i, event.start});
    } else if (names(event, "StreamWaitEvent") && !is_of_a_collective(event)) {
      calls_.push_back({HostCall::Kind::stream_waits, i, event.start});
    }
  }
  // Work that was launched before the trace began comes when it came.
  for (const auto& [correlation, left] : works)
    for (const std::size_t work : left)
      calls_.push_back({HostCall::Kind::launch, work, events[work].start, {work}});
  std::ranges::stable_sort(calls_, {}, &HostCall::at);
}

void HostCalls::find_own_calls_of_collectives() {
  for (const Event& event : *events_)
    if (issues_collective(event)) issuing_[event.thread].push_back({event.start, event.end()});
}

bool HostCalls::is_of_a_collective(const Event& call) const {
  const auto thread = issuing_.find(call.thread);
  return thread != issuing_.end() &&
         std::ranges::any_of(thread->second, [&](const std::pair<double, double>& while_it) {
           return while_it.first <= call.start && call.start <= while_it.second;
         });
}

}  // namespace ringscope::kineto
