// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/placement/search/enumeration.hpp"

#include <unordered_set>

namespace ringscope {

std::vector<int> touched_by(const Assignment& assignment) {
  Table<int> touched;
  std::unordered_set<int> seen;
  for (const int bin : assignment)
    if (seen.insert(bin).second) touched.push_back(bin);
  return touched;
}

Placements::Placements(const Symmetry& symmetry, PlacementRules rules)
    : symmetry_(&symmetry), rules_(std::move(rules)) {}

/// The same ranks on each host, in its first bins; unchanged where a host has no room for them.
Assignment Placements::packed(const Assignment& assignment) const {
  std::map<int, std::vector<int>> places;  // of each host, one for each rank that it has room for
  for (int index = 0; index < static_cast<int>(bins().size()); ++index)
    for (int i = 0; i < bin(index).capacity; ++i) places[bin(index).host].push_back(index);
  std::map<int, std::size_t> on_host;
  Assignment result;
  for (const int index : assignment) {
    const int host = bin(index).host;
    const std::size_t next = on_host[host]++;
    if (next == places[host].size()) return assignment;
    result.push_back(places[host][next]);
  }
  return result;
}

bool Placements::in_fixed_order(const Assignment& assignment) const {
  if (rules_.order == RankOrder::packed && packed(assignment) != assignment) return false;
  std::set<int> hosts, bins;
  for (std::size_t rank = 0; rank < assignment.size(); ++rank) {
    const bool first = rank == 0;
    if ((first || assignment[rank] != assignment[rank - 1]) &&
        !bins.insert(assignment[rank]).second)
      return false;
    const int host = bin(assignment[rank]).host;
    if ((first || host != bin(assignment[rank - 1]).host) && !hosts.insert(host).second)
      return false;
  }
  return true;
}

bool Placements::allows(const Assignment& assignment) const {
  if (static_cast<int>(assignment.size()) != rules_.ranks) return false;
  std::map<int, int> in_bin, on_host;
  for (const int index : assignment) {
    if (++in_bin[index] > bin(index).capacity) return false;
    if (++on_host[bin(index).host] > rules_.slots[bin(index).host]) return false;
  }
  for (const auto& [host, ranks] : on_host)
    if (rules_.whole_hosts && ranks != rules_.slots[host]) return false;
  return keeps_apart(assignment) && (rules_.order == RankOrder::any || in_fixed_order(assignment));
}

bool Placements::keeps_apart(const Assignment& assignment) const {
  std::set<int> hosts = rules_.closed;
  return std::ranges::all_of(
      rules_.apart, [&](int rank) { return hosts.insert(bin(assignment[rank]).host).second; });
}

Count Placements::raw() const {
  if (rules_.order == RankOrder::packed || !rules_.apart.empty()) return 0;
  Table<HostRoom> hosts(rules_.slots.size());
  for (const Bin& one : bins()) hosts[one.host].bins.push_back(one.capacity);
  for (std::size_t host = 0; host < hosts.size(); ++host) hosts[host].slots = rules_.slots[host];
  return count_placements(hosts, rules_);
}

Assignment Placements::grouped(const Assignment& assignment) const {
  std::map<int, std::size_t> host_place, bin_place;
  for (std::size_t rank = 0; rank < assignment.size(); ++rank) {
    host_place.try_emplace(bin(assignment[rank]).host, rank);
    bin_place.try_emplace(assignment[rank], rank);
  }
  Assignment result = assignment;
  std::ranges::stable_sort(result, {}, [&](int index) {
    return std::pair(host_place.at(bin(index).host), bin_place.at(index));
  });
  return rules_.order == RankOrder::packed ? packed(result) : result;
}

/// The first assignment that a symmetry of the machine makes of it.
Assignment Placements::moved(const Assignment& assignment) const {
  const Table<int> touched = touched_by(assignment);
  const std::vector<int> image = symmetry_->first_image(touched);
  Table<int> to(bins().size());
  for (std::size_t i = 0; i < touched.size(); ++i) to[touched[i]] = image[i];
  Assignment result;
  for (const int index : assignment) result.push_back(to[index]);
  return result;
}

/// Images of an assignment under symmetries and rotations: the first of each rotation, sorted,
/// unique.
std::vector<Assignment> Placements::rotated(const Assignment& assignment) const {
  std::set<Assignment> assignments = {moved(assignment)};
  Assignment turned = assignment;
  for (std::size_t i = 1; rules_.rotations && i < assignment.size(); ++i) {
    std::rotate(turned.begin(), turned.begin() + 1, turned.end());
    if (rules_.order == RankOrder::any || in_fixed_order(turned)) assignments.insert(moved(turned));
  }
  return {assignments.begin(), assignments.end()};
}

Assignment Placements::first_alike(const Assignment& assignment) const {
  return rotated(assignment).front();
}

/// True of an assignment that is the first of its images.
bool Placements::is_first_alike(const Assignment& assignment) const {
  Assignment turned = assignment;
  for (std::size_t i = 1; rules_.rotations && i < assignment.size(); ++i) {
    std::rotate(turned.begin(), turned.begin() + 1, turned.end());
    if ((rules_.order == RankOrder::any || in_fixed_order(turned)) && moved(turned) < assignment)
      return false;
  }
  return true;
}

Count Placements::alike(const Assignment& assignment) const {
  if (rules_.order == RankOrder::packed) return symmetry_->images_of_hosts(touched_by(assignment));
  Count count = symmetry_->images(touched_by(assignment)) * rotated(assignment).size();
  std::map<int, int> in_bin;
  for (const int index : assignment) count *= bin(index).capacity - in_bin[index]++;
  return count;
}

/// Builds assignments rank by rank, each beginning the first of its images: what does not begin so
/// cannot become so.
class Placements::Walk {
 public:
  Walk(const Placements& placements, std::size_t limit, const std::function<bool()>& stopped)
      : placements_(placements),
        limit_(limit),
        stopped_(stopped),
        room_(placements.bins().size()),
        left_(placements.rules_.slots) {
    touched_hosts_.resize(left_.size());
    held_.resize(left_.size());
    for (const int host : placements.rules_.closed) held_[host] = true;
    bins_of_.resize(left_.size());
    for (int bin = 0; bin < static_cast<int>(room_.size()); ++bin) {
      room_[bin] = placements.bin(bin).capacity;
      bins_of_[host_of(bin)].push_back(bin);
    }
  }

