// SPDX-License-Identifier: LGPL-2.1-or-later
// Source of the grammar: spcl/LogGOPSim, src/LogGOPSim/txt2bin.re.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "scenarios/schedule/checks.hpp"
#include "scenarios/schedule/schedule_file.hpp"
#include "topologies/input/input.hpp"

namespace ringscope {
namespace {

// Words of a text in GOAL, each with its place.

constexpr std::int64_t most_bytes = std::int64_t{1} << 49;

struct Word {
  std::string_view text;
  Place place;
};

/// The words of a text, line by line, without comments. Braces, and the colon behind a label, are
/// words.
class Words {
 public:
  explicit Words(const std::shared_ptr<const Source>& source) : source_(source) {}

  /// False at the end of the text.
  bool next_line(std::vector<Word>& words) {
    words.clear();
    const std::string_view text = source_->text;
    while (words.empty() && at_ < text.size()) {
      const std::size_t end = std::min(text.find('\n', at_), text.size());
      ++line_;
      split(text.substr(at_, end - at_), words);
      at_ = end + 1;
    }
    return !words.empty();
  }
  bool in_comment() const { return in_comment_; }
  Place end() const { return {source_, std::max(1, line_), 1}; }

 private:
  void split(std::string_view line, std::vector<Word>& words) {
    constexpr std::string_view blanks = " \t\r", single = "{}:";
    std::size_t at = 0;
    while (at < line.size()) {
      if (in_comment_) {
        const std::size_t close = line.find("*/", at);
        if (close == std::string_view::npos) return;
        in_comment_ = false;
        at = close + 2;
      } else if (line.substr(at, 2) == "//") {
        return;
      } else if (line.substr(at, 2) == "/*") {
        in_comment_ = true;
        at += 2;
      } else if (blanks.find(line[at]) != std::string_view::npos) {
        ++at;
      } else {
        std::size_t end = at + 1;
        const auto ends = [&](std::size_t i) {
          return blanks.find(line[i]) != std::string_view::npos ||
                 single.find(line[i]) != std::string_view::npos || line.substr(i, 2) == "//" ||
                 line.substr(i, 2) == "/*";
        };
        if (single.find(line[at]) == std::string_view::npos)
          while (end < line.size() && !ends(end)) ++end;
        words.push_back({line.substr(at, end - at), {source_, line_, static_cast<int>(at) + 1}});
        at = end;
      }
    }
  }

  std::shared_ptr<const Source> source_;
  std::size_t at_ = 0;
  int line_ = 0;
  bool in_comment_ = false;
};

/// One line, word after word.
class Line {
 public:
  explicit Line(const std::vector<Word>& words) : words_(&words) {}

  bool ended() const { return next_ == words_->size(); }
  bool is_next(std::string_view text) const { return !ended() && (*words_)[next_].text == text; }
  const Word& take(std::string_view expected) {
    if (ended()) throw InputError(place(), "expected {}, got the end of the line", expected);
    return (*words_)[next_++];
  }
  void take_word(std::string_view text) {
    const Word& word = take(fmt::format("'{}'", text));
    if (word.text != text) throw InputError(word.place, "expected '{}', got '{}'", text, word.text);
  }
  std::int64_t number(std::string_view what, std::int64_t least, std::int64_t most) {
    const Word& word = take(what);
    return number_of(word, word.text, what, least, most);
  }
  /// "64b", or "64 b".
  std::uint64_t bytes() {
    const Word& word = take("a size such as 64b");
    std::string_view digits = word.text;
    if (digits.ends_with('b'))
      digits.remove_suffix(1);
    else
      take_word("b");
    return static_cast<std::uint64_t>(number_of(word, digits, "a size such as 64b", 0, most_bytes));
  }
  /// Place of the next word, or of the end.
  Place place() const {
    if (!ended()) return (*words_)[next_].place;
    const Word& last = words_->back();
    Place place = last.place;
    place.column += static_cast<int>(last.text.size());
    return place;
  }
  void finish() const {
    if (!ended())
      throw InputError((*words_)[next_].place, "expected the end of the line, got '{}'",
                       (*words_)[next_].text);
  }

 private:
  static std::int64_t number_of(const Word& word, std::string_view digits, std::string_view what,
                                std::int64_t least, std::int64_t most) {
    const auto value = whole_number<std::int64_t>(digits, least, most);
    if (!value)
      throw InputError(word.place, "expected {} from {} to {}, got '{}'", what, least, most,
                       word.text);
    return *value;
  }
  const std::vector<Word>* words_;
  std::size_t next_ = 0;
};

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
    if (read_[rank_]) throw InputError(place, "duplicate rank {}", rank_);
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
    throw InputError(place, "the block of rank {} has no '}}'", rank_);
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
      throw InputError(label->place, "duplicate label '{}' in rank {}", label->text, rank_);
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
    if (node.peer == rank_) throw InputError(place, "rank {} has itself as its peer", rank_);
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
      throw InputError(name.place,
                       "a {} other than 0 is not understood: a rank has one thread, and its "
                       "placement specifies the NIC of each rank",
                       name.text);
  }

  Table<Node>& nodes() { return trace_.ranks[rank_]; }

  Words words_;
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
