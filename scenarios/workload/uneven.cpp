// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/workload/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>
#include <random>

namespace ringscope {
namespace {

using Rows = std::vector<std::vector<double>>;

constexpr double most_amount = 1e18;

double sum_of(const std::vector<double>& loads) {
  return std::accumulate(loads.begin(), loads.end(), 0.0);
}

/// The first `hot` ones carry `imbalance` each, the others what is left.
std::vector<double> hot_loads(int parts, int hot, double imbalance) {
  Table<double> loads(parts, imbalance);
  const double left = std::max(0.0, parts - hot * imbalance);
  std::fill(loads.begin() + hot, loads.end(), parts > hot ? left / (parts - hot) : 0);
  return loads;
}

/// Zipf's law: the k-th one in proportion to k^-s.
std::vector<double> zipf_loads(int parts, double s) {
  std::vector<double> loads;
  for (int k = 1; k <= parts; ++k) loads.push_back(std::pow(k, -s));
  const double scale = parts / sum_of(loads);
  for (double& load : loads) load *= scale;
  return loads;
}

/// The exponent at which the first one carries `imbalance`, by halving.
std::vector<double> zipf_of(int parts, double imbalance) {
  double least = 0, most = 64;
  for (int i = 0; i < 100; ++i) {
    const double middle = (least + most) / 2;
    (zipf_loads(parts, middle).front() < imbalance ? least : most) = middle;
  }
  return zipf_loads(parts, most);
}

/// Puts them in an order drawn from the seed, the same on every machine.
void shuffle(std::vector<double>& loads, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (std::size_t i = loads.size(); i > 1; --i) std::swap(loads[i - 1], loads[random() % i]);
}

std::vector<double> read_row(const Value& row, int ranks) {
  const bool list = row.kind() == Value::Kind::list;
  const auto count = list ? std::ssize(row.items()) : 0;
  if (!list || count != ranks)
    row.fail("expected what a rank sends to each of {}, a list of as many numbers{}", ranks,
             list ? fmt::format(", got {}", count) : "");
  return each_of(row.items(), [](const Value& amount) { return amount.number(0, most_amount); });
}

Value matrix_in(const Value& path) {
  const std::string file = path_from(path.place(), path.text());
  if (!std::filesystem::is_regular_file(file))
    path.fail("file not found: '{}', a matrix of sizes", file);
  return Value::from_file(file);
}

/// A list of lists, or a file of one.
PairSizes read_matrix(Fields& fields, const Value& said, int ranks) {
  const Value matrix = said.kind() == Value::Kind::scalar ? matrix_in(said) : said;
  const bool list = matrix.kind() == Value::Kind::list;
  const auto count = list ? std::ssize(matrix.items()) : 0;
  if (!list || count != ranks)
    matrix.fail("expected a row for each of {} ranks, such as [[0, 3], [1, 0]]{}", ranks,
                list ? fmt::format(", got {}", count) : "");
  Rows rows;
  double sum = 0;
  for (const Value& row : matrix.items()) sum += sum_of(rows.emplace_back(read_row(row, ranks)));
  if (sum == 0) matrix.fail("expected an amount above 0: nobody sends anything");
  fields.resolve("matrix", matrix);
  return PairSizes(rows);
}

}  // namespace

std::vector<double> read_loads(Fields& fields, int parts, const std::string& kind) {
  const Value& said = fields.required("imbalance");
  const double imbalance = said.number(1, parts);
  const std::vector<std::string> shapes = {"hot", "zipf"};
  const bool zipf = fields.value_or("shape", "hot").one_of("shape", shapes) == 1;
  const auto seed = static_cast<std::uint64_t>(
      fields.value_or("seed", "1").integer(0, std::numeric_limits<std::int64_t>::max()));
  std::vector<double> loads;
  if (zipf) {
    if (const Value* hot = fields.optional("hot"))
      hot->fail("how many are hot is for the shape 'hot': omit it");
    if (imbalance >= parts)
      said.fail("by Zipf's law no {} has all: expected less than {}", kind, parts);
    loads = zipf_of(parts, imbalance);
  } else {
    const int hot = static_cast<int>(fields.value_or("hot", "1").integer(1, parts));
    if (hot * imbalance > parts)
      said.fail("{} hot of {} {}s cannot have {} times the mean each: expected at most {:.4g}", hot,
                parts, kind, said.text(), static_cast<double>(parts) / hot);
    loads = hot_loads(parts, hot, imbalance);
  }
  shuffle(loads, seed);
  return loads;
}

std::shared_ptr<const PairSizes> read_pair_sizes(Fields& options, int ranks) {
  const Value& said = options.value_or("sizes", "even");
  if (said.kind() == Value::Kind::scalar) {
    if (said.scalar() != "even")
      said.fail(
          "expected even, loads such as {{imbalance: 4}}, or a matrix such as {{matrix: "
          "sizes.yaml}}, got \"{}\"",
          said.scalar());
    return nullptr;
  }
  Fields fields(said, "job.options.sizes");
  std::shared_ptr<const PairSizes> sizes;
  if (const Value* matrix = fields.optional("matrix"))
    sizes = std::make_shared<const PairSizes>(read_matrix(fields, *matrix, ranks));
  else
    sizes = std::make_shared<const PairSizes>(read_loads(fields, ranks, "rank"));
  fields.finish();
  options.resolve("sizes", fields.resolved());
  return sizes;
}

}  // namespace ringscope
