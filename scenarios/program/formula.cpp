// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/program/steps.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace ringscope {
namespace {

using programs::Expression;
using Term = Expression::Kind;

constexpr std::size_t most_letters = 1'000, most_nested = 50;
constexpr Array<std::string_view, 3> unit_words = {"a number without a unit", "a time",
                                                   "a size in bytes"};

std::string_view words_for(Unit unit) { return unit_words[unit]; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

struct Operator {
  std::string_view word;
  Term kind;
  bool swapped = false;  ///< operands change places
};
/// Operators by their rank of precedence, the loosest first; a longer word before one that it
/// begins with.
const std::vector<std::vector<Operator>>& operators() {
  static const std::vector<std::vector<Operator>> all = {
      {{"or", Term::either}},
      {{"and", Term::both}},
      {{"==", Term::equal},
       {"!=", Term::unequal},
       {"<=", Term::at_most},
       {">=", Term::at_most, true},
       {"<", Term::less},
       {">", Term::less, true}},
      {{"+", Term::add}, {"-", Term::subtract}},
      {{"*", Term::multiply}, {"/", Term::divide}, {"%", Term::modulo}}};
  return all;
}

class FormulaReader {
 public:
  FormulaReader(const Value& value, const Scope& scope)
      : value_(&value), scope_(&scope), text_(value.scalar()) {}

  Formula read() {
    if (text_.size() > most_letters) value_->fail("a formula has at most {} letters", most_letters);
    const Formula formula = level(0);
    skip_spaces();
    if (at_ < text_.size()) fail("expected an operator, got '{}'", rest());
    return formula;
  }

 private:
  template <typename... Parts>
  [[noreturn]] void fail(fmt::format_string<Parts...> why, Parts&&... parts) const {
    value_->fail("in the formula '{}': {}", text_, fmt::format(why, std::forward<Parts>(parts)...));
  }
  std::string rest() const { return text_.substr(at_, 20); }
  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(std::string_view word) {
    skip_spaces();
    if (!std::string_view(text_).substr(at_).starts_with(word)) return false;
    const std::size_t end = at_ + word.size();
    if (is_letter(word.front()) && end < text_.size() &&
        (is_letter(text_[end]) || is_digit(text_[end])))
      return false;
    at_ = end;
    return true;
  }
  std::string name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  Formula level(std::size_t rank) {
    if (rank == operators().size()) return operand();
    Formula left = level(rank + 1);
    while (true) {
      const auto& known = operators()[rank];
      const auto found =
          std::ranges::find_if(known, [&](const Operator& o) { return take(o.word); });
      if (found == known.end()) return left;
      const Formula right = level(rank + 1);
      left = found->swapped ? of(*found, right, left) : of(*found, left, right);
    }
  }

  Formula of(const Operator& by, const Formula& left, const Formula& right) const {
    const Expression both = Expression::of(by.kind, left.expression, right.expression);
    const bool either_plain = left.unit == Unit::plain || right.unit == Unit::plain;
    if (by.kind == Term::multiply && either_plain)
      return {both, left.unit == Unit::plain ? right.unit : left.unit};
    if (by.kind == Term::divide && right.unit == Unit::plain) return {both, left.unit};
    if (left.unit != right.unit || by.kind == Term::multiply)
      fail("{} '{}' {} has no meaning", words_for(left.unit), by.word, words_for(right.unit));
    const bool keeps = by.kind == Term::add || by.kind == Term::subtract || by.kind == Term::modulo;
    return {both, keeps ? left.unit : Unit::plain};
  }

  Formula operand() {
    if (++nested_ > most_nested) fail("it is nested more than {} deep", most_nested);
    skip_spaces();
    Formula formula;
    if (at_ == text_.size()) {
      fail("it ends where a number or a name is expected");
    } else if (take("-")) {
      formula = operand();
      formula.expression = Expression::of(Term::negative, formula.expression);
    } else if (take("not")) {
      formula = {Expression::of(Term::negation, operand().expression), Unit::plain};
    } else if (take("(")) {
      formula = level(0);
      expect(")");
    } else if (is_digit(text_[at_]) || text_[at_] == '.') {
      formula = literal();
    } else if (is_letter(text_[at_])) {
      formula = named();
    } else {
      fail("expected a number or a name, got '{}'", rest());
    }
    --nested_;
    return formula;
  }

  void expect(std::string_view word) {
    if (take(word)) return;
    if (at_ == text_.size()) fail("it ends where '{}' is expected", word);
    fail("expected '{}', got '{}'", word, rest());
  }

  Formula literal() {
    double number = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), number);
    if (error != std::errc{} || !std::isfinite(number)) fail("expected a number, got '{}'", rest());
    const std::string digits(begin, end);
    at_ += digits.size();
    skip_spaces();
    if (at_ == text_.size() || !is_letter(text_[at_])) return {Expression(number), Unit::plain};
    const std::size_t before = at_;
    const std::string unit = name();
    if (unit == "and" || unit == "or") {
      at_ = before;
      return {Expression(number), Unit::plain};
    }
    const std::string quantity = digits + " " + unit;
    if (const auto seconds = parse_seconds(quantity))
      return {Expression(seconds->count()), Unit::seconds};
    if (const auto bytes = parse_bytes(quantity))
      return {Expression(static_cast<double>(bytes->count)), Unit::bytes};
    fail("'{}' is no time such as 2 ms and no size such as 4 MiB", quantity);
  }

