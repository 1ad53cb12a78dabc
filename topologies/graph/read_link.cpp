// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topologies/graph/read_link.hpp"

#include <utility>

namespace ringscope {
namespace {

void read_directions(Fields& fields, LinkPair& pair) {
  if (const Value* send = fields.optional("send_bandwidth")) pair.forward = send->bandwidth();
  if (const Value* receive = fields.optional("receive_bandwidth"))
    pair.backward = receive->bandwidth();
  if (const Value* both = fields.optional("both")) pair.both = both->bandwidth();
}

}  // namespace

LinkPair read_link(Fields& fields) {
  LinkPair pair;
  pair.forward = pair.backward = fields.required("bandwidth").bandwidth();
  pair.latency = fields.required("latency").seconds();
  read_directions(fields, pair);
  return pair;
}

LinkPair read_link_or_none(Fields& fields) {
  LinkPair pair;
  pair.forward = pair.backward = fields.value_or("bandwidth", "unlimited").bandwidth();
  pair.latency = fields.value_or("latency", "0 s").seconds();
  read_directions(fields, pair);
  return pair;
}

LinkPair read_link_or(Fields& fields, const LinkPair& by_default) {
  LinkPair pair = by_default;
  pair.latency = fields.value_or("latency", to_text(by_default.latency)).seconds();
  if (const Value* bandwidth = fields.optional("bandwidth"))
    pair.forward = pair.backward = bandwidth->bandwidth();
  read_directions(fields, pair);
  return pair;
}

LinkPair reversed(LinkPair pair) {
  std::swap(pair.forward, pair.backward);
  return pair;
}

}  // namespace ringscope
