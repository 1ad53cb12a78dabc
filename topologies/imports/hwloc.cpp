// SPDX-License-Identifier: LGPL-2.1-or-later
// hwloc's XML ("lstopo machine.xml"), of versions 1 to 3, as libhwloc understands it.
#include <fmt/format.h>
#include <hwloc.h>

#include <sstream>

#include "topologies/imports/hwloc_machine.hpp"
#include "topologies/imports/imports.hpp"
#include "topologies/imports/trial.hpp"
#include "topologies/imports/xml.hpp"

namespace ringscope {
namespace {

bool recognises(std::string_view text) { return text.find("<topology") != std::string_view::npos; }

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
    xml.fail(xml.root(),
             fmt::format("<topology>: expected a version from 1 to {}, got \"{}\"", newest, text));
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

ImportedHost read(const std::shared_ptr<const Source>& source) {
  const Xml xml(source, "topology");
  const std::string text = for_libhwloc(xml);
  // libhwloc 2.9 dereferences what some malformed files lack, and leaks what it refuses.
  if (!survives([&] { read_hwloc(text).value(); }))
    xml.fail(xml.root(), "not a topology that libhwloc can read");
  return read_hwloc(text).value();
}

}  // namespace

MachineFormat describe_hwloc() {
  return {"hwloc", "hwloc's XML, as lstopo writes it", recognises, read};
}

}  // namespace ringscope
