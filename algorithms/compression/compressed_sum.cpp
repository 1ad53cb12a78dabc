// SPDX-License-Identifier: LGPL-2.1-or-later
// Compressed gradients: what a rank sends is a part of what it has, and both ends pay for that.
//
// Sparse: each rank sends the largest of its own gradients, at places of its own choice. No sum on
// the way can be of one size, so all get the parts of all (an allgather) and add them up. Source:
// Lin et al., "Deep Gradient Compression", ICLR 2018, arXiv:1712.01887; allgather, as in Xu et al.,
// "GRACE", ICDCS 2021, table I. Low rank: two narrow matrices in place of a wide one, which are
// linear in it, so that an allreduce sums them: Vogels et al., "PowerSGD", NeurIPS 2019,
// arXiv:1905.13727, section 3. Here the first items of a gradient stand for those that go.
// Cost for k of S items on P ranks: an allgather of P k items, or an allreduce of k.
#include "algorithms/compression/compressed_sum.hpp"

#include <cmath>

namespace ringscope {
namespace {

using Kind = Compression::Kind;

Duration for_all(Duration byte, std::size_t items, const Options& options) {
  return byte * (static_cast<double>(items) * static_cast<double>(options.given.item_bytes));
}

Task sum_sparse(Communicator comm, Workspace work, Options options, Compression how,
                const Algorithm* allgather) {
  const int self = comm.rank(), size = comm.size();
  const Range kept = kept_of(work.data, how);
  const std::size_t all = times(size, kept.size);
  const Chunks gathered(work.scratch.first(all), size);
  const Range rest = {work.scratch.buffer, work.scratch.offset + all, work.scratch.size - all};
  const Workspace of_all = {work.scratch.first(all), rest};

  co_await comm.compute(for_all(how.compress, work.data.size, options));
  co_await comm.copy(gathered[self], kept);
  co_await allgather->run(comm, of_all, options);
  co_await comm.compute(for_all(how.decompress, all, options));
  for (int other = 1; other < size; ++other) co_await comm.reduce(kept, gathered[self + other]);
}

Task sum_low_rank(Communicator comm, Workspace work, Options options, Compression how,
                  const Algorithm* allreduce) {
  const Workspace factors = {kept_of(work.data, how), work.scratch};
  co_await comm.compute(for_all(how.compress, work.data.size, options));
  co_await allreduce->run(comm, factors, options);
  co_await comm.compute(for_all(how.decompress, factors.data.size, options));
}

std::size_t kept_items(std::size_t items, const Compression& how) {
  return kept_of({.size = items}, how).size;
}

}  // namespace

Range kept_of(Range gradient, const Compression& how) {
  if (how.kind == Kind::none) return gradient;
  const double kept = std::ceil(how.ratio * static_cast<double>(gradient.size));
  return gradient.first(std::min(gradient.size, static_cast<std::size_t>(kept)));
}

const Algorithm& allgather_like(const Algorithm& allreduce) {
  const Algorithm* same = find_algorithm("allgather", allreduce.name);
  return same != nullptr ? *same : *find_algorithm("allgather", "ring");
}

Task sum_gradient(Communicator comm, Workspace work, Options options, Compression how,
                  const Algorithm* exchange) {
  if (how.kind == Kind::sparse)
    return sum_sparse(comm, work, options, how, &allgather_like(*exchange));
  if (how.kind == Kind::low_rank) return sum_low_rank(comm, work, options, how, exchange);
  return exchange->run(comm, work, options);
}

Cost sum_gradient_cost(int ranks, std::size_t items, const Options& options, const Compression& how,
                       const Algorithm& exchange) {
  const std::size_t kept = kept_items(items, how);
  if (how.kind == Kind::sparse)
    return allgather_like(exchange).cost(ranks, times(ranks, kept), options);
  return exchange.cost(ranks, kept, options);
}

std::size_t sum_gradient_scratch(int ranks, std::size_t items, const Options& options,
                                 const Compression& how, const Algorithm& exchange) {
  const std::size_t kept = kept_items(items, how);
  if (how.kind != Kind::sparse) return exchange.scratch_items(ranks, kept, options);
  const std::size_t all = times(ranks, kept);
  return all + allgather_like(exchange).scratch_items(ranks, all, options);
}

bool sum_gradient_alike(int ranks, std::size_t items, const Options& options,
                        const Compression& how, const Algorithm& exchange) {
  const std::size_t kept = kept_items(items, how);
  const bool sparse = how.kind == Kind::sparse;
  const Property alike = sparse ? allgather_like(exchange).alike : exchange.alike;
  return alike != nullptr && alike(ranks, sparse ? times(ranks, kept) : kept, options);
}

}  // namespace ringscope
