// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/library/library.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>
#include <vector>

namespace ringscope {
namespace {

const std::vector<std::string> generations = {"volta", "ampere", "hopper", "blackwell", "cdna3"};
constexpr double least_carried = 0.01;

/// A block sends without anybody's help, and the data come with what says that they have come.
Transport transport_of(const Value& hop, const std::string& what) {
  Transport transport;
  transport.latency = read_sized_time(hop, what);
  transport.eager_limit = {std::numeric_limits<std::uint64_t>::max()};
  transport.driver = Driver::nic;
  return transport;
}

Bandwidth rate_or_unlimited(Fields& fields, std::string_view key) {
  const Value* rate = fields.optional(key);
  if (rate == nullptr) return Bandwidth::unlimited();
  return rate->bandwidth();
}

ProtocolCosts read_protocol(const Value& value, const std::string& what, Value& resolved) {
  Fields fields(value, what);
  ProtocolCosts costs;
  costs.start = fields.required("start").seconds();
  const Value& hop = fields.required("hop");
  costs.inside_host = transport_of(hop, what + ".hop");
  const Value* between = fields.optional("hop_between_hosts");
  costs.between_hosts =
      transport_of(between != nullptr ? *between : hop, what + ".hop_between_hosts");
  if (const Value* gap = fields.optional("message_gap"))
    costs.between_hosts.message_gap = read_sized_time(*gap, what + ".message_gap");
  costs.carries = fields.value_or("carries", "1").number(least_carried, 1);
  const Value* pcie = fields.optional("carries_over_pcie");
  costs.carries_over_pcie = pcie != nullptr ? pcie->number(least_carried, 1) : costs.carries;
  const Value* cables = fields.optional("carries_between_hosts");
  costs.carries_between_hosts =
      cables != nullptr ? cables->number(least_carried, 1) : costs.carries;
  costs.block = fields.required("block").bandwidth();
  costs.copy = rate_or_unlimited(fields, "copy");
  costs.gpu = rate_or_unlimited(fields, "gpu");
  fields.finish();
  resolved = fields.resolved();
  return costs;
}

/// Makes rates that were measured on GPUs of another generation those of this one.
void scale_rates(BlockCosts& costs, nccl::Generation from) {
  for (std::size_t i = 0; i < costs.protocols.size(); ++i) {
    const auto protocol = static_cast<Protocol>(i);
    const double factor = nccl::granted(protocol, costs.generation) / nccl::granted(protocol, from);
    for (Bandwidth* rate :
         {&costs.protocols[i].block, &costs.protocols[i].copy, &costs.protocols[i].gpu})
      if (!rate->is_unlimited()) rate->bytes_per_second *= factor;
  }
  if (const double measured = nccl::granted_to_heads(from); measured > 0)
    costs.in_switch *= nccl::granted_to_heads(costs.generation) / measured;
}

/// The number that `text` begins with, which is cut off; -1: it does not begin so.
int take_number(std::string_view& text) {
  int number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || number < 0) return -1;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

bool take_dot(std::string_view& text) {
  if (!text.starts_with('.')) return false;
  text.remove_prefix(1);
  return true;
}

/// 222 of "2.22" or "2.22.3": a version is words, of which 2.2 is older than 2.10. Trees came with
/// 2.4: developer.nvidia.com/blog/massively-scale-deep-learning-training-nccl-2-4.
int read_version(const Value& value) {
  constexpr int oldest = 10, newest = 99;
  const std::string version = value.text();
  std::string_view text = version;
  const int major = take_number(text);
  const int minor = take_dot(text) ? take_number(text) : -1;
  const bool patched = take_dot(text);
  if (major != 2 || minor < 0 || minor > newest || (patched && take_number(text) < 0) ||
      !text.empty())
    value.fail("expected a version of NCCL such as 2.22 or 2.22.3, got {}", version);
  if (minor < oldest)
    value.fail(
        "expected NCCL 2.{} to 2.{}, got {}: NCCL has no trees before 2.4, and how 2.4 to 2.9 "
        "choose is not modelled (2.1 is not 2.10)",
        oldest, newest, version);
  return 100 * major + minor;
}

constexpr double widest_spread = 1e3;

std::vector<SpreadBand> read_bands(const Value& list) {
  std::vector<SpreadBand> bands;
  for (const Value& item :
       list.listed("a list such as [{up_to: 1 MiB, low: 0.7, high: 1.5}, {low: 0.8, high: 1.2}]")) {
    Fields fields(item, "library.spread");
    SpreadBand band;
    if (const Value* most = fields.optional("up_to")) band.up_to = most->bytes().count;
    band.low = fields.required("low").number(1 / widest_spread, widest_spread);
    band.high = fields.required("high").number(band.low, widest_spread);
    fields.finish();
    if (!bands.empty() && band.up_to <= bands.back().up_to)
      item.fail("expected bands by rising 'up_to', the last without one");
    bands.push_back(band);
  }
  return bands;
}

constexpr const char* key = "uncached";

/// Values laid over a library for vectors of more than `above`.
struct Change {
  Bytes above;
  Value over;
};

/// Local work alone depends on a host's caches.
Change read_change(const Value& item) {
  Fields fields(item, "library.uncached");
  Change change{fields.required("above").bytes(), Value::empty_map_at(item.place())};
  for (const char* part : {"reduce_cost", "copy_cost", "self", "shm"})
    if (const Value* found = fields.optional(part)) change.over.set(part, *found);
  fields.finish();
  return change;
}

/// Changes by rising `above`; none where the library has no `uncached`.
std::vector<Change> changes_of(const Value& resolved) {
  std::vector<Change> changes;
  const Value* list = resolved.find(key);
  if (list == nullptr || list->is_null()) return changes;
  for (const Value& item :
       list->listed("a list such as [{above: 1 MiB, shm: {recv_cost: 0.5 ns/B}}]")) {
    changes.push_back(read_change(item));
    if (changes.size() < 2) continue;
    const Bytes before = changes[changes.size() - 2].above, above = changes.back().above;
    if (above <= before)
      item.find("above")->fail("expected more than {}, as in the previous entry, got {}",
                               to_text(before), to_text(above));
  }
  return changes;
}

/// Lays a change over the library. Where shared memory is off, its costs are those of the network.
void lay_change(Value& library, const Change& change) {
  const Value* shm = library.find("shm");
  const bool off = shm != nullptr && shm->kind() == Value::Kind::scalar;
  Value over = Value::empty_map_at(change.over.place());
  for (const Value::Entry& entry : change.over.entries())
    if (!off || entry.key != "shm") over.set(entry.key, entry.value);
  library.merge(over);
}

/// The library, with none of its changes.
Value without_changes(const Value& resolved) {
  Value plain = resolved;
  plain.set(key, Value());
  return plain;
}

constexpr long most_hosts = 10'000'000;

}  // namespace

BlockCosts read_blocks(const Value& value, Value& resolved) {
  Fields fields(value, "library.blocks");
  BlockCosts costs;
  costs.launch = fields.required("launch").seconds();
  costs.issue = fields.value_or("issue", "0 s").seconds();
  if (const Value* start = fields.optional("exchange_start"))
    costs.exchange_start = start->seconds();
  costs.exchange_between_hosts = fields.value_or("exchange_between_hosts", "14 GB/s").bandwidth();
  if (const Value* latency = fields.optional("nic_latency")) costs.nic_latency = latency->seconds();
  costs.version = read_version(fields.value_or("nccl", "2.31"));
  costs.generation = static_cast<nccl::Generation>(
      fields.required("generation").one_of("generation", generations));
  if (const Value* in_switch = fields.optional("in_switch"))
    costs.in_switch = in_switch->number(least_carried, 1);
  std::optional<nccl::Generation> measured_on;
  if (const Value* other = fields.optional("measured_on"))
    measured_on = static_cast<nccl::Generation>(other->one_of("generation", generations));
  std::array<Value, protocol_names.size()> read;
  for (std::size_t i = 0; i < protocol_names.size(); ++i) {
    const std::string name(protocol_names[i]);
    read[i] = Value::empty_map_at(value.place());
    costs.protocols[i] = read_protocol(fields.required(name), "library.blocks." + name, read[i]);
  }
  if (measured_on && std::max(costs.generation, *measured_on) == nccl::Generation::cdna3)
    fields.map().fail("no table scales rates from NVIDIA's generations to cdna3, or back");
  if (measured_on) scale_rates(costs, *measured_on);
  fields.finish();
  resolved = fields.resolved();
  for (std::size_t i = 0; i < protocol_names.size(); ++i) resolved.set(protocol_names[i], read[i]);
  return costs;
}

SpreadBands read_spread(const Value& value) {
  Fields fields(value, "library.spread");
  SpreadBands spread;
  for (auto [name, bands] :
       {std::pair{"one_host", &spread.one_host}, std::pair{"several_hosts", &spread.several_hosts}})
    if (const Value* list = fields.optional(name)) *bands = read_bands(*list);
  if (const Value* hosts = fields.optional("hosts")) spread.hosts = hosts->whole(1, most_hosts);
  fields.finish();
  return spread;
}

void check_uncached(const Value& resolved) {
  for (const Change& change : changes_of(resolved)) {
    Value changed = without_changes(resolved);
    lay_change(changed, change);
    read_library(changed);
  }
}

void take_vectors(Library& library, Bytes vector) {
  const std::vector<Change> changes = changes_of(library.resolved);
  if (changes.empty()) return;
  Value changed = without_changes(library.resolved);
  for (const Change& change : changes)
    if (vector > change.above) lay_change(changed, change);
  Value resolved = std::move(library.resolved);
  library = read_library(changed);
  library.resolved = std::move(resolved);
}

std::optional<FittedRange> read_fitted(const Value& library) {
  const Value* map = library.find("fitted");
  if (map == nullptr || map->is_null()) return {};
  Fields fields(*map, "library.fitted");
  FittedRange range;
  range.least = fields.required("least").bytes();
  range.most = fields.required("most").bytes();
  range.hosts = fields.required("hosts").whole(1, most_hosts);
  range.ranks_per_host = fields.required("ranks_per_host").whole(1, most_hosts);
  if (const Value* list = fields.optional("collectives"))
    for (const Value& one : list->items()) range.collectives.insert(one.text());
  if (const Value* low = fields.optional("low"))
    range.errors = {.low = low->number(1 / widest_spread, 1),
                    .high = fields.required("high").number(1, widest_spread)};
  fields.finish();
  if (range.most < range.least)
    map->find("most")->fail("expected at least {}, the value of 'least', got {}",
                            to_text(range.least), to_text(range.most));
  return range;
}

}  // namespace ringscope
