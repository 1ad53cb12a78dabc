// SPDX-License-Identifier: LGPL-2.1-or-later
#include "algorithms/programs/expression.hpp"

#include <algorithm>
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
  if (kind == Kind::negative) return -x;
  if (kind == Kind::floor) return std::floor(x);
  if (kind == Kind::ceil) return std::ceil(x);
  return x == 0 ? 1 : 0;
}

/// By kind, from `add` on.
using OfTwo = double (*)(double x, double y);
constexpr OfTwo of_two[] = {
    [](double x, double y) { return x + y; },
    [](double x, double y) { return x - y; },
    [](double x, double y) { return x * y; },
    [](double x, double y) { return x / y; },
    [](double x, double y) { return x - y * std::floor(x / y); },
    [](double x, double y) { return std::min(x, y); },
    [](double x, double y) { return std::max(x, y); },
    [](double x, double y) { return double(x == y); },
    [](double x, double y) { return double(x != y); },
    [](double x, double y) { return double(x < y); },
    [](double x, double y) { return double(x <= y); },
    [](double x, double y) { return double(x != 0 && y != 0); },
    [](double x, double y) { return double(x != 0 || y != 0); },
};
constexpr int place_of(Kind kind) { return int(kind) - int(Kind::add); }
static_assert(std::ssize(of_two) == place_of(Kind::either) + 1);

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
      stack[depth - 1] = of_two[place_of(term.kind)](stack[depth - 1], stack[depth]);
    }
  }
  return stack[0];
}

}  // namespace ringscope::programs
