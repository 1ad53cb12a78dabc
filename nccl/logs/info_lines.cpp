// SPDX-License-Identifier: LGPL-2.1-or-later
// INFO lines of NCCL. Source of their form: NCCL 2.18 to 2.31, src/init.cc (rings and trees) and
// src/transport/net.cc (connections between hosts).
#include "nccl/logs/read_channels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace ringscope {
namespace {

using nccl::ChannelNics;

constexpr int most_channels = 128;
constexpr int most_ranks = 1 << 20;

/// The rest of a line, read from its front.
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) {}

  bool skip(std::string_view text) {
    skip_blanks();
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  bool skip_behind(std::string_view text) {
    const auto at = rest_.find(text);
    if (at == std::string_view::npos) return false;
    rest_.remove_prefix(at + text.size());
    return true;
  }
  std::optional<int> number(int least, int most) {
    skip_blanks();
    int value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc{} || value < least || value > most) return {};
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  bool at_end() {
    skip_blanks();
    return rest_.empty();
  }

 private:
  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r"), rest_.size()));
  }
  std::string_view rest_;
};

/// NIC by which a rank sends to another host in a channel, or receives.
struct Connection {
  int channel = 0, from = 0, to = 0, nic = 0, relay = -1;
  bool sends = false;
};

struct Communicator {
  Table<Table<int>> rings;
  int line = 0;
};

struct TreeLine {
  int channel = 0, rank = 0, line = 0;
  TreeEnds place;
};

