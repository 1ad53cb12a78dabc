// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scenarios/schedule/msccl_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <span>

#include "algorithms/collectives.hpp"
#include "scenarios/schedule/checks.hpp"

namespace ringscope::msccl {
namespace {

// Source: src/include/msccl.h, MSCCL_MAX_...; ranks are our own bound.
constexpr int most_gpus = 1024, most_blocks = 216, most_steps = 256, most_channels = 64;
constexpr int most_chunks = 1 << 20;
constexpr std::int64_t default_most_bytes = std::int64_t{1} << 27;

constexpr Type types[] = {
    {"s", "send", {&Type::sends, &Type::reads}},
    {"r", "receive", {&Type::receives, &Type::writes}},
    {"rcs", "receive and pass on", {&Type::receives, &Type::sends, &Type::writes}},
    {"rrs", "reduce and pass on", {&Type::receives, &Type::sends, &Type::reduces, &Type::reads}},
    {"rrc", "receive and reduce", {&Type::receives, &Type::reduces, &Type::reads, &Type::writes}},
    {"rrcs",
     "reduce, keep and pass on",
     {&Type::receives, &Type::sends, &Type::reduces, &Type::reads, &Type::writes}},
    {"cpy", "copy", {&Type::reads, &Type::writes}},
    {"re", "reduce", {&Type::reduces, &Type::reads, &Type::writes}},
    {"nop", "wait", {}},
};

using Names = std::initializer_list<const char*>;

/// One element whose attributes are asked for.
class Element {
 public:
  Element(const Xml& xml, pugi::xml_node node, Names attributes, const char* child)
      : xml_(&xml), node_(node) {
    const std::vector<std::string> known(attributes.begin(), attributes.end());
    for (const pugi::xml_attribute& one : node.attributes())
      if (std::ranges::find(known, one.name()) == known.end())
        xml.fail_at(
            node, one.name(),
            fmt::format("<{}>: {}", node.name(), unknown_name("attribute", one.name(), known)));
    for (const pugi::xml_node& one : node.children()) {
      if (one.type() != pugi::node_element) xml.fail(node, "<{}> holds text", node.name());
      if (one.name() == std::string_view(child)) continue;
      if (*child == '\0') xml.fail(one, "<{}> holds no other element", node.name());
      xml.fail(one, "<{}>: expected the element <{}>, got <{}>", node.name(), child, one.name());
    }
  }

  bool has(const char* name) const { return !node_.attribute(name).empty(); }
  template <typename... Parts>
  [[noreturn]] void fail(const char* attribute, fmt::format_string<Parts...> text,
                         Parts&&... parts) const {
    const std::string message = fmt::format(text, std::forward<Parts>(parts)...);
    xml_->fail_at(node_, attribute, fmt::format("<{}>: {}", node_.name(), message));
  }
  std::int64_t number(const char* name, std::int64_t least, std::int64_t most) const {
    const std::string text = xml_->required(node_, name);
    const auto value = whole_number<std::int64_t>(text, least, most);
    if (!value)
      fail(name, "expected a whole number from {} to {} as '{}', got \"{}\"", least, most, name,
           text);
    return *value;
  }
  int whole(const char* name, int least, int most) const {
    return static_cast<int>(number(name, least, most));
  }
  bool flag(const char* name) const { return whole(name, 0, 1) == 1; }
  std::ptrdiff_t one_of(const char* name, std::string_view kind,
                        std::span<const std::string> names) const {
    const std::string text = xml_->required(node_, name);
    const auto found = std::ranges::find(names, text);
    if (found == names.end()) fail(name, "{}", unknown_name(kind, text, names));
    return found - names.begin();
  }
  std::string text(const char* name) const {
    const std::string value = xml_->required(node_, name);
    if (value.empty()) fail(name, "'{}' is empty", name);
    return value;
  }