  /// False when there are more than the limit, or it was stopped.
  bool go() {
    const PlacementRules& rules = placements_.rules_;
    if (++steps_ % steps_between_looks == 0 && stopped_()) return false;
    if (!can_end()) return true;
    if (static_cast<int>(assignment_.size()) == rules.ranks) {
      // A circle has as many beginnings as ranks: more assignments than that many times the limit
      // are more than the limit, whatever becomes of them.
      last_seen_ = assignment_;
      const auto beginnings = static_cast<std::size_t>(rules.rotations ? rules.ranks : 1);
      if (++seen_ > limit_ * beginnings || stopped_()) return false;
      if (placements_.is_first_alike(assignment_)) assignments_.push_back(assignment_);
      return assignments_.size() <= limit_;
    }
    const std::vector<int> next = next_bins();
    for (const int bin : next)
      if (has_room(bin) && fits_apart(bin) && fits_order(bin) && !step(bin)) return false;
    return true;
  }

  std::vector<Assignment> take() { return std::move(assignments_); }
  const std::optional<Assignment>& last_seen() const { return last_seen_; }

 private:
  int host_of(int bin) const { return placements_.bin(bin).host; }
  bool has_room(int bin) const { return room_[bin] > 0 && left_[host_of(bin)] > 0; }
  bool is_apart() const {
    return placements_.rules_.apart.contains(static_cast<int>(assignment_.size()));
  }
  bool fits_apart(int bin) const { return !is_apart() || !held_[host_of(bin)]; }

  bool step(int bin) {
    const bool is_new = !is_touched(bin), holds = is_apart();
    if (is_new) touched_.push_back(bin);
    if (holds) held_[host_of(bin)] = true;
    --room_[bin];
    --left_[host_of(bin)];
    ++touched_hosts_[host_of(bin)];
    assignment_.push_back(bin);
    const bool within = go();
    assignment_.pop_back();
    --touched_hosts_[host_of(bin)];
    ++left_[host_of(bin)];
    ++room_[bin];
    if (is_new) touched_.pop_back();
    if (holds) held_[host_of(bin)] = false;
    return within;
  }

  /// True if no bin of its host before it has room.
  bool is_next_of_host(int bin) const {
    for (int before = bin; --before >= 0 && host_of(before) == host_of(bin);)
      if (room_[before] > 0) return false;
    return true;
  }

  bool fits_order(int bin) const {
    const RankOrder order = placements_.rules_.order;
    if (order == RankOrder::packed && !is_next_of_host(bin)) return false;
    if (order == RankOrder::any || assignment_.empty() || bin == assignment_.back()) return true;
    if (is_touched(bin)) return false;
    return host_of(bin) == host_of(assignment_.back()) || touched_hosts_[host_of(bin)] == 0;
  }

  bool is_touched(int bin) const { return std::ranges::find(touched_, bin) != touched_.end(); }

  /// False of a bin that packed ranks cannot come to yet: there is one of its host before it. To
  /// say so here is cheaper than to look for the first of its images.
  bool may_be_next(int bin) const {
    if (placements_.rules_.order != RankOrder::packed) return true;
    for (int before = bin; --before >= 0 && host_of(before) == host_of(bin);)
      if (!is_touched(before) && placements_.bin(before).capacity > 0) return false;
    return true;
  }

