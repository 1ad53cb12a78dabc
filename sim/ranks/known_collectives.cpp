// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/ranks/known_collectives.hpp"

namespace ringscope::sim {
namespace {

constexpr int enough_rounds = 2;
constexpr double one_instant = 1e-12;  // s
constexpr double nearly = 1e-3;        // share of a collective's time
constexpr double rounding = 1e-9;      // share of a value

bool same(double a, double b) {
  return std::abs(a - b) <= rounding * std::max(std::abs(a), std::abs(b));
}

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(a, b, [](double one, double other) { return same(one, other); });
}

/// `before` may be shorter: what was added behind it began with 0.
std::vector<double> difference(std::vector<double> after, const std::vector<double>& before) {
  for (std::size_t i = 0; i < before.size(); ++i) after[i] -= before[i];
  return after;
}

template <class Each>
void for_each_use(const PairRoute& route, Each each) {
  for (const Uses* uses : {&route.nic, &route.copy_in, &route.copy_out})
    for (const Use& use : *uses) each(use.resource);
  for (const ChosenRoute& choice : route.choices)
    for (const Use& use : choice.wire) each(use.resource);
}

}  // namespace

KnownCollectives::Key KnownCollectives::key_of(const GroupCall& call) {
  return {call.algorithm,      call.items,         call.tag,
          call.ranks->front(), call.ranks->back(), call.ranks->size()};
}

const KnownCollectives::Share& KnownCollectives::share(const GroupCall& call) const {
  return kinds_.at(key_of(call)).last.of[call.self];
}

void KnownCollectives::restart() {
  kinds_.clear();
  simulating_.clear();
  asked_.clear();
  late_.clear();
  messages_ = 0;
}

// Ranks of one host, each alone on its GPU and its cores.
KnownCollectives::Kind KnownCollectives::made(const GroupCall& call) const {
  const Machine& machine = *run_->machine;
  Kind kind;
  const auto shares = [&](int rank, int other) {
    const auto is_common = [&](const Use& use) {
      return std::ranges::count(machine.cpu(other), use.resource, &Use::resource) > 0;
    };
    const Table<Location>& places = machine.scenario().placement.ranks;
    return rank != other && places[rank].host == places[other].host &&
           (places[rank].gpu == places[other].gpu ||
            std::ranges::any_of(machine.cpu(rank), is_common));
  };
  for (const int rank : *call.ranks) {
    if (machine.hosts()[rank] != machine.hosts()[call.ranks->front()] || !machine.on_gpu(rank))
      return {};
    for (int other = 0; other < machine.orbits().simulated; ++other)
      if (shares(rank, other)) return {};
    kind.ranks.insert(rank);
  }
  kind.begun = kind.over = Table<int>(call.ranks->size());
  return kind;
}

bool KnownCollectives::begins(const GroupCall& call, const RankThread& thread) {
  if (call.ranks == nullptr || call.ranks->size() < 2) return false;
  const Key key = key_of(call);
  auto found = kinds_.find(key);
  if (found == kinds_.end()) found = kinds_.emplace(key, made(call)).first;
  Kind& kind = found->second;
  if (kind.ranks.empty()) return false;
  const int number = kind.begun[call.self]++;
  const auto [at, is_first] = kind.rounds.try_emplace(number);
  Round& round = at->second;
  const double now = run_->ledger->now();
  if (is_first) {
    round.start = now;
    round.total.of = Table<Share>(call.ranks->size());
    round.asked = kind.equal >= enough_rounds && is_apart(kind);
    count(kind, round.total);
  }
  round.exact = round.exact || thread.has_others();
  const double apart = round.asked && !round.exact ? window(kind) : one_instant;
  round.clean = round.clean && thread.is_alone() && now - round.start <= apart;
  round.last = now;
  if (!round.asked) {
    simulate(round, call, thread);
    return false;
  }
  if (is_first) {
    if (asked_.empty())
      run_->ledger->kernel().after(0, Callback::to<&KnownCollectives::judge>(this, 1));
    asked_.emplace_back(&kind, number);
  }
  return true;
}

void KnownCollectives::simulate(Round& round, const GroupCall& call, const RankThread& thread) {
  Share& share = round.total.of[call.self];
  share.account = thread.account();
  share.in_group = thread.in_groups().of(run_->groups.index_of(call.tag));
  share.used = own_use(thread.rank());
  share.before = thread.end_of_path();
  double& phase = kinds_.at(key_of(call)).phases_before[call.self];
  simulating_[thread.rank()] = {&round, &phase, run_->ledger->now(), thread.phase()};
}

void KnownCollectives::meet(const GroupCall& call, RankThread& thread) {
  Kind& kind = kinds_.at(key_of(call));
  kind.rounds.at(kind.begun[call.self] - 1).met.emplace_back(call, &thread);
}

