#include "topologies/cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "topologies/hosts/hosts.hpp"
#include "topologies/networks/networks.hpp"

namespace ringscope {
namespace {

namespace fs = std::filesystem;

const HostType host_type_list[] = {
    {"simple", "one NUMA domain, one NIC", read_simple},
    {"numa", "linked sockets, NICs on some of them", read_numa},
    {"pcie_tree", "sockets, PCIe switches, GPUs and NICs", read_pcie_tree},
};

const NetworkFamily network_family_list[] = {
    {"star", "all hosts on one switch", build_star},
    {"two_level", "racks below one core switch", build_two_level},
    {"fat_tree", "k-ary fat tree of three levels", build_fat_tree},
    {"torus", "one switch per host, wrapped in every dimension", build_torus},
};

template <typename Entry, std::size_t size>
const Entry& chosen(const Entry (&list)[size], std::string_view kind, const Value& name) {
  std::vector<std::string> names;
  for (const Entry& entry : list) names.push_back(entry.name);
  return list[name.one_of(kind, names)];
}

/// A file by its path or by its name in topologies/clusters.
Value read_named(const Value& value) {
  constexpr const char* folder = "topologies/clusters";
  const std::string name = value.text();
  if (name.find('/') != std::string::npos || name.ends_with(".yaml")) {
    const std::string path = path_from(value.place(), name);
    std::error_code ignored;
    if (!fs::exists(path, ignored)) value.fail(fmt::format("no file is at '{}'", path));
    return Value::from_file(path);
  }
  const auto known = names_in(folder);
  const std::string& known_name = known[value.one_of("cluster", known)];
  return Value::from_file(fmt::format("{}/{}/{}.yaml", data_directory(), folder, known_name));
}

/// The map that describes the cluster, with every `base` laid under it.
Value read_map(const Value& value, int depth = 0) {
  constexpr int deepest = 8;
  if (depth > deepest) value.fail(fmt::format("a base stands on more than {} others", deepest));
  if (value.kind() == Value::Kind::scalar) return read_map(read_named(value), depth + 1);
  const Value* base = value.find("base");
  if (value.kind() != Value::Kind::map || !base) return value;
  Value over = Value::empty_map_at(value.place());
  for (const auto& entry : value.entries())
    if (entry.key != "base") over.set(entry.key, entry.value);
  if (base->kind() != Value::Kind::scalar) base->fail("expected the name of a cluster");
  Value merged = read_map(*base, depth + 1);
  merged.merge(over);
  return merged;
}

std::string name_of(const Value& value) {
  if (value.kind() == Value::Kind::scalar) return fs::path(value.scalar()).stem().string();
  const Value* base = value.kind() == Value::Kind::map ? value.find("base") : nullptr;
  const Value* network = value.kind() == Value::Kind::map ? value.find("network") : nullptr;
  const Value* named = base ? base : network;
  if (!named || named->kind() != Value::Kind::scalar) return "cluster";
  // A cluster that was changed in place does not go by the name of the one that it was.
  const bool changed = base != nullptr && value.entries().size() > 1;
  return fs::path(named->scalar()).stem().string() + (changed ? "*" : "");
}

HostMaker read_host(Fields& fields, Topology& topology) {
  Fields host(fields.required("host"), "host");
  const auto& type = chosen(host_type_list, "host type", host.required("type"));
  const MakeHost make = type.read(host);
  host.finish();
  fields.resolve("host", host.resolved());
  return [make, &topology](const std::string& name) { return make(topology, name); };
}

}  // namespace

std::span<const HostType> host_types() { return host_type_list; }
std::span<const NetworkFamily> network_families() { return network_family_list; }

Cluster read_cluster(const Value& value) {
  const Value map = read_map(value);
  Cluster cluster;
  cluster.name = name_of(value);
  Fields fields(map, "cluster");
  cluster.about = fields.value_or("about", "a cluster").text();
  const Value& network = fields.required("network");
  const auto& family = chosen(network_family_list, "network", network);
  const HostMaker make_host = read_host(fields, cluster.topology);
  try {
    family.build(fields, make_host, cluster.topology);
  } catch (const std::length_error& error) {
    network.fail(fmt::format("the cluster is too large: {}", error.what()));
  }
  fields.finish();
  cluster.topology.check(network.place());
  cluster.resolved = fields.resolved();
  return cluster;
}

std::string data_directory() {
  if (const char* chosen_directory = std::getenv("RINGSCOPE_DATA")) return chosen_directory;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path installed = program.parent_path() / "../share/ringscope";
  if (!error && fs::is_directory(installed, error)) return installed.lexically_normal().string();
  return RINGSCOPE_SOURCE_DIRECTORY;
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator file(fs::path(data_directory()) / folder, error), end;
       !error && file != end; file.increment(error))
    if (file->path().extension() == ".yaml") names.push_back(file->path().stem().string());
  std::ranges::sort(names);
  return names;
}

}  // namespace ringscope
