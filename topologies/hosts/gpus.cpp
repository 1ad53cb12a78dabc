// SPDX-License-Identifier: LGPL-2.1-or-later
// GPUs' access rights from the platform, and the links of their own.
#include <fmt/format.h>

#include <iterator>
#include <set>
#include <sstream>

#include "topologies/hosts/hosts.hpp"

namespace ringscope {
namespace {

using Pair = std::pair<int, int>;

// The number of pairs grows with the square of the number of GPUs.
constexpr int most_paired_gpus = 256;

const std::string peer_access_names[] = {"none", "same_switch", "same_socket", "all"};

void refuse_many(const Value& pairs, int gpus) {
  if (gpus <= most_paired_gpus) return;
  pairs.fail("pairs of GPUs are for hosts of at most {}, got {}", most_paired_gpus, gpus);
}

/// Rows of the matrix that TensorFlow logs ("0: Y Y N N") or p2pBandwidthLatencyTest prints
/// ("0 1 1 0 0"), whatever is before them in their lines.
Table<Table<bool>> access_rows(const std::string& text, int gpus) {
  Table<Table<bool>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream in(line);
    const std::vector<std::string> words{std::istream_iterator<std::string>(in), {}};
    if (std::ssize(words) <= gpus) continue;
    const auto cells = words.end() - gpus;
    const std::string number = std::to_string(rows.size());
    if (*(cells - 1) != number && *(cells - 1) != number + ":") continue;
    Table<bool> row;
    for (auto cell = cells; cell != words.end(); ++cell)
      if (*cell == "Y" || *cell == "1" || *cell == "N" || *cell == "0")
        row.push_back(*cell == "Y" || *cell == "1");
    if (std::ssize(row) == gpus) rows.push_back(std::move(row));
  }
  return rows;
}

/// The matrix as text. A GPU reaches its own memory, whatever the diagonal has.
void read_access_text(const Value& value, int gpus, GpuRules& rules) {
  refuse_many(value, gpus);
  rules.peer_access = PeerAccess::matrix;
  rules.peer_matrix = access_rows(value.scalar(), gpus);
  if (std::ssize(rules.peer_matrix) != gpus)
    value.fail(
        "expected a row of {} times Y or N for each of {} GPUs, such as '0: Y Y N N', got {} of "
        "them",
        gpus, gpus, rules.peer_matrix.size());
  for (int one = 0; one < gpus; ++one)
    for (int two = 0; two < one; ++two)
      if (rules.peer_matrix[one][two] != rules.peer_matrix[two][one])
        value.fail(
            "expected a symmetric matrix, got access between GPU {} and GPU {} in one direction "
            "only",
            two, one);
}

void read_peer_access(const Value& value, int gpus, GpuRules& rules) {
  if (value.kind() == Value::Kind::scalar && value.scalar().find('\n') != std::string::npos)
    return read_access_text(value, gpus, rules);
  if (value.kind() != Value::Kind::list) {
    rules.peer_access = static_cast<PeerAccess>(value.one_of("peer access", peer_access_names));
    return;
  }
  refuse_many(value, gpus);
  rules.peer_access = PeerAccess::matrix;
  rules.peer_matrix = Table<Table<bool>>(gpus, Table<bool>(gpus));
  for (const auto& [one, other] : read_pairs(value, gpus, "GPU"))
    rules.peer_matrix[one][other] = rules.peer_matrix[other][one] = true;
}

/// `linked`: the pairs that have an NVLink so far.
void read_nvlink(Fields fields, int gpus, std::set<Pair>& linked, GpuRules& rules) {
  const Value& list = fields.value_or("pairs", "all");
  const Bandwidth bandwidth = fields.required("bandwidth").bandwidth();
  const Seconds latency = fields.required("latency").seconds();
  fields.finish();
  for (const auto& [gpu, other] : read_pairs(list, gpus, "GPU")) {
    if (!linked.insert({gpu, other}).second)
      list.fail("the pair [{}, {}] has an NVLink already", gpu, other);
    rules.nvlinks.push_back({gpu, other, bandwidth, latency});
  }
}

}  // namespace