class Reader {
 public:
  explicit Reader(const std::shared_ptr<const Source>& source) : source_(source) {
    std::string_view text = source->text;
    while (!text.empty()) {
      const auto end = text.find('\n');
      ++line_;
      read_line(text.substr(0, end));
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
  }

  NcclLines of(int ranks) const {
    const auto found = std::ranges::find_if(communicators_, [&](const Communicator& one) {
      return std::ssize(one.rings.front()) == ranks;
    });
    if (found == communicators_.end()) refuse(ranks);
    NcclLines lines{.rings = found->rings, .trees = {}, .nics = {}};
    check(*found, ranks);
    // Other lines do not say of which communicator they are.
    if (communicators_.size() > 1) return lines;
    lines.trees = trees(lines.rings.size(), ranks);
    lines.nics = nics(lines.rings, ranks);
    return lines;
  }

 private:
  void read_line(std::string_view line) {
    Words words(line);
    if (words.skip_behind("Trees ")) {
      while (read_tree(words)) {
      }
      return;
    }
    if (!words.skip_behind("Channel ")) return;
    const auto channel = words.number(0, most_channels - 1);
    if (!channel || !words.skip("/") || !words.number(0, most_channels) || !words.skip(":")) return;
    const auto first = words.number(0, most_ranks);
    if (!first) return;
    if (words.skip("["))
      read_connection(words, *channel, *first);
    else
      read_ring(words, *channel, *first);
  }

  void read_ring(Words words, int channel, int first) {
    std::vector<int> ring = {first};
    while (const auto rank = words.number(0, most_ranks)) ring.push_back(*rank);
    if (!words.at_end()) return;
    if (channel == 0) communicators_.push_back({{}, line_});
    if (communicators_.empty()) return;
    auto& rings = communicators_.back().rings;
    if (std::ssize(rings) == channel) rings.push_back(std::move(ring));
  }

  /// "[0] 1/-1/-1->0->-1": the children, the rank, its parent.
  bool read_tree(Words& words) {
    TreeLine tree;
    if (!words.skip("[")) return false;
    const auto channel = words.number(0, most_channels - 1);
    if (!channel || !words.skip("]")) return false;
    tree.channel = *channel;
    tree.line = line_;
    for (std::size_t i = 0; i < tree.place.children.size(); ++i) {
      if (i > 0 && !words.skip("/")) return false;
      const auto child = words.number(-1, most_ranks);
      if (!child) return false;
      tree.place.children[i] = *child;
    }
    if (!words.skip("->")) return false;
    const auto rank = words.number(0, most_ranks);
    if (!rank || !words.skip("->")) return false;
    const auto parent = words.number(-1, most_ranks);
    if (!parent) return false;
    tree.rank = *rank;
    tree.place.parent = *parent;
    trees_.push_back(tree);
    return true;
  }

  /// "3[3] -> 4[0] [send] via NET/IB/0(2)/GDRDMA": behind the NIC stands the rank that passes on.
  void read_connection(Words words, int channel, int from) {
    Connection one{.channel = channel, .from = from};
    if (!words.skip_behind("] ->")) return;
    const auto to = words.number(0, most_ranks);
    if (!to || !words.skip_behind("]")) return;
    one.to = *to;
    one.sends = words.skip("[send]");
    if (!one.sends && !words.skip("[receive]")) return;
    if (!words.skip("via NET/") || !words.skip_behind("/")) return;
    const auto nic = words.number(0, most_ranks);
    if (!nic) return;
    one.nic = *nic;
    if (words.skip("(")) one.relay = words.number(0, most_ranks).value_or(-1);
    connections_.push_back(one);
  }

  [[noreturn]] void refuse(int ranks) const {
    if (communicators_.empty())
      throw InputError({source_, 0, 0},
                       "has no rings of NCCL: expected lines such as \"Channel 00/02 : 0 1 2 3\", "
                       "which NCCL_DEBUG=INFO writes, or the file of NCCL_GRAPH_DUMP_FILE");
    std::set<std::size_t> sizes;
    for (const Communicator& one : communicators_) sizes.insert(one.rings.front().size());
    throw InputError({source_, communicators_.front().line, 1},
                     "the job has {} ranks, and NCCL's rings here have {}", ranks,
                     fmt::join(sizes, ", "));
  }

  void check(const Communicator& one, int ranks) const {
    for (std::size_t channel = 0; channel < one.rings.size(); ++channel) {
      Table<int> sorted = one.rings[channel];
      std::ranges::sort(sorted);
      for (int rank = 0; rank < ranks; ++rank)
        if (std::ssize(sorted) != ranks || sorted[rank] != rank)
          throw InputError(
              {source_, one.line, 1},
              "expected each rank from 0 to {} once in the ring of channel {}, got \"{}\"",
              ranks - 1, channel, fmt::join(one.rings[channel], " "));
    }
  }

  Table<Table<TreeEnds>> trees(std::size_t channels, int ranks) const {
    Table<Table<TreeEnds>> all(channels, Table<TreeEnds>(ranks));
    std::set<std::pair<int, int>> told;
    for (const TreeLine& tree : trees_) {
      const auto known = [&](int rank) { return rank < ranks; };
      if (tree.channel >= std::ssize(all) || !known(tree.rank) || !known(tree.place.parent) ||
          !std::ranges::all_of(tree.place.children, known))
        return {};
      if (told.emplace(tree.channel, tree.rank).second) all[tree.channel][tree.rank] = tree.place;
    }
    if (std::ssize(told) != std::ssize(all) * ranks) return {};
    for (const TreeLine& line : trees_) check(line, all[line.channel]);
    return all;
  }

  /// Throws where the line's rank has a neighbour that does not have it, is below itself, or is a
  /// second root.
  void check(const TreeLine& line, const Table<TreeEnds>& tree) const {
    const auto fail = [&](const std::string& what) {
      throw InputError({source_, line.line, 1}, "the tree of channel {}: {}", line.channel, what);
    };
    const auto at = [&](int rank) -> const TreeEnds& { return tree[rank]; };
    const int parent = at(line.rank).parent;
    for (const int child : at(line.rank).children)
      if (child >= 0 && at(child).parent != line.rank)
        fail(fmt::format("rank {} has the child {}, whose parent is {}", line.rank, child,
                         at(child).parent));
    if (parent >= 0 && std::ranges::count(at(parent).children, line.rank) != 1)
      fail(fmt::format("rank {} has the parent {}, whose children are {}", line.rank, parent,
                       fmt::join(at(parent).children, ", ")));
    const auto root = std::ranges::find(tree, -1, &TreeEnds::parent) - tree.begin();
    if (parent < 0 && root != line.rank)
      fail(fmt::format("expected one root, got rank {} and rank {}", root, line.rank));
    int above = line.rank;
    for (std::size_t steps = 0; above >= 0; ++steps, above = at(above).parent)
      if (steps > tree.size()) fail(fmt::format("rank {} is below itself", line.rank));
  }

  /// Trees have connections too: only those from a rank to the next of its ring count.
  Table<Table<ChannelNics>> nics(const Table<Table<int>>& rings, int ranks) const {
    Table<Table<ChannelNics>> all(rings.size(), Table<ChannelNics>(ranks));
    bool any = false;
    for (const Connection& one : connections_) {
      if (one.channel >= std::ssize(rings) || std::max(one.from, one.to) >= ranks) continue;
      const Table<int>& ring = rings[one.channel];
      const auto at = std::ranges::find(ring, one.from) - ring.begin();
      if (ring[(at + 1) % std::ssize(ring)] != one.to) continue;
      Table<ChannelNics>& own = all[one.channel];
      any = true;
      if (one.sends) {
        own[one.from].out = one.nic;
        own[one.from].relay = one.relay;
      } else {
        own[one.to].in = one.nic;
      }
    }
    if (!any) all.clear();
    return all;
  }

  std::shared_ptr<const Source> source_;
  int line_ = 0;
  std::vector<Communicator> communicators_;
  std::vector<TreeLine> trees_;
  std::vector<Connection> connections_;
};

}  // namespace

NcclLines read_nccl_lines(const std::shared_ptr<const Source>& source, int ranks) {
  return Reader(source).of(ranks);
}

}  // namespace ringscope
