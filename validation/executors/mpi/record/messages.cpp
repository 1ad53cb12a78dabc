// SPDX-License-Identifier: LGPL-2.1-or-later
// Messages: sends, receives, probes, and persistent ones.
#include "validation/executors/mpi/record/handles.hpp"

namespace {

using ringscope::record::Call;
using ringscope::record::Persistent;
using ringscope::record::recorder;
using ringscope::record::requests;

struct Envelope {
  int count;
  MPI_Datatype type;
  int peer, tag;
  MPI_Comm comm;
};

void add_send(Call& call, const Envelope& sent) {
  if (!call.counts()) return;
  call.rank("to", sent.peer);
  call.tag("tag", sent.tag);
  call.bytes("bytes", sent.count, sent.type);
  call.communicator(sent.comm);
}

/// Message that came, as the status tells it: any source and any tag are known by now.
void add_received(Call& call, const MPI_Status& status, MPI_Comm comm) {
  if (!call.counts()) return;
  MPI_Count bytes = 0;
  PMPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  call.rank("from", status.MPI_SOURCE);
  call.tag("tag", status.MPI_TAG);
  call.number("bytes", bytes);
  call.communicator(comm);
}

void add_exchange(Call& call, const Envelope& sent, const MPI_Status& status) {
  if (!call.counts()) return;
  MPI_Count bytes = 0;
  PMPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  call.rank("to", sent.peer);
  call.tag("tag", sent.tag);
  call.bytes("bytes", sent.count, sent.type);
  call.rank("from", status.MPI_SOURCE);
  call.tag("from_tag", status.MPI_TAG);
  call.number("from_bytes", bytes);
  call.communicator(sent.comm);
}

void add_posted(Call& call, const Envelope& posted, MPI_Request request) {
  if (!call.counts()) return;
  call.rank("from", posted.peer);
  call.tag("tag", posted.tag);
  call.bytes("room", posted.count, posted.type);
  add_request(call, request, true);
  call.communicator(posted.comm);
}

/// Envelopes of matched probes, until their messages are received: MPI_Mrecv names no communicator.
std::map<MPI_Message, MPI_Comm, std::less<>>& matched() {
  static auto& only = *new std::map<MPI_Message, MPI_Comm, std::less<>>;
  return only;
}

/// `message`: of a matched probe; else null.
void add_probed(Call& call, bool found, const MPI_Status& status, MPI_Comm comm,
                const MPI_Message* message) {
  if (!found) return call.in_vain();
  add_received(call, status, comm);
  if (message == nullptr) return;
  const std::lock_guard lock(recorder().mutex);
  matched()[*message] = comm;
}

void define(MPI_Request request, const char* name, const Envelope& defined) {
  const std::lock_guard lock(recorder().mutex);
  requests().persistent[request] = {name,
                                    std::string_view(name) == "irecv",
                                    defined.peer,
                                    defined.tag,
                                    ringscope::record::bytes_of(defined.count, defined.type),
                                    defined.comm};
}

void add_start(Call& call, const Persistent& begun, MPI_Request request) {
  call.rank(begun.receives ? "from" : "to", begun.peer);
  call.tag("tag", begun.tag);
  call.number(begun.receives ? "room" : "bytes", begun.bytes);
  add_request(call, request, begun.receives);
  call.communicator(begun.comm);
}

}  // namespace

#define SENDS(blocking, nonblocking, name)                                    \
  BOTH_CALLS(blocking, nonblocking, name, (data, count, type, to, tag, comm), \
             add_send(call, {count, type, to, tag, comm}))
SENDS(Send, Isend, "send")
SENDS(Bsend, Ibsend, "bsend")
SENDS(Ssend, Issend, "ssend")
SENDS(Rsend, Irsend, "rsend")

#define INIT(function, name)                                                                     \
  extern "C" int MPI_##function NAMED(function, (data, count, type, peer, tag, comm, request)) { \
    const int result = LIBRARY(function)(data, count, type, peer, tag, comm, request);           \
    if (result == MPI_SUCCESS && recorder().is_on())                                             \
      define(*request, name, {count, type, peer, tag, comm});                                    \
    return result;                                                                               \
  }                                                                                              \
  ALSO_AS_PMPI(function)