  /// Touched bins, and of those that are not one for each way in which they differ from here.
  const std::vector<int>& next_bins() {
    const auto [entry, is_new] = next_.try_emplace(touched_);
    for (int bin = 0; is_new && bin < static_cast<int>(room_.size()); ++bin) {
      bool first = is_touched(bin);
      if (!first && placements_.rules_.slots[host_of(bin)] > 0 && may_be_next(bin)) {
        std::vector<int> longer = touched_;
        longer.push_back(bin);
        first = placements_.symmetry_->first_image(longer) == longer;
      }
      if (first) entry->second.push_back(bin);
    }
    return entry->second;
  }

  /// Slots of a host that ranks to come can still take: none come back to a host or to a bin that
  /// they have left, unless any rank sits anywhere.
  int reachable(int host) const {
    const bool any = placements_.rules_.order == RankOrder::any;
    if (any || touched_hosts_[host] == 0) return left_[host];
    if (host != host_of(assignment_.back())) return 0;
    int room = 0;
    for (const int bin : bins_of_[host])
      if (bin == assignment_.back() || !is_touched(bin)) room += room_[bin];
    return std::min(room, left_[host]);
  }

  /// True if all ranks that are left find room; and where hosts are used whole, if they fill those
  /// in use, and some of the others, to the last slot. What cannot end is not begun: a walk into
  /// all of its dead ends takes longer than any user waits.
  bool can_end() const {
    const PlacementRules& rules = placements_.rules_;
    if (!can_part()) return false;
    if (rules.order == RankOrder::any && !rules.whole_hosts) return true;  // no room is lost
    const int left = rules.ranks - static_cast<int>(assignment_.size());
    int room = 0, in_use = 0;
    for (int host = 0; host < static_cast<int>(left_.size()); ++host) {
      const int slots = reachable(host);
      room += slots;
      if (touched_hosts_[host] == 0) continue;
      in_use += slots;
      if (rules.whole_hosts && slots < left_[host]) return false;
    }
    if (room < left) return false;
    return !rules.whole_hosts || (in_use <= left && can_fill_others(left - in_use));
  }

  /// True if those of the ranks that are left that are apart find a host each.
  bool can_part() const {
    const std::set<int>& apart = placements_.rules_.apart;
    const auto next = apart.lower_bound(static_cast<int>(assignment_.size()));
    auto left = std::distance(next, apart.end());
    for (int host = 0; left > 0 && host < std::ssize(left_); ++host)
      left -= left_[host] > 0 && !held_[host];
    return left <= 0;
  }

  /// True if some hosts that are not in use have together `ranks` slots.
  bool can_fill_others(int ranks) const {
    const Table<int>& slots = placements_.rules_.slots;
    Table<char> sums(ranks + 1);
    sums[0] = true;
    for (std::size_t host = 0; host < slots.size(); ++host)
      for (int sum = ranks; touched_hosts_[host] == 0 && sum >= slots[host]; --sum)
        if (sums[sum - slots[host]]) sums[sum] = true;
    return sums.back();
  }

  static constexpr std::size_t steps_between_looks = 256;

  const Placements& placements_;
  std::size_t limit_, seen_ = 0, steps_ = 0;
  const std::function<bool()>& stopped_;
  Table<int> room_, left_;           // of bins, of hosts
  Table<std::vector<int>> bins_of_;  // of hosts
  Table<int> touched_hosts_;         // ranks on each
  Table<char> held_;                 // of hosts: by a rank that is apart
  std::vector<int> touched_;
  std::map<std::vector<int>, std::vector<int>> next_;
  Assignment assignment_;
  std::vector<Assignment> assignments_;
  std::optional<Assignment> last_seen_;
};

std::optional<std::vector<Assignment>> Placements::all(std::size_t limit,
                                                       const std::function<bool()>& stopped) const {
  if (least_number() > limit) return {};
  Walk walk(*this, limit, stopped);
  if (!walk.go()) return {};
  return walk.take();
}

std::optional<Assignment> Placements::some() const {
  const std::function<bool()> never = [] { return false; };
  Walk walk(*this, 0, never);
  walk.go();
  return walk.last_seen();
}

// No placement is alike with more others than there are symmetries, beginnings of the circle, and
// ways to choose cores; the latter are most where the bins with the most free cores are taken
// first.
Count Placements::least_number() const {
  if (rules_.order == RankOrder::packed || !rules_.apart.empty()) return 1;
  std::vector<int> all;
  Table<int> cores;
  for (int index = 0; index < static_cast<int>(bins().size()); ++index) {
    if (rules_.slots[bin(index).host] == 0) continue;
    all.push_back(index);
    for (int free = bin(index).capacity; free > 0; --free) cores.push_back(free);
  }
  std::ranges::sort(cores, std::greater());
  if (std::ssize(cores) > rules_.ranks) cores.resize(rules_.ranks);
  Count most = symmetry_->images(all) * (rules_.rotations ? rules_.ranks : 1);
  for (const int free : cores) most *= free;
  return (raw() + most - 1) / most;
}

}  // namespace ringscope
