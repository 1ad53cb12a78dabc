// SPDX-License-Identifier: LGPL-2.1-or-later
// Roles in a parameter server, and the shards that servers hold: the last ranks are the servers,
// all others workers, and each server holds the weights of one shard of the vector. A push or a
// pull of a shard goes in pieces.
//
// Source: Li et al., "Scaling distributed machine learning with the parameter server", OSDI 2014.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "algorithms/catalogue.hpp"

namespace ringscope {

/// The fewest pieces of at most `items` items; none of an empty range.
constexpr std::size_t piece_count(std::size_t size, std::size_t items) {
  return size / items + (size % items == 0 ? 0 : 1);
}

/// Piece `i` of those: all but the last have `items` items.
inline Range piece(Range whole, std::size_t i, std::size_t items) {
  const std::size_t begin = i * items;
  return {whole.buffer, whole.offset + begin, std::min(items, whole.size - begin)};
}

struct Roles {
  int workers = 0, servers = 0;

  /// Throws std::invalid_argument unless there is at least one of each.
  Roles(int ranks, int of_them_servers)
      : workers(ranks - of_them_servers), servers(of_them_servers) {
    if (servers < 1 || workers < 1)
      throw std::invalid_argument("a parameter server needs a server and a worker");
  }
  bool is_worker(int rank) const { return rank < workers; }
  /// Requires 0 <= server < servers, as `shard` does.
  int rank_of(int server) const { return workers + server; }
  Range shard(Range whole, int server) const { return whole.part(server, servers); }
  /// The first shard is the largest.
  std::size_t most_items(std::size_t items) const { return shard({.size = items}, 0).size; }
};

/// A piece of the vector and the rank that holds its weights.
struct ServedPiece {
  Range range;
  int server = 0;
};

/// The whole vector in the order in which a worker sends it: a piece to each server in turn.
inline std::vector<ServedPiece> pieces_of(const Roles& roles, Range whole, std::size_t segment) {
  std::vector<ServedPiece> pieces;
  const std::size_t rounds = piece_count(roles.most_items(whole.size), segment);
  pieces.reserve(times(roles.servers, rounds));
  for (std::size_t i = 0; i < rounds; ++i)
    for (int server = 0; server < roles.servers; ++server) {
      const Range shard = roles.shard(whole, server);
      if (i < piece_count(shard.size, segment))
        pieces.push_back({piece(shard, i, segment), roles.rank_of(server)});
    }
  return pieces;
}

/// Number of those pieces.
inline std::int64_t count_pieces(const Roles& roles, std::size_t items, std::size_t segment) {
  std::int64_t count = 0;
  for (int server = 0; server < roles.servers; ++server)
    count +=
        static_cast<std::int64_t>(piece_count(roles.shard({.size = items}, server).size, segment));
  return count;
}

}  // namespace ringscope