  Formula named() {
    const std::string word = name();
    if (take("(")) return function(word);
    if (word == "rank" || word == "ranks") {
      Expression expression;
      expression.push({word == "rank" ? Term::rank : Term::ranks});
      return {expression, Unit::plain};
    }
    // The innermost loop of that name.
    for (std::size_t i = scope_->loops.size(); i-- > 0;) {
      if (scope_->loops[i] != word) continue;
      Expression expression;
      expression.push({Term::turn, static_cast<int>(i)});
      return {expression, Unit::plain};
    }
    if (const auto found = scope_->values.find(word); found != scope_->values.end())
      return found->second;
    std::vector<std::string> known = {"rank", "ranks"};
    for (const std::string& loop : scope_->loops)
      if (!loop.empty()) known.push_back(loop);
    for (const auto& [value, formula] : scope_->values) known.push_back(value);
    fail("{}", unknown_name("name", word, known));
  }

  Formula function(const std::string& word) {
    static const std::vector<std::string> known = {"index", "size", "min", "max", "floor", "ceil"};
    const auto which = std::ranges::find(known, word) - known.begin();
    if (which < 2) return of_group(which == 0 ? Term::index : Term::size);
    if (which == std::ssize(known)) fail("{}", unknown_name("function", word, known));
    Formula formula = level(0);
    if (which >= 4) {
      formula.expression =
          Expression::of(which == 4 ? Term::floor : Term::ceil, formula.expression);
      expect(")");
      return formula;
    }
    const Term kind = which == 2 ? Term::least : Term::most;
    while (take(",")) {
      const Formula other = level(0);
      if (other.unit != formula.unit)
        fail("{} of {} and {} has no meaning", word, words_for(formula.unit),
             words_for(other.unit));
      formula.expression = Expression::of(kind, formula.expression, other.expression);
    }
    expect(")");
    return formula;
  }

  Formula of_group(Term kind) {
    skip_spaces();
    const std::string group = name();
    const auto found = std::ranges::find(scope_->kinds, group);
    if (found == scope_->kinds.end()) fail("{}", unknown_name("group", group, scope_->kinds));
    expect(")");
    Expression expression;
    expression.push({kind, static_cast<int>(found - scope_->kinds.begin())});
    return {expression, Unit::plain};
  }

  const Value* value_;
  const Scope* scope_;
  const std::string& text_;
  std::size_t at_ = 0, nested_ = 0;
};

Expression of_unit(const Value& value, const Scope& scope, Unit unit, std::string_view example) {
  if (value.kind() != Value::Kind::scalar)
    value.fail("expected {} such as {}, or a formula", words_for(unit), example);
  const Formula formula = read_formula(value, scope);
  if (formula.unit != unit)
    value.fail("expected {} such as {}, got {}: '{}'", words_for(unit), example,
               words_for(formula.unit), value.scalar());
  if (formula.expression.is_constant() && !(formula.expression.value({}) >= 0))
    value.fail("expected {} that is not negative, got '{}'", words_for(unit), value.scalar());
  return formula.expression;
}

}  // namespace

Formula read_formula(const Value& value, const Scope& scope) {
  if (value.kind() != Value::Kind::scalar || value.scalar().empty())
    value.fail("expected a number, a time, a size, or a formula of them");
  return FormulaReader(value, scope).read();
}

Expression read_seconds(const Value& value, const Scope& scope) {
  return of_unit(value, scope, Unit::seconds, "\"2 ms\"");
}
Expression read_bytes(const Value& value, const Scope& scope) {
  return of_unit(value, scope, Unit::bytes, "\"4 MiB\"");
}
Expression read_plain(const Value& value, const Scope& scope) {
  return of_unit(value, scope, Unit::plain, "\"4\"");
}

}  // namespace ringscope
