// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/studies/shard.hpp"

#include <filesystem>

namespace ringscope {
namespace {

constexpr std::size_t most_words = 5;

constexpr const char* select_points =
    "SELECT p.words, r.* FROM points p LEFT JOIN results r ON r.key = p.key ORDER BY p.words";
constexpr int first_of_result = 1;  // column where those of `results` begin

/// A file of those that are merged.
struct Part {
  std::unique_ptr<Database> database;
  PartLabel label;
};

Part open_part(const std::string& path) {
  std::error_code ignored;
  Part part;
  if (!std::filesystem::exists(path, ignored)) refuse_file(path, "no such file");
  part.database = std::make_unique<Database>(path, Database::Open::existing);
  require_store(*part.database);
  const auto label = read_label(*part.database);
  if (!label)
    part.database->refuse(
        "is a store of results, but of no shard: '--shard 3/16 --store part-{{shard}}.sqlite' of "
        "'sweep' or 'place' writes one");
  part.label = *label;
  return part;
}

/// Refuses a part that does not belong to the first one.
void require_alike(const Part& first, const Part& other) {
  const PartLabel &a = first.label, &b = other.label;
  const std::string& file = first.database->path();
  if (a.study != b.study)
    other.database->refuse("is a part of the study '{}', and {} one of '{}'", b.study, file,
                           a.study);
  if (a.version != b.version)
    other.database->refuse(
        "was simulated by ringscope {}, and {} by {}: their results are different ones; start the "
        "shards of one of them again with the other version",
        b.version, file, a.version);
  if (a.digest != b.digest)
    other.database->refuse(
        "is a part of another '{}' than {}: the study, its scenario or --set and --no-skip or "
        "--no-fold differed; start the shards of one of them again",
        b.study, file);
  if (a.shard.count != b.shard.count)
    other.database->refuse("is shard {}, and {} shard {}: merge shards of one number",
                           text_of(b.shard), file, text_of(a.shard));
}

using Parts = std::map<std::size_t, Part>;  ///< by the shard's number

Parts open_all(std::span<const std::string> paths) {
  Parts parts;
  const Part* first = nullptr;
  for (const std::string& path : paths) {
    Part part = open_part(path);
    if (first != nullptr) require_alike(*first, part);
    const auto [there, is_new] = parts.try_emplace(part.label.shard.number, std::move(part));
    if (is_new && first == nullptr) first = &there->second;
    if (is_new) continue;
    const std::string& before = there->second.database->path();
    std::error_code ignored;
    if (std::filesystem::equivalent(before, path, ignored))
      there->second.database->refuse("is a duplicate part: name it once");
    part.database->refuse("is shard {}, as {} is: which of them is to be merged?",
                          text_of(part.label.shard), before);
  }
  return parts;
}

/// The new store, and which part each of its results is from.
class Output {
 public:
  explicit Output(const std::string& path) : database_(path), results_(database_) {
    database_.run("BEGIN IMMEDIATE");
  }
  /// Reads what it can be made of: a row of `select_points`.
  void add(const Database::Statement& row, const Part& part) {
    const ResultRow result = result_in(row, first_of_result);
    const auto [from, is_new] = from_.emplace(result.key, &part);
    if (is_new) return results_.insert(result);
    const ResultRow there = results_.find(result.key).value();
    if (there == result) return;
    part.database->refuse(
        "has another result of the point '{}' than {}: {} s and {} s, of one version of one "
        "program; one of the files is damaged, start its shard again with a new file",
        row.text(0), from->second->database->path(), result.time_s, there.time_s);
  }
  void commit() { database_.run("COMMIT"); }

 private:
  Database database_;
  Results results_;
  std::map<Key, const Part*> from_;
};

MissingPoints take(const Part& part, Output& output) {
  MissingPoints missing{part.label.shard, part.database->path(), 0, {}};
  Database::Statement row(*part.database, select_points);
  while (row.step()) {
    if (!row.text(first_of_result).empty()) {
      output.add(row, part);
      continue;
    }
    ++missing.count;
    if (missing.words.size() < most_words) missing.words.push_back(row.text(0));
  }
  return missing;
}

/// So many points the shard has: as dealt_to() deals them.
std::uint64_t share_of(const Shard& shard, std::uint64_t points) {
  return (points + shard.count - shard.number) / shard.count;
}

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

std::uint64_t Merged::missing_points() const {
  std::uint64_t sum = 0;
  for (const MissingPoints& one : missing) sum += one.count;
  return sum;
}

Merged merge_parts(std::span<const std::string> paths, const std::string& path,
                   const std::function<void()>& before_each) {
  const Parts parts = open_all(paths);
  const PartLabel& label = parts.begin()->second.label;
  Output output(path);
  Merged merged{label.study, label.points, {}};
  for (std::size_t number = 1; number <= label.shard.count; ++number) {
    if (before_each) before_each();
    const Shard shard{number, label.shard.count};
    const auto part = parts.find(number);
    MissingPoints missing = part == parts.end()
                                ? MissingPoints{shard, "", share_of(shard, label.points), {}}
                                : take(part->second, output);
    if (missing.count > 0) merged.missing.push_back(std::move(missing));
  }
  output.commit();
  return merged;
}

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
