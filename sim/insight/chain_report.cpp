#include "sim/insight/chain_report.hpp"

#include <algorithm>
#include <map>

namespace ringscope::sim {
namespace {

/// Flags mark.rank's segments after mark.since as waited-for. A segment that began before is cut in
/// two.
void apply(const Paths::Chain::Mark& mark, double start, std::vector<ChainPiece>& pieces) {
  const double since = mark.since - start, until = mark.until - start;
  const auto ends_before = [](const ChainPiece& one, double at) { return one.end_s() <= at; };
  auto piece = std::lower_bound(pieces.begin(), pieces.end(), since, ends_before);
  if (piece == pieces.end()) return;
  if (piece->start_s < since && piece->piece.rank == mark.rank && !piece->waited) {
    ChainPiece before = *piece;
    before.piece.seconds = since - before.start_s;
    piece->piece.seconds -= before.piece.seconds;
    piece->start_s = since;
    piece = pieces.insert(piece, before) + 1;
  }
  for (; piece != pieces.end() && piece->start_s < until; ++piece)
    if (piece->piece.rank == mark.rank && !piece->waited) piece->waited = mark.cause;
}

}  // namespace

std::vector<ChainPiece> ChainOf::pieces(const Paths::Chain& chain) const {
  std::vector<ChainPiece> list;
  double at = chain.begin - start;
  for (const Paths::Piece& piece : chain.pieces) {
    const ResourceId resource =
        piece.resource < 0 ? ResourceId() : run.ledger->resource(piece.resource).id;
    list.push_back({{piece.cause, piece.rank, resource, piece.seconds}, at, std::nullopt});
    at += piece.seconds;
  }
  for (const Paths::Chain::Mark& mark : chain.marks) apply(mark, start, list);
  return list;
}

ResourceReport ChainOf::resource(int id) const {
  const Resource& resource = run.ledger->resource(id);
  const double used = run.ledger->used(id) - used_before[static_cast<std::size_t>(id)];
  const double possible = resource.capacity * elapsed;
  return {resource.id, resource.kind, possible > 0 ? used / possible : 0};
}

PathChain ChainOf::chain(const PathCursor& end) const {
  PathChain result;
  const Paths::Chain chain = run.paths->chain(end);
  result.begin_s = chain.begin - start;
  result.pieces = pieces(chain);
  std::map<int, int> places;  // on the path, by the ledger's id
  for (const Paths::Piece& piece : run.paths->merged(end))
    if (piece.resource >= 0) places[piece.resource] = -1;
  for (auto& [id, place] : places) {
    place = static_cast<int>(result.resources.size());
    result.resources.push_back(resource(id));
  }
  const auto place_of = [&](int id) {
    const auto found = places.find(id);
    return found == places.end() ? -1 : found->second;
  };
  for (MessageSpan message : *run.mpi->received) {
    message.start_s -= start;
    message.end_s -= start;
    message.sender_core = place_of(message.sender_core);
    message.receiver_core = place_of(message.receiver_core);
    result.messages.push_back(message);
  }
  return result;
}

}  // namespace ringscope::sim
