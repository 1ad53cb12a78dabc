// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/isomorphism.hpp>

#include "topologies/placement/search/symmetry.hpp"

namespace ringscope {
namespace {

using Plain = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;

/// A vertex's colour and those of its neighbours, sorted.
struct Neighbourhood {
  int colour = 0;
  std::vector<int> out, in;
  auto operator<=>(const Neighbourhood&) const = default;
};

/// Colours both alike, until vertices of one colour have neighbours of the same colours (colour
/// refinement, or the one-dimensional algorithm of Weisfeiler and Leman).
void refine(const ColouredGraph& graph, Table<int>& colours, Table<int>& others) {
  std::size_t before = 0;
  for (std::map<Neighbourhood, int> found;; before = found.size()) {
    found.clear();
    for (Table<int>* side : {&colours, &others}) {
      Table<Neighbourhood> around(side->size());
      for (std::size_t i = 0; i < around.size(); ++i) around[i].colour = (*side)[i];
      for (const auto& [from, to] : graph.edges) {
        around[from].out.push_back((*side)[to]);
        around[to].in.push_back((*side)[from]);
      }
      for (std::size_t i = 0; i < around.size(); ++i) {
        std::ranges::sort(around[i].out);
        std::ranges::sort(around[i].in);
        (*side)[i] =
            found.try_emplace(std::move(around[i]), static_cast<int>(found.size())).first->second;
      }
    }
    if (found.size() == before) return;
  }
}

bool all_differ(std::vector<int> colours) {
  std::ranges::sort(colours);
  return std::ranges::adjacent_find(colours) == colours.end();
}

/// A vertex's colour, in the form that Boost asks for.
struct ColourOf {
  using argument_type = Plain::vertex_descriptor;
  using result_type = std::size_t;
  const std::vector<int>* colours;
  result_type operator()(argument_type v) const { return static_cast<std::size_t>((*colours)[v]); }
  result_type max() const { return static_cast<std::size_t>(std::ranges::max(*colours)) + 1; }
};

/// Looks for a permutation that takes each vertex to one of its colour, and edges to edges.
bool isomorphic(const ColouredGraph& graph, const std::vector<int>& colours,
                const std::vector<int>& others) {
  Plain plain(colours.size());
  for (const std::pair<std::size_t, std::size_t> edge : graph.edges)
    add_edge(edge.first, edge.second, plain);
  std::vector<Plain::vertex_descriptor> map(colours.size());
  return boost::isomorphism(
      plain, plain,
      boost::isomorphism_map(
          boost::make_iterator_property_map(map.begin(), get(boost::vertex_index, plain)))
          .vertex_invariant1(ColourOf{&colours})
          .vertex_invariant2(ColourOf{&others}));
}

}  // namespace

GraphSymmetry::GraphSymmetry(ColouredGraph graph, std::vector<int> points)
    : graph_(std::move(graph)), points_(std::move(points)) {
  Table<int> same = graph_.colours;
  refine(graph_, graph_.colours, same);
}

bool GraphSymmetry::can_go(std::span<const int> from, std::span<const int> to) const {
  const auto vertex = [this](int point) { return points_[point]; };
  if (graph_.colours[vertex(from.back())] != graph_.colours[vertex(to.back())]) return false;
  Table<int> colours = graph_.colours, others = graph_.colours;
  for (std::size_t i = 0; i < from.size(); ++i)
    colours[vertex(from[i])] = others[vertex(to[i])] = -1 - static_cast<int>(i);
  refine(graph_, colours, others);
  if (!std::ranges::is_permutation(colours, others)) return false;
  return all_differ(colours) || isomorphic(graph_, colours, others);
}

std::vector<int> GraphSymmetry::first_image(std::span<const int> points) const {
  if (points.empty()) return {};
  const std::vector<int> key(points.begin(), points.end());
  const auto found = first_images_.find(key);
  if (found != first_images_.end()) return found->second;
  std::vector<int> image = first_image(points.first(points.size() - 1));
  image.push_back(0);
  // It ends: the symmetry that took the points before takes the last one somewhere, too.
  while (std::find(image.begin(), image.end() - 1, image.back()) != image.end() - 1 ||
         !can_go(points, image))
    ++image.back();
  return first_images_[key] = image;
}

Count GraphSymmetry::images(std::span<const int> points) const {
  Count images = 1;
  for (std::size_t count = 1; count <= points.size(); ++count) {
    const auto beginning = points.first(count);
    std::vector<int> image(beginning.begin(), beginning.end());
    const auto [choice, is_new] = choices_.try_emplace(image, 0);
    for (int point = 0; is_new && point < static_cast<int>(points_.size()); ++point) {
      const bool taken =
          std::ranges::find(beginning.first(count - 1), point) != beginning.first(count - 1).end();
      image.back() = point;
      if (!taken && can_go(beginning, image)) ++choice->second;
    }
    images *= choice->second;
  }
  return images;
}

}  // namespace ringscope
