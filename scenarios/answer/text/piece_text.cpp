#include <array>
#include <string_view>

#include "scenarios/answer/text/report_text.hpp"

namespace ringscope {
namespace {

struct Words {
  std::string_view cause;
  std::string_view preposition;  ///< between the cause and the resource or rank
};

constexpr std::array<Words, cause_names.size()> words = {{{"computing", "on"},
                                                          {"reducing", "on"},
                                                          {"message overhead", "on"},
                                                          {"copying", "on"},
                                                          {"memory traffic", "in"},
                                                          {"the wire", "at"},
                                                          {"waiting for the lock", "of"},
                                                          {"latency", "of"},
                                                          {"handshakes", "with"},
                                                          {"waiting for the call", "of"},
                                                          {"waiting for progress", "of"},
                                                          {"a late start", "of"},
                                                          {"files", "at"},
                                                          {"waiting for a clock", "of"},
                                                          {"noise", "on"}}};

}  // namespace

std::string piece_text(const PathPiece& piece, bool most) {
  std::string where = piece.resource.name();
  if (piece.rank >= 0 && piece.resource.rank < 0) {
    const std::string rank = "rank " + std::to_string(piece.rank);
    where += where.empty() ? rank : " (" + rank + ")";
  }
  const auto& [cause, preposition] = words[static_cast<std::size_t>(piece.cause)];
  std::string text(cause);
  if (where.empty()) return text;
  text.append(most ? ", most of it " : " ").append(preposition);
  return text.append(" ").append(where);
}

}  // namespace ringscope
