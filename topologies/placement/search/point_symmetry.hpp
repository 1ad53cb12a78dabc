// SPDX-License-Identifier: LGPL-2.1-or-later
// Groups of permutations of points 0..n-1: those of a tree, and those of any small graph.
//
// All that placements ask of a group is where it can take a sequence of points. Sequences are
// looked at from left to right: where the first points go decides what is left for the next one.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <map>
#include <span>
#include <vector>

#include "base/table.hpp"

namespace ringscope {

/// Numbers of placements have hundreds of digits.
using Count = boost::multiprecision::cpp_int;

class PointSymmetry {
 public:
  virtual ~PointSymmetry() = default;
  /// The first of all images of a sequence of different points: two sequences have the same one if
  /// and only if a symmetry takes one to the other. That of a beginning is its beginning.
  virtual std::vector<int> first_image(std::span<const int> points) const = 0;
  /// Number of images of the sequence.
  virtual Count images(std::span<const int> points) const = 0;
};

/// Every point differs.
class NoSymmetry : public PointSymmetry {
 public:
  std::vector<int> first_image(std::span<const int> points) const override {
    return {points.begin(), points.end()};
  }
  Count images(std::span<const int>) const override { return 1; }
};

/// Vertices with colours, and directed edges without; a coloured edge is a vertex of its own.
struct ColouredGraph {
  Table<int> colours;
  std::vector<std::pair<int, int>> edges;
};

/// A tree: `parents` of each node, -1 for the root; what the colour of a node says includes its
/// link to the parent.
struct ColouredTree {
  Table<int> colours;
  Table<int> parents;
};

/// Symmetry of a rooted tree, by the canonical form of its subtrees (Aho, Hopcroft, Ullman: The
/// Design and Analysis of Computer Algorithms, 1974, example 3.2). Points are nodes.
class TreeSymmetry : public PointSymmetry {
 public:
  TreeSymmetry(const ColouredTree& tree, std::vector<int> points);
  std::vector<int> first_image(std::span<const int> points) const override;
  Count images(std::span<const int> points) const override;

 private:
  Table<int> parents_, points_, point_of_;
  Table<int> form_;  ///< of each node's subtree: equal forms are equal subtrees
  Table<std::map<int, std::vector<int>>> families_;  ///< of each node: children by form
};

/// Symmetry of any graph: a map of some points is a symmetry's if the two graphs, these points
/// marked, are isomorphic. Colours are refined first, which settles nearly all; the rest is Boost's
/// search. Remembers its answers: for one thread.
class GraphSymmetry : public PointSymmetry {
 public:
  GraphSymmetry(ColouredGraph graph, std::vector<int> points);
  std::vector<int> first_image(std::span<const int> points) const override;
  Count images(std::span<const int> points) const override;

 private:
  bool can_go(std::span<const int> from, std::span<const int> to) const;

  ColouredGraph graph_;
  Table<int> points_;  ///< vertices
  mutable std::map<std::vector<int>, std::vector<int>> first_images_;
  mutable std::map<std::vector<int>, int> choices_;  ///< of the last one, the others staying
};

}  // namespace ringscope
