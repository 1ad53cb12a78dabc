// SPDX-License-Identifier: LGPL-2.1-or-later
// Numbers of a program that may differ from rank to rank, and from turn to turn of a loop.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/programs/groups.hpp"
#include "base/table.hpp"

namespace ringscope::programs {

/// A rank, as an expression may ask for it.
struct Standing {
  int rank = 0, ranks = 1;
  View<const GroupKind> kinds;
  View<const double> turns{};  ///< of each loop around it, by the loop's slot
};

/// Terms in postfix order: operands stand before what is done with them.
class Expression {
 public:
  enum class Kind : std::uint8_t {
    number,
    turn,   ///< of the loop of that slot, from 0 on
    rank,   ///< of all ranks
    ranks,  ///< how many there are
    index,  ///< of the rank in its group of that kind
    size,   ///< of that group
    negative,
    floor,
    ceil,
    negation,
    add,
    subtract,
    multiply,
    divide,
    modulo,  ///< of the divisor's sign, as in mathematics: -1 modulo 4 is 3
    least,
    most,
    equal,
    unequal,
    less,
    at_most,
    both,
    either
  };
  struct Term {
    Kind kind = Kind::number;
    int slot = 0;       ///< turn; of index and size the kind of groups
    double number = 0;  ///< number
  };

  Expression() = default;
  explicit Expression(double number) : terms_{{Kind::number, 0, number}} {}

  bool empty() const { return terms_.empty(); }
  bool is_constant() const { return terms_.size() == 1 && terms_[0].kind == Kind::number; }
  /// True if it asks for the turn of that loop.
  bool asks_for_turn(int slot) const;

  void push(Term term) { terms_.push_back(term); }
  /// Puts an operation of two operands behind them.
  static Expression of(Kind kind, const Expression& left, const Expression& right);
  static Expression of(Kind kind, const Expression& operand);

  /// No number where it divides by 0, or a rank is in no group of the kind that it asks for.
  /// Requires that it is not empty.
  double value(const Standing& standing) const;

 private:
  std::vector<Term> terms_;
};

}  // namespace ringscope::programs
