// SPDX-License-Identifier: LGPL-2.1-or-later
// The output of ibnetdiscover or iblinkinfo, as it stands there: nodes, and the cables between
// their ports. Of ibnetdiscover:
//
//   Switch  65 "S-2c5eab0300b87b40"    # "MF0;leaf-04:MQM9701/U1" enhanced port 0 lid 73 lmc 0
//   [1]     "H-e09d7303007a4bd8"[1](e09d7303007a4bd8)    # "n1 mlx5_5" lid 647 4xNDR
//   Ca      1 "H-e09d7303007a4bd8"     # "n1 mlx5_5"
//   [1](e09d7303007a4bd8)  "S-2c5eab0300b87b40"[1]       # lid 647 lmc 0 "leaf-04" lid 73 4xNDR
//
// Of iblinkinfo, where nodes have LIDs:
//
//   Switch: 0x2c5eab0300b87b40 MF0;leaf-04:MQM9701/U1:
//     73    1[  ] ==( 4X      106.25 Gbps Active/  LinkUp)==>     647    1[  ] "n1 mlx5_5" ( )
//
// With its option -l, the node's GUID and name in quotes begin each of these lines.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topologies/input/input.hpp"

namespace ringscope {

// One line of ibnetdiscover's output, read word by word.

class IbLine {
 public:
  IbLine(std::string_view text, Place place) : text_(text), place_(std::move(place)) {}

  bool starts_with(std::string_view word) const { return text_.starts_with(word); }
  /// Skips blanks, and the word if it is the next; true if it was.
  bool take(std::string_view word);
  /// Skips what is up to the mark, or to the end, and the mark; returns it without blanks around.
  std::string_view past(std::string_view mark);
  /// `"S-2c5eab0300b87b40"`, without the quotes; `what` is the noun.
  std::string quoted(std::string_view what);
  int number(std::string_view what);
  /// `[12]`, and what may stand behind it: `(e09d7303007a4bd8)`, `[ext 3]`.
  int port();
  /// The last text in quotes that the rest of the line holds; "" where there is none.
  Value last_quoted() const;
  /// Width and speed, the last such word of the rest: 4xNDR.
  Bandwidth rate() const;

  Place here() const;
  [[noreturn]] void fail(const std::string& message) const;  ///< at the next character

 private:
  void skip_blanks();

  std::string_view text_;
  Place place_;
  std::size_t at_ = 0;
};

/// Data that "4xNDR" carries each way: lanes times what one of them has left of its signal's rate
/// after coding. Nothing where it is no such rate.
std::optional<Bandwidth> ib_rate(std::string_view word);

struct IbNode {
  std::string id;  ///< "S-2c5eab0300b87b40"; H: an adapter, R: a router
  std::string description;
  Place place;  ///< of the description
};

struct IbCable {
  std::size_t node[2] = {};  ///< indices into the nodes
  int port[2] = {};
  Bandwidth bandwidth;
};

/// Each cable once, though both of its ends tell of it; nodes and cables in the order of the file.
struct IbListing {
  std::vector<IbNode> nodes;
  std::vector<IbCable> cables;
};

/// Throws InputError, also where the two ends of a cable contradict each other.
IbListing read_ib_listing(const std::shared_ptr<const Source>& source);

}  // namespace ringscope
