// SPDX-License-Identifier: LGPL-2.1-or-later
#ifdef RINGSCOPE_READS_XML

#include <algorithm>

#include "scenarios/schedule/checks.hpp"
#include "scenarios/schedule/msccl_text.hpp"
#include "scenarios/schedule/schedule_file.hpp"

namespace ringscope {
namespace {

using schedules::Act;
using schedules::Kind;
using schedules::StepId;

/// Makes a schedule of one GPU's text.
class Translation {
 public:
  Translation(const msccl::Algo& algo, int gpu, const Placing& placing)
      : gpu_(&algo.gpus[gpu]), id_(gpu), placing_(placing) {
    scratch_ = placing.first_of_scratch() + gpu_->chunks[msccl::Space::scratch];
  }

  schedules::RankProgram program() {
    schedules::RankProgram rank;
    for (const msccl::ThreadBlock& block : gpu_->blocks) rank.blocks.push_back(translate(block));
    return rank;
  }
  int scratch_chunks() const { return scratch_; }

 private:
  schedules::Chunks place(const msccl::Chunks& chunks, int count) const {
    if (chunks.space == msccl::Space::input) return placing_.input(id_, chunks.first, count);
    if (chunks.space == msccl::Space::output) return placing_.output(id_, chunks.first, count);
    return placing_.scratch(chunks.first, count);
  }

  schedules::ThreadBlock translate(const msccl::ThreadBlock& block) {
    schedules::ThreadBlock made;
    int most = 0;
    for (const msccl::Step& step : block.steps)
      if (step.type->receives) most = std::max(most, step.count);
    const int slot = std::exchange(scratch_, scratch_ + most);
    for (const msccl::Step& step : block.steps) {
      made.steps.push_back({.kind = step.type->words,
                            .after = after(step),
                            .acts = acts(step, block, slot),
                            .count = step.count,
                            .signals = step.signals,
                            .written = static_cast<int>(made.steps.size())});
    }
    return made;
  }

  std::vector<schedules::After> after(const msccl::Step& step) const {
    if (step.after_block < 0) return {};
    const auto& steps = gpu_->blocks[step.after_block].steps;
    int signals = 0;
    for (int i = 0; i < step.after_step; ++i) signals += steps[i].signals ? 1 : 0;
    return {{step.after_block, signals + 1}};
  }

  /// Messages come through a place of the block, as through a connection's buffer, unless they are
  /// passed on while they are copied.
  std::vector<Act> acts(const msccl::Step& step, const msccl::ThreadBlock& block, int slot) const {
    const msccl::Type& type = *step.type;
    const schedules::Chunks buffer{Buffer::scratch, slot, step.count};
    const auto from = place(step.from, step.count), into = place(step.into, step.count);
    const bool passes = type.sends && type.writes && !type.reduces;
    std::vector<Act> acts;
    const auto local = [&](Kind kind, const schedules::Chunks& to, const schedules::Chunks& of) {
      acts.push_back({.kind = kind, .into = to, .from = of});
    };
    schedules::Chunks result = type.writes ? into : from;
    if (type.receives)
      acts.push_back({.kind = Kind::receive,
                      .into = passes ? into : buffer,
                      .peer = block.receive,
                      .tag = block.channel});
    if (type.receives && type.reduces) {
      if (!type.writes) {
        local(Kind::reduce, buffer, from);
        result = buffer;
      } else {
        if (from != into) local(Kind::copy, into, from);
        local(Kind::reduce, into, buffer);
      }
    } else if (type.receives && !passes) {
      local(Kind::copy, into, buffer);
    } else if (!type.receives && type.writes) {
      local(type.reduces ? Kind::reduce : Kind::copy, into, from);
    }
    if (type.sends)
      acts.push_back(
          {.kind = Kind::send, .into = result, .peer = block.send, .tag = block.channel});
    return acts;
  }

  const msccl::Gpu* gpu_;
  int id_;
  Placing placing_;
  int scratch_ = 0;
};

schedules::Schedule translated(const msccl::Algo& algo, bool apart) {
  schedules::Schedule schedule{.name = algo.name,
                               .collective = algo.collective,
                               .protocol = algo.protocol,
                               .root = algo.root,
                               .chunks = algo.chunks};
  if (apart) schedule.output = Buffer::scratch;
  const int gpus = static_cast<int>(algo.gpus.size());
  const Placing placing{algo.collective, algo.chunks, gpus, apart};
  for (int gpu = 0; gpu < gpus; ++gpu) {
    Translation translation(algo, gpu, placing);
    schedule.ranks.push_back(translation.program());
    schedule.scratch_chunks = std::max(schedule.scratch_chunks, translation.scratch_chunks());
  }
  return schedule;
}

}  // namespace

void read_msccl(const std::shared_ptr<const Source>& source, ScheduleFile& into) {
  const Xml xml(source, "algo");
  const msccl::Algo algo = msccl::read_algo(xml);
  const auto step = [&](const StepId& id) -> const msccl::Step& {
    const auto& gpu = algo.gpus[id.rank];
    return gpu.blocks[id.block].steps[id.step];
  };
  const Told told = {
      xml.place_of(xml.root()), [&](const StepId& id) { return xml.place_of(step(id).node); },
      [&](const StepId& id) { return msccl::step_text(algo, id.rank, id.block, id.step); }};
  into.schedule = checked(
      {translated(algo, false), translated(algo, true), algo.in_place, algo.out_of_place}, told);
  into.least_bytes = static_cast<std::uint64_t>(algo.least_bytes);
  into.most_bytes = static_cast<std::uint64_t>(algo.most_bytes);
}

}  // namespace ringscope

#else

namespace ringscope {

void read_msccl(const std::shared_ptr<const Source>& source, ScheduleFile&) {
  throw InputError({source, 0, 0}, "this program was built without a reader of XML");
}

}  // namespace ringscope

#endif