// Ranks that the ready queue lets go on come later in the instant than those whose work ends.
void KnownCollectives::judge(std::uint64_t again) {
  if (again > 0)
    return run_->ledger->kernel().after(0, Callback::to<&KnownCollectives::judge>(this, 0));
  for (const auto& [kind, number] : std::exchange(asked_, {})) decide(*kind, number, true);
}

void KnownCollectives::judge_late(std::uint64_t number) {
  const auto [kind, round] = late_.at(number);
  late_.erase(number);
  decide(*kind, round, false);
}

double KnownCollectives::window(const Kind& kind) { return nearly * kind.last.of[0].seconds; }

void KnownCollectives::decide(Kind& kind, int number, bool may_wait) {
  const auto at = kind.rounds.find(number);
  Round& round = at->second;
  const bool all = round.met.size() == kind.ranks.size();
  if (may_wait && round.clean && !round.exact && !all) {
    late_.emplace(++waits_, std::pair(&kind, number));
    run_->ledger->kernel().after(window(kind),
                                 Callback::to<&KnownCollectives::judge_late>(this, waits_));
    return;
  }
  round.asked = false;
  if (round.clean && all) {
    let_end(kind, round);
    kind.rounds.erase(at);
    return;
  }
  for (const auto& [call, thread] : std::exchange(round.met, {})) {
    simulate(round, call, *thread);
    thread->have_met(false, {}, 0);
  }
}

// Each goes on from the chain from which it went on before.
void KnownCollectives::let_end(Kind& kind, const Round& round) {
  const double late = run_->ledger->now() - round.last;
  kind.spared = true;
  repeat(kind, late);
  Table<PathCursor> paths(round.met.size());
  for (const auto& [call, thread] : round.met) paths[call.self] = thread->end_of_path();
  for (const auto& [call, thread] : round.met) {
    ++kind.over[call.self];
    const int from = kind.last.of[call.self].path_from;
    thread->have_met(true, paths[from < 0 ? call.self : from], late);
  }
}

void KnownCollectives::ended(const GroupCall& call, const RankThread& thread, const Mark& mark) {
  const auto found = call.ranks == nullptr ? kinds_.end() : kinds_.find(key_of(call));
  if (found == kinds_.end() || found->second.ranks.empty()) return;
  Kind& kind = found->second;
  const auto at = kind.rounds.find(kind.over[call.self]++);
  Round& round = at->second;
  const auto simulating = simulating_.extract(thread.rank());  // none: another stream's has ended
  const bool has_own_phase = simulating.empty() || simulating.mapped().marked;
  Share& share = round.total.of[call.self];
  const Share before = share;
  share.seconds = run_->ledger->now() - round.start;
  share.account = thread.account();
  for (std::size_t i = 0; i < share.account.seconds.size(); ++i)
    share.account.seconds[i] -= before.account.seconds[i];
  for (std::size_t i = 0; i < share.account.waited_for.size(); ++i)
    share.account.waited_for[i] -= before.account.waited_for[i];
  const CallTime in_group = thread.in_groups().of(run_->groups.index_of(call.tag));
  share.in_group = {in_group.all - before.in_group.all, in_group.partner - before.in_group.partner};
  share.used = difference(own_use(thread.rank()), before.used);
  if (has_own_phase) share.mark = mark;
  share.after = thread.end_of_path();
  if (++round.ended < std::ssize(*call.ranks)) return;
  close(kind, round);
  kind.rounds.erase(at);
}

void KnownCollectives::marked(int rank) {
  if (const auto found = simulating_.find(rank); found != simulating_.end())
    found->second.marked = true;
}

void KnownCollectives::phase_ended(int rank, int phase) {
  const auto found = simulating_.find(rank);
  if (found == simulating_.end()) return;
  auto& [round, duration, begun, phase_before, marked] = found->second;
  if (std::exchange(phase_before, -1) == phase) {
    *duration = run_->ledger->now() - begun;
    return;
  }
  double& end = round->total.phases[phase];
  end = std::max(end, run_->ledger->now() - round->start);
}

// Messages and use of links up to now; at the end, since the beginning.
void KnownCollectives::count(const Kind& kind, Total& total) const {
  for (const Channel* channel : kind.channels) {
    total.messages += channel->sent;
    total.bytes += channel->sent_bytes;
  }
  for (const int id : kind.resources) total.used.push_back(run_->ledger->carried(id));
}

void KnownCollectives::close(Kind& kind, Round& round) {
  look_at_channels(kind);
  Total now;
  count(kind, now);
  Total& total = round.total;
  total.messages = now.messages - total.messages;
  total.bytes = now.bytes - total.bytes;
  total.used = difference(std::move(now.used), total.used);
  // Where more than enough were equal, the paths of the last one stand.
  if (!round.clean || (kind.equal >= enough_rounds && equal(total, kind.last))) return;
  kind.equal = kind.equal > 0 && equal(total, kind.last) ? kind.equal + 1 : 1;
  keep(kind, std::move(total));
}

bool KnownCollectives::equal(const Total& a, const Total& b) {
  return a.messages == b.messages && a.bytes == b.bytes && same(a.used, b.used) &&
         std::ranges::equal(a.of, b.of, [](const Share& one, const Share& other) {
           return same(one.seconds, other.seconds) && same(one.used, other.used);
         });
}

