// SPDX-License-Identifier: LGPL-2.1-or-later
// Allreduces that libraries have for the ranks of one host, whose buffers or whose cells in shared
// memory all can read. A message of the transport `shm` stands for each read here: the reader
// copies (driver `receiver`), and adds then. Libraries add while they read.
//
// `release_gather`: cells go up a tree of radix 4, whose parents add them, and down one of radix
// 64, whose children all read the parent's cell. A cell has been read before the next one goes up.
// Source: MPICH 4: MPIDI_POSIX_mpi_allreduce_release_gather, with its defaults (trees kary; four
// cells in 32 KiB), from the sixth collective of a communicator on.
//
// `fragments`: rank 0 adds the fragments of all ranks, then all fragments go down a tree of
// radix 4. Source: Open MPI: coll/sm, with its defaults (fragments of 8 KiB, tree of degree 4). Its
// priority is 0, so it runs where a user asks for it.
//
// `slices`: every rank adds one slice of all buffers, and all read the finished slices.
// Source: Open MPI 5.0: coll/xhc by XPMEM on one level, where the leader adds no slice; Hashmi et
// al., "Designing efficient shared address space reduction collectives for multi-/many-cores",
// IPDPS 2018.
//
// Cost: two trees, 2(P-1) messages for each of K cells, 2(P-1)S items; of slices 2(P-1) steps,
// 2P(P-1) messages, 2(P-1)S items.
#include "algorithms/steps/kary_node.hpp"
#include "algorithms/steps/ring_steps.hpp"
#include "algorithms/steps/segments.hpp"

namespace ringscope {
namespace {

constexpr std::size_t cell_bytes = 8192;

std::size_t cell_items(const Options& options) {
  return std::max<std::size_t>(1, cell_bytes / options.given.item_bytes);
}

Task gather_cell(Communicator comm, Range cell, Range scratch, int degree) {
  const KaryNode node{comm.rank(), comm.size(), degree};
  const Range slot = scratch.first(std::min(cell.size, scratch.size));
  for (int i = 0; i < node.children(); ++i) {
    co_await comm.recv(slot, node.child(i));
    co_await comm.reduce(cell, slot);
  }
  if (node.self != 0) co_await comm.send(cell, node.parent());
}

Task release_cell(Communicator comm, Range cell, int degree) {
  const KaryNode node{comm.rank(), comm.size(), degree};
  if (node.self != 0) co_await comm.recv(cell, node.parent());
  std::vector<Request> reads;
  for (int i = 0; i < node.children(); ++i) reads.push_back(comm.isend(cell, node.child(i)));
  co_await comm.wait_all(reads);
}

Task release_gather_allreduce(Communicator comm, Range data, Range scratch, std::size_t most) {
  constexpr int up = 4, down = 64;
  for (int index : comm.phase("cells", static_cast<int>(segments_of(data.size, most)))) {
    const Range cell = segment_of(data, index, most);
    co_await gather_cell(comm, cell, scratch, up);
    co_await release_cell(comm, cell, down);
  }
}

Task fragments_allreduce(Communicator comm, Range data, Range scratch, std::size_t most) {
  constexpr int down = 4;
  const int all = std::max(1, comm.size() - 1);
  const auto count = static_cast<int>(segments_of(data.size, most));
  for (int index : comm.phase("reduce", count))
    co_await gather_cell(comm, segment_of(data, index, most), scratch, all);
  for (int index : comm.phase("broadcast", count))
    co_await release_cell(comm, segment_of(data, index, most), down);
}

Task slices_allreduce(Communicator comm, Chunks slice, Range scratch) {
  const int self = comm.rank(), size = comm.size();
  const auto other = [=](int step) { return (self + step + 1) % size; };

  std::vector<Request> offers;
  for (int step = 0; step < size - 1; ++step)
    offers.push_back(comm.isend(slice[other(step)], other(step)));
  for (int step : comm.phase("reduce", size - 1)) {
    co_await comm.recv(scratch, other(size - 2 - step));
    co_await comm.reduce(slice[self], scratch);
  }
  co_await comm.wait_all(offers);

  std::vector<Request> reads;
  for (int step = 0; step < size - 1; ++step) {
    reads.push_back(comm.irecv(slice[other(size - 2 - step)], other(size - 2 - step)));
    reads.push_back(comm.isend(slice[self], other(step)));
  }
  co_await comm.wait_all(reads);
}

/// A rank with children holds one of their cells.
std::size_t cell_scratch(int ranks, std::size_t items, Options options) {
  return ranks == 1 ? 0 : std::min(items, cell_items(options));
}

/// The steps at least those of the root for one cell.
Cost cells_cost(int ranks, std::size_t items, Options options) {
  const auto count = static_cast<std::int64_t>(segments_of(items, cell_items(options)));
  return {.steps = std::int64_t{2} * (ranks > 1),
          .messages = 2 * count * (ranks - 1),
          .items = 2 * static_cast<std::uint64_t>(ranks - 1) * items};
}

template <auto text>
Algorithm by_cells(std::string_view name, std::string_view summary) {
  return {
      .collective = "allreduce",
      .name = name,
      .summary = summary,
      .options = {"item"},
      .run =
          [](Communicator comm, Workspace work, Options options) {
            return text(comm, work.data, work.scratch, cell_items(options));
          },
      .cost = cells_cost,
      .scratch_items = cell_scratch,
      .varies = Varies::steps,
  };
}

}  // namespace

Algorithm describe_release_gather_allreduce() {
  return by_cells<release_gather_allreduce>(
      "release_gather", "cells of 8 KiB up and down trees in shared memory, as in MPICH 4");
}

Algorithm describe_fragments_allreduce() {
  return by_cells<fragments_allreduce>(
      "fragments", "rank 0 adds fragments of 8 KiB in shared memory, as in Open MPI's coll/sm");
}

Algorithm describe_slices_allreduce() {
  return {
      .collective = "allreduce",
      .name = "slices",
      .summary = "every rank adds a slice of all buffers, as in Open MPI's coll/xhc",
      .run = on_chunks_and_scratch<slices_allreduce>,
      .cost = ring_cost,
      .scratch_items = ring_scratch_items,
      .varies = Varies::steps,
      .alike = always,
  };
}

}  // namespace ringscope
