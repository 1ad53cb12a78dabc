// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/study/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "scenarios/question/scenario_tree.hpp"
#include "topologies/input/data_files.hpp"

namespace ringscope {
namespace {

const std::string sizes_key = "job.bytes";

/// The file that the user calls so on the command line; a scenario's too, which then is refused.
std::string study_named(const std::string& name) {
  if (is_path(name)) return name;
  const std::vector<std::string> scenarios = names_in(scenarios_folder);
  const std::vector<std::string> studies = names_in("scenarios/studies");
  const auto is_in = [&name](const auto& names) {
    return std::ranges::find(names, name) != names.end();
  };
  if (is_in(scenarios) && !is_in(studies))
    return fmt::format("{}/{}/{}.yaml", data_directory(), scenarios_folder, name);
  return file_of(typed("STUDY", name), "scenarios/studies", "study");
}

/// Every key of the case is one of `keys`, or below one.
bool varies_only(const CaseTree& one, std::span<const std::string> keys) {
  return std::ranges::all_of(one.set_keys, [&](const std::string& set) {
    return std::ranges::any_of(
        keys, [&](const std::string& key) { return set == key || set.starts_with(key + "."); });
  });
}

void refuse_swept(const std::vector<Override>& overrides, const std::vector<std::string>& keys) {
  for (const Override& change : overrides)
    for (const std::string& key : keys)
      if (overlap(change.key, key))
        throw InputError(place_of_key(change),
                         "the study varies '{}': a value set here has no effect", key);
}

/// "training.records_per_s", as the schema has it, is "records_per_s".
std::string metric_named(const Value& value, std::span<const std::string> known) {
  const std::string text = value.text();
  constexpr std::string_view section = "training.";
  const std::string bare = text.starts_with(section) ? text.substr(section.size()) : text;
  if (std::ranges::find(known, bare) != known.end()) return bare;
  return known[value.one_of("metric", known)];
}

std::vector<std::string> read_metrics(const Value* list, std::span<const std::string> known) {
  if (list == nullptr) return {known.front()};
  std::vector<std::string> metrics;
  for (const Value& value : list->listed("a list of metrics such as [time_s, busbw]")) {
    metrics.push_back(metric_named(value, known));
    if (std::ranges::count(metrics, metrics.back()) > 1)
      value.fail("duplicate metric '{}'", metrics.back());
  }
  return metrics;
}

/// The list of sizes that all cases have in common, as --set has it for each of them; null: none.
/// A point has one size.
const Value* common_sizes(const std::vector<CaseTree>& cases) {
  const Value* common = nullptr;
  for (const CaseTree& one : cases) {
    const Value* job = one.tree.find("job");
    const Value* sizes =
        job == nullptr || job->kind() != Value::Kind::map ? nullptr : job->find("bytes");
    if (sizes == nullptr || sizes->kind() != Value::Kind::list) return nullptr;
    if (common != nullptr && canonical(*common) != canonical(*sizes))
      sizes->fail("the sizes differ from the sizes of another case: vary job.bytes in the study");
    common = sizes;
  }
  return common;
}

/// Keys below a name lay values over the map in its file: that is read here, once, and not again
/// for every point. A value that is a map is merged into it in another way, so then the name stays.
void open_file(Value& tree, const std::string& part, const std::string& folder,
               const Variation& variation) {
  const Value* name = tree.kind() == Value::Kind::map ? tree.find(part) : nullptr;
  if (name == nullptr || name->kind() != Value::Kind::scalar) return;
  bool below = false;
  for (std::size_t i = 0; i < variation.keys.size(); ++i) {
    if (!variation.keys[i].starts_with(part + ".")) continue;
    below = true;
    for (const StudyPoint& point : variation.points)
      if (point[i].kind() == Value::Kind::map) return;
  }
  if (below) tree.set(part, read_part(file_of(*name, folder, part), part));
}

/// The cases on each cluster of the map `clusters`, by the cluster's name: cluster by cluster.
std::vector<CaseTree> on_clusters(const Value& clusters, const std::vector<CaseTree>& cases) {
  if (clusters.kind() != Value::Kind::map || clusters.entries().empty())
    clusters.fail("expected clusters by their names, such as {rails: h100_rails, star: star8}");
  std::vector<CaseTree> all;
  for (const Value::Entry& entry : clusters.entries())
    for (CaseTree one : cases) {
      one.name = cases.size() == 1 ? entry.key : one.name + " on " + entry.key;
      one.tree.set("cluster", entry.value);
      all.push_back(std::move(one));
    }
  return all;
}

}  // namespace

StudyFile read_study_file(const std::string& name) {
  const std::string file = study_named(name);
  StudyFile study{std::filesystem::path(file).stem().string(), Value::from_file(file)};
  refuse_scenario(name, study.tree);
  refuse_unknown_keys(study.tree, "a study",
                      {"question", "scenario", "clusters", "sweep", "place", "metrics"});
  return study;
}

std::vector<CaseTree> study_cases(const StudyFile& file, const std::vector<Override>& overrides,
                                  std::span<const std::string> keys) {
  Fields fields(file.tree, "a study");
  const Value& scenario = fields.required("scenario");
  Value tree = scenario;
  std::string stem = file.name;
  if (scenario.kind() == Value::Kind::scalar) {
    const std::string path = file_of(scenario, scenarios_folder, "scenario");
    stem = std::filesystem::path(path).stem().string();
    tree = Value::from_file(path);
  } else if (const Value* question = fields.optional("question");
             question != nullptr && tree.kind() == Value::Kind::map && !tree.find("question")) {
    tree.set("question", *question);
  }
  std::vector<CaseTree> cases = case_trees(tree, stem, overrides);
  const bool repeat = std::ranges::all_of(
      cases, [&](const CaseTree& one) { return !one.set_keys.empty() && varies_only(one, keys); });
  if (repeat) cases = case_trees(without_cases(tree), stem, overrides);
  const Value* clusters = fields.optional("clusters");
  if (clusters == nullptr) return cases;
  refuse_swept(overrides, {"cluster"});
  return on_clusters(*clusters, cases);
}

Study read_study(const StudyFile& file, const std::vector<Override>& overrides,
                 std::span<const std::string> known_metrics) {
  Fields fields(file.tree, "a study");
  Study study;
  study.name = file.name;
  if (const Value* question = fields.optional("question")) study.question = question->text();
  fields.required("scenario");
  study.compares_clusters = fields.has("clusters");
  const bool only_clusters = study.compares_clusters && !fields.has("sweep");
  if (fields.has("place") && !fields.has("sweep") && !only_clusters)
    file.tree.fail(
        "this study has 'place' and no 'sweep': 'ringscope place' reads it, with the same name");
  Variation variation =
      only_clusters ? Variation{{}, {{}}} : read_variation(fields.required("sweep"));
  study.metrics = read_metrics(fields.optional("metrics"), known_metrics);
  refuse_swept(overrides, variation.keys);
  study.cases = study_cases(file, overrides, variation.keys);
  const bool sizes_vary = std::ranges::any_of(
      variation.keys, [](const std::string& key) { return overlap(key, sizes_key); });
  if (const Value* sizes = sizes_vary ? nullptr : common_sizes(study.cases))
    multiply(variation, sizes_key, *sizes);
  for (CaseTree& one : study.cases) {
    open_file(one.tree, "library", "scenarios/libraries", variation);
    open_file(one.tree, "cluster", "topologies/clusters", variation);
  }
  study.keys = std::move(variation.keys);
  study.points = std::move(variation.points);
  return study;
}

std::string row_words(const Study& study, std::size_t index) {
  const StudyPoint& point = study.points[index % study.points.size()];
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < study.keys.size(); ++i) {
    if (point[i].is_null()) continue;
    const bool scalar = point[i].kind() == Value::Kind::scalar;
    parts.push_back(
        fmt::format("{}={}", study.keys[i], scalar ? point[i].scalar() : canonical(point[i])));
  }
  std::ranges::sort(parts);
  return fmt::format("{}: {}", study.cases[index / study.points.size()].name,
                     fmt::join(parts, ", "));
}

Scenario study_scenario(const Study& study, std::size_t index, KnownParts& known) {
  const CaseTree& one = study.cases.at(index / study.points.size());
  const StudyPoint& point = study.points[index % study.points.size()];
  std::vector<std::size_t> order(study.keys.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  // A whole library before what the study varies in it.
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return std::ranges::count(study.keys[a], '.') < std::ranges::count(study.keys[b], '.');
  });
  Value tree = one.tree;
  for (const std::size_t i : order)
    if (!point[i].is_null()) lay_over(tree, study.keys[i], point[i]);
  std::vector<Scenario> scenarios = read_tree(tree, one.name, known);
  if (scenarios.size() > 1) {
    const Value& sizes = *tree.find("job")->find("bytes");
    sizes.fail("a point of a study has one size: let the study vary job.bytes");
  }
  return std::move(scenarios.front());
}

}  // namespace ringscope
