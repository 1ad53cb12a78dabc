// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/question/scenario_tree.hpp"

#include "algorithms/training/training.hpp"
#include "scenarios/question/nccl_communicators.hpp"

namespace ringscope {
namespace {

constexpr std::size_t most_neighbours = 64;
constexpr std::int64_t most_rounds = 1'000'000;

/// `loop`, which is 0, or how often.
int read_rounds(const Value& value) {
  if (value.text() == "loop") return 0;
  const auto rounds = whole_number(value.text());
  if (!rounds || *rounds < 1 || *rounds > most_rounds)
    value.fail("expected 'loop' or a number from 1 to {}, got \"{}\"", most_rounds, value.text());
  return *rounds;
}

/// Refuses keys that only the foreground job can have.
void refuse_keys(const Value& job) {
  const Value* repetitions = job.find("repetitions");
  if (repetitions != nullptr && !repetitions->is_null() && repetitions->text() != "1")
    repetitions->fail("a neighbour specifies its repetitions by 'repeat', next to its job");
  const Value* noise = job.find("noise");
  if (noise != nullptr && !noise->is_null())
    noise->fail("noise is of the job that is asked about alone");
  const Value* rings = job.find("rings");
  if (rings != nullptr && !rings->is_null())
    rings->fail("the rings of NCCL are of the job that is asked about alone");
}

Neighbour read_neighbour(const Value::Entry& entry, const Topology& topology,
                         const Library& library, const Placement* placed,
                         std::span<const Location> taken, Value& resolved) {
  const std::string what = "neighbours." + entry.key;
  refuse_unknown_keys(entry.value, what, {"placement", "job", "repeat", "start"});
  Fields fields(entry.value, what);
  Neighbour one;
  one.name = entry.key;
  const Value& placement = fields.required("placement");
  const Value& job = fields.required("job");
  one.placement = placed != nullptr
                      ? *placed
                      : read_placement(on_gpus(placement, job, library, topology), topology, taken);
  one.rounds = read_rounds(fields.value_or("repeat", "loop"));
  one.start = fields.value_or("start", "0 s").seconds();
  if (job.kind() == Value::Kind::map) refuse_keys(job);
  const std::vector<ReadJob> jobs = read_jobs(job, static_cast<int>(one.placement.ranks.size()),
                                              has_nccl_groups(one.placement, library));
  if (jobs.size() > 1) job.find("bytes")->fail("a neighbour has one size");
  one.job = jobs.front().job;
  if (one.job.training != nullptr && one.job.training->input.varies())
    job.find("options")->find("input")->fail(
        "'spread' and 'stalls' are of the job that is asked about alone");
  require_ranks(placement, one.placement, one.job);
  fields.resolve("job", jobs.front().resolved);
  fields.finish();
  resolved = fields.resolved();
  return one;
}

}  // namespace

std::vector<Neighbour> read_neighbours(Fields& scenario, const Topology& topology,
                                       const Library& library, std::span<const Placement> placed) {
  std::vector<Neighbour> all;
  const Value* map = scenario.optional("neighbours");
  if (map == nullptr) return all;
  if (map->kind() != Value::Kind::map)
    map->fail("expected jobs by their names, such as {training: {placement: 4-4, job: {...}}}");
  Value resolved = Value::empty_map_at(map->place());
  for (const Value::Entry& entry : map->entries()) {
    if (entry.value.is_null()) continue;
    // A dotted path would lead elsewhere.
    if (entry.key.find('.') != std::string::npos)
      throw InputError(entry.key_place, "the name of a neighbour has no dot");
    if (all.size() == most_neighbours) map->fail("more than {} neighbours", most_neighbours);
    Value one;
    const Placement* where = placed.empty() ? nullptr : &placed[all.size()];
    all.push_back(read_neighbour(entry, topology, library, where, places_of(all), one));
    resolved.set(entry.key, one);
  }
  if (!all.empty()) scenario.resolve("neighbours", resolved);
  return all;
}

std::vector<Location> places_of(std::span<const Neighbour> neighbours) {
  std::vector<Location> places;
  for (const Neighbour& one : neighbours)
    places.insert(places.end(), one.placement.ranks.begin(), one.placement.ranks.end());
  return places;
}

}  // namespace ringscope
