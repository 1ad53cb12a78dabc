// SPDX-License-Identifier: LGPL-2.1-or-later
// A program as its users write them, to be recorded: ranks in a ring exchange halos with both
// neighbours while they compute, sum a vector, and the even ranks and the odd ones each broadcast.
//
//   halo STEPS HALO_BYTES SUM_NUMBERS BROADCAST_BYTES COMPUTE_US [any] [sleep]
//
// "any": halos are received from whoever sends them. "sleep": it sleeps where it would compute, for
// ranks that have no core each. Rank 0 prints the seconds of all steps.
#define _GNU_SOURCE
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct work {
  double us;
  bool sleeps;
};

static void compute(struct work work) {
  if (work.sleeps) {
    nanosleep(&(struct timespec){0, (long)(work.us * 1e3)}, NULL);
    return;
  }
  const double end = MPI_Wtime() + work.us * 1e-6;
  while (MPI_Wtime() < end) continue;
}

struct halos {
  char *to_left, *to_right, *from_left, *from_right;
  int bytes, left, right;
  bool any;
};

static bool is_said(int count, char** words, const char* word) {
  for (int i = 6; i < count; ++i)
    if (strcmp(words[i], word) == 0) return true;
  return false;
}

// A tag for each direction: also where only one neighbour is left, each halo finds its place.
static void exchange(const struct halos* h, struct work work) {
  MPI_Request all[4];
  MPI_Status came[4];
  const int left = h->any ? MPI_ANY_SOURCE : h->left, right = h->any ? MPI_ANY_SOURCE : h->right;
  MPI_Irecv(h->from_left, h->bytes, MPI_CHAR, left, 1, MPI_COMM_WORLD, &all[0]);
  MPI_Irecv(h->from_right, h->bytes, MPI_CHAR, right, 2, MPI_COMM_WORLD, &all[1]);
  MPI_Isend(h->to_right, h->bytes, MPI_CHAR, h->right, 1, MPI_COMM_WORLD, &all[2]);
  MPI_Isend(h->to_left, h->bytes, MPI_CHAR, h->left, 2, MPI_COMM_WORLD, &all[3]);
  compute(work);
  MPI_Waitall(4, all, came);
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  if (count < 6) {
    fprintf(stderr, "halo STEPS HALO_BYTES SUM_NUMBERS BROADCAST_BYTES COMPUTE_US [any] [sleep]\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  const int steps = atoi(words[1]), halo = atoi(words[2]), numbers = atoi(words[3]);
  const int broadcast = atoi(words[4]);
  const struct work work = {atof(words[5]), is_said(count, words, "sleep")};
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  char* data = calloc((size_t)halo, 4);
  double* sum = calloc((size_t)numbers, sizeof *sum);
  char* told = calloc((size_t)broadcast, 1);
  if (!data || !sum || !told) MPI_Abort(MPI_COMM_WORLD, 1);
  const struct halos halos = {data,
                              data + halo,
                              data + 2 * (size_t)halo,
                              data + 3 * (size_t)halo,
                              halo,
                              (rank + size - 1) % size,
                              (rank + 1) % size,
                              is_said(count, words, "any")};
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int step = 0; step < steps; ++step) {
    exchange(&halos, work);
    MPI_Allreduce(MPI_IN_PLACE, sum, numbers, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(told, broadcast, MPI_CHAR, 0, half);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("%.9f s\n", MPI_Wtime() - begin);
  MPI_Comm_free(&half);
  MPI_Finalize();
  return 0;
}