// Its chains of segments are looked up once they are needed.
void KnownCollectives::keep(Kind& kind, Total total) const {
  const std::vector<PathCursor> before = each_of(total.of, &Share::before);
  for (Share& share : total.of) {
    if (kind.equal == enough_rounds) {
      Paths::Gained gained = run_->paths->since(share.after, before);
      share.path_from = gained.from;
      share.path = std::move(gained.segments);
    }
    share.after = {};
  }
  for (Share& share : total.of) share.before = {};
  kind.last = std::move(total);
}

void KnownCollectives::check() {
  for (auto& [key, kind] : kinds_)
    if (kind.spared) is_apart(kind);
}

// Channels that were made since the last time: which ranks use a link, or memory.
void KnownCollectives::look_at_channels(Kind& kind) {
  const auto& all = run_->machine->channels_made();
  const auto is_shared = [this](int id) {
    return run_->ledger->resource(id).kind != ResourceKind::core;
  };
  for (; channels_seen_ < all.size(); ++channels_seen_)
    for_each_use(all[channels_seen_]->route(), [&](int id) {
      if (is_shared(id))
        if (auto& users = users_[id]; users.empty() || users.back() != all[channels_seen_])
          users.push_back(all[channels_seen_]);
    });
  for (; kind.seen < all.size(); ++kind.seen) {
    const PairRoute& route = all[kind.seen]->route();
    if (!kind.ranks.contains(route.source) || !kind.ranks.contains(route.destination)) continue;
    kind.channels.push_back(all[kind.seen]);
    for_each_use(route, [&](int id) {
      if (is_shared(id) && !std::ranges::count(kind.resources, id)) kind.resources.push_back(id);
    });
  }
}

// Nothing that the group's messages use is shared with others, but what is never full.
bool KnownCollectives::is_apart(Kind& kind) {
  look_at_channels(kind);
  if (std::exchange(kind.apart_of, channels_seen_) == channels_seen_) return kind.apart;
  kind.apart = std::ranges::all_of(kind.resources, [&](int id) {
    const auto is_own = [&](const Channel* channel) {
      return kind.ranks.contains(channel->route().source) &&
             kind.ranks.contains(channel->route().destination);
    };
    return std::ranges::all_of(users_[id], is_own) || is_never_full(id);
  });
  if (kind.spared && !kind.apart) throw NotKnown{};
  return kind.apart;
}

// Each channel is as fast as its narrowest link, at most, and all through one link together.
bool KnownCollectives::is_never_full(int id) const {
  std::map<int, double> most;  // B/s, by link
  for (const Channel* channel : users_.at(id)) {
    int narrowest = -1, weight = 0;
    double rate = std::numeric_limits<double>::infinity();
    for (const Use& use : channel->wire()) {
      if (use.resource == id) weight = use.weight;
      const bool always =
          std::ranges::all_of(channel->route().choices, [&](const ChosenRoute& choice) {
            return std::ranges::find(choice.own, use.resource) == choice.own.end();
          });
      const double capacity = run_->ledger->capacity(use.resource) / use.weight;
      if (use.resource == id || !always || capacity >= rate) continue;
      narrowest = use.resource;
      rate = capacity;
    }
    if (narrowest < 0 || weight == 0) return false;
    most[narrowest] = std::max(most[narrowest], rate * weight);
  }
  double sum = 0;
  for (const auto& [link, rate] : most) sum += rate;
  return sum <= run_->ledger->capacity(id);
}

const std::vector<int>& KnownCollectives::own_resources(int rank) {
  for (; resources_seen_ < run_->ledger->resource_count(); ++resources_seen_)
    if (const int owner = run_->ledger->resource(resources_seen_).rank; owner >= 0)
      own_[owner].push_back(resources_seen_);
  return own_[rank];
}

std::vector<double> KnownCollectives::own_use(int rank) {
  return each_of(own_resources(rank), [&](int id) { return run_->ledger->carried(id); });
}

void KnownCollectives::use_own(const Share& share, int rank) {
  const std::vector<int>& own = own_resources(rank);
  for (std::size_t i = 0; i < share.used.size(); ++i) run_->ledger->use(own[i], share.used[i]);
}

void KnownCollectives::repeat(const Kind& kind, double late) {
  const Total& total = kind.last;
  Traffic& traffic = run_->mpi->traffic;
  messages_ += total.messages;
  traffic.messages += total.messages;
  traffic.received += total.messages;
  traffic.bytes += total.bytes;
  for (std::size_t i = 0; i < kind.resources.size(); ++i)
    run_->ledger->use(kind.resources[i], total.used[i]);
  for (const auto& [phase, seconds] : total.phases) {
    double& end = run_->phases.begin()[phase].end;
    end = std::max(end, run_->ledger->now() - late + seconds);
  }
}

}  // namespace ringscope::sim
