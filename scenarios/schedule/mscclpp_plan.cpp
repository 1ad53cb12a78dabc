// SPDX-License-Identifier: LGPL-2.1-or-later
// Source of the format: microsoft/mscclpp, src/core/executor/execution_plan.cc.
#include "scenarios/schedule/mscclpp_plan.hpp"

#include "scenarios/schedule/checks.hpp"
#include "topologies/input/characters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

namespace ringscope::mscclpp {
namespace {

constexpr int most_gpus = 1024, most_chunks = 1 << 20;

/// A number of bytes, of 64 bits.
std::uint64_t bytes(const Value& value) {
  const std::string text = value.text();
  const auto number = whole_number<std::uint64_t>(text);
  if (!number) value.fail("expected a number of bytes, got \"{}\"", text);
  return *number;
}

Space read_space(const Value& value) {
  static const std::vector<std::string> names = {"i", "o", "s"};
  return static_cast<Space>(value.one_of("buffer", names));
}

/// Operations that are not understood, by name.
class Unknown {
 public:
  void add(const std::string& name, const Value& value) {
    if (counts_.empty()) first_ = &value;
    ++counts_[name];
    ++sum_;
  }
  void refuse_any() const {
    if (first_ == nullptr) return;
    std::string names;
    for (const auto& [name, count] : counts_)
      names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", name, count);
    first_->fail("{} of this plan's operations {} not understood, and the result depends on {}: {}",
                 sum_, sum_ == 1 ? "is" : "are", sum_ == 1 ? "it" : "them", names);
  }

 private:
  const Value* first_ = nullptr;
  std::map<std::string, int> counts_;
  int sum_ = 0;
};

class PlanReader {
 public:
  explicit PlanReader(const Value& file) : file_(&file) {}

  Plan read() {
    Fields fields(*file_, "a plan");
    for (const char* key : {"reuse_resources", "num_threads_per_block", "use_double_scratch_buffer",
                            "buffer_alignment"})
      fields.optional(key);
    plan_.place = file_->place();
    plan_.name = fields.required("name").text();
    static const std::vector<std::string> collectives = {"allreduce", "allgather", "reducescatter",
                                                         "reduce_scatter", "alltoall"};
    plan_.collective =
        collectives[fields.required("collective").one_of("collective of a plan", collectives)];
    if (plan_.collective == "reducescatter") plan_.collective = "reduce_scatter";
    static const std::vector<std::string> protocols = {"LL", "Simple"};
    plan_.protocol = fields.required("protocol").one_of("protocol", protocols) == 0
                         ? Protocol::ll
                         : Protocol::simple;
    plan_.in_place = fields.required("inplace").boolean();
    plan_.least_bytes = bytes(fields.value_or("min_message_size", "0"));
    plan_.most_bytes = bytes(fields.value_or("max_message_size", "18446744073709551615"));
    const Value& gpus = fields.required("gpus");
    fields.finish();
    ranks_ = static_cast<int>(gpus.listed("a list", 0).size());
    if (ranks_ < 2 || ranks_ > most_gpus)
      gpus.fail("expected from 2 to {} gpus, got {}", most_gpus, ranks_);
    read_chunks(gpus.items());
    for (const Value& gpu : gpus.items()) read_gpu(gpu);
    unknown_.refuse_any();
    return std::move(plan_);
  }

 private:
  /// Chunks of all GPUs first, as operations name those of others.
  void read_chunks(const std::vector<Value>& gpus) {
    constexpr const char* names[] = {"input_chunks", "output_chunks", "scratch_chunks"};
    for (const Value& value : gpus) {
      if (value.kind() != Value::Kind::map) value.fail("expected a gpu");
      Gpu gpu;
      for (std::size_t i = 0; i < 3; ++i) {
        const Value* chunks = value.find(names[i]);
        if (chunks == nullptr) value.fail("a gpu: the key '{}' is missing", names[i]);
        gpu.chunks[i] = chunks->whole(0, most_chunks);
      }
      if (plan_.gpus.empty()) read_size(gpu, value);
      require_chunks(gpu, value);
      plan_.gpus.push_back(std::move(gpu));
    }
  }

