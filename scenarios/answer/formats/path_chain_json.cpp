// SPDX-License-Identifier: LGPL-2.1-or-later
#include <memory>

#include "scenarios/answer/formats/record_json.hpp"
#include "scenarios/answer/path_chain.hpp"

namespace ringscope {
namespace {

Json packed(const ChainSegment& one) {
  return Json::array({static_cast<int>(one.segment.cause), one.segment.rank,
                      one.segment.resource.name(), one.segment.seconds, one.start_s,
                      one.waited ? static_cast<int>(*one.waited) : -1});
}

ChainSegment segment_from(const Json& json) {
  ChainSegment one;
  one.segment = {static_cast<Cause>(json.at(0).get<int>()), json.at(1),
                 ResourceId::of_name(json.at(2)), json.at(3)};
  one.start_s = json.at(4);
  if (const int waited = json.at(5); waited >= 0) one.waited = static_cast<Cause>(waited);
  return one;
}

Json packed(const MessageSpan& one) {
  return Json::array({one.from, one.to, one.bytes, one.between_hosts, one.start_s, one.end_s,
                      one.sender_core, one.receiver_core});
}

MessageSpan message_from(const Json& json) {
  return {json.at(0), json.at(1), json.at(2), json.at(3),
          json.at(4), json.at(5), json.at(6), json.at(7)};
}

}  // namespace

Json chain_to_json(const PathChain* chain) {
  if (chain == nullptr) return {};
  Json segments = Json::array(), messages = Json::array(), resources = Json::array();
  for (const ChainSegment& one : chain->segments) segments.push_back(packed(one));
  for (const MessageSpan& one : chain->messages) messages.push_back(packed(one));
  for (const ResourceReport& one : chain->resources)
    resources.push_back(
        Json::array({one.id.name(), shape::Writer::written(one.kind), one.utilisation}));
  return Json::array({chain->begin_s, segments, messages, resources});
}

std::shared_ptr<const PathChain> chain_from_json(const Json& json) {
  if (json.is_null()) return nullptr;
  auto chain = std::make_shared<PathChain>();
  chain->begin_s = json.at(0);
  for (const Json& one : json.at(1)) chain->segments.push_back(segment_from(one));
  for (const Json& one : json.at(2)) chain->messages.push_back(message_from(one));
  for (const Json& one : json.at(3)) {
    ResourceReport& resource = chain->resources.emplace_back();
    shape::Reader::read(one.at(0), resource.id);
    shape::Reader::read(one.at(1), resource.kind);
    shape::Reader::read(one.at(2), resource.utilisation);
  }
  return chain;
}

}  // namespace ringscope