 private:
  const Xml* xml_;
  pugi::xml_node node_;
};

const Type& type_of(const Element& step) {
  return types[step.one_of("type", "type of step",
                           each_of<std::string>(std::span(types), &Type::name))];
}

Chunks read_chunks(const Element& step, const char* buffer, const char* offset, const Gpu& gpu,
                   int id, int count) {
  static const Table<std::string> names = {"i", "o", "s"};
  const auto space = static_cast<Space>(step.one_of(buffer, "buffer", names));
  const int first = step.whole(offset, -1, most_chunks);
  const int chunks = gpu.chunks[space];
  if (first >= 0 && first + count <= chunks) return {space, first};
  const std::string& name = names[space];
  const std::string has = chunks == 0   ? "no chunks"
                          : chunks == 1 ? "chunk 0 alone"
                                        : fmt::format("chunks 0 to {}", chunks - 1);
  step.fail(
      offset, "chunk{} of buffer '{}' of gpu {} {} requested, and it has {}",
      count == 1 ? fmt::format(" {}", first) : fmt::format("s {} to {}", first, first + count - 1),
      name, id, count == 1 ? "is" : "are", has);
}

Step read_step(const Xml& xml, pugi::xml_node node, const Gpu& gpu, int id,
               const ThreadBlock& block) {
  const Element element(
      xml, node,
      {"s", "type", "srcbuf", "srcoff", "dstbuf", "dstoff", "cnt", "depid", "deps", "hasdep"}, "");
  Step step{.node = node};
  const int number = element.whole("s", 0, most_steps - 1);
  if (number != std::ssize(block.steps))
    element.fail("s", "expected step {} here, got {}", block.steps.size(), number);
  step.type = &type_of(element);
  step.signals = element.flag("hasdep");
  step.after_block = element.whole("depid", -1, most_blocks);
  step.after_step = element.whole("deps", -1, most_steps);
  const bool waits_only = step.type->name == "nop";
  if (waits_only && step.signals)
    element.fail("hasdep", "a nop does not signal its completion: expected 0");
  if (!waits_only) step.count = element.whole("cnt", 1, most_chunks);
  if (step.type->reads) step.from = read_chunks(element, "srcbuf", "srcoff", gpu, id, step.count);
  if (step.type->writes) step.into = read_chunks(element, "dstbuf", "dstoff", gpu, id, step.count);
  const auto need = [&](bool needed, int peer, const char* peer_name) {
    if (needed && peer < 0)
      element.fail("type", "a step of type {} needs a peer, and its tb has {}=\"-1\"",
                   step.type->name, peer_name);
  };
  need(step.type->sends, block.send, "send");
  need(step.type->receives, block.receive, "recv");
  return step;
}

/// Two blocks must not share a connection: its messages would come in no order.
void require_own_connection(const Element& element, const Gpu& gpu, const ThreadBlock& block) {
  for (std::size_t i = 0; i < gpu.blocks.size(); ++i) {
    const ThreadBlock& other = gpu.blocks[i];
    if (other.channel != block.channel) continue;
    for (const auto& [peer, name] :
         {std::pair{&ThreadBlock::send, "send"}, std::pair{&ThreadBlock::receive, "recv"}})
      if (block.*peer >= 0 && block.*peer == other.*peer)
        element.fail(name, "tb {} has {}=\"{}\" on channel {} already", i, name, block.*peer,
                     block.channel);
  }
}

ThreadBlock read_block(const Xml& xml, pugi::xml_node node, const Gpu& gpu, int id, int gpus,
                       int channels) {
  const Element element(xml, node, {"id", "send", "recv", "chan"}, "step");
  const int number = element.whole("id", 0, most_blocks - 1);
  if (number != std::ssize(gpu.blocks))
    element.fail("id", "expected tb {} here, got {}", gpu.blocks.size(), number);
  ThreadBlock block{.node = node};
  block.send = element.whole("send", -1, gpus - 1);
  block.receive = element.whole("recv", -1, gpus - 1);
  for (const auto& [peer, name] : {std::pair{block.send, "send"}, {block.receive, "recv"}})
    if (peer == id) element.fail(name, "gpu {} has itself as its peer", id);
  block.channel = element.whole("chan", 0, channels - 1);
  require_own_connection(element, gpu, block);
  for (const pugi::xml_node& step : node.children())
    block.steps.push_back(read_step(xml, step, gpu, id, block));
  return block;
}

/// Sees that what each step waits for is there, and will tell.
void require_dependences(const Xml& xml, const Gpu& gpu) {
  for (const ThreadBlock& block : gpu.blocks)
    for (const Step& step : block.steps) {
      if (step.after_block < 0) continue;
      const auto fail = [&]<typename... Parts>(const char* attribute,
                                               fmt::format_string<Parts...> text,
                                               Parts&&... parts) {
        xml.fail_at(step.node, attribute,
                    "<step>: " + fmt::format(text, std::forward<Parts>(parts)...));
      };
      const int of = step.after_block, at = step.after_step;
      if (of >= std::ssize(gpu.blocks))
        fail("depid", "it waits for tb {}, and its gpu has tbs 0 to {}", of, gpu.blocks.size() - 1);
      const auto& steps = gpu.blocks[of].steps;
      if (at < 0 || at >= std::ssize(steps))
        fail("deps", "it waits for step {} of tb {}, which has {}", at, of,
             steps.empty() ? "none" : fmt::format("steps 0 to {}", steps.size() - 1));
      if (std::none_of(steps.begin() + at, steps.end(), [](const Step& s) { return s.signals; }))
        fail("depid",
             "it waits for step {} of tb {}, which does not signal its completion: its hasdep is 0",
             at, of);
    }
}

bool has_root(const Algo& algo) { return ringscope::has_root(*find_collective(algo.collective)); }

/// Files do not name it: of a broadcast it is the first GPU that receives nothing, of a reduction
/// the first that sends nothing.
int root_of(const Algo& algo) {
  const bool broadcast = algo.collective == "broadcast";
  for (int gpu = 0; gpu < std::ssize(algo.gpus); ++gpu)
    if (std::ranges::none_of(algo.gpus[gpu].blocks, [&](const ThreadBlock& block) {
          return std::ranges::any_of(block.steps, [&](const Step& step) {
            return broadcast ? step.type->receives : step.type->sends;
          });
        }))
      return gpu;
  return 0;
}

/// Input and output chunks of a GPU, by the collective; 0 may stand for the other where they are
/// one, and for those that only the root needs.
void require_chunks(const Element& element, const Algo& algo, const Gpu& gpu, int gpus) {
  const Placing placing{algo.collective, algo.chunks, gpus};
  const auto require = [&](const char* name, Space space, int expected) {
    const int got = gpu.chunks[space];
    if (got == expected || (got == 0 && (algo.in_place || has_root(algo)))) return;
    element.fail(name, "expected {} as {} of this {}, got {}", expected, name, algo.collective,
                 got);
  };
  require("i_chunks", Space::input, placing.input_chunks());
  require("o_chunks", Space::output, placing.output_chunks());
}

Gpu read_gpu(const Xml& xml, pugi::xml_node node, const Algo& algo, int gpus, int channels) {
  const Element element(xml, node, {"id", "i_chunks", "o_chunks", "s_chunks"}, "tb");
  const int id = element.whole("id", 0, gpus - 1);
  if (id != std::ssize(algo.gpus))
    element.fail("id", "expected gpu {} here, got {}", algo.gpus.size(), id);
  Gpu gpu{.node = node};
  for (const auto& [name, space] :
       {std::pair{"i_chunks", Space::input}, std::pair{"o_chunks", Space::output},
        std::pair{"s_chunks", Space::scratch}})
    gpu.chunks[space] = element.whole(name, 0, most_chunks);
  require_chunks(element, algo, gpu, gpus);
  for (const pugi::xml_node& block : node.children())
    gpu.blocks.push_back(read_block(xml, block, gpu, id, gpus, channels));
  require_dependences(xml, gpu);
  return gpu;
}

/// The collective by our name, of those that promise something to check.
std::string read_collective(const Element& element) {
  static const Table<std::string> names = {"allreduce",     "allgather", "reduce_scatter",
                                           "reducescatter", "alltoall",  "broadcast",
                                           "reduce"};
  const std::string& name = names[element.one_of("coll", "collective of a schedule", names)];
  return name == "reducescatter" ? "reduce_scatter" : name;
}

}  // namespace

Algo read_algo(const Xml& xml) {
  const Element element(xml, xml.root(),
                        {"name", "proto", "nchannels", "nchunksperloop", "ngpus", "coll", "inplace",
                         "outofplace", "minBytes", "maxBytes", "nthreads", "redop"},
                        "gpu");
  Algo algo;
  algo.name = element.text("name");
  algo.collective = read_collective(element);
  const std::vector<std::string> protocols(protocol_names.begin(), protocol_names.end());
  algo.protocol = static_cast<Protocol>(element.one_of("proto", "protocol", protocols));
  const int gpus = element.whole("ngpus", 2, most_gpus);
  const int channels = element.whole("nchannels", 1, most_channels);
  algo.chunks = element.whole("nchunksperloop", 1, most_chunks);
  if (algo.collective != "allreduce" && !has_root(algo) && algo.chunks % gpus != 0)
    element.fail("nchunksperloop", "the {} of {} gpus needs a multiple of {}, got {}",
                 algo.collective, gpus, gpus, algo.chunks);
  algo.in_place = element.flag("inplace");
  algo.out_of_place = element.has("outofplace") ? element.flag("outofplace") : !algo.in_place;
  if (!algo.in_place && !algo.out_of_place)
    element.fail("inplace", "it is neither for one buffer (inplace) nor for two (outofplace)");
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  algo.least_bytes = element.has("minBytes") ? element.number("minBytes", 0, most) : 0;
  algo.most_bytes = default_most_bytes;
  if (element.has("maxBytes")) {
    // RCCL 2.20.5, src/misc/msccl/msccl_lifecycle.cc, mscclInternalSchedulerSelectAlgo.
    const bool unlimited = element.number("maxBytes", 0, most) == 0;
    algo.most_bytes = unlimited ? most : element.number("maxBytes", algo.least_bytes, most);
  }
  for (const pugi::xml_node& gpu : xml.root().children())
    algo.gpus.push_back(read_gpu(xml, gpu, algo, gpus, channels));
  if (std::ssize(algo.gpus) != gpus)
    element.fail("ngpus", "expected {} gpus, and {} {}", gpus, algo.gpus.size(),
                 algo.gpus.size() == 1 ? "follows" : "follow");
  if (has_root(algo)) algo.root = root_of(algo);
  return algo;
}

std::string step_text(const Algo& algo, int gpu, int block, int step) {
  const auto& steps = algo.gpus[gpu].blocks[block].steps;
  return fmt::format("gpu {}, tb {}, step {} ({})", gpu, block, step, steps[step].type->name);
}

}  // namespace ringscope::msccl
