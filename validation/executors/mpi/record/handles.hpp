// SPDX-License-Identifier: LGPL-2.1-or-later
// Numbers of what MPI's handles stand for: a library uses the same handle again and again.
#pragma once

#include <functional>
#include <map>
#include <optional>

#include "validation/executors/mpi/record/recorder.hpp"

namespace ringscope::record {

/// Communicators by the number of their line in the file. Requires the recorder's lock.
class Communicators {
 public:
  /// Writes the line of a new one, with its members as MPI_COMM_WORLD numbers them. `like`: the
  /// communicator whose members it has, where it cannot be asked yet.
  std::int64_t add(MPI_Comm comm, MPI_Comm like);
  std::int64_t add(MPI_Comm comm) { return add(comm, comm); }
  /// One that no call made that is recorded is added first.
  std::int64_t number_of(MPI_Comm comm);
  void remove(MPI_Comm comm) { numbers_.erase(comm); }

 private:
  std::map<MPI_Comm, std::int64_t, std::less<>> numbers_;
  std::int64_t next_ = 0;
};
Communicators& communicators();

/// Definition of a persistent request (MPI_Send_init), which MPI_Start begins.
struct Persistent {
  std::string call;
  bool receives = false;
  int peer = 0, tag = 0;
  std::int64_t bytes = 0;
  MPI_Comm comm = MPI_COMM_WORLD;
};

/// Requests in flight. Several may have one handle: MPICH gives the same one to all sends that are
/// complete at once. Requires the recorder's lock.
class Requests {
 public:
  struct Begun {
    std::int64_t number = 0;
    bool receives = false;
  };
  std::int64_t begin(MPI_Request request, bool receives);
  /// The oldest that has this handle, which is over; nothing for one that is not in flight.
  std::optional<Begun> finish(MPI_Request request);

  std::map<MPI_Request, Persistent, std::less<>> persistent;

 private:
  std::multimap<MPI_Request, Begun, std::less<>> in_flight_;
  std::int64_t next_ = 0;
};
Requests& requests();

/// "request=N" of a call that has begun one.
void add_request(Call& call, MPI_Request request, bool receives);

}  // namespace ringscope::record

/// The two calls MPI_`blocking` and MPI_`nonblocking`, of which the second one has a request, too.
/// `told` adds what the line says: it sees the arguments by their `names`.
#define BOTH_CALLS(blocking, nonblocking, name, names, told)               \
  extern "C" int MPI_##blocking NAMED(blocking, names) {                   \
    ringscope::record::Call call(name);                                    \
    const int result = call.over(LIBRARY(blocking) names);                 \
    told;                                                                  \
    return result;                                                         \
  }                                                                        \
  extern "C" int MPI_##nonblocking NAMED(nonblocking, AND_REQUEST names) { \
    ringscope::record::Call call("i" name);                                \
    const int result = call.over(LIBRARY(nonblocking) AND_REQUEST names);  \
    told;                                                                  \
    if (call.counts()) add_request(call, *request, false);                 \
    return result;                                                         \
  }                                                                        \
  ALSO_AS_PMPI(blocking) ALSO_AS_PMPI(nonblocking)
#define AND_REQUEST(...) (__VA_ARGS__, request)
