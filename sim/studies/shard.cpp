// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/studies/shard.hpp"

namespace ringscope {
namespace {

/// The indices of words that differ from those before, by their hash.
std::vector<std::size_t> by_hash(std::span<const std::string> words) {
  const std::vector<Key> hashes = each_of(words, sha256);
  std::vector<std::size_t> order = numbers_below<std::size_t>(words.size());
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return std::tie(hashes[a], a) < std::tie(hashes[b], b);
  });
  const auto same = [&](std::size_t a, std::size_t b) { return hashes[a] == hashes[b]; };
  order.erase(std::unique(order.begin(), order.end(), same), order.end());
  return order;
}

std::vector<std::size_t> every(const std::vector<std::size_t>& order, const Shard& shard) {
  std::vector<std::size_t> mine;
  for (std::size_t i = shard.number - 1; i < order.size(); i += shard.count)
    mine.push_back(order[i]);
  return mine;
}

std::string digest_of(const Points& points, const std::string& how) {
  std::string bytes;
  for (const std::string& one : points.words) bytes += one + '\n';
  KnownParts known;
  for (const std::size_t sample : points.samples)
    bytes += to_hex(scenario_key(points.make(sample, known), how));
  return to_hex(sha256(bytes));
}

}  // namespace

std::vector<std::size_t> dealt_to(const Shard& shard, std::span<const std::string> words) {
  return every(by_hash(words), shard);
}

ShardOutcome simulate_shard(const Points& points, const Shard& shard, Evaluator& evaluator) {
  const std::vector<std::size_t> order = by_hash(points.words), mine = every(order, shard);
  std::vector<std::string> words;
  for (const std::size_t index : mine) words.push_back(points.words[index]);
  evaluator.store().begin_part(
      {points.study, digest_of(points, evaluator.how()), shard, order.size(), model_version()},
      words);
  const auto outcomes = evaluator.evaluate_some(
      mine.size(),
      [&](std::size_t index, KnownParts& known) { return points.make(mine[index], known); },
      [&](std::size_t index) { return words[index]; });
  evaluator.flush();
  const auto done =
      std::ranges::count_if(outcomes, [](const auto& one) { return one.has_value(); });
  return {mine.size(), static_cast<std::size_t>(done)};
}

}  // namespace ringscope
