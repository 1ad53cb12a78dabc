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

#define SEND(function, name)                                                                     \
  extern "C" int MPI_##function(const void* data, int count, MPI_Datatype type, int to, int tag, \
                                MPI_Comm comm) {                                                 \
    Call call(name);                                                                             \
    const int result = call.over(LIBRARY(function)(data, count, type, to, tag, comm));           \
    add_send(call, {count, type, to, tag, comm});                                                \
    return result;                                                                               \
  }                                                                                              \
  ALSO_AS_PMPI(function)
SEND(Send, "send")
SEND(Bsend, "bsend")
SEND(Ssend, "ssend")
SEND(Rsend, "rsend")

#define ISEND(function, name)                                                                    \
  extern "C" int MPI_##function(const void* data, int count, MPI_Datatype type, int to, int tag, \
                                MPI_Comm comm, MPI_Request* request) {                           \
    Call call(name);                                                                             \
    const int result = call.over(LIBRARY(function)(data, count, type, to, tag, comm, request));  \
    add_send(call, {count, type, to, tag, comm});                                                \
    if (call.counts()) add_request(call, *request, false);                                       \
    return result;                                                                               \
  }                                                                                              \
  ALSO_AS_PMPI(function)
ISEND(Isend, "isend")
ISEND(Ibsend, "ibsend")
ISEND(Issend, "issend")
ISEND(Irsend, "irsend")

#define INIT(function, data_type, name)                                                          \
  extern "C" int MPI_##function(data_type data, int count, MPI_Datatype type, int peer, int tag, \
                                MPI_Comm comm, MPI_Request* request) {                           \
    const int result = LIBRARY(function)(data, count, type, peer, tag, comm, request);           \
    if (result == MPI_SUCCESS && recorder().is_on())                                             \
      define(*request, name, {count, type, peer, tag, comm});                                    \
    return result;                                                                               \
  }                                                                                              \
  ALSO_AS_PMPI(function)
INIT(Send_init, const void*, "isend")
INIT(Bsend_init, const void*, "ibsend")
INIT(Ssend_init, const void*, "issend")
INIT(Rsend_init, const void*, "irsend")
INIT(Recv_init, void*, "irecv")

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

extern "C" int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                        MPI_Status* status) {
  Call call("recv");
  MPI_Status own{};
  MPI_Status* told = status == MPI_STATUS_IGNORE ? &own : status;
  const int result = call.over(LIBRARY(Recv)(data, count, type, from, tag, comm, told));
  add_received(call, *told, comm);
  return result;
}
ALSO_AS_PMPI(Recv)

extern "C" int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                         MPI_Request* request) {
  Call call("irecv");
  const int result = call.over(LIBRARY(Irecv)(data, count, type, from, tag, comm, request));
  add_posted(call, {count, type, from, tag, comm}, *request);
  return result;
}
ALSO_AS_PMPI(Irecv)

namespace {

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

}  // namespace

extern "C" int MPI_Sendrecv(const void* data, int count, MPI_Datatype type, int to, int tag,
                            void* into, int into_count, MPI_Datatype into_type, int from,
                            int from_tag, MPI_Comm comm, MPI_Status* status) {
  Call call("sendrecv");
  MPI_Status own{};
  MPI_Status* told = status == MPI_STATUS_IGNORE ? &own : status;
  const int result = call.over(LIBRARY(Sendrecv)(data, count, type, to, tag, into, into_count,
                                                 into_type, from, from_tag, comm, told));
  add_exchange(call, {count, type, to, tag, comm}, *told);
  return result;
}
ALSO_AS_PMPI(Sendrecv)

extern "C" int MPI_Sendrecv_replace(void* data, int count, MPI_Datatype type, int to, int tag,
                                    int from, int from_tag, MPI_Comm comm, MPI_Status* status) {
  Call call("sendrecv");
  MPI_Status own{};
  MPI_Status* told = status == MPI_STATUS_IGNORE ? &own : status;
  const int result =
      call.over(LIBRARY(Sendrecv_replace)(data, count, type, to, tag, from, from_tag, comm, told));
  add_exchange(call, {count, type, to, tag, comm}, *told);
  return result;
}
ALSO_AS_PMPI(Sendrecv_replace)

// Probes: what they find, they leave to the receive behind them.

namespace {

/// `message`: of a matched probe; else null.
void add_probed(Call& call, bool found, const MPI_Status& status, MPI_Comm comm,
                const MPI_Message* message) {
  if (!found) return call.in_vain();
  add_received(call, status, comm);
  if (message == nullptr) return;
  const std::lock_guard lock(recorder().mutex);
  matched()[*message] = comm;
}

}  // namespace

#define PROBE(function, declared, passed, found, message)           \
  extern "C" int MPI_##function declared {                          \
    Call call("probe");                                             \
    MPI_Status own{};                                               \
    MPI_Status* told = status == MPI_STATUS_IGNORE ? &own : status; \
    const int result = call.over(LIBRARY(function) passed);         \
    add_probed(call, found, *told, comm, message);                  \
    return result;                                                  \
  }                                                                 \
  ALSO_AS_PMPI(function)
PROBE(Probe, (int from, int tag, MPI_Comm comm, MPI_Status* status), (from, tag, comm, told), true,
      nullptr)
PROBE(Iprobe, (int from, int tag, MPI_Comm comm, int* flag, MPI_Status* status),
      (from, tag, comm, flag, told), *flag != 0, nullptr)
PROBE(Mprobe, (int from, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status),
      (from, tag, comm, message, told), true, message)
PROBE(Improbe,
      (int from, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status),
      (from, tag, comm, flag, message, told), *flag != 0, message)

extern "C" int MPI_Mrecv(void* data, int count, MPI_Datatype type, MPI_Message* message,
                         MPI_Status* status) {
  Call call("recv");
  MPI_Comm comm = MPI_COMM_WORLD;
  {
    const std::lock_guard lock(recorder().mutex);
    if (const auto known = matched().extract(*message)) comm = known.mapped();
  }
  MPI_Status own{};
  MPI_Status* told = status == MPI_STATUS_IGNORE ? &own : status;
  const int result = call.over(LIBRARY(Mrecv)(data, count, type, message, told));
  add_received(call, *told, comm);
  return result;
}
ALSO_AS_PMPI(Mrecv)
