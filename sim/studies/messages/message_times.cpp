// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/studies/messages/message_times.hpp"

#include <queue>

#include "scenarios/answer/formats/messages.hpp"
#include "sim/machine/machine.hpp"

namespace ringscope {
namespace {

using traces::Node;

constexpr std::int64_t most_messages = 25'000;

/// Computation, or one end of a message.
struct Step {
  Node node;
  int rank = 0;
  int partner = -1;       ///< the other end; -1: nobody knows
  bool eager = true;      ///< the send does not wait for its receive
  double own_s = 0;       ///< on the rank's core: the computation, or the overhead
  double transfer_s = 0;  ///< of a receive: of its message, alone
  double request_s = 0;   ///< of a receive: until its receiver detects it
  double latency_s = 0;   ///< of a receive: behind its last byte
  std::vector<std::pair<int, double>> loads{};  ///< resources, and for how long they are in use
  std::vector<int> next{};                      ///< steps that wait for its end
};

/// The messages and computations of a placed job on the simulated machine's resources.
class MessageGraph {
 public:
  /// Links between switches count only where they are `sure`. `shared`: a resource carries one
  /// message after the other, at half of its rate beside background jobs.
  MessageGraph(const Scenario& placed, const traces::Trace& trace, bool sure, bool shared)
      : machine_(placed, ledger_),
        sure_(sure),
        shared_(shared),
        moves_(placed.library.progress == Progress::caller) {
    Table<int> first;
    for (int rank = 0; rank < std::ssize(trace.ranks); ++rank)
      for (const Node& node : trace.ranks[rank]) {
        steps_.push_back({.node = node, .rank = rank});
        first.grown(rank, static_cast<int>(steps_.size()) - 1);
        moves_ = moves_ && node.lane == 0 && !machine_.on_gpu(rank);
      }
    const auto own = static_cast<int>(trace.ranks.size());
    for (int rank = own; shared && rank + 1 < machine_.ranks(); ++rank)
      for (const int to : {rank + 1, rank})
        for (const sim::Use& use : machine_.channel(2 * rank + 1 - to, to).wire())
          beside_.insert(use.resource);
    for (int i = 0; i < std::ssize(steps_); ++i) add(i, first[steps_[i].rank]);
  }

  /// The end of the last step, each as early as may be; where nothing is `shared` not before the
  /// busiest resource has carried all.
  double end() {
    for (int i = 0; i < std::ssize(steps_); ++i) {
      left_.push_back(static_cast<int>(steps_[i].node.after.size()));
      if (left_.back() == 0) due_.emplace(0, i);
    }
    ready_.resize(left_.size());
    while (!due_.empty()) ready(due_.extract(due_.begin()).value().second);
    return shared_ ? end_ : busiest();
  }

 private:
  /// The longest time until a resource has carried all, behind what comes before it. At least the
  /// end.
  double busiest() const {
    std::map<int, double> until = first_;
    double most = end_;
    for (const Step& step : steps_)
      for (const auto& [resource, seconds] : step.loads)
        most = std::max(most, until[resource] += seconds);
    return most;
  }

  /// Processor of a rank's thread.
  int core(const Step& step) const {
    return ledger_.resource_count() + step.node.lane * machine_.ranks() + step.rank;
  }

  /// Messages of one pair and tag are received in the order in which they were sent.
  void add(int index, int first) {
    Step& step = steps_[index];
    for (const int before : step.node.after) steps_[first + before].next.push_back(index);
    if (step.node.kind == Node::Kind::compute) {
      step.own_s = step.node.time.count();
      step.loads = {{core(step), step.own_s}};
      return;
    }
    const bool sends = step.node.kind == Node::Kind::send;
    auto& open = open_[{sends ? step.rank : step.node.peer, sends ? step.node.peer : step.rank,
                        step.node.tag}];
    if (open.empty() || steps_[open.front()].node.kind == step.node.kind) return open.push(index);
    join(sends ? index : open.front(), sends ? open.front() : index);
    open.pop();
  }

