// SPDX-License-Identifier: LGPL-2.1-or-later
// Visitors over the simulation state. Each record binds all its members once, in `visit(self,
// fields)`, so that a new one does not compile before it is visited, or bound and left out: because
// it is fixed, counts what was, or follows from the rest. A visitor makes of them what it is for:
//   exact(...)    has to be the same for the run to go on equally
//   tag(x)        has to be the same, too
//   amount(x)     units of work
//   date(x)       seconds as the kernel counts; below 0: none
//   message(id)   a message in flight, or -1
//   request(id)   whether a request of a message is complete
//   posting(id)   what a request of a rank asks for, or -1
#pragma once

#include <bit>
#include <span>

#include "base/table.hpp"
#include "sim/mpi/mpi.hpp"

namespace ringscope::sim {

/// Takes a state down, or compares it: times from now, ids replaced by what they stand for.
class StateFields {
 public:
  /// `names`: of messages, by their ids. `stands`: nothing happens here, and dates are to be as
  /// they were.
  StateFields(StateRecord& record, const Mpi& mpi, double now, std::span<const int> names,
              bool stands = false)
      : record_(&record), mpi_(&mpi), now_(now), names_(names), stands_(stands) {}

  void exact(auto... values) { (record_->add(values), ...); }
  void tag(const Tag& of) {
    exact(of.number, of.context, of.protocol == Protocol::ll, of.protocol == Protocol::simple);
  }
  void amount(double units) { record_->add_amount(units); }
  void date(double at) {
    if (stands_)
      record_->add(std::bit_cast<std::uint64_t>(at));
    else
      record_->add_time(at < 0 ? 0 : now_ - at);
  }
  void message(int id) { record_->add(id < 0 ? -1 : names_[id]); }
  void request(int id) { record_->add(id < 0 ? 2 : mpi_->request(id).complete ? 1 : 0); }
  void posting(int id) {
    record_->add(id >= 0);
    if (id < 0) return;
    Posting::visit(mpi_->request(id), *this);
  }

 private:
  StateRecord* record_;
  const Mpi* mpi_;
  double now_;
  View<const int> names_;
  bool stands_;
};

/// Moves the dates of a state when time has been skipped.
class DateShift {
 public:
  explicit DateShift(double seconds) : seconds_(seconds) {}

  void exact(auto...) const {}
  void tag(const Tag&) const {}
  void amount(double) const {}
  void date(double& at) const {
    if (at >= 0) at += seconds_;
  }
  void message(int) const {}
  void request(int) const {}
  void posting(int) const {}

 private:
  double seconds_;
};

}  // namespace ringscope::sim
