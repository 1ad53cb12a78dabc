// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/imports/fabrics/ib_listing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "topologies/imports/fabrics/ib_line.hpp"

namespace ringscope {
namespace {

constexpr std::string_view node_words[] = {"Switch", "Ca", "Rt"};
// Lines that tell nothing of nodes and cables; the last ones are ibnetdiscover's own headings where
// it sorts by chassis.
constexpr std::string_view idle_words[] = {
    "#",       "vendid=", "devid=",      "sysimgguid=", "switchguid=", "caguid=",
    "rtguid=", "Chassis", "Spine Nodes", "Line Nodes",  "Non-Chassis", "DR path"};

class IbListingReader {
 public:
  explicit IbListingReader(const std::shared_ptr<const Source>& source) : source_(source) {}

  IbListing read() {
    std::string_view rest = source_->text;
    for (int number = 1; !rest.empty(); ++number) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      read_line(rest.substr(0, end), number);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (listing_.cables.empty())
      throw InputError({source_, 0, 0}, "expected nodes and their cables, found no cable");
    return std::move(listing_);
  }

 private:
  using End = std::pair<std::size_t, int>;  // a node and its port
  struct Known {
    End other;
    Bandwidth bandwidth;
    int line = 0;
  };

  void read_line(std::string_view text, int number) {
    IbLine line(text, {source_, number, 1});
    if (text.find_first_not_of(" \t\r") == std::string_view::npos) return;
    const auto begins = [&](std::string_view word) { return line.starts_with(word); };
    if (begins("[")) return read_cable(line, number);
    if (std::ranges::any_of(idle_words, begins)) return;
    for (const std::string_view word : node_words)
      if (begins(word)) return read_node(line, word);
    line.fail("expected a node (Switch, Ca, Rt) or a port such as [12]");
  }

  void read_node(IbLine& line, std::string_view word) {
    line.take(word);
    line.number("the number of ports");
    const Place place = line.here();
    const std::string id = line.quoted("the node's id");
    here_ = index_of(id, line);
    if (!headed_.emplace(id, place.line).second)
      throw InputError(
          place, fmt::format("the node '{}' stands twice, first on line {}", id, headed_.at(id)));
    describe(*here_, line.last_quoted());
  }

  void read_cable(IbLine& line, int number) {
    if (!here_) line.fail("expected a node (Switch, Ca, Rt) above its ports");
    const End here{*here_, line.port()};
    const Place place = line.here();
    const std::size_t other = index_of(line.quoted("the id of the node at the other end"), line);
    const End there{other, line.port()};
    const Bandwidth bandwidth = line.rate();
    describe(other, line.last_quoted());
    const bool is_new = enter(here, there, bandwidth, number, place);
    if (!enter(there, here, bandwidth, number, place) || !is_new) return;
    listing_.cables.push_back({{here.first, other}, {here.second, there.second}, bandwidth});
  }

  /// False where that end told of the cable before.
  bool enter(const End& end, const End& other, Bandwidth bandwidth, int number,
             const Place& place) {
    const auto [entry, is_new] = known_.try_emplace(end, Known{other, bandwidth, number});
    const Known& known = entry->second;
    const std::string name = listing_.nodes[end.first].id;
    if (known.other != other)
      throw InputError(place, fmt::format("port {} of '{}' has another cable already, on line {}",
                                          end.second, name, known.line));
    if (known.bandwidth != bandwidth)
      throw InputError(place, fmt::format("the cable at port {} of '{}' has another speed on line "
                                          "{}",
                                          end.second, name, known.line));
    return is_new;
  }

  std::size_t index_of(const std::string& id, const IbLine& line) {
    if (id.size() < 3 || std::string_view("SHR").find(id[0]) == std::string_view::npos ||
        id[1] != '-')
      throw InputError(line.here(), fmt::format("expected the id of a node, such as "
                                                "\"S-2c5eab0300b87b40\", got \"{}\"",
                                                id));
    const auto [entry, is_new] = indices_.try_emplace(id, listing_.nodes.size());
    if (is_new) listing_.nodes.push_back({id, "", {}});
    return entry->second;
  }

  void describe(std::size_t node, const Value& description) {
    IbNode& known = listing_.nodes[node];
    if (!known.description.empty()) return;
    known.description = description.scalar();
    known.place = description.place();
  }

  std::shared_ptr<const Source> source_;
  IbListing listing_;
  std::unordered_map<std::string, std::size_t> indices_;
  std::unordered_map<std::string, int> headed_;  ///< nodes that had a line of their own
  std::map<End, Known> known_;
  std::optional<std::size_t> here_;  ///< the node whose ports follow
};

}  // namespace

IbListing read_ib_listing(const std::shared_ptr<const Source>& source) {
  return IbListingReader(source).read();
}

}  // namespace ringscope
