// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sim/insight/recorder.hpp"

namespace ringscope::sim {

int LoadRecord::add_resource(const std::string& name, double capacity) {
  curves_.emplace_back();
  return inner_->add_resource(name, capacity);
}

void LoadRecord::set_capacity(int resource, double capacity) {
  note(resource);
  inner_->set_capacity(resource, capacity);
}

void LoadRecord::restart() {
  start_ = now();
  for (std::size_t resource = 0; resource < curves_.size(); ++resource)
    curves_[resource] = {inner_->used(static_cast<int>(resource)), {}};
}

std::vector<LoadCurve::Point> LoadRecord::points(int resource) const {
  const Curve& curve = curves_[resource];
  std::vector<LoadCurve::Point> points = curve.points;
  for (LoadCurve::Point& point : points) {
    point.at -= start_;
    point.used -= curve.before;
  }
  return points;
}

// At one instant the curve has one point: what was used up to it does not depend on what begins or
// ends there.
void LoadRecord::note(int resource) {
  auto& points = curves_[resource].points;
  if (points.empty() || points.back().at != now()) points.push_back({now(), used(resource)});
}

void LoadRecord::note(ActivityId activity) {
  for (const int resource : activities_[number_of_[activity.slot]].resources) note(resource);
}

ActivityId LoadRecord::start(double amount, std::span<const Use> uses, Callback done) {
  const int id = activities_.take();
  Activity& started = activities_[id];
  started.done = done;
  started.resources.clear();
  for (const Use& use : uses) {
    note(use.resource);
    started.resources.push_back(use.resource);
  }
  const ActivityId activity = inner_->start(
      amount, uses, Callback::to<&LoadRecord::ended>(this, static_cast<std::uint64_t>(id)));
  number_of_.grown(activity.slot) = id;
  return activity;
}

void LoadRecord::cancel(ActivityId activity) {
  inner_->cancel(activity);
  note(activity);
  activities_.release(number_of_[activity.slot]);
}

void LoadRecord::ended(std::uint64_t id) {
  const Activity& started = activities_[id];
  for (const int resource : started.resources) note(resource);
  const Callback done = started.done;  // the slot is free for reuse when it is called
  activities_.release(static_cast<int>(id));
  done();
}

Recorder::Recorder(std::unique_ptr<Kernel> kernel)
    : kernel_(std::make_unique<LoadRecord>(std::move(kernel))),
      loads_(kernel_.get()),
      chunks_(*loads_) {}

void Recorder::restart(const Job& job, int ranks) {
  loads_->restart();
  const Collective& collective = collective_of(*job.algorithm);
  no_chunks_ = no_chunks_of(collective, ranks);
  follows_chunks_ = no_chunks_.empty();
  if (follows_chunks_)
    chunks_.restart(collective, ranks, static_cast<std::size_t>(job.bytes.count), job.options.root);
}

std::shared_ptr<const Recording> Recorder::take(const Ledger& ledger) {
  auto recording = std::make_shared<Recording>();
  for (int id = 0; id < ledger.resource_count(); ++id) {
    const Resource& resource = ledger.resource(id);
    recording->loads.push_back({resource.id, resource.kind, resource.capacity, loads_->points(id)});
  }
  recording->no_chunks = no_chunks_;
  if (follows_chunks_) recording->chunks = chunks_.take();
  return recording;
}

/// One thread of one rank, as its program sees it.
class ChunkRecord::Tracer final : public Executor {
 public:
  Tracer(ChunkRecord& record, Executor& inner)
      : record_(&record), inner_(&inner), relay_(pass_on(this)) {
    relay_.start();
  }

  int rank() const override { return inner_->rank(); }
  int size() const override { return inner_->size(); }
  Request post(const Operation& operation) override;
  bool perform(Operation& operation, std::coroutine_handle<> waiter) override;
  Thread start(Task body, Beside how) override { return inner_->start(std::move(body), how); }
  int next_free(Beside how) override { return inner_->next_free(how); }
  Executor& thread(int index) override { return record_->in_front_of(inner_->thread(index)); }
  void mark(Mark mark) override { inner_->mark(mark); }
  void raise(Flag flag) override { inner_->raise(flag); }
  void observe(std::string_view what, double value) override { inner_->observe(what, value); }

 private:
  /// Suspends the relay and keeps the handle that resumes it.
  struct Pause {
    Tracer* witness;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> relay) const noexcept { witness->resume_ = relay; }
    void await_resume() const noexcept {}
  };
  static Task pass_on(Tracer* witness);
  Incoming incoming(int from, Tag tag, const Range& range);
  void completed();
  void take(Request request);

