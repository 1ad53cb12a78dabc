// SPDX-License-Identifier: LGPL-2.1-or-later
// Source of the grammar: spcl/LogGOPSim, src/LogGOPSim/txt2bin.re.
#include "scenarios/schedule/goal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "scenarios/schedule/goal_words.hpp"
#include "scenarios/schedule/sound.hpp"

namespace ringscope {
namespace {

using goal::Line;
using goal::Word;
using traces::Node;
using traces::Trace;

constexpr std::int64_t most_ranks = 1 << 20, most_tag = std::numeric_limits<int>::max();
constexpr std::int64_t most_nanoseconds = std::int64_t{1} << 53;
constexpr Duration nanosecond{1e-9};

class GoalReader {
 public:
  explicit GoalReader(const std::shared_ptr<const Source>& source) : words_(source) {}

  Trace read() {
    std::vector<Word> words;
    if (!words_.next_line(words)) throw InputError(words_.end(), "the file is empty");
    Line head(words);
    head.take_word("num_ranks");
    ranks_ = static_cast<int>(head.number("a number of ranks", 1, most_ranks));
    head.finish();
    trace_.ranks.resize(ranks_);
    places_.resize(ranks_);
    read_.resize(ranks_);
    while (words_.next_line(words)) read_rank(words);
    if (words_.in_comment()) throw InputError(words_.end(), "a comment '/*' has no end");
    require_sound(trace_, [&](traces::NodeId id) { return places_[id.rank][id.node]; });
    return std::move(trace_);
  }

 private:
  void read_rank(std::vector<Word>& words) {
    Line head(words);
    head.take_word("rank");
    const Place place = words.front().place;
    rank_ = static_cast<int>(head.number("a rank", 0, ranks_ - 1));
    head.take_word("{");
    head.finish();
    if (read_[rank_]) throw InputError(place, fmt::format("rank {} stands twice", rank_));
    read_[rank_] = true;
    labels_.clear();
    while (words_.next_line(words)) {
      Line line(words);
      if (line.is_next("}")) {
        line.take_word("}");
        return line.finish();
      }
      read_line(line, words);
    }
    throw InputError(place, fmt::format("the block of rank {} has no '}}'", rank_));
  }

  void read_line(Line& line, const std::vector<Word>& words) {
    const bool dependence =
        words.size() > 1 && (words[1].text == "requires" || words[1].text == "irequires");
    if (dependence) return read_dependence(line);
    std::optional<Word> label;
    if (words.size() > 1 && words[1].text == ":") {
      label = line.take("a label");
      line.take_word(":");
    }
    if (label && !labels_.emplace(label->text, static_cast<int>(nodes().size())).second)
      throw InputError(label->place,
                       fmt::format("the label '{}' stands twice in rank {}", label->text, rank_));
    places_[rank_].push_back(words.front().place);
    read_operation(line);
  }

  void read_dependence(Line& line) {
    const int node = labelled(line.take("a label"));
    const bool at_end = line.take("requires").text == "requires";
    const int other = labelled(line.take("a label"));
    line.finish();
    (at_end ? nodes()[node].after : nodes()[node].after_starts).push_back(other);
  }

  int labelled(const Word& word) const {
    const auto found = labels_.find(word.text);
    if (found != labels_.end()) return found->second;
    std::vector<std::string> known;
    constexpr std::size_t most_named = 12;
    for (const auto& [label, node] : labels_)
      if (known.size() < most_named || is_near(word.text, label)) known.emplace_back(label);
    throw InputError(word.place,
                     unknown_name(fmt::format("label of rank {}", rank_), word.text, known));
  }

  void read_operation(Line& line) {
    static const std::vector<std::string> kinds = {"send", "recv", "calc"};
    const Word word = line.take("send, recv or calc");
    if (std::ranges::find(kinds, word.text) == kinds.end())
      throw InputError(word.place, unknown_name("operation", word.text, kinds));
    Node node{.kind = Node::Kind::compute};
    if (word.text == "calc") {
      node.time = nanosecond * line.number("a time in nanoseconds", 0, most_nanoseconds);
    } else {
      node.kind = word.text == "send" ? Node::Kind::send : Node::Kind::receive;
      node.items = line.bytes();
      read_peer(line, node);
    }
    while (!line.ended()) read_attribute(line, node);
    nodes().push_back(std::move(node));
  }

  void read_peer(Line& line, Node& node) {
    const bool sends = node.kind == Node::Kind::send;
    line.take_word(sends ? "to" : "from");
    const Place place = line.place();
    node.peer = static_cast<int>(line.number("a rank", sends ? 0 : -1, ranks_ - 1));
    if (node.peer == rank_)
      throw InputError(place, fmt::format("rank {} has itself as its peer", rank_));
  }

  void read_attribute(Line& line, Node& node) {
    static const std::vector<std::string> names = {"tag", "cpu", "nic"};
    const Word name = line.take("tag, cpu or nic");
    if (std::ranges::find(names, name.text) == names.end())
      throw InputError(name.place, unknown_name("word", name.text, names));
    if (name.text == "tag") {
      node.tag = static_cast<int>(line.number("a tag", 0, most_tag));
      return;
    }
    if (line.number("a number", 0, most_tag) != 0)
      throw InputError(
          name.place, fmt::format("a {} other than 0 is not understood: a rank has one thread, and "
                                  "its placement says by which NIC it sends",
                                  name.text));
  }

  Table<Node>& nodes() { return trace_.ranks[rank_]; }

  goal::Words words_;
  Trace trace_{.groups = {}, .ranks = {}, .of_goal = true};
  int ranks_ = 0, rank_ = 0;
  Table<bool> read_;
  std::map<std::string_view, int> labels_;
  Table<Table<Place>> places_;
};

}  // namespace

void read_goal(const std::shared_ptr<const Source>& source, ScheduleFile& into) {
  into.schedule.trace = std::make_shared<const Trace>(GoalReader(source).read());
  into.schedule.collective = "messages";
}

std::string to_goal(const Trace& trace, const std::string& about) {
  std::string text = fmt::format("// {}\nnum_ranks {}\n", about, trace.ranks.size());
  const auto out = std::back_inserter(text);
  for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank) {
    fmt::format_to(out, "\nrank {} {{\n", rank);
    const auto& nodes = trace.ranks[rank];
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const Node& node = nodes[i];
      if (node.kind == Node::Kind::compute)
        fmt::format_to(out, "l{}: calc {}\n", i + 1, std::llround(node.time / nanosecond));
      else
        fmt::format_to(out, "l{}: {} {}b {} {} tag {}\n", i + 1,
                       node.kind == Node::Kind::send ? "send" : "recv", node.items,
                       node.kind == Node::Kind::send ? "to" : "from", node.peer, node.tag);
      for (const int other : node.after)
        fmt::format_to(out, "l{} requires l{}\n", i + 1, other + 1);
      for (const int other : node.after_starts)
        fmt::format_to(out, "l{} irequires l{}\n", i + 1, other + 1);
    }
    text += "}\n";
  }
  return text;
}

}  // namespace ringscope
