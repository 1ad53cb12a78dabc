// SPDX-License-Identifier: LGPL-2.1-or-later
// Source of the fields: pytorch/kineto, libkineto/src/output_json.cpp; of NCCL kernels' arguments
// pytorch/pytorch, torch/csrc/distributed/c10d/ParamCommsUtils.hpp.
#include "scenarios/trace/kineto/events.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace ringscope::kineto {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t unsaid = -1;
constexpr double beyond_whole = 0x1p63;  ///< what std::int64_t does not hold

std::string text(const Json& map, const char* key) {
  const auto found = map.find(key);
  return found != map.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// A number, or a text that is one: streams of graphs, some threads.
std::int64_t whole(const Json& map, const char* key, std::int64_t otherwise) {
  const auto found = map.find(key);
  if (found == map.end()) return otherwise;
  if (found->is_number_float() && !(std::abs(found->get<double>()) < beyond_whole))
    return otherwise;
  if (found->is_number()) return found->get<std::int64_t>();
  if (!found->is_string()) return otherwise;
  const std::string& written = found->get_ref<const std::string&>();
  std::int64_t value = otherwise;
  std::from_chars(written.data(), written.data() + written.size(), value);
  return value;
}

/// "[0, 1]"
std::vector<int> ranks_in(const std::string& list) {
  std::vector<int> ranks;
  const char *at = list.data(), *end = list.data() + list.size();
  while (at != end) {
    int rank = 0;
    const auto [next, error] = std::from_chars(at, end, rank);
    if (error == std::errc{}) ranks.push_back(rank);
    at = error == std::errc{} ? next : at + 1;
  }
  return ranks;
}

Collective collective_of(const Json& arguments) {
  return {.name = text(arguments, "Collective name"),
          .group = text(arguments, "Process Group Name"),
          .ranks = ranks_in(text(arguments, "Process Group Ranks")),
          .type = text(arguments, "dtype"),
          .in = whole(arguments, "In msg nelems", unsaid),
          .out = whole(arguments, "Out msg nelems", unsaid),
          .from = whole(arguments, "Src Rank", unsaid),
          .to = whole(arguments, "Dst Rank", unsaid)};
}

/// Takes events as they are parsed, and keeps none of their JSON.
class Reader {
 public:
  explicit Reader(File& file) : file_(&file) {}

  /// False for what is not to be kept.
  bool take(int depth, Json::parse_event_t what, const Json& parsed) {
    constexpr int of_key = 1, of_event = 2;
    if (what == Json::parse_event_t::key && depth == of_key)
      in_events_ = parsed.get_ref<const std::string&>() == "traceEvents";
    has_events_ = has_events_ || in_events_;
    if (!in_events_ || depth != of_event || what != Json::parse_event_t::object_end) return true;
    add(parsed);
    return false;
  }
  bool has_events() const { return has_events_; }

 private:
  void add(const Json& json) {
    const std::size_t number = number_++;
    if (text(json, "ph") != "X") {
      file_->others.push_back(kind_of(json));
      return;
    }
    Event event{.number = number, .category = text(json, "cat"), .name = text(json, "name")};
    event.start = time(json, "ts", event);
    event.duration = std::max(0.0, time(json, "dur", event));
    event.thread = whole(json, "tid", 0);
    if (const auto arguments = json.find("args");
        arguments != json.end() && arguments->is_object()) {
      event.correlation = whole(*arguments, "correlation", unsaid);
      event.thread = on_gpu(event) ? whole(*arguments, "stream", event.thread) : event.thread;
      if (is_collective(event)) event.collective = collective_of(*arguments);
    }
    file_->events.push_back(std::move(event));
  }

  static std::string kind_of(const Json& json) {
    const std::string phase = text(json, "ph");
    if (phase == "s" || phase == "t" || phase == "f") return "arrow";
    return phase == "M" ? "name" : "mark";
  }

  double time(const Json& json, const char* key, const Event& event) const {
    const auto found = json.find(key);
    if (found != json.end() && found->is_number()) return found->get<double>();
    throw InputError(file_->place(), "{}: '{}' is no number", text_of(event), key);
  }

  File* file_;
  bool in_events_ = false, has_events_ = false;
  std::size_t number_ = 0;
};

int world_of(const Json& root) {
  const auto found = root.find("distributedInfo");
  return found != root.end() && found->is_object()
             ? static_cast<int>(whole(*found, "world_size", 0))
             : 0;
}

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

File read_events(const std::string& path, std::string_view bytes) {
  File file{.source = std::make_shared<const Source>(Source{path, ""})};
  Reader reader(file);
  try {
    const Json root = Json::parse(bytes, [&](int depth, Json::parse_event_t what, Json& parsed) {
      return reader.take(depth, what, parsed);
    });
    if (!root.is_object() || !reader.has_events())
      throw InputError(file.place(),
                       "expected a trace of PyTorch's profiler: JSON with the list 'traceEvents'");
    file.world = world_of(root);
  } catch (const Json::parse_error& error) {
    throw InputError(file.place(), "byte {}: the file is cut off here, or no JSON", error.byte);
  } catch (const Json::out_of_range&) {
    throw InputError(file.place(), "a number in it is too large: no double holds it");
  }
  return file;
}

std::string text_of(const Event& event) {
  constexpr std::size_t most = 40;
  const bool longer = event.name.size() > most;
  return fmt::format("event {} '{}{}'", event.number, event.name.substr(0, most),
                     longer ? "..." : "");
}

bool on_gpu(const Event& event) {
  constexpr std::array<std::string_view, 3> categories = {"kernel", "gpu_memcpy", "gpu_memset"};
  return std::ranges::find(categories, event.category) != categories.end();
}

bool is_collective(const Event& event) {
  return event.category == "kernel" && event.name.starts_with("nccl");
}

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