  void join(int from, int to) {
    Step &send = steps_[from], &receive = steps_[to];
    send.partner = to;
    receive.partner = from;
    const sim::PairRoute& pair = machine_.channel(send.rank, receive.rank).route();
    const sim::ChosenRoute& chosen = pair.choices.front();
    const Transport& transport = *pair.transport;
    const std::uint64_t bytes = send.node.items;
    send.eager = receive.eager = bytes <= transport.eager_limit.count;
    const double route = sure_ ? chosen.latency : 0;
    receive.latency_s = route + transport.latency.at(bytes);
    if (!send.eager && transport.rts_data.count == 0)
      receive.request_s = route + transport.latency.at(0);
    const auto use = [&](int resource, double seconds) {
      if (beside_.contains(resource)) seconds *= 2;
      receive.loads.emplace_back(resource, seconds);
      receive.transfer_s = std::max(receive.transfer_s, seconds);
    };
    const auto is_at = [&](const std::string& name, int rank) {
      const std::string host = machine_.host_name(rank) + '/';
      return name.starts_with(host) || name.find("->" + host) != std::string::npos;
    };
    for (const sim::Uses* uses : {&chosen.wire, &pair.copy_out})
      for (const auto& [resource, weight] : *uses)
        if (const std::string& name = ledger_.resource(resource).id.place;
            sure_ || is_at(name, send.rank) || is_at(name, receive.rank))
          use(resource, static_cast<double>(bytes) * weight * pair.wire_per_byte /
                            ledger_.capacity(resource));
    if (!moves_) return;
    if (transport.driver == Driver::caller)
      use(core(send), (Bytes{bytes} * transport.send_cost).count());
    if (transport.driver != Driver::nic)
      use(core(receive), (Bytes{bytes} * transport.recv_cost).count());
    send.own_s = transport.send_overhead.at(bytes);
    receive.own_s = transport.recv_overhead.at(bytes);
    receive.loads.emplace_back(core(send), send.own_s);
    receive.loads.emplace_back(core(receive), receive.own_s);
  }

  /// When a step that may begin can, on all of its resources, which it then has.
  double begun(double at, const Step& step) {
    const double ready = step.partner < 0 ? at : ready_[step.partner];
    for (const auto& [resource, seconds] : step.loads) {
      double& first = first_.try_emplace(resource, ready).first->second;
      first = std::min(first, ready);
    }
    if (!shared_) return at;
    for (const auto& [resource, seconds] : step.loads) at = std::max(at, free_.grown(resource));
    for (const auto& [resource, seconds] : step.loads)
      free_[resource] = std::max(at, free_[resource]) + seconds;
    return at;
  }

  void complete(int index, double at) {
    end_ = std::max(end_, at);
    for (const int next : steps_[index].next) {
      ready_[next] = std::max(ready_[next], at);
      if (--left_[next] == 0) due_.emplace(ready_[next], next);
    }
  }

  void transfer(int index) {
    const Step &receive = steps_[index], &send = steps_[receive.partner];
    const double sent = ready_[receive.partner] + send.own_s, posted = ready_[index];
    const double may = send.eager ? sent : std::max(sent + receive.request_s, posted);
    const double arrived = begun(may, receive) + receive.transfer_s + receive.latency_s;
    complete(index, std::max(arrived, posted) + receive.own_s);
    if (!send.eager) complete(receive.partner, sent);
  }

  void ready(int index) {
    const Step& step = steps_[index];
    left_[index] = -1;
    if (step.node.kind == Node::Kind::compute)
      return complete(index, begun(ready_[index], step) + step.own_s);
    const bool sends = step.node.kind == Node::Kind::send;
    if (sends && step.eager) complete(index, ready_[index] + step.own_s);
    if (step.partner < 0) return sends ? void() : complete(index, ready_[index]);
    if (left_[step.partner] < 0) transfer(sends ? step.partner : index);
  }

  const std::unique_ptr<sim::Kernel> kernel_ = sim::make_kernel("fluid");
  sim::Ledger ledger_{*kernel_};
  sim::Machine machine_;
  const bool sure_, shared_;
  bool moves_;            ///< the ranks' cores, of one thread each, move their messages on
  std::set<int> beside_;  ///< resources that background jobs use
  Table<Step> steps_;
  std::map<std::tuple<int, int, int>, std::queue<int>> open_;  ///< ends without a partner yet
  Table<double> ready_, free_;                                 ///< dates of steps, of resources
  Table<int> left_;  ///< steps that each waits for; -1: none, for long
  double end_ = 0;
  std::map<int, double> first_;  ///< of each resource: from when on it may be in use
  std::set<std::pair<double, int>> due_;
};

}  // namespace

std::optional<MessageTimes> message_times(const Scenario& placed, bool only_routes) {
  const Job& job = placed.job;
  const std::vector<Location>& ranks = placed.placement.ranks;
  const auto* schedule = job.options.schedule;
  if ((placed.library.blocks && ranks.front().gpu >= 0) || job.draws_times() ||
      (schedule != nullptr && schedule->trace != nullptr) || job.skew.count() > 0 ||
      job.algorithm->varies == Varies::all ||
      job.algorithm->cost(static_cast<int>(ranks.size()), job.bytes.count, job.options).messages >
          most_messages)
    return {};
  const bool sure = only_routes && placed.cluster.topology.routing() == Routing::hash;
  try {
    MessageGraph likely(placed, messages_of(placed, traces::Unordered::likely), true, true);
    MessageGraph least(placed, messages_of(placed, traces::Unordered::least), sure, false);
    return MessageTimes{least.end(), likely.end()};
  } catch (const InputError&) {
    return {};
  }
}

}  // namespace ringscope
