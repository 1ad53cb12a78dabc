#include "sim/studies/crew_frame.hpp"

#include <cstring>
#include <iterator>

#include "scenarios/answer/formats/report_formats.hpp"
#include "scenarios/question/scenario_tree.hpp"

namespace ringscope {
namespace {

struct Head {
  std::uint32_t length = 0;
  std::int32_t rank = 0;
  char kind = 0;
};
constexpr std::size_t head_size = sizeof(std::uint32_t) + sizeof(std::int32_t) + 1;
constexpr std::size_t most_parsed = 256;

template <typename T>
void put(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <typename T>
T get(std::string_view bytes, std::size_t at) {
  T value{};
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

Json packed(const Placement& placement) {
  std::vector<int> numbers;
  for (const Location& where : placement.ranks)
    for (const int number :
         {where.host, where.numa, where.core, static_cast<int>(where.binding), where.gpu,
          static_cast<int>(where.memory.kind), where.memory.domain, static_cast<int>(where.nics)})
      numbers.push_back(number);
  return {placement.text, numbers};
}

Placement unpacked(const Json& json) {
  Placement placement{json.at(0).get<std::string>(), {}};
  const auto numbers = json.at(1).get<std::vector<int>>();
  constexpr std::size_t fields = 8;
  for (std::size_t i = 0; i + fields <= numbers.size(); i += fields) {
    const int* at = numbers.data() + i;
    placement.ranks.push_back({.host = at[0],
                               .numa = at[1],
                               .core = at[2],
                               .binding = static_cast<Binding>(at[3]),
                               .gpu = at[4],
                               .memory = {static_cast<MemoryPolicy::Kind>(at[5]), at[6]},
                               .nics = static_cast<NicChoice>(at[7])});
  }
  return placement;
}

/// Heads of an answer (the number of the task) and of a task (that, and whether to skip).
constexpr std::size_t answer_head = sizeof(std::uint64_t), task_head = answer_head + 1;

Json body_of(std::string_view payload, std::size_t head) {
  return Json::from_msgpack(payload.substr(head));
}

}  // namespace

std::string to_bytes(const CrewFrame& frame) {
  std::string bytes;
  put(bytes, static_cast<std::uint32_t>(frame.payload.size()));
  put(bytes, static_cast<std::int32_t>(frame.rank));
  put(bytes, static_cast<char>(frame.kind));
  return bytes += frame.payload;
}

void FrameStream::append(std::string_view bytes) {
  buffer_.erase(0, begin_);
  begin_ = 0;
  buffer_ += bytes;
}

std::optional<CrewFrame> FrameStream::next() {
  const std::string_view rest = std::string_view(buffer_).substr(begin_);
  if (rest.size() < head_size) return {};
  const auto length = get<std::uint32_t>(rest, 0);
  if (rest.size() - head_size < length) return {};
  CrewFrame frame{get<std::int32_t>(rest, sizeof(std::uint32_t)),
                  static_cast<CrewFrame::Kind>(rest[head_size - 1]),
                  std::string(rest.substr(head_size, length))};
  begin_ += head_size + length;
  return frame;
}

std::string pack_task(std::uint64_t task, const Scenario& scenario, bool skip) {
  std::string bytes;
  put(bytes, task);
  put(bytes, static_cast<char>(skip));
  Json parts = Json::object();
  for (const Value::Entry& entry : scenario.resolved.entries())
    if (entry.key != "placement" && entry.key != "cases")
      parts[entry.key] = to_json(entry.value).dump();
  Json placements = Json::array();
  for (const Placement& one : placements_of(scenario)) placements.push_back(packed(one));
  Json::to_msgpack(Json::array({std::move(placements), std::move(parts)}), bytes);
  return bytes;
}

std::string pack_answer(std::uint64_t task, const std::optional<Outcome>& outcome) {
  std::string bytes;
  put(bytes, task);
  Json body = Json::array();
  if (outcome) body = {outcome->time_s, outcome->limit, outcome->metrics, outcome->error};
  Json::to_msgpack(body, bytes);
  return bytes;
}

PackedAnswer unpack_answer(std::string_view payload) {
  PackedAnswer answer{TaskReader::task_of(payload), {}};
  const Json body = body_of(payload, answer_head);
  if (body.empty()) return answer;
  answer.outcome =
      Outcome{body.at(0).get<double>(), body.at(1).get<std::string>(),
              body.at(2).get<std::map<std::string, double>>(), body.at(3).get<std::string>()};
  return answer;
}

std::uint64_t TaskReader::task_of(std::string_view payload) {
  return get<std::uint64_t>(payload, 0);
}

bool TaskReader::skips(std::string_view payload) { return payload.at(answer_head) != 0; }

const Value& TaskReader::parsed(const std::string& text) {
  if (const auto found = parsed_.find(text); found != parsed_.end()) return found->second;
  if (parsed_.size() >= most_parsed) parsed_.clear();
  return parsed_.emplace(text, Value::from_text("a task", text)).first->second;
}

Scenario TaskReader::scenario_of(std::string_view payload) {
  const Json body = body_of(payload, task_head);
  const Value none = Value::from_text("a task", "none");
  Value tree = Value::empty_map_at(none.place());
  tree.set("placement", none);  // the ranks are placed already
  for (const auto& [key, text] : body.at(1).items()) tree.set(key, parsed(text.get<std::string>()));
  std::vector<Placement> placed;
  for (const Json& one : body.at(0)) placed.push_back(unpacked(one));
  return read_placed(tree, placed, known_);
}

}  // namespace ringscope
