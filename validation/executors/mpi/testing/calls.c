// SPDX-License-Identifier: LGPL-2.1-or-later
// One of each kind of call that a recorder has to tell apart, on three ranks or more: what each
// line has to say stands in record/record_test.py.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROOM = 4096 };
static int rank, size, next, prev;
static char out[ROOM], in[ROOM];

static void blocking(void) {
  MPI_Status came;
  MPI_Sendrecv(out, 10, MPI_CHAR, next, 3, in, ROOM, MPI_CHAR, prev, 3, MPI_COMM_WORLD, &came);
  if (rank == 0) MPI_Ssend(out, 5, MPI_DOUBLE, 1, 4, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(in, ROOM, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &came);
  MPI_Send(out, 1, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}

/// A strided vector is as large as what is sent of it.
static void types(void) {
  MPI_Datatype strided;
  MPI_Type_vector(4, 1, 8, MPI_INT, &strided);
  MPI_Type_commit(&strided);
  if (rank == 0) MPI_Send(out, 2, strided, 1, 5, MPI_COMM_WORLD);
  if (rank == 1) {
    MPI_Status found;
    MPI_Message message;
    MPI_Mprobe(0, 5, MPI_COMM_WORLD, &message, &found);
    MPI_Mrecv(in, ROOM, MPI_CHAR, &message, &found);
  }
  MPI_Type_free(&strided);
}

static void persistent(void) {
  MPI_Request both[2];
  MPI_Status came[2];
  MPI_Send_init(out, 20, MPI_CHAR, next, 6, MPI_COMM_WORLD, &both[0]);
  MPI_Recv_init(in, ROOM, MPI_CHAR, prev, 6, MPI_COMM_WORLD, &both[1]);
  for (int turn = 0; turn < 2; ++turn) {
    MPI_Startall(2, both);
    MPI_Waitall(2, both, came);
  }
  MPI_Request_free(&both[0]);
  MPI_Request_free(&both[1]);
}

/// Rank 1's message comes late: rank 0 asks for it in vain.
static void tests(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Request request;
  MPI_Status came;
  int over = 0;
  if (rank == 0) {
    MPI_Irecv(in, ROOM, MPI_CHAR, 1, 7, MPI_COMM_WORLD, &request);
    while (!over) MPI_Test(&request, &over, &came);
  }
  if (rank == 1) {
    nanosleep(&(struct timespec){0, 100000000}, NULL);
    MPI_Send(out, 30, MPI_CHAR, 0, 7, MPI_COMM_WORLD);
  }
}

static void collectives(void) {
  int counts[64], places[64], mine[64];
  for (int i = 0; i < size; ++i) {
    counts[i] = i + 1;
    places[i] = 64 * i;
    mine[i] = rank + 1;
  }
  MPI_Gather(out, 3, MPI_CHAR, in, 3, MPI_CHAR, 1, MPI_COMM_WORLD);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 7, MPI_CHAR, MPI_COMM_WORLD);
  MPI_Allgatherv(out, rank + 1, MPI_CHAR, in, counts, places, MPI_CHAR, MPI_COMM_WORLD);
  MPI_Alltoallv(out, counts, places, MPI_CHAR, in, mine, places, MPI_CHAR, MPI_COMM_WORLD);
  MPI_Reduce_scatter(out, in, counts, MPI_INT8_T, MPI_MAX, MPI_COMM_WORLD);
  MPI_Request request;
  MPI_Status came;
  MPI_Iallreduce(out, in, 25, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, &came);
}

static void communicators(void) {
  MPI_Comm same, ring, lonely;
  int wraps = 1;
  MPI_Comm_dup(MPI_COMM_WORLD, &same);
  MPI_Cart_create(same, 1, &size, &wraps, 0, &ring);
  MPI_Comm_split(ring, rank == 0 ? 0 : MPI_UNDEFINED, 0, &lonely);
  MPI_Barrier(ring);
  MPI_Comm_free(&ring);
  MPI_Comm_free(&same);
  if (lonely != MPI_COMM_NULL) MPI_Comm_free(&lonely);
}

/// The library's own function, whatever has been loaded in its place.
static void (*own(const char* name))(void) {
  Dl_info library;
  if (!dladdr((void*)(size_t)&MPI_Get_version, &library)) abort();
  void* const found = dlsym(dlopen(library.dli_fname, RTLD_NOW), name);
  void (*function)(void);
  memcpy(&function, &found, sizeof function);
  return function;
}

/// By a way that no recorder sees.
static int run_past(void) {
  ((int (*)(int*, char***))own("MPI_Init"))(NULL, NULL);
  return ((int (*)(void))own("MPI_Finalize"))();
}

int main(int count, char** words) {
  if (count > 1 && strcmp(words[1], "past") == 0) return run_past();
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  next = (rank + 1) % size;
  prev = (rank + size - 1) % size;
  blocking();
  types();
  persistent();
  tests();
  collectives();
  communicators();
  if (count > 1 && strcmp(words[1], "exit") == 0) _Exit(0);
  if (count > 1 && strcmp(words[1], "abort") == 0 && rank == 1) MPI_Abort(MPI_COMM_WORLD, 7);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
