#include "topologies/degraded.hpp"

#include <vector>

namespace ringscope {
namespace {

int link_named(const Value& name, const Topology& topology) {
  std::vector<std::string> names;
  for (int id = 0; id < topology.link_count(); ++id) {
    names.push_back(topology.link(id).name);
    if (names.back() == name.text()) return id;
  }
  name.fail(unknown_name("link", name.text(), names));
}

}  // namespace

void read_degraded(Fields& fields, Topology& topology) {
  constexpr double least = 1e-6;
  const Value* list = fields.optional("degraded");
  if (list == nullptr) return;
  if (list->kind() != Value::Kind::list)
    list->fail("expected a list such as [{link: host0/nic0->switch, share: 0.5}]");
  for (const Value& item : list->items()) {
    Fields one(item, "degraded");
    const int link = link_named(one.required("link"), topology);
    topology.degrade(link, one.required("share").number(least, 1));
    one.finish();
  }
  fields.resolve("degraded", *list);
}

}  // namespace ringscope