std::vector<Pair> read_pairs(const Value& value, int count, std::string_view noun) {
  std::vector<Pair> pairs;
  if (value.kind() == Value::Kind::scalar && value.scalar() == "all") {
    for (int other = 1; other < count; ++other)
      for (int one = 0; one < other; ++one) pairs.emplace_back(one, other);
    return pairs;
  }
  const std::string expected = fmt::format("pairs of {}s such as [[0, 1], [2, 3]]", noun);
  if (value.kind() != Value::Kind::list) value.fail("expected all, or {}", expected);
  std::set<Pair> known;
  for (const Value& item : value.items()) {
    if (item.kind() != Value::Kind::list || item.items().size() != 2)
      item.fail("expected {}", expected);
    const auto index = [&](std::size_t i) { return item.items()[i].whole(0, count - 1); };
    const Pair pair = std::pair(std::min(index(0), index(1)), std::max(index(0), index(1)));
    if (pair.first == pair.second)
      item.fail("expected a pair of two {}s, got {} twice", noun, pair.first);
    if (!known.insert(pair).second) item.fail("duplicate pair [{}, {}]", pair.first, pair.second);
    pairs.push_back(pair);
  }
  return pairs;
}

void read_gpu(Fields& fields, Component& gpu) {
  constexpr int most_engines = 64, most_sms = 1024;
  gpu.capacity = fields.value_or("memory", "0 B").bytes();
  const auto read = [&fields](std::string_view key, Bandwidth& bandwidth) {
    if (const Value* value = fields.optional(key)) bandwidth = value->bandwidth();
  };
  read("memory_bandwidth", gpu.memory);
  read("copy_bandwidth", gpu.copy_bandwidth);
  read("peer_bandwidth", gpu.peer_bandwidth);
  if (const Value* sms = fields.optional("sms")) gpu.sms = sms->whole(1, most_sms);
  if (const Value* engines = fields.optional("copy_engines"))
    gpu.copy_engines = engines->whole(1, most_engines);
}

GpuRules read_gpu_rules(Fields& fields, int gpus) {
  GpuRules rules;
  if (const Value* access = fields.optional("peer_access")) read_peer_access(*access, gpus, rules);
  if (const Value* iommu = fields.optional("iommu")) rules.iommu = iommu->boolean();
  if (const Value* gpudirect = fields.optional("gpudirect")) rules.gpudirect = gpudirect->boolean();
  if (const Value* joins = fields.optional("joins_nics")) rules.joins_nics = joins->boolean();
  if (const Value* map = fields.optional("staging")) {
    Fields staging(*map, "staging");
    rules.staging_latency = staging.required("latency").seconds();
    staging.finish();
  }
  if (const Value* nvlink = fields.optional("nvlink")) {
    refuse_many(*nvlink, gpus);
    std::set<Pair> linked;
    if (nvlink->kind() != Value::Kind::list)
      read_nvlink(Fields(*nvlink, "nvlink"), gpus, linked, rules);
    for (std::size_t i = 0; i < nvlink->items().size(); ++i)
      read_nvlink(Fields(nvlink->items()[i], fmt::format("nvlink[{}]", i)), gpus, linked, rules);
  }
  if (const Value* map = fields.optional("nvswitch")) {
    Fields link(*map, "nvswitch");
    const Bandwidth bandwidth = link.required("bandwidth").bandwidth();
    rules.nvswitch = {bandwidth, link.required("latency").seconds()};
    link.finish();
  }
  return rules;
}

void apply(const GpuRules& rules, Topology& topology, int host_index) {
  Host& host = topology.host(host_index);
  host.peer_access = rules.peer_access;
  host.peer_matrix = rules.peer_matrix;
  host.iommu = rules.iommu;
  host.gpudirect = rules.gpudirect;
  host.joins_nics = rules.joins_nics;
  host.staging_latency = rules.staging_latency;
  for (const auto& [gpu, other, bandwidth, latency] : rules.nvlinks)
    topology.connect(host.gpus.at(gpu), host.gpus.at(other), bandwidth, latency);
  if (!rules.nvswitch) return;
  const Vertex nvswitch = topology.add_component(
      {.kind = ComponentKind::nvswitch, .name = host.name + "/nvswitch0", .host = host_index});
  for (const Vertex gpu : host.gpus)
    topology.connect(gpu, nvswitch, rules.nvswitch->bandwidth, rules.nvswitch->latency);
}

}  // namespace ringscope
