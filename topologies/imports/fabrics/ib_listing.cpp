// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/imports/fabrics/ib_listing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <unordered_map>

#include "topologies/placement/hostfile.hpp"

namespace ringscope {

extern const char* const lane_speeds_yml;

namespace {

constexpr std::string_view blanks = " \t\r";

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
    each_line(source_, [this](const Value& line) { read_line(line.scalar(), line.place().line); });
    if (listing_.cables.empty())
      throw InputError({source_, 0, 0}, "expected nodes and their links, got no link");
    if (names_no_kinds_) tell_switches();
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
    if (begins("[")) return read_cable(line);
    if (text.find("==(") != std::string_view::npos) return read_link(line, text);
    if (begins("CA: ") || begins("Switch: ") || begins("Router: ")) return read_heading(line);
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
      throw InputError(place, "duplicate node '{}', first on line {}", id, headed_.at(id));
    describe(*here_, line.last_quoted());
  }

  void read_cable(IbLine& line) {
    if (!here_) line.fail("expected a node (Switch, Ca, Rt) above its ports");
    const End here{*here_, line.port()};
    const Place place = line.here();
    const std::size_t other = index_of(line.quoted("the id of the node at the other end"), line);
    const End there{other, line.port()};
    const Bandwidth bandwidth = line.rate();
    describe(other, line.last_quoted());
    add(here, there, bandwidth, place);
  }

  /// `Switch: 0x7cfe900300f17940 leaf1:` or `CA: n1 mlx5_0:`
  void read_heading(IbLine& line) {
    kind_ = line.take("Switch: 0x") ? 'S' : line.take("Router: ") ? 'R' : 'H';
    if (kind_ == 'S') line.past(" ");
    line.take("CA: ");
    const Place place = line.here();
    std::string_view name = line.past("\n");
    if (name.ends_with(':')) name.remove_suffix(1);
    heading_ = Value::scalar_at(place, std::string(name));
  }

  /// `65  1[  ] ==( 4X  53.125 Gbps Active/  LinkUp)==>  12  1[  ] "n1 mlx5_0" ( )`; before a LID
  /// there may be a port's GUID.
  void read_link(IbLine& line, std::string_view text) {
    line.take("");
    if (text.find('"') < text.find("==(")) {  // option -l: the GUID and the name of its node
      names_no_kinds_ = true;
      line.past("\"");
      line.take("");
      const Place place = line.here();
      heading_ = Value::scalar_at(place, std::string(line.past("\"")));
    }
    if (!heading_) line.fail("expected 'CA: NAME:' or 'Switch: GUID NAME:' above its ports");
    const auto has = [&](std::string_view word) { return text.find(word) != text.npos; };
    if (!has("Gbps") || has("Port not available")) return;  // a port without a cable
    const End here = link_end(line);
    if (kind_ != 'H') listing_.nodes[here.first].id[0] = kind_;
    describe(here.first, *heading_);
    line.past("==(");
    const int lanes = line.number("the number of lanes");
    line.past("X");
    const Place place = line.here();
    const std::string_view signal = line.past("Gbps");  // 10.0 of both QDR and FDR10
    const std::string speed = fmt::format("{}x{}", lanes, has("(FDR10)") ? "FDR10" : signal);
    const std::optional<Bandwidth> bandwidth = ib_rate(speed);
    if (!bandwidth)
      throw InputError(place, "expected a lane's speed such as 53.125, got '{}'",
                       speed.substr(speed.find('x') + 1));
    line.past("==>");
    const End there = link_end(line);
    describe(there.first, line.last_quoted());
    add(here, there, *bandwidth, place);
  }

  /// A port of an adapter has a LID of its own, those of a switch share one.
  void tell_switches() {
    std::vector<int> ends(listing_.nodes.size());
    for (const IbCable& cable : listing_.cables)
      for (const int end : {0, 1})
        if (++ends[cable.node[end]] > 1 || cable.port[end] > 2)
          listing_.nodes[cable.node[end]].id[0] = 'S';
  }

  End link_end(IbLine& line) {
    if (line.take("0x")) line.past(" ");
    const int lid = line.number("a LID");
    const auto [entry, is_new] = indices_.try_emplace(std::to_string(lid), listing_.nodes.size());
    if (is_new) listing_.nodes.push_back({fmt::format("H-{}", lid), "", {}});
    const int port = line.number("a port");
    line.past("]");
    return {entry->second, port};
  }

  void add(const End& here, const End& there, Bandwidth bandwidth, const Place& place) {
    const bool is_new = enter(here, there, bandwidth, place.line, place);
    if (!enter(there, here, bandwidth, place.line, place) || !is_new) return;
    listing_.cables.push_back({{here.first, there.first}, {here.second, there.second}, bandwidth});
  }

  /// False where that end told of the cable before.
  bool enter(const End& end, const End& other, Bandwidth bandwidth, int number,
             const Place& place) {
    const auto [entry, is_new] = known_.try_emplace(end, Known{other, bandwidth, number});
    const Known& known = entry->second;
    const std::string name = listing_.nodes[end.first].id;
    if (known.other != other)
      throw InputError(place, "port {} of '{}' has another link already, on line {}", end.second,
                       name, known.line);
    if (known.bandwidth != bandwidth)
      throw InputError(place, "the link at port {} of '{}' has another speed on line {}",
                       end.second, name, known.line);
    return is_new;
  }

