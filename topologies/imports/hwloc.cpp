// SPDX-License-Identifier: LGPL-2.1-or-later
// hwloc's XML ("lstopo machine.xml"), of versions 1 to 3, as libhwloc understands it.
#include <fcntl.h>
#include <fmt/format.h>
#include <hwloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "base/table.hpp"
#include "topologies/imports/imported_host.hpp"
#include "topologies/imports/imports.hpp"
#include "topologies/imports/xml.hpp"

namespace ringscope {
namespace {

// Doing something first where it can do no harm.

constexpr unsigned longest_seconds = 20;

[[noreturn]] void try_and_exit(const std::function<void()>& action) {
  alarm(longest_seconds);
  const int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  try {
    action();
  } catch (...) {
    _exit(1);
  }
  _exit(0);
}

/// Runs the action in a child process, without its output, for at most 20 seconds: whether it
/// returned. Throws std::system_error where no child can be had.
bool survives(const std::function<void()>& action) {
  std::fflush(nullptr);  // or the child would hold what is written later a second time
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) try_and_exit(action);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// libhwloc's description of a machine, read from XML.

using Loaded = std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)>;

Loaded load(const std::string& xml) {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) return {nullptr, &hwloc_topology_destroy};
  Loaded loaded(topology, &hwloc_topology_destroy);
  const bool ready =
      hwloc_topology_set_xmlbuffer(topology, xml.c_str(), static_cast<int>(xml.size()) + 1) == 0 &&
      hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) == 0 &&
      hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL) == 0 &&
      hwloc_topology_load(topology) == 0;
  if (!ready) loaded.reset();
  return loaded;
}

std::vector<hwloc_obj_t> objects(hwloc_topology_t topology, hwloc_obj_type_t type) {
  std::vector<hwloc_obj_t> list;
  for (hwloc_obj_t at = nullptr; (at = hwloc_get_next_obj_by_type(topology, type, at));)
    if (at->cpuset) list.push_back(at);
  return list;
}

bool lies_in(hwloc_obj_t inner, hwloc_obj_t outer) {
  return hwloc_bitmap_isincluded(inner->cpuset, outer->cpuset) != 0;
}

AssumedCpu cpu_of(hwloc_obj_t package) {
  const auto info = [package](const char* name) {
    const char* value = package ? hwloc_obj_get_info_by_name(package, name) : nullptr;
    return std::string(value ? value : "");
  };
  const auto number = [&](const char* name) {
    return static_cast<int>(std::strtol(info(name).c_str(), nullptr, 10));
  };
  return assumed_cpu(info("CPUVendor"), number("CPUFamilyNumber"), number("CPUModelNumber"));
}

/// The NUMA domains: hwloc's NUMA nodes that have cores, or the packages where hwloc knows only one
/// node for all of them.
class Domains {
 public:
  Domains(hwloc_topology_t topology, ImportedHost& machine)
      : packages_(objects(topology, HWLOC_OBJ_PACKAGE)) {
    auto candidates = objects(topology, HWLOC_OBJ_NUMANODE);
    const bool split = candidates.size() == 1 && packages_.size() > 1;
    if (split) {
      machine.note(
          "guessed: a NUMA domain for each of {} packages, because the file has only one for all",
          packages_.size());
      candidates = packages_;
    }
    for (const int cores : cores_in(topology, candidates)) {
      const hwloc_obj_t domain = candidates[seen_++];
      if (cores == 0) {
        machine.note("omitted: NUMA node {}, which has no core", domain->os_index);
        continue;
      }
      const Bytes memory{split ? 0 : domain->attr->numanode.local_memory};
      machine.domains.push_back({.cores = cores, .memory_bandwidth = {}, .memory = memory});
      domains_.push_back(domain);
    }
    if (domains_.empty()) return;
    link_domains(places(), machine);
  }

  bool empty() const { return domains_.empty(); }

  /// The first domain that shares a core with the object.
  std::string nearest(hwloc_obj_t object, const std::string& label, ImportedHost& machine) const {
    std::size_t first = domains_.size(), count = 0;
    for (std::size_t i = domains_.size(); i-- > 0;) {
      if (object->cpuset && !hwloc_bitmap_intersects(object->cpuset, domains_[i]->cpuset)) continue;
      first = i;
      ++count;
    }
    if (first == domains_.size()) first = 0;
    if (count != 1)
      machine.note("guessed: {} hangs off numa{}, because the file places it on {} domains", label,
                   first, count);
    return fmt::format("numa{}", first);
  }

