// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/trace/kineto/events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <optional>
#include <set>

namespace ringscope {
extern const char* const collectives_yml;
extern const char* const item_types_yml;
}  // namespace ringscope

namespace ringscope::kineto {
namespace {

using Runs = traces::Node;

/// Bytes of an item by the start of its type's name; 0: not known.
std::int64_t bytes_of(std::string_view type) {
  static const Value types = Value::from_text("item_types.yml", item_types_yml);
  for (const Value::Entry& one : types.entries())
    if (type.starts_with(one.key)) return one.value.integer(1, 8);
  return 0;
}

Duration seconds(double microseconds) {
  constexpr double microsecond = 1e-6;
  return Duration(std::max(0.0, microseconds) * microsecond);
}

class Weaving {
 public:
  Weaving(const File& file, const Question& question, Groups& groups, NodeCounts& counts)
      : file_(&file), question_(&question), groups_(&groups), counts_(&counts) {}

  Nodes weave() {
    const HostCalls host(file_->events);
    choose_first_lane();
    double now = host.begin();
    for (const HostCall& call : host.calls()) {
      pass(call.event, call.at - now);
      now = std::max(now, call.at);
      if (call.kind == HostCall::Kind::launch) launch(call);
      if (call.kind == HostCall::Kind::stream_waits) wait_on_stream(call);
      if (const auto last = wait_on_host(call)) {
        now = std::max(now, *last);
        pass(call.event, file_->events[call.event].end() - now);
        now = std::max(now, file_->events[call.event].end());
      }
    }
    for (std::size_t i = 0; i < file_->events.size(); ++i)
      if (!counted_.contains(i))
        counts_->add(file_->events[i].category, "in the host's time between its calls");
    for (const std::string& kind : file_->others) counts_->add(kind, "no time");
    return std::move(made_);
  }

 private:
  int add(Runs node, std::size_t event) {
    made_.nodes.push_back(std::move(node));
    made_.events.push_back(event);
    return static_cast<int>(made_.nodes.size()) - 1;
  }
  void count(std::size_t event, const std::string& as, bool ignored = false) {
    const Event& one = file_->events[event];
    counted_.insert(event);
    counts_->add(is_collective(one) ? "kernel of NCCL" : one.category, as, ignored);
  }

