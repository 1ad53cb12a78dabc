// SPDX-License-Identifier: LGPL-2.1-or-later
// Text to Value. yaml-cpp's events are used instead of its nodes: they carry the place of every
// key, and let a document be refused before it has grown deep or large.
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <sstream>
#include <unordered_map>

#include "topologies/input/characters.hpp"
#include "topologies/input/data_files.hpp"
#include "topologies/input/input.hpp"

namespace ringscope {
namespace {

constexpr std::size_t most_mebibytes = 1;
constexpr std::size_t deepest = 64;
constexpr std::size_t most_keys = 4096;

}  // namespace

class YamlReader : public YAML::EventHandler {
 public:
  explicit YamlReader(std::shared_ptr<const Source> source) : source_(std::move(source)) {
    root_.place_ = {source_, 0, 0};
  }

  Value read() {
    try {
      // Without blanks at its end: yaml-cpp takes a line break there for a missing closing quote.
      const std::size_t end = source_->text.find_last_not_of(" \t\r\n") + 1;
      std::istringstream stream(source_->text.substr(0, end));
      YAML::Parser parser(stream);
      parser.HandleNextDocument(*this);
      second_document_ = true;
      parser.HandleNextDocument(*this);
    } catch (const YAML::Exception& error) {
      refuse_tab(error.mark.line + 1);
      throw InputError(place_of(error.mark), "not valid YAML: " + error.msg);
    }
    return std::move(root_);
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (second_document_)
      throw InputError(place_of(mark), "a second document starts here; a file holds one");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(new_value(Value::Kind::null, mark, "", anchor));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw InputError(place_of(mark), "anchors and aliases are not read here");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    Value value = new_value(Value::Kind::scalar, mark, tag, anchor);
    value.scalar_ = text;
    if (const std::size_t at = first_control_character(text); at != std::string::npos)
      value.fail("a text may not hold the control character 0x{:02x}",
                 static_cast<unsigned char>(text[at]));
    add(std::move(value));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(new_value(Value::Kind::list, mark, tag, anchor));
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(new_value(Value::Kind::map, mark, tag, anchor));
  }
  void OnMapEnd() override { close(); }

 private:
  /// A list or map whose end has not come yet.
  struct Open {
    Value value;
    std::unordered_map<std::string, int> lines;  ///< of its keys
    bool wants_key = true;
  };

  /// Refuses a tab that begins a line up to `last_line`, as the reason why no YAML was found there.
  void refuse_tab(int last_line) const {
    std::istringstream text(source_->text);
    std::string line;
    for (int number = 1; number <= last_line && std::getline(text, line); ++number) {
      const std::size_t tab = line.substr(0, line.find_first_not_of(" \t")).find('\t');
      if (tab != std::string::npos)
        throw InputError({source_, number, static_cast<int>(tab) + 1},
                         "expected blanks, got a tab: YAML indents with blanks only");
    }
  }

  Place place_of(const YAML::Mark& mark) const {
    if (mark.is_null()) return {source_, 0, 0};
    return {source_, mark.line + 1, mark.column + 1};
  }

  Value new_value(Value::Kind kind, const YAML::Mark& mark, const std::string& tag,
                  YAML::anchor_t anchor) const {
    Value value;
    value.kind_ = kind;
    value.place_ = place_of(mark);
    if (anchor != 0) value.fail("anchors and aliases are not read here");
    if (tag != "" && tag != "?" && tag != "!") value.fail("tags are not read here");
    return value;
  }

  void open(Value value) {
    if (open_.size() == deepest) value.fail("nested deeper than {} levels", deepest);
    if (!open_.empty()) require_no_key(value);
    open_.push_back({std::move(value), {}});
  }

  void close() {
    Value value = std::move(open_.back().value);
    open_.pop_back();
    add(std::move(value));
  }

  void require_no_key(const Value& value) const {
    const Open& parent = open_.back();
    if (parent.value.kind_ == Value::Kind::map && parent.wants_key)
      value.fail("a key must be a word");
  }

  void add(Value value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return;
    }
    Open& parent = open_.back();
    if (parent.value.kind_ == Value::Kind::list) {
      parent.value.items_.push_back(std::move(value));
    } else if (parent.wants_key) {
      add_key(parent, value);
    } else {
      parent.value.entries_.back().value = std::move(value);
      parent.wants_key = true;
    }
  }

  static void add_key(Open& parent, const Value& key) {
    if (key.kind_ != Value::Kind::scalar || key.scalar_.empty()) key.fail("a key must be a word");
    const auto [first, is_new] = parent.lines.emplace(key.scalar_, key.place_.line);
    if (!is_new) key.fail("duplicate key '{}', first on line {}", key.scalar_, first->second);
    if (parent.lines.size() > most_keys) key.fail("more than {} keys in one map", most_keys);
    parent.value.entries_.push_back({key.scalar_, key.place_, {}});
    parent.wants_key = false;
  }

  std::shared_ptr<const Source> source_;
  Value root_;
  std::vector<Open> open_;
  bool second_document_ = false;
};

Value Value::from_text(const std::string& name, const std::string& text) {
  auto source = std::make_shared<const Source>(Source{name, text});
  if (text.size() > most_mebibytes * 1024 * 1024)
    throw InputError({source, 0, 0}, "is larger than {} MiB", most_mebibytes);
  require_utf8(source);
  return YamlReader(std::move(source)).read();
}

Value Value::from_file(const std::string& path) {
  Value value = from_text(path, read_file(path, most_mebibytes));
  if (value.is_null()) refuse_file(path, "is empty");
  return value;
}

}  // namespace ringscope
