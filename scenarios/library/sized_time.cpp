// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/library/sized_time.hpp"

namespace ringscope {

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

}  // namespace ringscope