  void read_size(const Gpu& gpu, const Value& value) {
    const bool gathers = plan_.collective == "allgather";
    plan_.chunks = std::max(1, gpu.chunks[gathers ? 1 : 0]);
    if (plan_.collective != "allreduce" && plan_.chunks % ranks_ != 0)
      value.find(gathers ? "output_chunks" : "input_chunks")
          ->fail("the {} of {} gpus needs a multiple of {}, got {}", plan_.collective, ranks_,
                 ranks_, plan_.chunks);
  }

  void require_chunks(const Gpu& gpu, const Value& value) const {
    const Placing placing{plan_.collective, plan_.chunks, ranks_};
    const auto require = [&](const char* name, int got, int expected) {
      if (got != expected && !(got == 0 && plan_.in_place))
        value.find(name)->fail("expected {} as {} of this {}, got {}", expected, name,
                               plan_.collective, got);
    };
    require("input_chunks", gpu.chunks[0], placing.input_chunks());
    require("output_chunks", gpu.chunks[1], placing.output_chunks());
  }

  void read_gpu(const Value& value) {
    Fields fields(value, "a gpu");
    for (const char* key : {"input_chunks", "output_chunks", "scratch_chunks", "semaphores"})
      fields.optional(key);
    channels_.read_gpu(fields.optional("channels"), rank_, ranks_, plan_.gpus[rank_]);
    const Value& id = fields.required("id");
    if (id.whole(0, ranks_ - 1) != rank_) id.fail("expected gpu {} here", rank_);
    remote_.clear();
    if (const Value* remote = fields.optional("remote_buffers"))
      for (const Value& one : remote->listed("a list", 0)) read_remote(one);
    const Value& blocks = fields.required("threadblocks");
    fields.finish();
    for (const Value& block : blocks.listed("a list", 0)) read_block(block);
    ++rank_;
  }

  void read_remote(const Value& value) {
    Fields fields(value, "a remote buffer");
    const Value& rank = fields.required("rank");
    const Buffer buffer{read_space(fields.required("type")), rank.whole(0, ranks_ - 1)};
    fields.optional("access_channel_types");
    fields.finish();
    if (buffer.rank == rank_) rank.fail("gpu {} has itself as its peer", rank_);
    remote_.push_back(buffer);
  }

  void read_block(const Value& value) {
    Fields fields(value, "a threadblock");
    auto& blocks = plan_.gpus[rank_].blocks;
    const Value& id = fields.required("id");
    if (id.whole(0, most_chunks) != std::ssize(blocks))
      id.fail("expected threadblock {} here", blocks.size());
    channels_.read_block(fields.optional("channels"));
    refs_.clear();
    if (const Value* refs = fields.optional("remote_buffer_refs"))
      for (const Value& one : refs->listed("a list", 0)) read_refs(one);
    const Value& operations = fields.required("ops");
    fields.finish();
    blocks.emplace_back();
    int number = 0;
    for (const Value& one : operations.listed("a list", 0)) read_operation(one, number++);
  }

  void read_refs(const Value& value) {
    Fields fields(value, "remote buffer refs");
    auto& refs = refs_[fields.required("access_channel_type").text()];
    for (const Value& id : fields.required("remote_buffer_ids").listed("a list", 0)) {
      if (remote_.empty()) id.fail("gpu {} has no remote_buffers", rank_);
      refs.push_back(id.whole(0, static_cast<int>(remote_.size()) - 1));
    }
    fields.finish();
  }

  void read_operation(const Value& value, int number) {
    Fields fields(value, "an operation");
    const Value& name = fields.required("name");
    const std::string& text = operation_names()[name.one_of("operation", operation_names())];
    if (is_idle(text)) return;
    const Kind* kind = find_kind(text);
    if (kind == nullptr && text != barrier_name) return unknown_.add(text, name);
    Operation operation{.place = name.place(), .number = number};
    if (const Value* groups = fields.optional("tbg_info"))
      groups->fail("groups of thread blocks are not understood");
    if (const Value* reduction = fields.optional("reduce_op");
        reduction && reduction->text() != "sum")
      reduction->fail("expected the reduction sum, got \"{}\"", reduction->text());
    const Value* ids = fields.optional("channel_ids");
    fields.optional("num_threadblocks");
    const Value* channel = fields.optional("channel_type");
    const Value* from = fields.optional("src_buff");
    const Value* into = fields.optional("dst_buff");
    const Value* barrier = fields.optional("barrier_id");
    fields.finish();
    if (kind == nullptr) {
      operation.barrier = barrier == nullptr ? 0 : barrier->whole(0, most_chunks);
    } else if (kind->uses_channels()) {
      operation.kind = kind;
      operation.channels = channels_.read_operation(ids, channel, value);
      if (kind->puts || kind->gets) {
        operation.from = read_buffers(from, value, "src_buff", channel);
        operation.into = read_buffers(into, value, "dst_buff", channel);
        require_moves(operation, value);
      }
    } else {
      operation.kind = kind;
      operation.from = read_buffers(from, value, "src_buff", channel);
      operation.into = read_buffers(into, value, "dst_buff", channel);
      require_shape(operation, value);
    }
    plan_.gpus[rank_].blocks.back().push_back(std::move(operation));
  }

