// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/alike/alike_ranks.hpp"

#include "sim/alike/script.hpp"
#include "topologies/graph/splitmix.hpp"

namespace ringscope::sim {
namespace {

using Colour = std::uint64_t;

Colour mixed(Colour colour, std::uint64_t more) { return random_of({colour, more}); }
Colour mixed(Colour colour, double more) { return mixed(colour, std::bit_cast<Colour>(more)); }

/// Ranks with which a block exchanges, in the order in which its program names them.
struct Peer {
  Peer(int further, Block message) : distance(further), kind(message) {}

  int distance;    ///< ranks further
  Block kind;      ///< of the messages
  int block = -1;  ///< its own one
  bool sends = false, receives = false;
  Uses uses;               ///< of what is sent to it: the wire, and NICs by its time
  Colour way = 0;          ///< latency and flags on the way there
  std::uint64_t here = 0;  ///< the place of this block among its peers
};

struct BlockNode {
  int rank = 0, channel = -1, thread = 0;
  Table<Peer> peers;
  Colour colour = 0;

  /// Place among its peers; their number where it is none of them.
  std::uint64_t place_of(int distance, Block message) const {
    const auto found = std::ranges::find_if(
        peers, [&](const Peer& peer) { return peer.distance == distance && peer.kind == message; });
    return static_cast<std::uint64_t>(found - peers.begin());
  }
};

/// Each rank has a GPU, and no core of another's.
bool have_their_own(const Placement& placement) {
  std::set<std::tuple<int, int, int>> cores;
  return std::ranges::all_of(placement.ranks, [&](const Location& where) {
    return where.gpu >= 0 && (where.binding != Binding::core ||
                              cores.insert({where.host, where.numa, where.core}).second);
  });
}

class Refinement {
 public:
  Refinement(const Machine& machine, Ledger& ledger) : machine_(&machine), ledger_(&ledger) {}

  /// Takes in the blocks of a rank by its script; false where it is not made of blocks alone.
  bool add(int rank, const std::vector<ScriptLine>& script) {
    Table<int> number_of;  // a thread's block; -1: none yet
    for (const ScriptLine& line : script) {
      int& number = number_of.grown(line.thread, -1);
      const bool lasts = line.verb == Verb::copy && line.size == 0;
      if (line.verb == Verb::join || (lasts && !line.block.is_any())) continue;
      if (lasts) {
        if (number >= 0) return false;
        number = static_cast<int>(blocks_.size());
        if (!by_rank_.try_emplace({rank, line.block.channel}, static_cast<int>(blocks_.size()))
                 .second)
          return false;
        blocks_.push_back(
            {.rank = rank, .channel = line.block.channel, .thread = line.thread, .peers = {}});
        channels_ = std::max(channels_, line.block.channel + 1);
      }
      if (number < 0) return false;
      BlockNode& block = blocks_[number];
      if (line.equal_steps > 0) {
        block.colour = mixed(block.colour, static_cast<std::uint64_t>(line.equal_steps));
        continue;
      }
      const bool sends = line.verb == Verb::isend, receives = line.verb == Verb::irecv;
      const bool waits = line.verb == Verb::wait_all || line.verb == Verb::wait_any;
      const bool local = line.verb == Verb::reduce || line.verb == Verb::copy;
      if (!sends && !receives && !waits && !local) return false;
      std::uint64_t which = 0;
      if (sends || receives) {
        which = block.place_of(line.peer, line.block);
        if (which == block.peers.size()) block.peers.emplace_back(line.peer, line.block);
        Peer& peer = block.peers[which];
        peer.sends = peer.sends || sends;
        peer.receives = peer.receives || receives;
      }
      block.colour = mixed(block.colour, static_cast<std::uint64_t>(line.verb) << 32 | which);
      block.colour = mixed(block.colour, std::uint64_t{line.size});
    }
    return true;
  }

