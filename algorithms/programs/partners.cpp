// SPDX-License-Identifier: LGPL-2.1-or-later
#include "algorithms/programs/partners.hpp"

#include <fmt/format.h>

#include "algorithms/programs/walk.hpp"

namespace ringscope::programs {
namespace {

constexpr double most_explained = 1e7;  // steps

std::uint64_t mixed(std::uint64_t hash, std::uint64_t number) {
  return (hash ^ number) * 0x9e37'79b9'7f4a'7c15 + (hash >> 29);
}

std::uint64_t fingerprint(const Step& step, std::uint64_t bytes) {
  std::uint64_t hash = 1;
  for (const char letter : step.algorithm->collective) hash = mixed(hash, std::uint64_t(letter));
  for (const char letter : step.algorithm->name) hash = mixed(hash, std::uint64_t(letter));
  hash = mixed(hash, bytes);
  hash = mixed(hash, static_cast<std::uint64_t>(step.options.root));
  return mixed(hash, step.options.segment);
}

/// A step of one rank, as often as it comes to it.
struct Met {
  const Step* step = nullptr;
  std::uint64_t bytes = 0;
};

std::uint64_t bytes_of(const Stand& stand, const Step& step) {
  return step.amount.empty() ? 0 : whole_items(stand.value(step.amount));
}

/// The rank's steps that `belongs` picks, messages one by one.
class Follow {
 public:
  Follow(const Program& program, int rank, End end) : walk_(program, rank), end_(end) {}

  /// Without a step at the end.
  Met next() {
    while (true) {
      if (in_together_ < together_.size()) return together_[in_together_++];
      const Step* step = ++looked_at_ > most_explained ? nullptr : walk_.next();
      if (step == nullptr) return {};
      if (step->kind != Step::Kind::together) {
        if (belongs(*step)) return {step, bytes_of(walk_.stand(), *step)};
        continue;
      }
      together_.clear();
      in_together_ = 0;
      for (const Step& one : step->steps)
        if (walk_.stand().does(one) && belongs(one))
          together_.push_back({&one, bytes_of(walk_.stand(), one)});
    }
  }

 private:
  bool belongs(const Step& step) const {
    const bool message = step.kind == Step::Kind::send || step.kind == Step::Kind::receive;
    if (!message && step.kind != Step::Kind::collective) return false;
    if (step.communicator != end_.communicator || message != (end_.partner >= 0)) return false;
    if (!message) return true;
    const Stand& stand = walk_.stand();
    const auto& ranks = *stand.group(step).ranks_with(stand.rank());
    return (step.kind == Step::Kind::send) == end_.sends && step.tag == end_.tag &&
           ranks[static_cast<int>(stand.partner_of(step))] == end_.partner;
  }

