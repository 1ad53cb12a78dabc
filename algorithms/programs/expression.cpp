// SPDX-License-Identifier: LGPL-2.1-or-later
#include "algorithms/programs/expression.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace ringscope::programs {
namespace {

using Kind = Expression::Kind;

constexpr std::size_t usual_terms = 32;  // for which no memory is asked for

double operand_of(const Expression::Term& term, const Standing& standing) {
  switch (term.kind) {
    case Kind::turn:
      return standing.turns[term.slot];
    case Kind::rank:
      return standing.rank;
    case Kind::ranks:
      return standing.ranks;
    case Kind::index:
    case Kind::size: {
      const GroupKind& kind = standing.kinds[term.slot];
      if (!kind.has(standing.rank)) return std::numeric_limits<double>::quiet_NaN();
      return term.kind == Kind::index ? kind.place_of(standing.rank)
                                      : kind.size_with(standing.rank);
    }
    default:
      return term.number;
  }
}

double of_one(Kind kind, double x) {
  switch (kind) {
    case Kind::negative:
      return -x;
    case Kind::floor:
      return std::floor(x);
    case Kind::ceil:
      return std::ceil(x);
    default:
      return x == 0 ? 1 : 0;
  }
}

double of_two(Kind kind, double x, double y) {
  switch (kind) {
    case Kind::add:
      return x + y;
    case Kind::subtract:
      return x - y;
    case Kind::multiply:
      return x * y;
    case Kind::divide:
      return x / y;
    case Kind::modulo:
      return x - y * std::floor(x / y);
    case Kind::least:
      return std::min(x, y);
    case Kind::most:
      return std::max(x, y);
    case Kind::equal:
      return x == y ? 1 : 0;
    case Kind::unequal:
      return x != y ? 1 : 0;
    case Kind::less:
      return x < y ? 1 : 0;
    case Kind::at_most:
      return x <= y ? 1 : 0;
    case Kind::both:
      return x != 0 && y != 0 ? 1 : 0;
    default:
      return x != 0 || y != 0 ? 1 : 0;
  }
}

}  // namespace

bool Expression::asks_for_turn(int slot) const {
  return std::ranges::any_of(
      terms_, [&](const Term& term) { return term.kind == Kind::turn && term.slot == slot; });
}

Expression Expression::of(Kind kind, const Expression& left, const Expression& right) {
  Expression both = left;
  both.terms_.insert(both.terms_.end(), right.terms_.begin(), right.terms_.end());
  both.push({kind});
  if (left.is_constant() && right.is_constant()) return Expression(both.value({}));
  return both;
}

Expression Expression::of(Kind kind, const Expression& operand) {
  Expression one = operand;
  one.push({kind});
  if (operand.is_constant()) return Expression(one.value({}));
  return one;
}

double Expression::value(const Standing& standing) const {
  if (is_constant()) return terms_.front().number;
  std::array<double, usual_terms> usual;
  std::vector<double> many(terms_.size() > usual.size() ? terms_.size() : 0);
  double* const stack = many.empty() ? usual.data() : many.data();
  std::size_t depth = 0;
  for (const Term& term : terms_) {
    if (term.kind < Kind::negative) {
      stack[depth++] = operand_of(term, standing);
    } else if (term.kind < Kind::add) {
      stack[depth - 1] = of_one(term.kind, stack[depth - 1]);
    } else {
      --depth;
      stack[depth - 1] = of_two(term.kind, stack[depth - 1], stack[depth]);
    }
  }
  return stack[0];
}

}  // namespace ringscope::programs