  /// Finds each block's peers, and what is used on the way to them.
  bool connect(Machine& machine) {
    const Orbits& orbits = machine.orbits();
    for (BlockNode& block : blocks_)
      for (Peer& peer : block.peers) {
        const int to = (block.rank + peer.distance) % orbits.ranks;
        const auto found = by_rank_.find({orbits.simulated_for(to), block.channel});
        if (found == by_rank_.end()) return false;
        peer.block = found->second;
        const BlockNode& other = blocks_[peer.block];
        peer.here = other.place_of((orbits.ranks - peer.distance) % orbits.ranks, peer.kind);
        if (peer.here == other.peers.size()) return false;
        if (!peer.sends) continue;
        const Channel& channel = machine.channel(block.rank, to, peer.kind);
        const PairRoute& route = channel.route();
        peer.uses = channel.wire();
        peer.uses.insert(peer.uses.end(), route.nic.begin(), route.nic.end());
        const auto costs =
            static_cast<Colour>(route.way) << 8 | static_cast<Colour>(peer.kind.protocol);
        peer.way = mixed(mixed(mixed(costs, route.choices.front().latency), route.wire_per_byte),
                         static_cast<Colour>(route.slices));
        for (const Use& use : peer.uses)
          colour_of(use) = mixed(Colour{1}, ledger_->resource(use.resource).capacity);
      }
    return true;
  }

  void refine() {
    std::size_t before = 0;
    for (std::size_t colours = count_colours(); colours > before;) {
      before = colours;
      std::vector<Colour> next;
      Table<std::vector<Colour>> users(resources_.size());
      for (const BlockNode& block : blocks_) {
        Colour colour = block.colour;
        for (std::size_t i = 0; i < block.peers.size(); ++i) {
          const Peer& peer = block.peers[i];
          colour = mixed(mixed(colour, blocks_[peer.block].colour),
                         peer.here << 2 | std::uint64_t{peer.sends} << 1 | peer.receives);
          if (!peer.sends) continue;
          Colour flow = mixed(mixed(block.colour, std::uint64_t{i}), peer.way);
          for (const Use& use : peer.uses)
            flow = mixed(mixed(flow, colour_of(use)), static_cast<Colour>(use.weight));
          for (const Use& use : peer.uses)
            users[use.resource].push_back(mixed(flow, static_cast<Colour>(use.weight)));
          colour = mixed(colour, flow);
        }
        next.push_back(colour);
      }
      for (std::size_t i = 0; i < blocks_.size(); ++i) blocks_[i].colour = next[i];
      for (std::size_t id = 0; id < users.size(); ++id) {
        std::ranges::sort(users[id]);
        for (const Colour flow : users[id]) resources_[id] = mixed(resources_[id], flow);
      }
      colours = count_colours();
    }
  }

  std::optional<ChannelFold> fold() {
    ChannelFold fold;
    fold.stands_for = Table<int>(channels_, 0);
    for (const int first : first_alike()) ++fold.stands_for[first];
    const bool any = std::ranges::any_of(fold.stands_for, [](int times) { return times > 1; });
    // A rank's first thread ends with the rank.
    const bool first_threads = std::ranges::all_of(blocks_, [&](const BlockNode& block) {
      return block.thread > 0 || fold.is_simulated(block.channel);
    });
    if (!any || !first_threads) return {};
    merge_resources(fold);
    tell_likes(fold);
    return fold;
  }

 private:
  Colour& colour_of(const Use& use) { return resources_.grown(use.resource); }

  std::size_t count_colours() const {
    const std::set<Colour> of_resources(resources_.begin(), resources_.end());
    std::set<Colour> of_blocks;
    for (const BlockNode& block : blocks_) of_blocks.insert(block.colour);
    return of_blocks.size() + of_resources.size();
  }

  /// The first channel like each.
  std::vector<int> first_alike() const {
    Table<std::vector<Colour>> colours(channels_);
    for (const BlockNode& block : blocks_) colours[block.channel].push_back(block.colour);
    std::map<std::vector<Colour>, int> first;
    std::vector<int> alike;
    for (int channel = 0; channel < channels_; ++channel) {
      auto& of_channel = colours[channel];
      std::ranges::sort(of_channel);
      alike.push_back(first.try_emplace(std::move(of_channel), channel).first->second);
    }
    return alike;
  }