  std::vector<Buffer> read_buffers(const Value* list, const Value& operation, const char* key,
                                   const Value* channel) const {
    if (list == nullptr) operation.fail("an operation: the key '{}' is missing", key);
    std::vector<Buffer> buffers;
    for (const Value& value : list->listed("a list", 0)) {
      Fields fields(value, key);
      Buffer buffer;
      if (const Value* id = fields.optional("buffer_id"))
        buffer = remote_buffer(*id, channel);
      else
        buffer.space = read_space(fields.required("type"));
      const Value& first = fields.required("index");
      buffer.count = fields.required("size").whole(1, most_chunks);
      buffer.first = first.whole(0, most_chunks);
      fields.finish();
      require_inside(buffer, first);
      buffers.push_back(buffer);
    }
    if (buffers.empty()) list->fail("expected at least one buffer");
    return buffers;
  }

  Buffer remote_buffer(const Value& id, const Value* channel) const {
    const std::string kind = channel == nullptr ? "memory" : channel->text();
    const auto refs = refs_.find(kind);
    if (refs == refs_.end() || refs->second.empty())
      id.fail("the threadblock refers to no remote buffer by a {} channel", kind);
    const int ref = id.whole(0, static_cast<int>(refs->second.size()) - 1);
    return remote_[refs->second[ref]];
  }

  void require_inside(const Buffer& buffer, const Value& at) const {
    const int rank = buffer.rank < 0 ? rank_ : buffer.rank;
    constexpr Array<char, 3> names = {'i', 'o', 's'};
    const int chunks = plan_.gpus[rank].chunks[buffer.space];
    if (buffer.first + buffer.count <= chunks) return;
    at.fail("chunks {} to {} of buffer '{}' of gpu {} are requested, and it has {}", buffer.first,
            buffer.first + buffer.count - 1, names[buffer.space], rank, chunks);
  }

  /// Sources are the rank's own, destinations in their order: its own, and then others'.
  static void require_shape(const Operation& operation, const Value& value) {
    const Kind& kind = *operation.kind;
    const auto remote = [](const Buffer& buffer) { return buffer.rank >= 0; };
    const auto fail = [&](const std::string& why) { value.fail("a {} {}", kind.name, why); };
    if (std::ranges::any_of(operation.from, remote)) fail("has a source of another gpu");
    const auto first_remote = std::ranges::find_if(operation.into, remote);
    const auto own = first_remote - operation.into.begin();
    const std::int64_t needed =
        (kind.sends && !kind.reduces ? 0 : 1) + (kind.writes_packets && kind.reduces ? 1 : 0);
    if (own != needed)
      fail(fmt::format("has {} on its own gpu, expected {}", plural(own, "destination"), needed));
    if (kind.sends != (first_remote != operation.into.end()))
      fail(kind.sends ? "has no destination of another gpu" : "has a destination of another gpu");
    if (std::any_of(first_remote, operation.into.end(),
                    [](const Buffer& buffer) { return buffer.space != Space::scratch; }))
      fail("puts packets somewhere else than into scratch space ('s')");
    const int count = operation.from.front().count;
    const auto another = [&](const Buffer& buffer) { return buffer.count != count; };
    if (std::ranges::any_of(operation.from, another) ||
        std::ranges::any_of(operation.into, another))
      fail("has buffers of different sizes");
  }

  const Value* file_;
  Plan plan_;
  int ranks_ = 0, rank_ = 0;
  Table<Buffer> remote_;                    ///< of the gpu that is read
  std::map<std::string, Table<int>> refs_;  ///< of the block that is read, by access
  ChannelReader channels_;
  Unknown unknown_;
};

}  // namespace

Plan read_plan(const Value& file) { return PlanReader(file).read(); }

}  // namespace ringscope::mscclpp