  Walk walk_;
  End end_;
  std::vector<Met> together_;
  std::size_t in_together_ = 0;
  double looked_at_ = 0;
};

std::string told(const Met& met, std::string_view otherwise) {
  if (met.step == nullptr) return std::string(otherwise);
  if (met.step->algorithm == nullptr) return fmt::format("{} B", met.bytes);
  return fmt::format(
      "the {} {} of {} B{}", met.step->algorithm->collective, met.step->algorithm->name, met.bytes,
      met.step->options.root > 0 ? fmt::format(" with root {}", met.step->options.root) : "");
}

std::string plural_of_messages(std::uint64_t count) {
  return fmt::format("{} message{}", count, count == 1 ? "" : "s");
}

}  // namespace

void add_message(RankEnds& ends, const Step& step, const End& end, std::uint64_t bytes) {
  EndWork& work = ends[end];
  if (work.step == nullptr) work.step = &step;
  if (work.step->stream != step.stream)
    throw Unsound(step.id,
                  "a rank's messages {} rank {} with tag {} are on two streams, and which of them "
                  "is first depends on time: give them different tags",
                  end.sends ? "to" : "from", end.partner, end.tag);
  work.what.append(Sequence(bytes + 1));
}

void add_collective(RankEnds& ends, const Step& step, std::uint64_t bytes) {
  EndWork& work = ends[{.communicator = step.communicator}];
  if (work.step == nullptr) work.step = &step;
  work.what.append(Sequence(fingerprint(step, bytes)));
}

void add_times(RankEnds& ends, const RankEnds& body, std::uint64_t turns) {
  for (const auto& [end, work] : body) {
    EndWork& whole = ends[end];
    if (whole.step == nullptr) whole.step = work.step;
    if (end.partner >= 0 && whole.step->stream != work.step->stream)
      add_message(ends, *work.step, end, 0);
    whole.what.append(work.what.times(turns));
  }
}

Partners::Partners(const Program& program) : program_(&program) {
  for (const CommunicatorKind& one : program.communicators)
    meetings_.emplace_back(one.stream < 0 ? 0 : program.kinds[one.kind].groups.size());
}

void Partners::add(int rank, RankEnds ends) {
  for (std::size_t i = 0; i < meetings_.size(); ++i)
    if (!meetings_[i].empty()) compare(rank, ends, i);
  for (auto& [end, work] : ends) {
    if (end.partner < 0 || work.what.length() == 0) continue;
    const int from = end.sends ? rank : end.partner, to = end.sends ? end.partner : rank;
    flows_.push_back({end.communicator, from, to, end.tag, end.sends, std::move(work)});
  }
}

void Partners::compare(int rank, const RankEnds& ends, std::size_t communicator) {
  const GroupKind& kind = program_->kinds[program_->communicators[communicator].kind];
  if (!kind.has(rank)) return;
  Meeting& meeting = meetings_[communicator][kind.group_of[rank]];
  const auto found = ends.find({.communicator = static_cast<int>(communicator)});
  const EndWork work = found == ends.end() ? EndWork() : found->second;
  if (meeting.first < 0) {
    meeting = {rank, work};
  } else if (!(work.what == meeting.work.what)) {
    explain(communicator, meeting.first, rank);
  }
}

void Partners::explain(std::size_t communicator, int one, int other) const {
  const CommunicatorKind& kind = program_->communicators[communicator];
  const End end = {.communicator = static_cast<int>(communicator)};
  Follow first(*program_, one, end), second(*program_, other, end);
  std::uint64_t number = 1;
  Met a = first.next(), b = second.next();
  while (a.step != nullptr && b.step != nullptr && a.bytes == b.bytes &&
         fingerprint(*a.step, a.bytes) == fingerprint(*b.step, b.bytes)) {
    a = first.next();
    b = second.next();
    ++number;
  }
  const Met& told_at = b.step != nullptr ? b : a;
  throw Unsound(told_at.step == nullptr ? 0 : told_at.step->id,
                "collective {} of a group of {} on stream {} has to be the same for all its ranks: "
                "rank {} begins {}, rank {} {}",
                number, program_->kinds[kind.kind].name, program_->streams[kind.stream], one,
                told(a, "none"), other, told(b, "none"));
}

void Partners::explain(const Flow* sent, const Flow* received) const {
  const Flow& known = sent != nullptr ? *sent : *received;
  const std::string& group = program_->kinds[program_->communicators[known.communicator].kind].name;
  const std::uint64_t sends = sent == nullptr ? 0 : sent->work.what.length(),
                      receives = received == nullptr ? 0 : received->work.what.length();
  const std::string where = fmt::format("in a group of {} with tag {}", group, known.tag);
  if (receives == 0)
    throw Unsound(sent->work.step->id, "rank {} never receives what rank {} sends it {}", known.to,
                  known.from, where);
  if (sends == 0)
    throw Unsound(received->work.step->id, "rank {} never sends what rank {} receives from it {}",
                  known.from, known.to, where);
  if (sends != receives)
    throw Unsound((sends > receives ? sent : received)->work.step->id,
                  "rank {} sends rank {} {} {}, and rank {} receives {}", known.from, known.to,
                  plural_of_messages(sends), where, known.to, receives);
  Follow out(*program_, known.from, {true, known.communicator, known.to, known.tag});
  Follow in(*program_, known.to, {false, known.communicator, known.from, known.tag});
  std::uint64_t number = 1;
  Met a = out.next(), b = in.next();
  for (; a.step != nullptr && b.step != nullptr && a.bytes == b.bytes; ++number) {
    a = out.next();
    b = in.next();
  }
  throw Unsound(received->work.step->id,
                "message {} from rank {} to rank {} {} is sent with {} and received with {}",
                number, known.from, known.to, where, told(a, "nothing"), told(b, "nothing"));
}

void Partners::require_alike() {
  std::ranges::sort(flows_, [](const Flow& a, const Flow& b) {
    return std::tuple(a.key(), !a.sends) < std::tuple(b.key(), !b.sends);
  });
  for (std::size_t i = 0; i < flows_.size(); i += 2) {
    const bool paired = flows_[i].sends && i + 1 < flows_.size() && !flows_[i + 1].sends &&
                        flows_[i + 1].key() == flows_[i].key();
    if (!paired)
      explain(flows_[i].sends ? &flows_[i] : nullptr, flows_[i].sends ? nullptr : &flows_[i]);
    if (!(flows_[i].work.what == flows_[i + 1].work.what)) explain(&flows_[i], &flows_[i + 1]);
  }
}

}  // namespace ringscope::programs