 private:
  /// Number of cores (of processors without: hardware threads) of each candidate; a core counts for
  /// the first that holds it.
  static std::vector<int> cores_in(hwloc_topology_t topology,
                                   const std::vector<hwloc_obj_t>& candidates) {
    auto cores = objects(topology, HWLOC_OBJ_CORE);
    if (cores.empty()) cores = objects(topology, HWLOC_OBJ_PU);
    std::vector<int> counts(candidates.size());
    for (const hwloc_obj_t core : cores) {
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (!lies_in(core, candidates[i])) continue;
        ++counts[i];
        break;
      }
    }
    return counts;
  }

  std::vector<DomainPlace> places() const {
    return each_of(domains_, [&](hwloc_obj_t domain) { return place_of(domain); });
  }

  DomainPlace place_of(hwloc_obj_t domain) const {
    int inside = 0;
    hwloc_obj_t any = nullptr;
    for (const hwloc_obj_t package : packages_) {
      if (lies_in(domain, package) && !hwloc_bitmap_isequal(domain->cpuset, package->cpuset)) {
        const auto siblings = std::ranges::count_if(
            domains_, [&](hwloc_obj_t other) { return lies_in(other, package); });
        return {static_cast<int>(package->logical_index), 1.0 / static_cast<double>(siblings),
                cpu_of(package)};
      }
      if (!lies_in(package, domain)) continue;
      ++inside;
      any = package;
    }
    // Not the number of any package that holds domains.
    const int alone = -1 - static_cast<int>(domain->logical_index);
    return {alone, inside == 0 ? 1.0 : inside, cpu_of(any)};
  }

  std::vector<hwloc_obj_t> packages_, domains_;
  std::size_t seen_ = 0;
};

/// The XML of hwloc 1 or 2; nothing where libhwloc refuses it. Malformed XML may crash libhwloc.
std::optional<ImportedHost> read_hwloc(const std::string& xml) {
  const Loaded topology = load(xml);
  if (!topology) return {};
  ImportedHost machine;
  const Domains domains(topology.get(), machine);
  if (domains.empty()) return {};
  hang_devices(
      topology.get(),
      [&](hwloc_obj_t object, const std::string& label) {
        return domains.nearest(object, label, machine);
      },
      machine);
  name_network(0, machine);
  return machine;
}

/// hwloc 3 writes the kinds of an OS device as bits (hwloc.h, hwloc_obj_osdev_type_e), hwloc 2 one
/// of them as a number. For the few bits that matter here, a GPU before a coprocessor.
int second_version(int bits) {
  enum : int { gpu = 1 << 2, coprocessor = 1 << 3, network = 1 << 4, openfabrics = 1 << 5 };
  if (bits & gpu) return HWLOC_OBJ_OSDEV_GPU;
  if (bits & coprocessor) return HWLOC_OBJ_OSDEV_COPROC;
  if (bits & openfabrics) return HWLOC_OBJ_OSDEV_OPENFABRICS;
  if (bits & network) return HWLOC_OBJ_OSDEV_NETWORK;
  return HWLOC_OBJ_OSDEV_BLOCK;
}

struct OsDevices : pugi::xml_tree_walker {
  bool for_each(pugi::xml_node& node) override {
    pugi::xml_attribute type = node.attribute("osdev_type");
    if (type) type.set_value(second_version(type.as_int()));
    return true;
  }
};

/// The text as libhwloc 2 reads it.
std::string for_libhwloc(const Xml& xml) {
  const int newest = 3;
  pugi::xml_document document;
  pugi::xml_node root = document.append_copy(xml.root());
  pugi::xml_attribute version = root.attribute("version");
  const std::string text = version.value();
  const int major = version ? version.as_int() : 1;
  if (major < 1 || major > newest)
    xml.fail(xml.root(), "<topology>: expected a version from 1 to {}, got \"{}\"", newest, text);
  if (major == newest) {
    version.set_value("2.0");
    while (root.remove_child("info")) continue;
    OsDevices devices;
    document.traverse(devices);
  }
  std::ostringstream out;
  document.save(out);
  return out.str();
}

}  // namespace

ImportedHost read_hwloc_xml(const std::shared_ptr<const Source>& source) {
  const Xml xml(source, "topology");
  const std::string text = for_libhwloc(xml);
  // libhwloc 2.9 dereferences what some malformed files lack, and leaks what it refuses.
  if (!survives([&] { read_hwloc(text).value(); }))
    xml.fail(xml.root(), "not a topology that libhwloc can read");
  return read_hwloc(text).value();
}

}  // namespace ringscope