INIT(Send_init, "isend")
INIT(Bsend_init, "ibsend")
INIT(Ssend_init, "issend")
INIT(Rsend_init, "irsend")
INIT(Recv_init, "irecv")

/// As if it were a call that defines it and begins it.
extern "C" int MPI_Start(MPI_Request* request) {
  const std::unique_lock lock(recorder().mutex);
  const auto found = requests().persistent.find(*request);
  Call call(found != requests().persistent.end() ? found->second.call : "start");
  const int result = call.over(LIBRARY(Start)(request));
  if (call.counts() && found != requests().persistent.end())
    add_start(call, found->second, *request);
  return result;
}
ALSO_AS_PMPI(Start)

extern "C" int MPI_Startall(int count, MPI_Request many[]) {
  for (int i = 0; i < count; ++i)
    if (const int result = MPI_Start(&many[i]); result != MPI_SUCCESS) return result;
  return MPI_SUCCESS;
}
ALSO_AS_PMPI(Startall)

extern "C" int MPI_Request_free(MPI_Request* request) {
  {
    const std::lock_guard lock(recorder().mutex);
    if (requests().persistent.erase(*request) == 0) requests().finish(*request);
  }
  return LIBRARY(Request_free)(request);
}
ALSO_AS_PMPI(Request_free)

// `told` adds what the line says: it sees the arguments, and the status, by their names.
#define RECEIVES(function, name, names, told)              \
  extern "C" int MPI_##function NAMED(function, names) {   \
    Call call(name);                                       \
    MPI_Status own{};                                      \
    if (status == MPI_STATUS_IGNORE) status = &own;        \
    const int result = call.over(LIBRARY(function) names); \
    told;                                                  \
    return result;                                         \
  }                                                        \
  ALSO_AS_PMPI(function)

RECEIVES(Recv, "recv", (data, count, type, from, tag, comm, status),
         add_received(call, *status, comm))

extern "C" int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                         MPI_Request* request) {
  Call call("irecv");
  const int result = call.over(LIBRARY(Irecv)(data, count, type, from, tag, comm, request));
  add_posted(call, {count, type, from, tag, comm}, *request);
  return result;
}
ALSO_AS_PMPI(Irecv)

RECEIVES(Sendrecv, "sendrecv",
         (data, count, type, to, tag, into, into_count, into_type, from, from_tag, comm, status),
         add_exchange(call, {count, type, to, tag, comm}, *status))

RECEIVES(Sendrecv_replace, "sendrecv", (data, count, type, to, tag, from, from_tag, comm, status),
         add_exchange(call, {count, type, to, tag, comm}, *status))

// Probes: what they find, they leave to the receive behind them.

RECEIVES(Probe, "probe", (from, tag, comm, status), add_probed(call, true, *status, comm, nullptr))
RECEIVES(Iprobe, "probe", (from, tag, comm, flag, status),
         add_probed(call, *flag != 0, *status, comm, nullptr))
RECEIVES(Mprobe, "probe", (from, tag, comm, message, status),
         add_probed(call, true, *status, comm, message))
RECEIVES(Improbe, "probe", (from, tag, comm, flag, message, status),
         add_probed(call, *flag != 0, *status, comm, message))

extern "C" int MPI_Mrecv(void* data, int count, MPI_Datatype type, MPI_Message* message,
                         MPI_Status* status) {
  Call call("recv");
  MPI_Comm comm = MPI_COMM_WORLD;
  {
    const std::lock_guard lock(recorder().mutex);
    if (const auto known = matched().extract(*message)) comm = known.mapped();
  }
  MPI_Status own{};
  if (status == MPI_STATUS_IGNORE) status = &own;
  const int result = call.over(LIBRARY(Mrecv)(data, count, type, message, status));
  add_received(call, *status, comm);
  return result;
}
ALSO_AS_PMPI(Mrecv)