  std::size_t index_of(const std::string& id, const IbLine& line) {
    if (id.size() < 3 || std::string_view("SHR").find(id[0]) == std::string_view::npos ||
        id[1] != '-')
      throw InputError(line.here(),
                       "expected the id of a node, such as \"S-2c5eab0300b87b40\", got \"{}\"", id);
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
  std::optional<Value> heading_;     ///< its description in iblinkinfo's output
  char kind_ = 'H';                  ///< its kind
  bool names_no_kinds_ = false;
};

}  // namespace

std::optional<Bandwidth> ib_rate(std::string_view word) {
  const std::size_t x = word.find('x');
  if (x == std::string_view::npos) return {};
  const int lanes = whole_number(word.substr(0, x)).value_or(0);
  if (lanes != 1 && lanes != 2 && lanes != 4 && lanes != 8 && lanes != 12) return {};
  static const Value speeds = Value::from_text("lane_speeds.yml", lane_speeds_yml);
  for (const Value& speed : speeds.items()) {
    const Value& signal = *speed.find("signal");
    if (word.substr(x + 1) != speed.find("name")->scalar() && word.substr(x + 1) != signal.scalar())
      continue;
    const auto& data = speed.find("data")->items();
    const double gigabits = signal.number(1, 1000) * data[0].number(1, 64) / data[1].number(1, 66);
    return Bandwidth{lanes * gigabits * 1e9 / 8};
  }
  return {};
}

void IbLine::skip_blanks() { at_ = std::min(text_.find_first_not_of(blanks, at_), text_.size()); }

Place IbLine::here() const {
  Place place = place_;
  place.column = static_cast<int>(at_) + 1;
  return place;
}

void IbLine::fail(const std::string& message) const {
  const std::string_view rest = text_.substr(at_);
  const std::string got(rest.substr(0, std::min<std::size_t>(rest.find_first_of(blanks), 40)));
  throw InputError(here(), got.empty() ? message + ", got the end of the line"
                                       : fmt::format("{}, got '{}'", message, got));
}

bool IbLine::take(std::string_view word) {
  skip_blanks();
  if (!text_.substr(at_).starts_with(word)) return false;
  at_ += word.size();
  return true;
}

std::string_view IbLine::past(std::string_view mark) {
  skip_blanks();
  const std::string_view rest = text_.substr(at_);
  const std::size_t end = std::min(rest.find(mark), rest.size());
  at_ = std::min(at_ + end + mark.size(), text_.size());
  const std::string_view found = rest.substr(0, end);
  return found.substr(0, found.find_last_not_of(blanks) + 1);
}

std::string IbLine::quoted(std::string_view what) {
  skip_blanks();
  const auto refuse = [&] { fail(fmt::format("expected {} in quotes", what)); };
  if (at_ >= text_.size() || text_[at_] != '"') refuse();
  const std::size_t end = text_.find('"', at_ + 1);
  if (end == std::string_view::npos) refuse();
  const std::string word(text_.substr(at_ + 1, end - at_ - 1));
  at_ = end + 1;
  return word;
}

int IbLine::number(std::string_view what) {
  skip_blanks();
  int number = 0;
  const char* begin = text_.data() + at_;
  const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), number);
  if (error != std::errc{} || number < 0) fail(fmt::format("expected {}", what));
  at_ = std::string_view(text_.data(), end).size();
  return number;
}

int IbLine::port() {
  constexpr std::string_view what = "a port such as [12]";
  if (!take("[")) fail(fmt::format("expected {}", what));
  const int port = number(what);
  if (!take("]")) fail("expected ']' behind the port's number");
  for (const std::string_view more : {"(", "[ext"}) {
    if (!take(more)) continue;
    const std::size_t end = text_.find(more == "(" ? ')' : ']', at_);
    if (end == std::string_view::npos) fail(fmt::format("expected the end of '{}'", more));
    at_ = end + 1;
  }
  return port;
}

Value IbLine::last_quoted() const {
  constexpr std::size_t none = std::string_view::npos;
  const std::size_t end = text_.rfind('"');
  const std::size_t begin = end == none || end == 0 ? none : text_.rfind('"', end - 1);
  if (begin == none || begin < at_) return Value::scalar_at(here(), "");
  Place place = place_;
  place.column = static_cast<int>(begin) + 2;
  return Value::scalar_at(place, std::string(text_.substr(begin + 1, end - begin - 1)));
}

Bandwidth IbLine::rate() const {
  const std::size_t quote = text_.rfind('"');
  const std::size_t begin = quote == std::string_view::npos || quote < at_ ? at_ : quote + 1;
  Place place = place_;
  place.column = static_cast<int>(begin) + 1;
  const std::vector<Value> words =
      words_of(Value::scalar_at(place, std::string(text_.substr(begin))));
  for (const Value& word : words)
    if (const auto rate = ib_rate(word.scalar())) return *rate;
  throw InputError(words.empty() ? here() : words.back().place(),
                   "expected the link's width and speed, such as 4xNDR, got '{}'",
                   words.empty() ? "" : words.back().scalar().substr(0, 40));
}

IbListing read_ib_listing(const std::shared_ptr<const Source>& source) {
  return IbListingReader(source).read();
}

}  // namespace ringscope