  // Resources that blocks of one channel alone use are that channel's own.
  void merge_resources(ChannelFold& fold) {
    Table<std::set<int>> channels_of(resources_.size());
    for (const BlockNode& block : blocks_)
      for (const Peer& peer : block.peers)
        for (const Use& use : peer.uses) channels_of[use.resource].insert(block.channel);
    std::map<Colour, std::vector<int>> classes;
    for (std::size_t id = 0; id < resources_.size(); ++id)
      if (resources_[id] != 0) classes[resources_[id]].push_back(static_cast<int>(id));
    fold.first_of_several = ledger_->resource_count();
    fold.resources.resize(ledger_->resource_count() + std::ssize(classes));
    std::iota(fold.resources.begin(), fold.resources.end(), 0);
    fold.as_busy = fold.resources;
    for (const auto& [colour, members] : classes) {
      const bool own =
          std::ranges::all_of(members, [&](int id) { return channels_of[id].size() == 1; });
      const auto used = std::ranges::find_if(members, [&](int id) {
        return std::ranges::any_of(channels_of[id],
                                   [&](int channel) { return fold.is_simulated(channel); });
      });
      int busy = *used;
      if (!own) {
        Resource all = ledger_->resource(members.front());
        all.capacity *= static_cast<double>(members.size());
        busy = ledger_->add(std::move(all));
      }
      for (const int id : members) {
        if (!own) fold.resources[id] = busy;
        fold.as_busy[id] = busy;
      }
    }
  }

  void tell_likes(ChannelFold& fold) const {
    std::unordered_map<Colour, const BlockNode*> simulated;
    for (const BlockNode& block : blocks_)
      if (fold.is_simulated(block.channel)) simulated.try_emplace(block.colour, &block);
    fold.like.resize(machine_->orbits().simulated);
    for (const BlockNode& block : blocks_) {
      const BlockNode& other =
          fold.is_simulated(block.channel) ? block : *simulated.at(block.colour);
      fold.like[block.rank].push_back({block.thread, other.rank, other.thread});
    }
  }

  const Machine* machine_;
  Ledger* ledger_;
  Table<BlockNode> blocks_;
  std::map<std::pair<int, int>, int> by_rank_;  ///< and channel
  Table<Colour> resources_;                     ///< by number; 0: no block uses it
  int channels_ = 0;
};

}  // namespace

bool may_change_places(const Scenario& scenario) {
  const Library& library = scenario.library;
  return library.blocks && library.progress != Progress::thread &&
         library.thread_core == ProgressCore::spare && !library.has_jitter() &&
         !scenario.job.noise.detours.any() && scenario.speedup.resource.empty() &&
         scenario.cluster.topology.routing() == Routing::hash && have_their_own(scenario.placement);
}

bool depends_on_more(const Scenario& scenario) {
  const Job& job = scenario.job;
  return !may_change_places(scenario) || states_needs(scenario) || job.training != nullptr ||
         job.groups != nullptr || job.overlap || !unlike_by_chance(scenario).empty();
}

std::optional<ChannelFold> alike_channels(const Scenario& scenario, const Options& options,
                                          Machine& machine, Ledger& ledger) {
  if (depends_on_more(scenario)) return {};
  const Orbits& orbits = machine.orbits();
  Refinement refinement(machine, ledger);
  ScriptGroups groups;
  try {
    std::vector<ScriptLine> script;
    for (int rank = 0; rank < orbits.simulated; ++rank) {
      write_script(scenario.job, options, orbits, rank, groups, true, script);
      if (!refinement.add(rank, script)) return {};
    }
  } catch (const NoScript&) {
    return {};
  }
  if (!refinement.connect(machine)) return {};
  refinement.refine();
  return refinement.fold();
}

}  // namespace ringscope::sim