  ChunkRecord* record_;
  Executor* inner_;
  std::coroutine_handle<> resume_, waiter_;
  Task relay_;                      ///< resumed in place of the program, which it then resumes
  Operation* operation_ = nullptr;  ///< in progress
  Table<Request> requests_;         ///< waited for
  std::optional<Incoming> receives_;
  Table<Incoming> posted_;  ///< by the request's slot; those of receives have a stream
};

Task ChunkRecord::Tracer::pass_on(Tracer* witness) {
  for (;;) {
    co_await Pause{witness};
    witness->completed();
    std::exchange(witness->waiter_, {}).resume();
  }
}

ChunkRecord::Incoming ChunkRecord::Tracer::incoming(int from, Tag tag, const Range& range) {
  assert(from != any_source && "collectives in chunks know whom they receive from");
  Stream& stream = record_->stream(from, rank(), tag);
  return {&stream, stream.posted++, range};
}

Request ChunkRecord::Tracer::post(const Operation& operation) {
  if (operation.verb == Verb::isend)
    record_->send(rank(), operation.peer, operation.tag, operation.range);
  const Request request = inner_->post(operation);
  posted_.grown(request.slot) = operation.verb == Verb::irecv
                                    ? incoming(operation.peer, operation.tag, operation.range)
                                    : Incoming();
  return request;
}

bool ChunkRecord::Tracer::perform(Operation& operation, std::coroutine_handle<> waiter) {
  operation_ = &operation;
  waiter_ = waiter;
  requests_.assign(operation.requests.begin(), operation.requests.end());
  receives_.reset();
  if (operation.verb == Verb::recv)
    receives_ = incoming(operation.peer, operation.tag, operation.range);
  if (operation.verb == Verb::sendrecv)
    receives_ = incoming(operation.other_peer, operation.tag, operation.other);
  if (operation.verb == Verb::send || operation.verb == Verb::sendrecv)
    record_->send(rank(), operation.peer, operation.tag, operation.range);
  for (const int to : operation.receivers)
    record_->send(rank(), to, operation.tag, operation.range);
  if (inner_->perform(operation, resume_)) return true;
  completed();
  return false;
}

void ChunkRecord::Tracer::completed() {
  const Operation& done = *std::exchange(operation_, nullptr);
  ChunkStates& states = *record_->states_;
  const double now = record_->kernel_->now();
  if (receives_) record_->receive(rank(), *receives_);
  if (done.verb == Verb::reduce) states.reduce(rank(), done.range, done.other, now);
  if (done.verb == Verb::copy) states.copy(rank(), done.range, done.other, now);
  if (done.verb == Verb::wait || done.verb == Verb::wait_all)
    for (const Request request : requests_) take(request);
  if (done.verb == Verb::wait_any) take(requests_[done.result]);
  if (done.verb == Verb::test && done.result == 1) take(requests_.front());
}

/// Data that a request received is there, if it was a receive.
void ChunkRecord::Tracer::take(Request request) {
  Incoming& posted = posted_.grown(request.slot);
  if (posted.stream == nullptr) return;
  record_->receive(rank(), posted);
  posted.stream = nullptr;
}

ChunkRecord::ChunkRecord(const Kernel& kernel) : kernel_(&kernel) {}
ChunkRecord::~ChunkRecord() = default;

void ChunkRecord::restart(const Collective& collective, int ranks, std::size_t items, int root) {
  states_ = std::make_unique<ChunkStates>(collective, ranks, items, root, kernel_->now());
  streams_.clear();
  contents_ = {};
  streams_.resize(ranks);
}

Executor& ChunkRecord::in_front_of(Executor& inner) {
  auto& witness = witnesses_[&inner];
  if (!witness) witness = std::make_unique<Tracer>(*this, inner);
  return *witness;
}

void ChunkRecord::send(int from, int to, Tag tag, const Range& range) {
  Stream& stream = this->stream(from, to, tag);
  const int id = contents_.take();
  states_->keep(contents_[id], from, range);
  stream.in_flight.emplace_back(stream.sent++, id);
}

// The message may be shorter than the range.
void ChunkRecord::receive(int rank, const Incoming& message) {
  auto& in_flight = message.stream->in_flight;
  const auto sent = std::ranges::find(in_flight, message.number, &std::pair<int, int>::first);
  assert(sent != in_flight.end() && "a received message has been sent");
  states_->put(rank, message.range, contents_[sent->second], kernel_->now());
  contents_.release(sent->second);
  in_flight.erase(sent);
}

}  // namespace ringscope::sim
