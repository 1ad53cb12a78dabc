// Rank snapshot for steady-state detection.
#include "sim/machine/state_record.hpp"
#include "sim/ranks/rank_thread.hpp"

namespace ringscope::sim {

void RankThread::describe(StateRecord& record, int step) const {
  record.add(step_ + skipped_ - step);
  record.add(verbs_of_step_);
  record.add(std::uint64_t{std::hash<std::string_view>()(mark_.phase)});
  record.add(inside);
  record.add(on_cpu_);
  record.add(static_cast<int>(activity_));
  record.add_time(now() - activity_since_);
  if (on_cpu_) {
    record.add(static_cast<int>(cpu_cause_));
    record.add(static_cast<int>(tail_cause_));
    record.add_amount(tail_share_);
  }
  record.add(static_cast<int>(verbs_.size() - next_));
  for (std::size_t i = next_; i < verbs_.size(); ++i) {
    const Pending& verb = verbs_[i];
    record.add(static_cast<int>(verb.verb));
    for (const int id : {verb.request, verb.other_request}) {
      const bool is_there = id >= 0;
      record.add(is_there);
      if (!is_there) continue;
      const Posting& posting = run_->mpi->request(id);
      record.add(posting.peer);
      record.add(posting.tag);
      record.add(posting.bytes);
    }
    if (verb.asked != nullptr) {
      record.add(std::uint64_t{verb.asked->range.size});
      record.add(static_cast<int>(verb.asked->requests.size()));
    }
    record.add(static_cast<int>(verb.state));
    record.add(verb.multicast < 0);
    record.add_time(verb.since < 0 ? 0 : now() - verb.since);
  }
}

void RankThread::describe(StateRecord& record, const Agenda& agenda) const {
  for (const Agenda::Entry& entry : agenda.of(this, 0)) record.add(entry);
}

void RankThread::skip(int steps, double seconds, int times, const Account& before) {
  skipped_ += steps;
  for (std::size_t i = 0; i < seconds_.size(); ++i)
    seconds_[i] += times * (seconds_[i] - before.seconds[i]);
  for (std::size_t i = 0; i < waited_for_.size(); ++i)
    waited_for_[i] += times * (waited_for_[i] - before.waited_for[i]);
  activity_since_ += seconds;
  for (Pending& verb : verbs_)
    if (verb.since >= 0) verb.since += seconds;
}

}  // namespace ringscope::sim