  int lane(std::int64_t stream) {
    return lanes_.try_emplace(stream, static_cast<int>(lanes_.size())).first->second;
  }
  /// The first lane is what reports call the rank: the stream that computes most.
  void choose_first_lane() {
    std::map<std::int64_t, double> busy;
    for (const Event& event : file_->events)
      if (on_gpu(event) && !is_collective(event)) busy[event.thread] += event.duration;
    const auto most = std::ranges::max_element(
        busy, [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most != busy.end()) lane(most->first);
    host_lane_ = lane(host_of_all);
  }

  void launch(const HostCall& call) {
    if (!on_gpu(file_->events[call.event])) count(call.event, "the host launches work");
    for (const std::size_t work : call.works) add_work(work);
  }

  /// Time of the host.
  void pass(std::size_t event, double microseconds) {
    if (microseconds <= 0) return;
    host_ = add({.kind = Runs::Kind::delay,
                 .lane = host_lane_,
                 .time = seconds(microseconds),
                 .after = after({host_})},
                event);
  }
  static std::vector<int> after(std::initializer_list<int> nodes) {
    std::vector<int> list;
    for (const int node : nodes)
      if (node >= 0 && std::ranges::find(list, node) == list.end()) list.push_back(node);
    return list;
  }

  void add_work(std::size_t event) {
    const Event& work = file_->events[event];
    const int before = last_of(work.thread);
    Runs node = is_collective(work) ? collective(event) : local(event);
    node.after = after({host_, before});
    const bool waits = is_collective(work) && node.kind != Runs::Kind::delay;
    if (waits) {
      for (const auto& [stream, works] : done_)
        if (stream != work.thread && !communicates_.contains(stream))
          node.after.push_back(works.back().node);
      communicates_.insert(work.thread);
    } else if (!communicates_.contains(work.thread)) {
      node.after.insert(node.after.end(), awaited_.begin(), awaited_.end());
      awaited_.clear();
    }
    const int number = add(std::move(node), event);
    done_[work.thread].push_back({work.end(), number});
    if (waits) unawaited_.push_back(number);
  }
  int last_of(std::int64_t stream) const {
    const auto works = done_.find(stream);
    return works == done_.end() ? -1 : works->second.back().node;
  }

  /// The next work that is launched elsewhere waits for the oldest collective that none has waited
  /// for.
  void wait_on_stream(const HostCall& call) {
    count(call.event, "a stream waits for a collective");
    if (unawaited_.empty()) return;
    awaited_.push_back(unawaited_.front());
    unawaited_.pop_front();
  }

  /// The host goes on after what ended while its call lasted; after all that was launched before
  /// where it waits for that. When the last of it ended, in microseconds; nothing where it did not
  /// wait.
  std::optional<double> wait_on_host(const HostCall& call) {
    constexpr double rounding = 1e-2;  // us
    const Event& event = file_->events[call.event];
    const bool launches = call.kind == HostCall::Kind::launch;
    if (call.kind == HostCall::Kind::stream_waits || on_gpu(event)) return {};
    if (!launches) count(call.event, "the host waits for work of the GPU");
    Runs node{.kind = Runs::Kind::order, .after = after({host_})};
    std::optional<double> last;
    for (const auto& [stream, works] : done_) {
      if (launches && file_->events[call.works.front()].thread != stream) continue;
      const auto later = std::ranges::upper_bound(works, event.end() + rounding, {}, &Done::end);
      if (later == works.begin()) continue;
      const Done& done = *(later - 1);
      if (launches && (later != works.end() || done.end < event.start)) continue;
      if (call.kind == HostCall::Kind::host_waits && done.end < event.start) continue;
      node.after.push_back(done.node);
      last = std::max(done.end, last.value_or(done.end));
    }
    if (last) host_ = add(std::move(node), call.event);
    return last;
  }

  Runs local(std::size_t event) {
    const Event& work = file_->events[event];
    const bool computes = work.category == "kernel";
    count(event, computes ? "computation" : "time of its stream");
    return {.kind = computes ? Runs::Kind::compute : Runs::Kind::delay,
            .lane = lane(work.thread),
            .time = seconds(work.duration)};
  }

  Runs collective(std::size_t event) {
    const Event& work = file_->events[event];
    const Collective& said = work.collective;
    if (said.name == "send" || said.name == "recv") return message(event);
    static const Value known = Value::from_text("collectives.yml", collectives_yml);
    const Value* row = known.find(said.name);
    const std::string of = row != nullptr ? row->find("size")->scalar() : "";
    const std::int64_t size = of == "in" ? said.in : of == "out" ? said.out : 0;
    const bool sized = of == "none" || (!of.empty() && size >= 0 && bytes_of(said.type) > 0);
    if (!sized)
      return unsaid(event, said.name.empty() ? "it does not name its collective"
                           : row == nullptr  ? fmt::format("'{}' is not understood", said.name)
                                             : "it does not state its size");
    const std::string& collective = row->find("collective")->scalar();
    const Algorithm* algorithm = question_->algorithm(collective, row->find("algorithm")->scalar());
    count(event, fmt::format("{}, {}", collective, algorithm->name));
    return {.kind = Runs::Kind::collective,
            .lane = lane(work.thread),
            .items = bytes_of_items(work, size),
            .group = group_of(work),
            .algorithm = algorithm};
  }

  std::uint64_t bytes_of_items(const Event& event, std::int64_t items) const {
    constexpr std::int64_t most = std::int64_t{1} << 49;  // as of recorded programs
    const std::int64_t each = std::max<std::int64_t>(1, bytes_of(event.collective.type));
    if (items > most / each)
      fail(event, fmt::format("{} items of {} B are more than {} B", items, each, most));
    return static_cast<std::uint64_t>(items * each);
  }

  int group_of(const Event& event) const {
    const int group = groups_->index_of(event, *file_, question_->ranks);
    const auto& members = *groups_->all()[group].ranks;
    if (std::ranges::find(members, question_->rank) == members.end())
      fail(event,
           fmt::format("rank {} is not in its group of ranks {}{}", question_->rank,
                       fmt::join(members, ", "),
                       question_->for_all
                           ? ": with 'every_rank_as' a job has the ranks of the trace's groups"
                           : ""));
    return group;
  }

  Runs message(std::size_t event) {
    const Event& work = file_->events[event];
    const bool sends = work.collective.name == "send";
    const std::int64_t peer = sends ? work.collective.to : work.collective.from;
    const std::int64_t items = sends ? work.collective.in : work.collective.out;
    if (peer < 0 || items < 0 || bytes_of(work.collective.type) == 0)
      return unsaid(event, "it does not state its peer, or its size");
    if (question_->for_all)
      fail(work, "with 'every_rank_as' there are no messages: every rank would have one peer");
    if (peer >= question_->ranks || peer == question_->rank)
      fail(work, fmt::format("its peer is rank {}, of a job of {} ranks, on rank {}", peer,
                             question_->ranks, question_->rank));
    count(event, sends ? "a message sent" : "a message received");
    return {.kind = sends ? Runs::Kind::send : Runs::Kind::receive,
            .items = bytes_of_items(work, items),
            .peer = static_cast<int>(peer)};
  }

  Runs unsaid(std::size_t event, const std::string& why) {
    const Event& work = file_->events[event];
    count(event, "time alone, as it was: " + why, true);
    return {.kind = Runs::Kind::delay, .lane = lane(work.thread), .time = seconds(work.duration)};
  }

  [[noreturn]] void fail(const Event& event, const std::string& why) const {
    throw InputError(file_->place(), "{}: {}", text_of(event), why);
  }

  static constexpr std::int64_t host_of_all = std::numeric_limits<std::int64_t>::min();

  const File* file_;
  const Question* question_;
  Groups* groups_;
  NodeCounts* counts_;
  Nodes made_{};
  std::set<std::size_t> counted_{};
  std::map<std::int64_t, int> lanes_{};
  struct Done {
    double end = 0;  ///< us
    int node = -1;
  };
  std::map<std::int64_t, std::vector<Done>> done_{};  ///< by stream
  std::set<std::int64_t> communicates_{};             ///< streams
  std::deque<int> unawaited_{};                       ///< collectives that no stream has waited for
  std::vector<int> awaited_{};                        ///< by the next work that is launched
  int host_lane_ = 0, host_ = -1;
};

}  // namespace

int Groups::index_of(const Event& event, const File& file, int ranks) {
  Table<int> members = event.collective.ranks;
  if (members.empty()) members = numbers_below(ranks);
  const auto require = [&](bool right, const std::string& why) {
    if (!right) throw InputError(file.place(), text_of(event) + ": " + why);
  };
  std::set<int> seen;
  for (const int rank : members) {
    require(rank >= 0 && rank < ranks,
            fmt::format("rank {} is in its group, and the job has ranks 0 to {}", rank, ranks - 1));
    require(seen.insert(rank).second, fmt::format("duplicate rank {} in its group", rank));
  }
  const auto [place, is_new] = indices_.try_emplace(members, static_cast<int>(all_.size()));
  if (is_new)
    all_.push_back({std::ssize(members) == ranks ? "all ranks" : "group " + event.collective.group,
                    std::make_shared<const Table<int>>(std::move(members))});
  return place->second;
}

Nodes nodes_of(const File& file, const Question& question, Groups& groups, NodeCounts& counts) {
  return Weaving(file, question, groups, counts).weave();
}

}  // namespace ringscope::kineto
