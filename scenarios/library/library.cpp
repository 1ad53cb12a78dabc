// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/library/library.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "topologies/input/data_files.hpp"

namespace ringscope {
namespace {

constexpr double least_goodput = 0.01;
const std::vector<std::string> driver_names = {"caller", "receiver", "nic"};
const std::vector<std::string> order_names = {"shared", "fifo"};
const std::vector<std::string> progress_names = {"caller", "thread", "nic"};
const std::vector<std::string> progress_core_names = {"spare", "shared"};

/// A library as one map, with its name.
struct Expanded {
  std::string name;
  Value map;
};

/// Lays what kernels' blocks pay between hosts over a library.
void lay_transport(const Value& name, Value& library) {
  const std::string file = file_of(name, "scenarios/transports", "transport");
  const Value map = read_part(file, "transport");
  Fields fields(map, "transport");
  fields.optional("about");
  for (const char* key : {"blocks", "spread"})
    if (const Value* part = fields.optional(key)) {
      Value over = Value::empty_map_at(map.place());
      over.set(key, *part);
      library.merge(over);
    }
  fields.finish();
}

/// Follows `base:` down to a map that stands on its own, and lays the others over it. `files` are
/// those on the way, so that a circle is an error and no endless walk.
Expanded expand(const Value& value, std::vector<std::string> files) {
  if (value.kind() == Value::Kind::scalar) {
    const std::string file = file_of(value, "scenarios/libraries", "library");
    std::error_code ignored;
    const std::string one_name = std::filesystem::weakly_canonical(file, ignored).string();
    if (std::ranges::find(files, one_name) != files.end()) {
      value.fail("library '{}' is its own base", value.scalar());
    }
    files.push_back(one_name);
    return {std::filesystem::path(file).stem().string(),
            expand(read_part(file, "library"), std::move(files)).map};
  }
  if (value.kind() != Value::Kind::map) value.fail("expected the name of a library, or a map");
  const Value* base = value.find("base");
  if (base == nullptr || base->is_null()) return {"inline", value};
  const bool in_place = files.empty();
  Expanded written = expand(*base, std::move(files));
  const Value* transport = value.find("transport");
  if (transport != nullptr) lay_transport(*transport, written.map);
  written.map.merge(value);
  if (!in_place) return written;
  if (transport != nullptr) written.name += " over " + transport->text();
  if (transport == nullptr || value.entries().size() > 2) written.name += "*";
  return written;
}

// Room for eager messages, and their pieces.
void read_eager(Fields& fields, const std::string& name, Way way, Transport& transport) {
  for (auto [key, bytes] : {std::pair{"eager_room", &transport.eager_room},
                            std::pair{"eager_piece", &transport.eager_piece}}) {
    const Value* found = fields.optional(key);
    if (found == nullptr) continue;
    if (bytes == &transport.eager_piece && way != Way::network)
      found->fail("library.{}: only network copies eager messages in segments", name);
    *bytes = found->bytes();
    if (bytes->count == 0) found->fail("expected at least 1 B");
  }
}

/// Open MPI's names of what moves bytes, where ours are expected.
void refuse_btl(const Value& driver) {
  constexpr std::string_view names[] = {"vader", "sm", "tcp"};
  if (driver.kind() != Value::Kind::scalar ||
      std::ranges::find(names, driver.scalar()) == std::end(names))
    return;
  driver.fail(
      "'{}' is a BTL of Open MPI: vader (since 5.0: sm) is 'driver: receiver', which copies once; "
      "the sm before it is 'driver: caller', which copies in and out; tcp is 'shm: network'",
      driver.scalar());
}

// Pinning of the buffers that a NIC reads and writes by itself.
void read_registration(Fields& fields, const std::string& name, Way way, Transport& transport) {
  const Value* found = fields.optional("registration");
  if (found == nullptr) return;
  if ((way != Way::network && way != Way::gdr) || transport.driver != Driver::nic)
    found->fail("library.{}: only a NIC that moves the data needs pinned buffers (driver: nic)",
                name);
  transport.registration = read_sized_time(*found, fmt::format("library.{}.registration", name));
}

Transport read_transport(const Value& value, Way way, Value& resolved) {
  const std::string name(way_names[way]);
  Fields fields(value, "library." + name);
  Transport transport;
  const auto sized = [&](std::string_view key, const Value& time) {
    return read_sized_time(time, fmt::format("library.{}.{}", name, key));
  };
  transport.latency = sized("latency", fields.required("latency"));
  for (auto [key, time] : {std::pair{"send_overhead", &transport.send_overhead},
                           std::pair{"recv_overhead", &transport.recv_overhead},
                           std::pair{"jitter", &transport.jitter}})
    *time = sized(key, fields.value_or(key, "0 s"));
  transport.send_cost = fields.value_or("send_cost", "0 s/B").byte_cost();
  transport.recv_cost = fields.value_or("recv_cost", "0 s/B").byte_cost();
  transport.unexpected_cost = fields.value_or("unexpected_cost", "0 s/B").byte_cost();
  // Before the limit: while that is missing, neither of them is taken for it, misspelt.
  read_eager(fields, name, way, transport);
  transport.eager_limit = fields.required("eager_limit").bytes();
  transport.rts_data = fields.value_or("rts_data", "0 B").bytes();
  transport.buffer = fields.value_or("buffer", "0 B").bytes();
  if (const Value* gap = fields.optional("gap")) transport.gap = gap->bytes();
  const auto of_nics = [&](const char* key) {
    const Value* found = fields.optional(key);
    if (found != nullptr && way != Way::network && way != Way::gdr)
      found->fail("library.{}: only network and gdr go through NICs", name);
    return found;
  };
  if (const Value* gap = of_nics("message_gap")) transport.message_gap = sized("message_gap", *gap);
  if (const Value* interval = of_nics("interrupt_interval"))
    transport.interrupt_interval = interval->seconds();
  if (const Value* cost = fields.optional("connection_cost")) {
    if (way != Way::network) cost->fail("library.{}: only network has connections to poll", name);
    transport.connection_cost = cost->seconds();
  }
  const Value& driver = fields.value_or("driver", "caller");
  refuse_btl(driver);
  transport.driver = static_cast<Driver>(driver.one_of("driver", driver_names));
  if (transport.driver == Driver::receiver && way != Way::shm) {
    driver.fail("library.{}: only shm can have the driver 'receiver'", name);
  }
  read_registration(fields, name, way, transport);
  if (const Value* order = fields.optional("order"))
    transport.order = static_cast<Order>(order->one_of("order", order_names));
  const Value& goodput = fields.value_or("goodput", "1");
  transport.goodput = goodput.number(least_goodput, 1);
  if (transport.goodput != 1 && way != Way::network)
    goodput.fail("library.{}: only network has links with headers", name);
  fields.finish();
  resolved.set(name, fields.resolved());
  return transport;
}

/// All of p2p, staged and gdr, or none of them; and what work on a GPU costs.
void read_gpu_parts(Fields& fields, Library& library, Value& ways) {
  constexpr std::array gpu_ways = {Way::p2p, Way::staged, Way::gdr};
  const auto name = [](Way way) { return way_names[way]; };
  const Value* known = nullptr;
  for (const Way way : gpu_ways)
    if (const Value* found = fields.optional(name(way))) known = found;
  library.knows_gpus = known != nullptr;
  const Value* gpu = fields.optional("gpu");
  const Value* blocks = fields.optional("blocks");
  if (known == nullptr) {
    if (gpu != nullptr) gpu->fail("a library with 'gpu' needs p2p, staged and gdr too");
    if (blocks != nullptr) blocks->fail("a library with 'blocks' needs p2p, staged and gdr too");
    return;
  }
  for (const Way way : gpu_ways)
    if (!fields.has(name(way)))
      known->fail("p2p, staged and gdr come together, and {} is missing", name(way));
  for (const Way way : gpu_ways)
    library.transports[way] = read_transport(fields.required(name(way)), way, ways);
  const Value nothing = Value::empty_map_at(fields.map().place());
  Fields costs(gpu != nullptr ? *gpu : nothing, "library.gpu");
  library.gpu.launch = costs.value_or("launch", "0 s").seconds();
  library.gpu.reduce_cost = costs.value_or("reduce_cost", "0 s/B").byte_cost();
  library.gpu.copy_cost = costs.value_or("copy_cost", "0 s/B").byte_cost();
  if (const Value* always = costs.optional("always_staged"))
    library.gpu.always_staged = always->boolean();
  costs.finish();
  fields.resolve("gpu", costs.resolved());
  if (blocks == nullptr) return;
  Value resolved = Value::empty_map_at(blocks->place());
  library.blocks = read_blocks(*blocks, resolved);
  fields.resolve("blocks", resolved);
}

/// Endpoints, as configured and as the provider has them, and the locks of several threads.
void read_threads(Fields& fields, Library& library) {
  library.wanted_endpoints = fields.value_or("endpoints", "1").whole(1, 1024);
  library.endpoints = library.wanted_endpoints;
  if (const Value* most = fields.optional("most_endpoints")) {
    library.most_endpoints = most->whole(1, 1024);
    library.endpoints = std::min(library.endpoints, *library.most_endpoints);
  }
  if (const Value* lock = fields.optional("thread_multiple"))
    library.thread_multiple = lock->seconds();
}

/// Transport of `shm: network`, shared memory switched off: a message stays in its host and goes
/// through the network's stack, without its links and NICs.
Value over_loopback(const Value& shm, const Value& network) {
  if (shm.scalar() != "network")
    shm.fail(
        "expected the costs of a transport, or 'network', where messages inside a host go through "
        "the network's stack, as with --mca btl self,tcp; got \"{}\"",
        shm.scalar().substr(0, 60));
  constexpr std::string_view of_nics[] = {"goodput",         "message_gap", "interrupt_interval",
                                          "connection_cost", "eager_piece", "registration"};
  Value way = Value::empty_map_at(shm.place());
  if (network.kind() != Value::Kind::map) return network;
  for (const Value::Entry& entry : network.entries())
    if (std::ranges::find(of_nics, entry.key) == std::end(of_nics)) way.set(entry.key, entry.value);
  return way;
}

}  // namespace

SizedTime read_sized_time(const Value& value, std::string_view what) {
  if (value.kind() != Value::Kind::list) return value.seconds();
  const std::vector<Value>& items = value.items();
  if (items.empty()) value.fail("expected a time such as \"1.5 us\", or a list of segments");
  std::vector<SizedTime::Segment> segments;
  for (const Value& item : items) {
    Fields fields(item, std::string(what));
    SizedTime::Segment segment;
    segment.time = fields.required("time").seconds();
    segment.cost = fields.value_or("cost", "0 s/B").byte_cost();
    const Value* up_to = fields.optional("up_to");
    fields.finish();
    const bool last = &item == &items.back();
    if (last && up_to != nullptr)
      up_to->fail("the last segment takes all sizes that are left: it has no 'up_to'");
    if (!last && up_to == nullptr) item.fail("only the last segment can be without 'up_to'");
    if (up_to != nullptr) {
      segment.up_to = up_to->bytes().count;
      if (!segments.empty() && segment.up_to <= segments.back().up_to)
        up_to->fail("expected more than {}, where the segment before ends, got {}",
                    to_text(Bytes{segments.back().up_to}), to_text(up_to->bytes()));
    }
    segments.push_back(segment);
  }
  return SizedTime(std::move(segments));
}

void lock_calls(Library& library) {
  for (Transport& way : library.transports) {
    way.send_overhead = way.send_overhead.plus(library.thread_multiple);
    way.recv_overhead = way.recv_overhead.plus(library.thread_multiple);
  }
}

void read_interruptions(Fields& fields, std::string_view key, Seconds& every, Seconds& takes) {
  fields.nested(key, [&](Fields& times) {
    const Value& between = times.required("every");
    every = between.seconds();
    if (every.count() <= 0) between.fail("expected a time above 0 between two {}", key);
    takes = times.required("takes").seconds();
  });
}

Library read_library(const Value& value) {
  const Expanded written = expand(value, {});
  Fields fields(written.map, "library");
  Library library;
  fields.optional("base");
  library.name = fields.value_or("name", written.name).text();
  library.about = fields.value_or("about", "a library without a description").text();
  const Value& progress = fields.value_or("progress", "caller");
  library.progress = static_cast<Progress>(progress.one_of("progress", progress_names));
  const Value& core = fields.value_or("progress_core", "spare");
  library.progress_core =
      static_cast<ProgressCore>(core.one_of("progress core", progress_core_names));
  read_threads(fields, library);
  if (const Value* thread_core = fields.optional("thread_core"))
    library.thread_core =
        static_cast<ProgressCore>(thread_core->one_of("thread core", progress_core_names));
  if (const Value* cost = fields.optional("match_cost")) library.match_cost = cost->seconds();
  library.reduce_cost = fields.value_or("reduce_cost", "0 s/B").byte_cost();
  library.copy_cost = fields.value_or("copy_cost", "0 s/B").byte_cost();
  read_interruptions(fields, "detours", library.detours.every, library.detours.takes);
  Value ways = Value::empty_map_at(value.place());
  for (const Way way : {Way::self, Way::shm, Way::network}) {
    const Value& costs = fields.required(way_names[way]);
    const bool off = way == Way::shm && costs.kind() == Value::Kind::scalar;
    library.transports[way] =
        read_transport(off ? over_loopback(costs, fields.required("network")) : costs, way, ways);
    if (off) ways.set("shm", costs);
  }
  read_gpu_parts(fields, library, ways);
  if (const Value* transport = fields.optional("transport"))
    library.transport_name = transport->text();
  if (const Value* spread = fields.optional("spread")) library.spread = read_spread(*spread);
  fields.optional("uncached");
  fields.optional("fitted");
  library.fitted = read_fitted(written.map);
  fields.finish();
  if (library.progress == Progress::nic && library.transport(Way::network).driver != Driver::nic) {
    progress.fail(
        "a NIC that makes progress moves the data too: set library.network.driver to 'nic'");
  }
  // Without `base`: everything it stands for has been laid out.
  library.resolved = Value::empty_map_at(value.place());
  const Value read = fields.resolved();
  for (const Value::Entry& entry : read.entries()) {
    if (entry.key != "base") library.resolved.set(entry.key, entry.value);
  }
  library.resolved.merge(ways);
  check_uncached(library.resolved);
  return library;
}

}  // namespace ringscope
