// SPDX-License-Identifier: LGPL-2.1-or-later
// Symmetries of a machine: places that can be interchanged without any change in time.
//
// A symmetry keeps every component and link with all its attributes. If each route is the only one
// with the fewest links, a symmetry keeps the routes too, and its images take the same time to the
// last digit. If a hash picks among equal routes, as in a fat tree, the picks of an image differ:
// then only hosts on the same switches are interchanged, and times are equal up to these picks.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "base/table.hpp"
#include "topologies/graph/topology.hpp"
#include "topologies/placement/placement.hpp"

namespace ringscope {

// Groups of permutations of points 0..n-1: those of a tree, and those of any small graph.
//
// All that placements ask of a group is where it can take a sequence of points. Sequences are
// looked at from left to right: where the first points go decides what is left for the next one.

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

// The symmetries of a machine.

/// Slots for ranks: cores of one NUMA domain are alike, a GPU takes one rank.
struct Bin {
  int host = 0;
  int numa = 0;      ///< index into the host's NUMA domains; of a GPU: the one nearest to it
  int gpu = -1;      ///< index into the host's GPUs; -1: cores
  int capacity = 0;  ///< ranks
};

/// core: on a core of a NUMA domain, or on all of the domain; host: free to use all its cores.
enum class SlotKind { core, gpu, host };

/// Bins in the order of hosts, and of domains or GPUs in each; without the room that others have
/// `taken`.
std::vector<Bin> bins_of(const Topology& topology, SlotKind slot_kind,
                         std::span<const Location> taken = {});

struct SymmetryRules {
  SlotKind slot_kind = SlotKind::core;
  Table<int> marks{};           ///< by host: those with different marks differ; empty: all alike
  bool inside_hosts = true;     ///< false: what is inside a host differs by its index
  bool nics_by_number = false;  ///< ranks send by all NICs, the first one to the first one
  /// Locations of other jobs' ranks: nothing on their hosts can be interchanged with anything.
  std::vector<Location> taken{};

  bool has_others(int host) const {
    return std::ranges::find(taken, host, &Location::host) != taken.end();
  }
};

/// The symmetries of a machine as permutations of the bins. Symmetries of whole hosts and of what
/// lies inside each of them are found; both are exact for a network that is a tree.
class Symmetry {
 public:
  Symmetry(const Topology& topology, const SymmetryRules& rules);

  View<const Bin> bins() const { return bins_; }
  /// True if every route is the only one with the fewest links: images take the same time.
  bool only_routes() const { return only_routes_; }
  /// The first of all images of a sequence of different bins: two sequences have the same one if
  /// and only if a symmetry takes one to the other. That of a beginning is its beginning.
  std::vector<int> first_image(std::span<const int> bins) const;
  /// Number of images of the sequence.
  Count images(std::span<const int> bins) const;
  /// Number of images of the sequence of their hosts, whatever becomes of the bins in each.
  Count images_of_hosts(std::span<const int> bins) const;

 private:
  /// The bins as touched, host by host.
  struct Touched {
    std::vector<int> hosts;          ///< in the order in which they were touched
    Table<std::vector<int>> inside;  ///< of each: the indices of its bins, as touched
  };
  Touched split(std::span<const int> bins) const;

  Table<Bin> bins_;
  Table<int> first_bin_;  ///< of each host
  bool only_routes_ = false;
  std::unique_ptr<PointSymmetry> hosts_;
  Table<std::shared_ptr<const PointSymmetry>> inside_;  ///< of each host
};

}  // namespace ringscope
